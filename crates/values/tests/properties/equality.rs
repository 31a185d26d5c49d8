//! When values are the same, when they are equal, and sets, which depend on both.

use std::hash::{BuildHasher, RandomState};

use proptest::collection::vec;
use proptest::prelude::*;
use tenon_values::msgpack::{decode, encode};
use tenon_values::{Kind, Type, Value};

use crate::config;
use crate::types::{any_type, exact_type};
use crate::values::{Content, any_value, value_of};

/// Two values of one type, often the same one.
fn any_pair(content: Content) -> BoxedStrategy<(Value, Value)> {
    let pair = move |ty: Type| {
        (
            value_of(&ty, content),
            value_of(&ty, content),
            any::<bool>(),
        )
    };
    any_type()
        .prop_flat_map(pair)
        .prop_map(|(a, b, is_same)| (a.clone(), if is_same { rebuilt(&a) } else { b }))
        .boxed()
}

/// The value from new parts, so that nothing is equal only because it is shared.
fn rebuilt(value: &Value) -> Value {
    value.transform(&mut |_, value| Ok(value)).unwrap()
}

proptest! {
    #![proptest_config(config(512))]

    #[test]
    fn sameness_is_mutual_and_agrees_with_hashes((a, b) in any_pair(Content::ANY)) {
        prop_assert!(rebuilt(&a) == a);
        prop_assert_eq!(a == b, b == a);
        if a == b {
            let state = RandomState::new();
            prop_assert_eq!(state.hash_one(&a), state.hash_one(&b));
        }
    }

    #[test]
    fn equality_is_mutual((a, b) in any_pair(Content::ANY)) {
        prop_assert_eq!(a.equals(&b), b.equals(&a));
        prop_assert_eq!(a.not_equals(&b).is_known(), a.equals(&b).is_known());
        prop_assert!(a.equals(&a).as_bool() != Some(false));
    }

    /// Two nulls are equal whatever their types, so it takes values without them.
    #[test]
    fn equality_of_known_values_is_sameness(
        (a, b) in any_pair(Content { nulls: false, unknowns: false, ..Content::ANY })
    ) {
        prop_assert_eq!(a.equals(&b).as_bool(), Some(a == b));
    }

    #[test]
    fn known_values_equal_themselves(value in any_value(Content { unknowns: false, ..Content::ANY })) {
        prop_assert_eq!(value.equals(&rebuilt(&value)), Value::TRUE);
    }

    #[test]
    fn the_same_values_have_the_same_bytes((a, b) in any_pair(Content::TRAVELLING)) {
        let ty = a.ty();
        let (bytes_of_a, bytes_of_b) = (encode(&a, &ty).unwrap(), encode(&b, &b.ty()).unwrap());
        if a == b && precisions(&a) == precisions(&b) {
            prop_assert_eq!(&bytes_of_a, &bytes_of_b);
        }
        if b.ty() == ty && bytes_of_a == bytes_of_b {
            prop_assert_eq!(decode(&bytes_of_a, &ty).unwrap(), b);
            prop_assert_eq!(decode(&bytes_of_b, &ty).unwrap(), a);
        }
    }

    /// A refined unknown could be what it is known to be, and nothing else of that.
    #[test]
    fn unknown_values_could_be_anything_of_their_type(
        (value, known) in exact_type(1).prop_flat_map(|ty| (Just(Value::unknown(ty.clone())), value_of(&ty, Content::PLAIN)))
    ) {
        prop_assert!(value.could_be(&known));
        prop_assert!(!value.equals(&known).is_known());
        let refined = value.refine_not_null().unwrap();
        prop_assert_eq!(refined.could_be(&known), !known.is_null());
    }
}

/// The precisions of all numbers in a value, which make a difference to what is written.
fn precisions(value: &Value) -> Vec<u32> {
    let mut found = Vec::new();
    value.walk(&mut |_, value| {
        if let Kind::Number(number) = value.kind() {
            found.push(number.precision());
        }
        true
    });
    found
}

proptest! {
    #![proptest_config(config(512))]

    #[test]
    fn sets_know_neither_order_nor_repetition(
        (ty, values) in exact_type(2).prop_flat_map(|ty| {
            let content = Content { unknowns: false, ..Content::ANY };
            let values = vec(value_of(&ty, content), 0..6);
            (Just(ty), values)
        }),
        order in any::<u64>(),
        repeated in any::<prop::sample::Index>(),
    ) {
        let set = Value::set(ty.clone(), values.clone()).unwrap();
        let mut other = values.clone();
        if !values.is_empty() {
            other.push(values[repeated.index(values.len())].clone());
            let by = order as usize % other.len();
            other.rotate_left(by);
            other.reverse();
        }
        let other = Value::set(ty, other).unwrap();
        prop_assert_eq!(&set, &other);
        prop_assert_eq!(set.equals(&other), Value::TRUE);
        for value in &values {
            prop_assert_eq!(set.has_element(value).unwrap(), Value::TRUE);
        }
    }

    /// Unknown elements stay, each of them, wherever they stood.
    #[test]
    fn sets_keep_what_is_unknown(
        (ty, values) in exact_type(1).prop_flat_map(|ty| {
            let values = vec(value_of(&ty, Content::TRAVELLING), 0..5);
            (Just(ty), values)
        }),
    ) {
        let set = Value::set(ty.clone(), values.clone()).unwrap();
        let reversed = Value::set(ty, values.iter().rev().cloned().collect()).unwrap();
        prop_assert_eq!(&set, &reversed);
        let count = |values: &[Value]| values.iter().filter(|value| !value.is_wholly_known()).count();
        prop_assert_eq!(count(set.elements().unwrap()), count(&values));
    }
}
