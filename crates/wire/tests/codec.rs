//! The codec for serde types: against rmp-serde, which is independent of it, and with values that
//! are kept as their bytes.

mod any_struct;
mod any_value;

use std::collections::BTreeMap;

use any_struct::{Everything, Wrapped, any_struct};
use any_value::{any_value, encoded};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use tenon_wire::msgpack::{Packed, decode, encode};
use tenon_wire::transcode::msgpack_to_json;

fn written<T: Serialize + ?Sized>(value: &T) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode(value, &mut bytes).unwrap();
    bytes
}

proptest! {
    #[test]
    fn writes_what_an_independent_codec_writes_and_reads_it(value in any_struct()) {
        let theirs = rmp_serde::to_vec_named(&value).unwrap();
        let ours = written(&value);
        prop_assert_eq!(&ours, &theirs);
        prop_assert_eq!(decode::<Everything>(&theirs).unwrap(), value);
        prop_assert_eq!(rmp_serde::from_slice::<Everything>(&ours).unwrap(), decode(&ours).unwrap());
    }

    /// Whatever it is and wherever it stands, a packed value keeps its bytes.
    #[test]
    fn packed_values_keep_their_bytes(values in prop::collection::btree_map(".{0,40}", any_value(), 0..20)) {
        let whole = rmpv::Value::Map(
            values.iter().map(|(key, value)| (key.as_str().into(), value.clone())).collect(),
        );
        let bytes = encoded(&whole);
        let packed: Packed = decode(&bytes).unwrap();
        prop_assert_eq!(packed.bytes(), &bytes);
        let members: BTreeMap<String, Packed> = decode(&bytes).unwrap();
        let expected: BTreeMap<String, Packed> = values
            .iter()
            .map(|(key, value)| (key.clone(), Packed::new(encoded(value)).unwrap()))
            .collect();
        prop_assert_eq!(&members, &expected);
        prop_assert_eq!(written(&members), bytes);
        let list: Vec<Packed> = members.into_values().collect();
        prop_assert_eq!(decode::<Vec<Packed>>(&written(&list)).unwrap(), list);
    }

    /// In JSON they stand as the value that they are, and come back as one that is spelled the same.
    #[test]
    fn packed_values_stand_in_json_as_their_spelling(value in any_value()) {
        let packed = Packed::new(encoded(&value)).unwrap();
        let spelled = msgpack_to_json(packed.bytes(), &[]).unwrap();
        prop_assert_eq!(serde_json::to_string(&[&packed]).unwrap(), format!("[{spelled}]"));
        let [back]: [Packed; 1] = serde_json::from_str(&format!("[{spelled}]")).unwrap();
        prop_assert_eq!(msgpack_to_json(back.bytes(), &[]).unwrap(), spelled);
    }

    #[test]
    fn any_bytes_are_decoded_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = decode::<Everything>(&bytes);
        let _ = decode::<serde_json::Value>(&bytes);
        let _ = decode::<BTreeMap<String, Packed>>(&bytes);
        let value = rmpv::decode::read_value(&mut &bytes[..]);
        if let Ok(packed) = Packed::new(bytes) {
            prop_assert!(value.is_ok());
            prop_assert_eq!(written(&packed), &packed.bytes()[..]);
        }
    }
}

#[derive(Debug, PartialEq, Deserialize)]
struct Fields {
    first: Option<u8>,
    #[serde(rename = "zweités", alias = "second")]
    second: Option<u8>,
    #[serde(default)]
    third: u8,
    fourth: Option<u8>,
}

proptest! {
    /// Whichever keys there are and in whatever order, as an independent codec reads them.
    #[test]
    fn fields_are_found_in_any_order(
        keys in prop::sample::subsequence(
            vec!["first", "zweités", "second", "third", "fourth", "fifth", "firs", "", "first"],
            0..9,
        )
        .prop_shuffle(),
    ) {
        let entries = keys.iter().zip(1..).map(|(key, value)| ((*key).into(), u8::into(value)));
        let bytes = encoded(&rmpv::Value::Map(entries.collect()));
        let theirs = rmp_serde::from_slice::<Fields>(&bytes);
        match (decode::<Fields>(&bytes), theirs) {
            (Ok(ours), Ok(theirs)) => prop_assert_eq!(ours, theirs),
            (ours, theirs) => prop_assert_eq!(ours.is_err(), theirs.is_err()),
        }
    }
}

#[test]
fn a_key_that_is_not_a_field_name_is_read_as_before() {
    // A number is the index of a field for serde, and a text that is not UTF-8 is bytes.
    let numbered: Fields = decode(b"\x81\x02\x07").unwrap();
    assert_eq!(numbered.third, 7);
    let unknown: Fields = decode(b"\x82\xa2\xff\xfe\x07\xa5third\x01").unwrap();
    assert_eq!(unknown.third, 1);
    for cut_short in [&b"\x81"[..], b"\x81\xa5thi", b"\x81\xa5third"] {
        assert!(decode::<Fields>(cut_short).is_err());
    }
}

#[derive(Debug, PartialEq, Deserialize, Serialize)]
struct Change {
    name: String,
    prior: Packed,
    #[serde(
        default,
        deserialize_with = "Packed::present",
        skip_serializing_if = "Option::is_none"
    )]
    planned: Option<Packed>,
}

#[test]
fn the_widths_of_numbers_and_ext_types_are_kept() {
    // A number in eight bytes that would fit into one, and a refined unknown value of cty.
    let bytes =
        b"\x83\xa4name\xa1a\xa5prior\xcf\0\0\0\0\0\0\0\x01\xa7planned\xc7\x03\x0c\x81\x01\xc2";
    let change: Change = decode(bytes).unwrap();
    assert_eq!(&change.prior.bytes()[..], b"\xcf\0\0\0\0\0\0\0\x01");
    assert_eq!(
        &change.planned.as_ref().unwrap().bytes()[..],
        b"\xc7\x03\x0c\x81\x01\xc2"
    );
    assert_eq!(written(&change), bytes);
    assert_eq!(change.prior.decode::<u8>().unwrap(), 1);
    let list: (String, Packed, Packed) = decode(b"\x93\xa1a\xc0\xd4\0\0").unwrap();
    assert!(list.1.is_nil());
    assert_eq!(&list.2.bytes()[..], b"\xd4\0\0");
}

#[test]
fn nil_is_a_value_and_missing_is_not() {
    let change: Change = decode(b"\x83\xa4name\xa1a\xa5prior\xc0\xa7planned\xc0").unwrap();
    assert!(change.prior.is_nil());
    assert!(change.planned.unwrap().is_nil());
    let change: Change = decode(b"\x82\xa4name\xa1a\xa5prior\xc0").unwrap();
    assert_eq!(change.planned, None);
    for text in [r#"{"name":"a"}"#, r#"{"name":"a","planned":1}"#] {
        let error = serde_json::from_str::<Change>(text).unwrap_err();
        assert!(
            error.to_string().contains("missing field `prior`"),
            "{error}"
        );
    }
    let error = decode::<Change>(b"\x81\xa4name\xa1a").unwrap_err();
    assert_eq!(error.to_string(), "missing field `prior`");
}

#[test]
fn packed_values_in_json_are_spelled_out() {
    let text = r#"{"name":"a","prior":{"$ext":[5,"AQ=="]},"planned":[1,{"$binary":"aGk="}]}"#;
    let change: Change = serde_json::from_str(text).unwrap();
    assert_eq!(&change.prior.bytes()[..], b"\xd4\x05\x01");
    assert_eq!(
        &change.planned.as_ref().unwrap().bytes()[..],
        b"\x92\x01\xc4\x02hi"
    );
    assert_eq!(serde_json::to_string(&change).unwrap(), text);
    assert_eq!(
        serde_json::from_value::<Change>(serde_json::to_value(&change).unwrap()).unwrap(),
        change
    );
    assert!(serde_json::from_str::<Packed>(r#"{"$binary":"?"}"#).is_err());
}

#[test]
fn what_is_not_one_value_is_refused() {
    for bytes in [
        &b""[..],
        b"\x92\x01",
        b"\x01\x01",
        b"\xc1",
        b"\xdb\xff\xff\xff\xff",
    ] {
        assert!(Packed::new(bytes).is_err(), "{bytes:?}");
        assert!(decode::<Packed>(bytes).is_err(), "{bytes:?}");
        assert!(decode::<serde_json::Value>(bytes).is_err(), "{bytes:?}");
    }
    assert_eq!(
        decode::<Wrapped>(b"\xd4\x05\x01").unwrap_err().to_string(),
        "invalid type: ext value, expected u32"
    );
    assert_eq!(
        decode::<(u8, u8)>(b"\x93\x01\x02\x03")
            .unwrap_err()
            .to_string(),
        "invalid length 3, expected 2 elements"
    );
    // A declared length is not allocated from, and nesting is followed only so far.
    assert!(decode::<Vec<u64>>(b"\xdd\xff\xff\xff\xff\x01").is_err());
    assert!(decode::<serde_json::Value>(&[0x91; 100_000]).is_err());
    let nested = [&[0x91; 100_000][..], b"\xc0"].concat();
    assert_eq!(decode::<Packed>(&nested).unwrap().bytes(), &nested);
}

/// Serde calls a flattened field's map one of unknown length, and some types count wrongly.
#[test]
fn a_wrong_length_is_set_right() {
    struct Miscounted;
    impl Serialize for Miscounted {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            use serde::ser::SerializeSeq;
            let mut seq = serializer.serialize_seq(Some(1))?;
            for number in 0..20 {
                seq.serialize_element(&number)?;
            }
            seq.end()
        }
    }
    let expected: Vec<u8> = (0..20).collect();
    assert_eq!(decode::<Vec<u8>>(&written(&Miscounted)).unwrap(), expected);
}
