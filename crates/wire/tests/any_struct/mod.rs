//! Random values of a type that has everything that serde knows.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Everything {
    flag: bool,
    small: i8,
    large: u64,
    signed: i64,
    single: f32,
    double: f64,
    letter: char,
    text: String,
    optional: Option<Box<Everything>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    absent: Option<u16>,
    list: Vec<Shape>,
    pair: (u8, String),
    map: BTreeMap<String, i32>,
    unit: (),
    nothing: Nothing,
    wrapped: Wrapped,
    #[serde(flatten)]
    more: BTreeMap<String, u8>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Nothing;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Wrapped(pub(crate) u32);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Shape {
    Point,
    Circle(f64),
    Line(i64, i64),
    Box { width: u32, height: u32 },
}

fn any_shape() -> impl Strategy<Value = Shape> {
    prop_oneof![
        Just(Shape::Point),
        (-1e9..1e9).prop_map(Shape::Circle),
        (any::<i64>(), any::<i64>()).prop_map(|(from, to)| Shape::Line(from, to)),
        (any::<u32>(), any::<u32>()).prop_map(|(width, height)| Shape::Box { width, height }),
    ]
}

pub(crate) fn any_struct() -> impl Strategy<Value = Everything> {
    let numbers = (any::<i8>(), any::<u64>(), any::<i64>(), 0u32..64);
    let floats = (-1e9f32..1e9, -1e300..1e300);
    let texts = (any::<char>(), ".{0,300}");
    let containers = (
        prop::collection::vec(any_shape(), 0..40),
        prop::collection::btree_map(".{0,5}", any::<i32>(), 0..20),
        prop::collection::btree_map("x[a-z]{1,3}", any::<u8>(), 0..20),
    );
    (
        any::<bool>(),
        numbers,
        floats,
        texts,
        containers,
        any::<Option<u16>>(),
    )
        .prop_map(
            |(
                flag,
                (small, large, signed, shift),
                (single, double),
                (letter, text),
                containers,
                absent,
            )| {
                Everything {
                    flag,
                    small,
                    large: large >> shift,
                    signed: signed >> shift,
                    single,
                    double,
                    letter,
                    text,
                    optional: flag.then(Box::default),
                    absent,
                    list: containers.0,
                    pair: (7, "pair".into()),
                    map: containers.1,
                    more: containers.2,
                    ..Everything::default()
                }
            },
        )
}
