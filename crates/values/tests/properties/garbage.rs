//! Random bytes and random text: an error or a value, and never more than that.

use proptest::collection::vec;
use proptest::prelude::*;
use tenon_values::msgpack::implied_type;
use tenon_values::{Number, Text, Type, Value, json, msgpack};

use crate::config;
use crate::numbers::is_changed_by_msgpack;
use crate::types::{any_target, any_type};
use crate::values::{Content, any_value, value_of};

/// Bytes that msgpack begins values with, more often than others.
fn any_bytes() -> BoxedStrategy<Vec<u8>> {
    let heads: &[u8] = &[
        0x80, 0x81, 0x82, 0x90, 0x91, 0x92, 0xa0, 0xa1, 0xc0, 0xc2, 0xc3, 0xc4, 0xc7, 0xcb, 0xcf,
        0xd4, 0xd5, 0xd6, 0xd9, 0xdc, 0xdd, 0xde, 0xdf, 0x0c, 0x01, 0x05, 0x06, b'a',
    ];
    let byte = prop_oneof![3 => proptest::sample::select(heads), 1 => any::<u8>()];
    vec(byte, 0..24).boxed()
}

/// The bytes of a value in which one byte is another.
fn nearly_a_value() -> BoxedStrategy<(Type, Vec<u8>)> {
    any_type()
        .prop_flat_map(|ty| (Just(ty.clone()), value_of(&ty, Content::ANY)))
        .prop_flat_map(|(ty, value)| {
            let bytes = msgpack::encode(&value, &ty).unwrap();
            (
                Just(ty),
                Just(bytes),
                any::<prop::sample::Index>(),
                any::<u8>(),
            )
        })
        .prop_map(|(ty, mut bytes, at, byte)| {
            let at = at.index(bytes.len());
            bytes[at] = byte;
            (ty, bytes)
        })
        .boxed()
}

fn check(ty: &Type, bytes: &[u8]) -> Result<(), TestCaseError> {
    let Ok(value) = msgpack::decode(bytes, ty) else {
        return Ok(());
    };
    prop_assert!(value.ty().conforms_to(ty) && !value.ty().has_optional());
    let own = value.ty();
    let written = msgpack::encode(&value, &own).unwrap();
    let back = msgpack::decode(&written, &own).unwrap();
    if !has_changing_numbers(&value) {
        prop_assert_eq!(&back, &value);
    }
    prop_assert_eq!(msgpack::encode(&back, &own).unwrap(), written);
    Ok(())
}

/// See [`is_changed_by_msgpack`].
fn has_changing_numbers(value: &Value) -> bool {
    let mut found = false;
    value.walk(&mut |_, value| {
        let range = value.range();
        let bounds = [range.lower(), range.upper()];
        let mut numbers = bounds.into_iter().flatten().map(|bound| &bound.number);
        found |= numbers.any(is_changed_by_msgpack);
        true
    });
    found
}

const JSON_PIECES: &str = "([\\[\\]{},:]|\"[a-e]?\"|\"type\"|\"value\"|\"string\"|\"list\"|\"object\"|\"tuple\"|null|true|-?[0-9]{1,2}(\\.[0-9])?|1e9| ){0,16}";

const TYPE_PIECES: &str = "(list|set|map|tuple|object|optional|string|any|\\(|\\)|\\[|\\]|\\{|\\}|,|=|:|\"|\\\\u00|\\$\\$\\{|a|\n| ){0,20}";

proptest! {
    #![proptest_config(config(2048))]

    #[test]
    fn bytes_are_a_value_or_an_error(ty in any_target(), bytes in any_bytes()) {
        check(&ty, &bytes)?;
        let _ = implied_type(&bytes);
    }

    #[test]
    fn nearly_values_are_values_or_errors((ty, bytes) in nearly_a_value()) {
        check(&ty, &bytes)?;
    }
}

proptest! {
    #![proptest_config(config(512))]

    #[test]
    fn text_is_a_type_or_an_error(json in JSON_PIECES, text in TYPE_PIECES, other: String) {
        for text in [json, text, other] {
            for read in [Type::from_json(&text).ok(), text.parse::<Type>().ok()] {
                let Some(ty) = read else { continue };
                prop_assert_eq!(Type::from_json(&ty.to_json()).unwrap(), ty.clone());
                prop_assert_eq!(ty.to_string().parse::<Type>().unwrap(), ty);
            }
        }
    }

    #[test]
    fn text_is_json_or_an_error(ty in any_target(), json in JSON_PIECES, other: Vec<u8>) {
        for text in [json.as_bytes(), &other] {
            if let Ok(value) = json::decode(text, &ty) {
                prop_assert!(value.ty().conforms_to(&ty) && !value.ty().has_optional());
            }
            if let Ok(value) = json::implied(text) {
                prop_assert_eq!(json::implied_type(text).unwrap(), value.ty());
            }
        }
    }

    #[test]
    fn text_is_a_number_or_an_error(text in "[-+]?[0-9]{0,4}\\.?[0-9]{0,4}([eEpP][-+]?[0-9]{1,7})?") {
        if let Ok(number) = text.parse::<Number>() {
            prop_assert_eq!(number.to_binary_text(), Number::from_binary_text(&number.to_binary_text(), 512).unwrap().to_binary_text());
        }
    }

    #[test]
    fn bytes_are_text(bytes: Vec<u8>, value in any_value(Content::ANY)) {
        let text = Text::from_bytes(&bytes);
        prop_assert_eq!(Text::from_bytes(text.as_bytes()), text.clone());
        prop_assert_eq!(text.as_str().is_some(), std::str::from_utf8(text.as_bytes()).is_ok());
        let prefix = text.safe_prefix();
        prop_assert!(text.as_bytes().starts_with(prefix.as_bytes()));
        let _ = json::implied_like(&bytes, &value);
        let _ = json::echoed(&bytes, &value, json::Arrays::Lists);
    }
}
