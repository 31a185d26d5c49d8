//! The writer of JSON for serde types: the same text as that of `serde_json`.

mod any_struct;

use std::collections::{BTreeMap, HashMap};
use std::net::Ipv4Addr;

use any_struct::{Everything, any_struct};
use proptest::prelude::*;
use serde::Serialize;
use serde_json::value::RawValue;
use tenon_wire::json::encode;
use tenon_wire::msgpack::Packed;

fn written<T: Serialize + ?Sized>(value: &T) -> String {
    let mut bytes = b"before".to_vec();
    encode(value, &mut bytes).unwrap();
    String::from_utf8(bytes.split_off(6)).unwrap()
}

#[track_caller]
fn same<T: Serialize + ?Sized>(value: &T) {
    assert_eq!(written(value), serde_json::to_string(value).unwrap());
}

fn any_json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(serde_json::Value::from),
        any::<u64>().prop_map(serde_json::Value::from),
        any::<i64>().prop_map(serde_json::Value::from),
        any::<f64>().prop_map(serde_json::Value::from),
        any::<String>().prop_map(serde_json::Value::from),
    ];
    leaf.prop_recursive(4, 64, 10, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..10).prop_map(serde_json::Value::Array),
            prop::collection::btree_map(any::<String>(), inner, 0..10)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn structs_are_written_as_serde_json_does(value in any_struct()) {
        let ours = written(&value);
        prop_assert_eq!(&ours, &serde_json::to_string(&value).unwrap());
        prop_assert_eq!(serde_json::from_str::<Everything>(&ours).is_ok(), true);
    }

    #[test]
    fn any_json_is_written_as_serde_json_does(value in any_json()) {
        prop_assert_eq!(written(&value), serde_json::to_string(&value).unwrap());
    }
}

#[test]
fn keys_are_written_as_serde_json_does() {
    #[derive(Serialize, PartialEq, Eq, PartialOrd, Ord)]
    enum Name {
        #[serde(rename = "a \"b\"")]
        Quoted,
    }
    #[derive(Serialize, PartialEq, Eq, PartialOrd, Ord)]
    struct Key(&'static str);
    same(&BTreeMap::from([(1, "x"), (-2, "y")]));
    same(&BTreeMap::from([(u128::MAX, ())]));
    same(&BTreeMap::from([(true, 1), (false, 2)]));
    same(&BTreeMap::from([('"', 1), ('a', 2)]));
    same(&BTreeMap::from([(Name::Quoted, 1)]));
    same(&BTreeMap::from([(Key("a\n"), 1)]));
    same(&BTreeMap::from([(Some("a"), 1)]));
    same(&BTreeMap::from([(
        Ipv4Addr::LOCALHOST,
        Ipv4Addr::BROADCAST,
    )]));
    same(&BTreeMap::<String, u8>::new());
}

#[test]
fn what_cannot_be_a_key_is_refused() {
    let mut out = Vec::new();
    let ours = encode(&HashMap::from([(vec![1u8], 1)]), &mut out).unwrap_err();
    assert_eq!(ours.to_string(), "key must be a string");
    assert!(encode(&HashMap::from([(None::<u8>, 1)]), &mut out).is_err());
    assert!(encode(&[HashMap::from([((), 1)])], &mut out).is_err());
}

#[test]
fn raw_values_keep_their_text() {
    #[derive(Serialize)]
    struct Message<'a> {
        before: &'a str,
        raw: &'a RawValue,
        after: Option<Box<RawValue>>,
        packed: Packed,
    }
    let raw = RawValue::from_string(r#"{ "a" : 1.50e0 , "b" : "\u0041" }"#.into()).unwrap();
    let message = Message {
        before: "x",
        raw: &raw,
        after: Some(raw.clone()),
        packed: Packed::new(&b"\x92\x01\xd4\x05\x01"[..]).unwrap(),
    };
    same(&message);
    same(&[&raw, &raw]);
    same(&*raw);
    assert!(written(&message).contains(r#"{ "a" : 1.50e0 , "b" : "\u0041" }"#));
}

#[test]
fn odd_values_are_written_as_serde_json_does() {
    struct Bytes;
    impl Serialize for Bytes {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_bytes(b"\x00ab\xff")
        }
    }
    struct Shown(&'static str);
    impl Serialize for Shown {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_str(&format_args!("{}\t{:?}", self.0, self.0))
        }
    }
    #[derive(Serialize)]
    struct Empty {}
    #[derive(Serialize)]
    enum Kind {
        Nothing {},
        None(),
    }
    same(&Bytes);
    same(&Shown("a \"quoted\" text"));
    same(&(Empty {}, Kind::Nothing {}, Kind::None(), [(); 0], ((),)));
    same(&[f64::NAN, f64::INFINITY, -0.0, 1e300, 0.1]);
    same(&[f32::NEG_INFINITY, 0.1f32, 16_777_216.0]);
    same(&[i128::MIN, i128::MAX]);
    same(&[Some("a"), None]);
    same("\u{7f}\u{80}\u{2028} é");
}
