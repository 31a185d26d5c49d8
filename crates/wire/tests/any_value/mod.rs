//! Random msgpack values, and the bytes that an independent writer makes of them.

use proptest::prelude::*;
use rmpv::Value;

pub(crate) fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Nil),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,40}".prop_map(Value::from),
        prop::collection::vec(any::<u8>(), 0..300).prop_map(Value::Binary),
        (any::<i8>(), prop::collection::vec(any::<u8>(), 0..40))
            .prop_map(|(kind, bytes)| Value::Ext(kind, bytes)),
    ];
    leaf.prop_recursive(4, 64, 20, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..20).prop_map(Value::Array),
            prop::collection::vec((inner.clone(), inner), 0..20).prop_map(Value::Map),
        ]
    })
}

pub(crate) fn encoded(value: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    rmpv::encode::write_value(&mut bytes, value).unwrap();
    bytes
}
