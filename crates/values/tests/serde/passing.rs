//! Values inside other types stay what they are.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tenon_values::{Mark, Number, Text, Type, Value, from_value, to_value};

/// One of everything that serde has no words for.
fn strange() -> Vec<Value> {
    vec![
        Value::unknown(Type::set(Type::String)),
        Value::unknown(Type::Dynamic).sensitive(),
        Value::from("secret").sensitive().mark(Mark::new("other")),
        Value::null(Type::list(Type::Bool)),
        Value::set(Type::Number, vec![Value::from(2), Value::from(1)]).unwrap(),
        Value::map(Type::String, [("k", Value::from("v"))]).unwrap(),
        Value::object([("inner", Value::unknown(Type::Number))]),
        Value::from(
            "0.1234567890123456789012345678901234567890"
                .parse::<Number>()
                .unwrap(),
        ),
        Value::from(Text::from_bytes(b"\xff\xfe")),
    ]
}

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Holder {
    one: Value,
    many: Vec<Value>,
    named: BTreeMap<String, Value>,
    maybe: Option<Value>,
    number: Number,
    text: Text,
    ty: Type,
}

fn holder(value: &Value) -> Holder {
    Holder {
        one: value.clone(),
        many: vec![value.clone(), Value::TRUE],
        named: BTreeMap::from([("k".to_owned(), value.clone())]),
        maybe: (!value.is_null()).then(|| value.clone()),
        number: "0.1".parse().unwrap(),
        text: Text::from_bytes(b"a\xff"),
        ty: "object({ a = list(string), b = optional(tuple([any])) })"
            .parse()
            .unwrap(),
    }
}

#[test]
fn every_value_passes() {
    for value in strange() {
        assert_eq!(to_value(&value).unwrap(), value);
        assert_eq!(from_value::<Value>(&value).unwrap(), value);
        let holder = holder(&value);
        let object = to_value(&holder).unwrap();
        let attributes = object.attributes().unwrap();
        assert_eq!(attributes.get("one"), Some(&value));
        let many = Value::tuple(vec![value.clone(), Value::TRUE]);
        assert_eq!(attributes.get("many"), Some(&many));
        assert_eq!(from_value::<Holder>(&object).unwrap(), holder);
    }
}

#[test]
fn precision_passes() {
    for number in [
        Number::from(5),
        "5".parse().unwrap(),
        Number::try_from(0.1).unwrap(),
    ] {
        let value = to_value(&number).unwrap();
        let back: Number = from_value(&value).unwrap();
        assert_eq!(value.as_number().unwrap().precision(), number.precision());
        assert_eq!(back.precision(), number.precision());
    }
}

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Open {
    name: String,
    own: Value,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

#[derive(Serialize, Deserialize, PartialEq, Debug)]
#[serde(untagged)]
enum MaybeKnown {
    Known(u16),
    Later(Value),
}

#[derive(Serialize, Deserialize, PartialEq, Debug)]
#[serde(tag = "kind")]
enum Kind {
    Port { port: MaybeKnown },
    Wrapped(Open),
}

#[test]
fn unknown_and_marked_values_pass_where_serde_looks_first() {
    let unknown = Value::unknown(Type::Number);
    let secret = Value::from("secret").sensitive();
    let open = || Open {
        name: "x".to_owned(),
        own: Value::set(Type::Number, vec![Value::from(1)]).unwrap(),
        rest: BTreeMap::from([
            ("a".to_owned(), unknown.clone()),
            ("b".to_owned(), secret.clone()),
            (
                "c".to_owned(),
                Value::tuple(vec![secret.clone(), Value::from(1)]),
            ),
            ("d".to_owned(), Value::from(Text::from_bytes(b"\xff"))),
        ]),
    };
    let value = to_value(&open()).unwrap();
    assert_eq!(value.attributes().unwrap().get("b"), Some(&secret));
    assert_eq!(from_value::<Open>(&value).unwrap(), open());

    for maybe in [MaybeKnown::Known(1), MaybeKnown::Later(unknown.clone())] {
        let kind = Kind::Port { port: maybe };
        let value = to_value(&kind).unwrap();
        assert_eq!(from_value::<Kind>(&value).unwrap(), kind);
    }

    // Kept twice over, a set has become a tuple; the rest is as it was.
    let read: Kind = from_value(&to_value(&Kind::Wrapped(open())).unwrap()).unwrap();
    let own = Value::tuple(vec![Value::from(1)]);
    assert_eq!(read, Kind::Wrapped(Open { own, ..open() }));
}

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Around {
    name: String,
    #[serde(flatten)]
    rest: Value,
}

#[test]
fn a_value_can_be_flattened() {
    let rest = Value::object([
        ("a", Value::unknown(Type::Number)),
        ("b", Value::from("x").sensitive()),
    ]);
    let name = "x".to_owned();
    let around = Around { name, rest };
    let value = to_value(&around).unwrap();
    assert_eq!(value.attributes().unwrap().len(), 3);
    assert_eq!(from_value::<Around>(&value).unwrap(), around);
}

#[derive(Serialize)]
struct Flattened {
    #[serde(flatten)]
    variant: Variant,
}

#[derive(Serialize)]
enum Variant {
    One(Value),
    Named { value: Value },
}

#[test]
fn serde_keeps_flattened_variants_as_plain_data() {
    let flattened = |variant: Variant| to_value(&Flattened { variant });
    let set = Value::set(Type::Number, vec![Value::from(1)]).unwrap();
    let one = flattened(Variant::One(set.clone())).unwrap();
    assert_eq!(one.attributes().unwrap().get("One"), Some(&set));
    let named = flattened(Variant::Named { value: set }).unwrap();
    let tuple = Value::tuple(vec![Value::from(1)]);
    assert_eq!(
        named.attributes().unwrap().get("Named"),
        Some(&Value::object([("value", tuple)]))
    );
    let value = Value::unknown(Type::Bool);
    let error = flattened(Variant::Named { value }).unwrap_err();
    assert!(error.to_string().ends_with("the value is not known yet"));
}

#[derive(Deserialize, Debug)]
#[expect(dead_code, reason = "only read into")]
struct Wanting {
    #[serde(flatten)]
    rest: BTreeMap<String, String>,
}

#[test]
fn secrets_and_invalid_text_do_not_become_strings() {
    let object = Value::object([("a", Value::from("x")), ("b", Value::from("y").sensitive())]);
    let error = from_value::<Wanting>(&object).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("at .b: the value is marked as sensitive")
    );
    let object = Value::object([("a", Value::from(Text::from_bytes(b"\xff")))]);
    let error = from_value::<Wanting>(&object).unwrap_err();
    assert_eq!(error.to_string(), "at .a: the text is not UTF-8");
}

/// A type that reads values of its own while it is read.
#[derive(PartialEq, Debug)]
struct Busy(Value);

impl<'de> Deserialize<'de> for Busy {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Busy, D::Error> {
        let value = Value::deserialize(deserializer)?;
        for inner in strange() {
            assert_eq!(from_value::<Value>(&inner).unwrap(), inner);
            assert_eq!(to_value(&[&inner]).unwrap(), Value::tuple(vec![inner]));
        }
        Ok(Busy(value))
    }
}

#[test]
fn calls_inside_calls_do_not_meet() {
    #[derive(Deserialize, PartialEq, Debug)]
    struct Flat {
        #[serde(flatten)]
        rest: BTreeMap<String, Busy>,
    }
    let unknown = Value::unknown(Type::Bool);
    let secret = Value::TRUE.sensitive();
    let object = Value::object([("a", unknown.clone()), ("b", secret.clone())]);
    let read: Flat = from_value(&object).unwrap();
    let pair = [
        ("a".to_owned(), Busy(unknown)),
        ("b".to_owned(), Busy(secret)),
    ];
    assert_eq!(read.rest, BTreeMap::from(pair));
}
