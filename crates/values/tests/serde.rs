//! Plain types from and to values.

#[path = "serde/errors.rs"]
mod errors;
#[path = "serde/formats.rs"]
mod formats;
#[path = "serde/passing.rs"]
mod passing;
#[path = "serde/random.rs"]
mod random;

use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;
use std::net::IpAddr;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tenon_values::{Number, Type, Value, from_value, to_value, to_value_as};

/// The value that the expression has in JSON.
fn json(text: &str) -> Value {
    tenon_values::json::implied(text.as_bytes()).unwrap()
}

/// The value is what the JSON says, and the type comes back from it.
fn both_ways<T: Serialize + DeserializeOwned + PartialEq + Debug>(this: T, text: &str) {
    let value = to_value(&this).unwrap();
    assert_eq!(value, json(text));
    assert_eq!(from_value::<T>(&value).unwrap(), this);
}

#[derive(Serialize, Deserialize, PartialEq, Debug, Clone)]
struct Server {
    name: String,
    ports: Vec<u16>,
    address: Option<IpAddr>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    comment: Option<String>,
    #[serde(default = "weight")]
    weight: f32,
}

fn weight() -> f32 {
    0.5
}

fn server() -> Server {
    Server {
        name: "web".to_owned(),
        ports: vec![80, 443],
        address: Some([127, 0, 0, 1].into()),
        comment: None,
        weight: 0.1,
    }
}

#[test]
fn structs_are_objects() {
    both_ways(
        server(),
        r#"{"name": "web", "ports": [80, 443], "address": "127.0.0.1", "weight": 0.1}"#,
    );
    let given = json(r#"{"name": "web", "ports": [], "address": null, "more": [1]}"#);
    let read: Server = from_value(&given).unwrap();
    assert_eq!((read.address, read.weight), (None, 0.5));
}

#[test]
fn maps_are_objects() {
    both_ways(
        HashMap::from([("a".to_owned(), 1), ("b".to_owned(), 2)]),
        r#"{"a": 1, "b": 2}"#,
    );
    both_ways(
        BTreeMap::from([(-1i8, 'x'), (7, 'y')]),
        r#"{"-1": "x", "7": "y"}"#,
    );
    both_ways(BTreeMap::from([(true, ())]), r#"{"true": null}"#);
    both_ways(BTreeMap::from([('ü', ())]), r#"{"ü": null}"#);
    both_ways(BTreeMap::from([(Size::Small, 1u64)]), r#"{"small": 1}"#);
}

#[test]
fn sequences_are_tuples() {
    both_ways((1u8, "two".to_owned(), true), r#"[1, "two", true]"#);
    both_ways(vec![vec![1], vec![]], "[[1], []]");
    both_ways([Some(1), None], "[1, null]");
    both_ways(Pair(1, -1), "[1, -1]");
    both_ways(Meters(1.5), "1.5");
    both_ways((), "null");
    both_ways(Nothing, "null");
}

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Pair(u8, i8);

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Meters(f64);

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Nothing;

#[test]
fn collections_are_sequences_and_maps() {
    let value = to_value_as(
        &server(),
        &"object({ name = string, ports = set(number) })"
            .parse::<Type>()
            .unwrap(),
    )
    .unwrap();
    let ports = value.attributes().unwrap().get("ports").unwrap();
    assert_eq!(ports.ty(), Type::set(Type::Number));
    assert_eq!(from_value::<Vec<u16>>(ports).unwrap(), [80, 443]);
    let list = to_value_as(&["a", "b"], &Type::list(Type::String)).unwrap();
    assert_eq!(list.ty(), Type::list(Type::String));
    assert_eq!(from_value::<Vec<&str>>(&list).unwrap(), ["a", "b"]);
    let map = to_value_as(&BTreeMap::from([("k", 1)]), &Type::map(Type::Number)).unwrap();
    assert_eq!(map.ty(), Type::map(Type::Number));
    assert_eq!(from_value::<HashMap<&str, u8>>(&map).unwrap()["k"], 1);
    let error = to_value_as(&["a"], &Type::list(Type::Number)).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("at [0]: a number is required")
    );
}

#[test]
fn integers_are_exact() {
    both_ways(i64::MIN, "-9223372036854775808");
    both_ways(u64::MAX, "18446744073709551615");
    both_ways(i128::MIN, "-170141183460469231731687303715884105728");
    both_ways(u128::MAX, "340282366920938463463374607431768211455");
    // Numbers do not say how they were written.
    assert_eq!(from_value::<u8>(&json("2.50e1")).unwrap(), 25);
}

#[test]
fn floats_are_the_numbers_that_hcl_would_read() {
    let tenth: Number = "0.1".parse().unwrap();
    for value in [to_value(&0.1f64).unwrap(), to_value(&0.1f32).unwrap()] {
        let number = value.as_number().unwrap();
        assert_eq!(number.to_binary_text(), tenth.to_binary_text());
        assert_eq!(number.precision(), 512);
    }
    both_ways(1e300, "1e300");
    both_ways(5e-324, "5e-324");
    both_ways(f32::MIN_POSITIVE, "1.1754944e-38");
    let infinite = to_value(&f64::NEG_INFINITY).unwrap();
    assert_eq!(infinite, Value::number(Number::NEGATIVE_INFINITY));
    assert_eq!(from_value::<f32>(&infinite).unwrap(), f32::NEG_INFINITY);
    let zero: f64 = from_value(&to_value(&-0.0).unwrap()).unwrap();
    assert!(zero == 0.0 && zero.is_sign_negative());
    // Just above the middle of two: by way of an f64 it would be the lower one.
    let middle = json("1.00000005960464477540");
    assert_eq!(from_value::<f32>(&middle).unwrap(), 1.0000001);
}

#[derive(Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[serde(rename_all = "snake_case")]
enum Size {
    Small,
    Exact(u32),
    Range(u32, u32),
    Named { name: String },
    Maybe(Option<bool>),
}

#[test]
fn enums_are_tagged_from_outside() {
    both_ways(Size::Small, r#""small""#);
    both_ways(Size::Exact(5), r#"{"exact": 5}"#);
    both_ways(Size::Range(1, 2), r#"{"range": [1, 2]}"#);
    let name = "x".to_owned();
    both_ways(Size::Named { name }, r#"{"named": {"name": "x"}}"#);
    both_ways(Size::Maybe(None), r#"{"maybe": null}"#);
    // An object whose type has all the variants as optional attributes.
    let given = json(r#"{"exact": 5, "range": null, "named": null}"#);
    assert_eq!(from_value::<Size>(&given).unwrap(), Size::Exact(5));
    let unit = json(r#"{"small": null}"#);
    assert_eq!(from_value::<Size>(&unit).unwrap(), Size::Small);
}

#[derive(Serialize, Deserialize, PartialEq, Debug)]
#[serde(tag = "kind")]
enum Tagged {
    Disk { size: u64, ratio: f64 },
    Server(Server),
}

#[derive(Serialize, Deserialize, PartialEq, Debug)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    Big(u64),
    Pair(u8, u8),
}

#[derive(Serialize, Deserialize, PartialEq, Debug)]
#[serde(untagged)]
enum Untagged {
    Flag(bool),
    Small(i8),
    Large(u64),
    Signed(i64),
    Float(f64),
    Text(String),
    Many(Vec<Untagged>),
    Object { only: u8 },
    Nothing,
}

#[test]
fn enums_are_tagged_in_other_ways() {
    let disk = Tagged::Disk {
        size: 1,
        ratio: 2.0,
    };
    both_ways(disk, r#"{"kind": "Disk", "size": 1, "ratio": 2}"#);
    both_ways(
        Tagged::Server(server()),
        r#"{"kind": "Server", "name": "web", "ports": [80, 443], "address": "127.0.0.1",
            "weight": 0.1}"#,
    );
    both_ways(Adjacent::Big(5), r#"{"t": "Big", "c": 5}"#);
    both_ways(Adjacent::Pair(1, 2), r#"{"t": "Pair", "c": [1, 2]}"#);
    both_ways(
        Untagged::Many(vec![
            Untagged::Flag(true),
            Untagged::Small(-5),
            Untagged::Large(u64::MAX),
            Untagged::Signed(i64::MIN),
            Untagged::Float(0.25),
            Untagged::Float(1e30),
            Untagged::Text("t".to_owned()),
            Untagged::Object { only: 1 },
            Untagged::Nothing,
        ]),
        r#"[true, -5, 18446744073709551615, -9223372036854775808, 0.25, 1e30, "t", {"only": 1},
            null]"#,
    );
}

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Outer {
    id: i128,
    #[serde(flatten)]
    server: Server,
    #[serde(flatten)]
    rest: BTreeMap<String, Untagged>,
}

#[test]
fn what_is_flattened_stands_beside() {
    both_ways(
        Outer {
            id: i128::MAX,
            server: server(),
            rest: BTreeMap::from([("more".to_owned(), Untagged::Small(1))]),
        },
        &format!(
            r#"{{"id": {}, "name": "web", "ports": [80, 443], "address": "127.0.0.1",
                "weight": 0.1, "more": 1}}"#,
            i128::MAX
        ),
    );
}

#[derive(Deserialize, PartialEq, Debug)]
struct Borrowing<'v> {
    name: &'v str,
}

#[test]
fn strings_can_be_borrowed() {
    let value = json(r#"{"name": "web"}"#);
    let read: Borrowing<'_> = from_value(&value).unwrap();
    assert_eq!(read, Borrowing { name: "web" });
}

struct Bytes(Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

#[test]
fn bytes_are_numbers() {
    assert_eq!(to_value(&Bytes(vec![0, 255])).unwrap(), json("[0, 255]"));
    assert_eq!(from_value::<Vec<u8>>(&json("[0, 255]")).unwrap(), [0, 255]);
}
