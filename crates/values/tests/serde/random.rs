//! Whatever a type holds comes back out of its value.

use std::collections::{BTreeMap, HashMap};

use proptest::collection::{btree_map, hash_map, vec};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use tenon_values::{Value, from_value, to_value};

#[derive(Serialize, Deserialize, PartialEq, Debug, Clone)]
struct Sample {
    flag: bool,
    letter: char,
    text: String,
    small: (i8, u8, i16, u16),
    wide: (i64, u64, i128, u128),
    floats: (f32, f64),
    maybe: Option<Box<Sample>>,
    many: Vec<Choice>,
    by_number: BTreeMap<i32, Option<String>>,
    by_name: HashMap<String, u32>,
}

#[derive(Serialize, Deserialize, PartialEq, Debug, Clone)]
enum Choice {
    Empty,
    One(f64),
    Two(String, i64),
    Named { left: Option<u8>, right: Vec<char> },
}

fn choice() -> impl Strategy<Value = Choice> {
    prop_oneof![
        Just(Choice::Empty),
        any_double().prop_map(Choice::One),
        ("[a-z]{0,3}", any::<i64>()).prop_map(|(text, number)| Choice::Two(text, number)),
        (any::<Option<u8>>(), vec(letter(), 0..3))
            .prop_map(|(left, right)| Choice::Named { left, right }),
    ]
}

fn any_double() -> impl Strategy<Value = f64> {
    any::<u64>()
        .prop_map(f64::from_bits)
        .prop_filter("NaN is not a number", |value| !value.is_nan())
}

fn any_single() -> impl Strategy<Value = f32> {
    any::<u32>()
        .prop_map(f32::from_bits)
        .prop_filter("NaN is not a number", |value| !value.is_nan())
}

/// A letter that normal form C leaves alone.
fn letter() -> impl Strategy<Value = char> {
    prop_oneof![any::<u8>().prop_map(char::from), Just('語'), Just('🦀')]
}

fn sample() -> impl Strategy<Value = Sample> {
    let leaf = (
        (any::<bool>(), letter(), vec(letter(), 0..30)),
        any::<(i8, u8, i16, u16)>(),
        any::<(i64, u64, i128, u128)>(),
        (any_single(), any_double()),
        vec(choice(), 0..4),
        btree_map(any::<i32>(), any::<Option<bool>>(), 0..3),
        hash_map("[a-z ]{0,5}", any::<u32>(), 0..3),
    )
        .prop_map(
            |(plain, small, wide, floats, many, by_number, by_name)| Sample {
                flag: plain.0,
                letter: plain.1,
                text: plain.2.into_iter().collect(),
                small,
                wide,
                floats,
                maybe: None,
                many,
                by_number: (by_number.into_iter())
                    .map(|(key, value)| (key, value.map(|value| value.to_string())))
                    .collect(),
                by_name,
            },
        );
    leaf.prop_recursive(3, 3, 1, |inner| {
        (inner.clone(), inner).prop_map(|(outer, inner)| Sample {
            maybe: Some(Box::new(inner)),
            ..outer
        })
    })
}

/// The same, but every struct goes through what serde keeps while it decides.
#[derive(Serialize, Deserialize, PartialEq, Debug)]
#[serde(untagged)]
enum Kept {
    Number(u64),
    Choices { many: Vec<Choice> },
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn comes_back(sample in sample()) {
        let value = to_value(&sample).unwrap();
        prop_assert_eq!(&from_value::<Sample>(&value).unwrap(), &sample);
        // A value inside a type is that value, whichever way it goes.
        prop_assert_eq!(&to_value(&Some(&value)).unwrap(), &value);
        prop_assert_eq!(from_value::<Vec<Value>>(&Value::tuple(vec![value.clone()])).unwrap(), [value]);
    }

    #[test]
    fn comes_back_from_where_serde_keeps_it(many in vec(choice(), 0..4)) {
        let kept = Kept::Choices { many };
        let value = to_value(&kept).unwrap();
        prop_assert_eq!(from_value::<Kept>(&value).unwrap(), kept);
    }
}
