//! One type for several.

use proptest::collection::vec;
use proptest::prelude::*;
use tenon_values::Type;
use tenon_values::convert::{Safety, unify};

use crate::config;
use crate::types::any_type;

fn any_safety() -> impl Strategy<Value = Safety> {
    prop_oneof![Just(Safety::Safe), Just(Safety::Unsafe)]
}

/// A few types of few levels, so that some can be unified.
fn any_types(one: BoxedStrategy<Type>) -> BoxedStrategy<Vec<Type>> {
    let same_kind = one.clone().prop_flat_map(|ty| {
        let inner = prop_oneof![Just(Type::String), Just(Type::Number), Just(ty)].boxed();
        vec(
            prop_oneof![
                inner.clone().prop_map(Type::list),
                inner.clone().prop_map(Type::list),
                vec(inner, 1..3).prop_map(Type::tuple),
            ],
            1..4,
        )
    });
    prop_oneof![vec(one, 1..4), same_kind].boxed()
}

proptest! {
    #![proptest_config(config(1024))]

    #[test]
    fn fits_every_one_of_them(types in any_types(any_type()), safety in any_safety()) {
        let Some(unified) = unify(&types, safety) else { return Ok(()) };
        for ty in &types {
            prop_assert!(ty.converts_to(&unified, safety), "{} to {}", ty, unified);
        }
    }

    #[test]
    fn of_one_type_is_that_type(ty in any_type(), count in 1usize..4, safety in any_safety()) {
        prop_assert_eq!(unify(&vec![ty.clone(); count], safety), Some(ty));
    }

    #[test]
    fn does_not_depend_on_order(
        types in any_types(any_type()),
        safety in any_safety(),
        by in any::<prop::sample::Index>(),
    ) {
        let unified = unify(&types, safety);
        let mut other = types.clone();
        other.rotate_left(by.index(types.len()));
        prop_assert_eq!(&unify(&other, safety), &unified);
        other.reverse();
        prop_assert_eq!(unify(&other, safety), unified);
    }
}

/// The list of strings does not become a string, although what is dynamic might.
#[test]
fn regards_every_attribute() {
    let types = ["object({ a = list(string), b = any })", "map(string)"];
    let types = types.map(|text| text.parse::<Type>().unwrap());
    let unified = unify(&types, Safety::Unsafe);
    let suits = |to: &Type| types.iter().all(|ty| ty.converts_to(to, Safety::Unsafe));
    assert!(unified.as_ref().is_none_or(suits), "{unified:?}");
}
