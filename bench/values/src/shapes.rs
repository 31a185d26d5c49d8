//! Values with as many elements as one likes, as msgpack and as JSON.

use rmpv::Value;
use serde_json::Value as Json;
use tenon_values::Type;

use crate::document::mix;

/// A kind of value.
pub struct Shape {
    pub name: &'static str,
    /// The type, which for an object with many attributes depends on their number.
    pub ty: fn(u64) -> Type,
    /// The value, its elements in the order in which a peer sends them.
    pub value: fn(u64) -> Value,
}

pub const SHAPES: [Shape; 12] = [
    Shape {
        name: "list(string)",
        ty: |_| Type::list(Type::String),
        value: |count| array(count, word),
    },
    Shape {
        name: "map(string)",
        ty: |_| Type::map(Type::String),
        value: |count| map(count, word),
    },
    Shape {
        name: "map(string), shuffled",
        ty: |_| Type::map(Type::String),
        value: |count| map(count, shuffled),
    },
    Shape {
        name: "map(string), keys not in normal form",
        ty: |_| Type::map(Type::String),
        value: |count| map(count, decomposed),
    },
    Shape {
        name: "set(string)",
        ty: |_| Type::set(Type::String),
        value: |count| array(count, word),
    },
    Shape {
        name: "set(string), shuffled",
        ty: |_| Type::set(Type::String),
        value: |count| array(count, shuffled),
    },
    Shape {
        name: "set(number)",
        ty: |_| Type::set(Type::Number),
        value: |count| array(count, Value::from),
    },
    Shape {
        name: "set(number), shuffled",
        ty: |_| Type::set(Type::Number),
        value: |count| array(count, |index| Value::from(mix(index) >> 16)),
    },
    Shape {
        name: "set(number), fractions",
        ty: |_| Type::set(Type::Number),
        value: |count| array(count, |index| Value::from(index as f64 + 0.5)),
    },
    Shape {
        name: "set(object)",
        ty: |_| Type::set(record_type()),
        value: |count| array(count, record),
    },
    Shape {
        name: "list(object)",
        ty: |_| Type::list(record_type()),
        value: |count| array(count, record),
    },
    Shape {
        name: "object, shuffled",
        ty: |count| {
            let names = (0..count).map(|index| format!("k-{:016x}", mix(index)));
            Type::object(names.map(|name| (name, Type::Bool)))
        },
        value: |count| {
            let entry = |index| (shuffled(index), Value::from(true));
            Value::Map((0..count).map(entry).collect())
        },
    },
];

fn array(count: u64, element: fn(u64) -> Value) -> Value {
    Value::Array((0..count).map(element).collect())
}

fn map(count: u64, key: fn(u64) -> Value) -> Value {
    Value::Map((0..count).map(|index| (key(index), word(index))).collect())
}

fn word(index: u64) -> Value {
    Value::from(format!("element-{index:06}"))
}

fn shuffled(index: u64) -> Value {
    Value::from(format!("k-{:016x}", mix(index)))
}

/// A letter and its accent apart.
fn decomposed(index: u64) -> Value {
    Value::from(format!("e\u{301}le\u{301}ment-{index:06}"))
}

fn record_type() -> Type {
    Type::object([
        ("enabled", Type::Bool),
        ("name", Type::String),
        ("size", Type::Number),
    ])
}

fn record(index: u64) -> Value {
    let entry = |name: &str, value: Value| (Value::from(name), value);
    Value::Map(vec![
        entry("enabled", Value::from(index.is_multiple_of(2))),
        entry("name", word(index)),
        entry("size", Value::from(mix(index) % 10_000)),
    ])
}

/// The same as JSON, in the same order.
pub fn json(value: &Value) -> String {
    let joined =
        |start: char, parts: Vec<String>, end: char| format!("{start}{}{end}", parts.join(","));
    match value {
        Value::Array(elements) => joined('[', elements.iter().map(json).collect(), ']'),
        Value::Map(entries) => {
            let entry = |(key, value): &(Value, Value)| format!("{}:{}", json(key), json(value));
            joined('{', entries.iter().map(entry).collect(), '}')
        }
        Value::String(text) => Json::from(text.as_str()).to_string(),
        other => other.to_string(),
    }
}
