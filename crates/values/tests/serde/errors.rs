//! What is wrong is said with its place, and without what may be a secret.

use std::collections::BTreeMap;
use std::fmt::Debug;

use serde::de::DeserializeOwned;
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use tenon_values::{Number, Problem, Text, Type, Value, from_value, to_value};

use super::{Server, Size, Tagged, Untagged, json};

fn refused<T: DeserializeOwned + Debug>(value: &Value) -> String {
    from_value::<T>(value).unwrap_err().to_string()
}

#[derive(Deserialize, Debug)]
#[expect(dead_code, reason = "only read into")]
struct Fleet {
    servers: Vec<Server>,
}

#[test]
fn numbers_do_not_fit() {
    let port = |text: &str| {
        let text = format!(
            r#"{{"servers": [{{"name": "a", "ports": [], "address": null}},
                {{"name": "b", "ports": [80, {text}], "address": null}}]}}"#
        );
        refused::<Fleet>(&json(&text))
    };
    assert_eq!(
        port("70000"),
        "at .servers[1].ports[1]: the number does not fit into u16, which is from 0 to 65535"
    );
    assert_eq!(
        port("1.5"),
        "at .servers[1].ports[1]: a whole number is required, but this number has a fraction"
    );
    assert_eq!(
        port("\"80\""),
        "at .servers[1].ports[1]: a number is required, but this is a string"
    );
    assert_eq!(
        port("null"),
        "at .servers[1].ports[1]: a value is required, but this is null"
    );
    assert_eq!(
        refused::<i128>(&json("1e39")),
        format!(
            "the number does not fit into i128, which is from {} to {}",
            i128::MIN,
            i128::MAX
        )
    );
    assert_eq!(
        refused::<f64>(&json("1e400")),
        "the number is too large for an f64"
    );
    assert_eq!(
        refused::<f32>(&json("1e39")),
        "the number is too large for an f32"
    );
}

#[test]
fn kinds_are_not_converted() {
    assert_eq!(
        refused::<String>(&json("5")),
        "a string is required, but this is a number"
    );
    assert_eq!(
        refused::<bool>(&json("\"true\"")),
        "a bool is required, but this is a string"
    );
    assert_eq!(
        refused::<Vec<u8>>(&json("{}")),
        "a sequence is required, but this is a map"
    );
    assert_eq!(
        refused::<BTreeMap<String, u8>>(&json("[]")),
        "a map is required, but this is a sequence"
    );
    assert_eq!(
        refused::<char>(&json("\"secret\"")),
        "a character is required, which this string is not"
    );
    assert_eq!(
        refused::<()>(&json("1")),
        "unit is required, but this is a number"
    );
    assert_eq!(
        refused::<Number>(&json("\"1\"")),
        "a number is required, but this is a string"
    );
    assert_eq!(
        refused::<Text>(&json("{}")),
        "a string is required, but this is an object"
    );
    assert_eq!(
        refused::<Server>(&json(r#"["web", [], null]"#)),
        "an object with address, comment, name, ports, weight is required, but this is a tuple"
    );
}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only read into")]
struct Strict {
    name: String,
}

#[test]
fn structs_and_tuples_have_a_shape() {
    assert_eq!(
        refused::<Vec<Server>>(&json(r#"[{"name": "web", "address": null}]"#)),
        "at [0]: the attribute \"ports\" is required"
    );
    assert_eq!(
        refused::<BTreeMap<String, Strict>>(&json(r#"{"a b": {"name": "x", "nmae": 1}}"#)),
        "at [\"a b\"]: unknown field `nmae`, expected `name`"
    );
    assert_eq!(
        refused::<(u8, u8)>(&json("[1]")),
        "invalid length 1, expected a tuple of size 2"
    );
    assert_eq!(
        refused::<(u8, u8)>(&json("[1, 2, 3]")),
        "a tuple of 2 elements is required, but this has 3"
    );
    assert_eq!(
        refused::<BTreeMap<u8, u8>>(&json(r#"{"x": 1}"#)),
        "the key \"x\" does not fit into u8"
    );
}

#[test]
fn enums_have_variants() {
    assert_eq!(
        refused::<Size>(&json("5")),
        "a variant of Size is required, which is a string or an object with one attribute, but \
         this is a number"
    );
    assert_eq!(
        refused::<Vec<Size>>(&json(r#"[{"exact": 1, "range": [1, 2]}]"#)),
        "at [0]: a variant of Size is required, which is an object with one attribute that is not \
         null"
    );
    assert_eq!(
        refused::<Size>(&json(r#"{"range": [1, -2]}"#)),
        "at .range[1]: the number does not fit into u32, which is from 0 to 4294967295"
    );
    assert_eq!(
        refused::<Size>(&json(r#"{"named": {}}"#)),
        "at .named: the attribute \"name\" is required"
    );
    assert_eq!(
        refused::<Size>(&json("\"large\"")),
        "this must be one of `small`, `exact`, `range`, `named`, `maybe`"
    );
}

#[test]
fn nothing_unknown_or_marked_is_read() {
    let place = |value: Value| {
        Value::object([
            ("name", Value::from("web")),
            (
                "ports",
                Value::list(Type::Number, vec![Value::from(1), value]).unwrap(),
            ),
            ("address", Value::NULL),
            ("kind", Value::from("Server")),
        ])
    };
    let unknown = place(Value::unknown(Type::Number));
    let marked = place(Value::from(5).sensitive());
    let said = "at .ports[1]: the value is not known yet";
    let warned = "at .ports[1]: the value is marked as sensitive, so it cannot be written; \
                  remove the mark first";
    assert_eq!(refused::<Server>(&unknown), said);
    assert_eq!(refused::<Server>(&marked), warned);
    // The same where serde looks first.
    assert_eq!(refused::<Tagged>(&unknown), said);
    assert_eq!(refused::<Tagged>(&marked), warned);
    assert_eq!(refused::<Untagged>(&unknown), said);
    assert_eq!(refused::<serde_json::Value>(&marked), warned);
    // An outer mark counts as well, and null is not exempt.
    let error = from_value::<Server>(&place(Value::from(1)).sensitive()).unwrap_err();
    assert_eq!(error.problem(), &Problem::Marked("sensitive".to_owned()));
    assert!(from_value::<Option<u8>>(&Value::NULL.sensitive()).is_err());
    assert!(from_value::<()>(&Value::NULL.sensitive()).is_err());
    assert_eq!(
        refused::<Number>(&Value::unknown(Type::Number)),
        "the value is not known yet"
    );
    // What is not read may be anything.
    let extra = Value::object([
        ("name", Value::from("x")),
        ("extra", Value::unknown(Type::Bool)),
    ]);
    #[derive(Deserialize)]
    struct Named {
        name: String,
    }
    assert_eq!(from_value::<Named>(&extra).unwrap().name, "x");
}

struct Twice;

impl Serialize for Twice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("e\u{301}", &1)?;
        map.serialize_entry("\u{e9}", &2)?;
        map.end()
    }
}

#[test]
fn types_without_a_value_are_refused() {
    let refused = |error: Result<Value, tenon_values::Error>| error.unwrap_err().to_string();
    assert_eq!(
        refused(to_value(&BTreeMap::from([("x", [1.0, f64::NAN])]))),
        "at .x[1]: NaN is not a number"
    );
    assert_eq!(
        refused(
            to_value(&Size::Named {
                name: String::new()
            })
            .and_then(|_| { to_value(&[BTreeMap::from([((1, 2), 3)])]) })
        ),
        "at [0]: a key must be a string, an integer, a bool or a variant without content"
    );
    assert_eq!(
        refused(to_value(&[Twice])),
        "at [0]: the name \"é\" appears twice"
    );
}

#[derive(Serialize, Deserialize, Debug)]
struct Nested(Option<Vec<Nested>>);

#[test]
fn nesting_has_a_limit() {
    let limit = Problem::Limit {
        what: "the depth of nesting",
        limit: 128,
    };
    // Two levels each: the newtype and the sequence.
    let nested = |depth| (0..depth).fold(Nested(None), |inner, _| Nested(Some(vec![inner])));
    let value = to_value(&nested(63)).unwrap();
    assert!(from_value::<Nested>(&value).is_ok());
    assert_eq!(to_value(&nested(64)).unwrap_err().problem(), &limit);
    let deep = Value::tuple(vec![Value::tuple(vec![value])]);
    assert_eq!(from_value::<Nested>(&deep).unwrap_err().problem(), &limit);

    let tuples = |depth| (0..depth).fold(Value::TRUE, |inner, _| Value::tuple(vec![inner]));
    let read = |value: &Value| from_value::<serde_json::Value>(value);
    assert!(read(&tuples(128)).is_ok());
    assert_eq!(read(&tuples(129)).unwrap_err().problem(), &limit);
    assert!(serde_json::to_string(&tuples(128)).is_ok());
    let error = serde_json::to_string(&tuples(129)).unwrap_err().to_string();
    assert!(
        error.ends_with("the depth of nesting is limited to 128"),
        "{error}"
    );
}
