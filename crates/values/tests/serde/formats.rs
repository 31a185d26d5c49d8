//! Values in formats that are not ours.

use serde::Deserialize;
use serde::de::value::{Error as PlainError, MapDeserializer};
use tenon_values::{Number, Text, Type, Value};

use super::json;

#[test]
fn values_are_plain_json() {
    let value = Value::object([
        (
            "list",
            Value::list(Type::String, vec![Value::from("a")]).unwrap(),
        ),
        ("map", Value::map(Type::Bool, [("k", Value::TRUE)]).unwrap()),
        ("null", Value::null(Type::Number)),
        (
            "set",
            Value::set(Type::Number, vec![Value::from(2), Value::from(1)]).unwrap(),
        ),
        ("tuple", json(r#"[-1, 18446744073709551615, 0.1, 1e30]"#)),
    ]);
    let text = serde_json::to_string(&value).unwrap();
    assert_eq!(
        text,
        r#"{"list":["a"],"map":{"k":true},"null":null,"set":[1,2],"tuple":[-1,18446744073709551615,0.1,1e+30]}"#
    );
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), json(&text));
    let nearest = "0.12345678901234567890123".parse::<Number>().unwrap();
    assert_eq!(
        serde_json::to_string(&nearest).unwrap(),
        "0.12345678901234568"
    );
}

#[test]
fn no_secret_is_written() {
    let refused = |value: Value| {
        let value = Value::object([("a", Value::tuple(vec![Value::TRUE, value]))]);
        serde_json::to_string(&value).unwrap_err().to_string()
    };
    assert_eq!(
        refused(Value::from("x").sensitive()),
        "at .a[1]: the value is marked as sensitive, so it cannot be written; remove the mark first"
    );
    assert_eq!(
        refused(Value::unknown(Type::Bool)),
        "at .a[1]: the value is not known yet"
    );
    assert_eq!(
        refused(Value::number(Number::INFINITY)),
        "at .a[1]: an infinite number cannot be written"
    );
    assert_eq!(
        refused(Value::from(Text::from_bytes(b"\xff"))),
        "at .a[1]: the text is not UTF-8"
    );
}

#[test]
fn floats_are_read_as_their_shortest_text() {
    let value: Value = serde_json::from_str("[0.1, 5]").unwrap();
    let tenth: Number = "0.1".parse().unwrap();
    let read = value.elements().unwrap()[0].as_number().unwrap().clone();
    assert_eq!(read.to_binary_text(), tenth.to_binary_text());
    let number: Number = serde_json::from_str("0.1").unwrap();
    assert_eq!(number.to_binary_text(), tenth.to_binary_text());
}

#[test]
fn numbers_of_any_precision_are_read() {
    let entry = ("$serde_json::private::Number", "0.12345678901234567890123");
    let map = MapDeserializer::<_, PlainError>::new([entry].into_iter());
    let value = Value::deserialize(map).unwrap();
    assert_eq!(value, json("0.12345678901234567890123"));
}

#[test]
fn keys_of_other_formats_are_texts() {
    let map = MapDeserializer::<_, PlainError>::new([(1u8, "a"), (2, "b")].into_iter());
    assert_eq!(
        Value::deserialize(map).unwrap(),
        json(r#"{"1": "a", "2": "b"}"#)
    );
    let error = serde_json::from_str::<Value>(r#"{"a": 1, "a": 2}"#).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("the name \"a\" appears twice")
    );
}

#[test]
fn types_are_as_cty_writes_them() {
    for text in [
        "any",
        "map(set(bool))",
        "tuple([string, number])",
        "tuple([])",
        "object({ a = string, b = optional(list(any)) })",
        "object({})",
    ] {
        let ty: Type = text.parse().unwrap();
        let written = serde_json::to_string(&ty).unwrap();
        assert_eq!(written, ty.to_json());
        assert_eq!(serde_json::from_str::<Type>(&written).unwrap(), ty);
    }
    let error = serde_json::from_str::<Type>("[\"list\", \"strin\"]").unwrap_err();
    assert!(
        error.to_string().starts_with("\"strin\" is not a type"),
        "{error}"
    );
}

#[test]
fn texts_are_strings() {
    assert_eq!(serde_json::to_string(&Text::new("a")).unwrap(), "\"a\"");
    assert_eq!(
        serde_json::from_str::<Text>("\"a\"").unwrap(),
        Text::new("a")
    );
    assert_eq!(
        serde_json::from_str::<Text>("1").unwrap_err().to_string(),
        "a string is required, but this is a number"
    );
}
