//! JSON, there and back.

use proptest::prelude::*;
use tenon_values::json::{Arrays, decode, echoed, encode, implied, implied_like};
use tenon_values::{Type, Value, msgpack};

use crate::config;
use crate::values::{Content, any_value};

proptest! {
    #![proptest_config(config(512))]

    #[test]
    fn values_come_back_by_their_own_type(value in any_value(Content::PLAIN)) {
        let ty = value.ty();
        let text = encode(&value, &ty).unwrap();
        let back = decode(text.as_bytes(), &ty).unwrap();
        prop_assert_eq!(back.ty(), ty.clone());
        prop_assert_eq!(&back, &value, "{}", text);
        prop_assert_eq!(encode(&back, &ty).unwrap(), text);
    }

    #[test]
    fn values_bring_their_types_along(value in any_value(Content::PLAIN)) {
        let text = encode(&value, &Type::Dynamic).unwrap();
        let back = decode(text.as_bytes(), &Type::Dynamic).unwrap();
        prop_assert_eq!(back.ty(), value.ty());
        prop_assert_eq!(&back, &value, "{}", text);
    }

    #[test]
    fn other_readers_read_it(value in any_value(Content::PLAIN)) {
        let text = encode(&value, &value.ty()).unwrap();
        // Numbers beyond a double are not numbers for every reader.
        if let Err(error) = serde_json::from_str::<serde_json::Value>(&text) {
            prop_assert!(error.to_string().contains("number out of range"), "{}: {}", text, error);
        }
    }
}

proptest! {
    #![proptest_config(config(256))]

    /// What a script hands back unchanged is unchanged, whatever JSON does not tell apart.
    #[test]
    fn unchanged_values_keep_their_types(value in any_value(Content::PLAIN)) {
        let text = encode(&value, &value.ty()).unwrap();
        prop_assume!(!value.ty().has_dynamic());
        let back = implied_like(text.as_bytes(), &value).unwrap();
        prop_assert_eq!(back, value, "{}", text);
    }

    /// The same for a script that may have other types and fewer digits.
    #[test]
    fn echoed_values_keep_their_types(value in any_value(Content::PLAIN)) {
        let text = encode(&value, &value.ty()).unwrap();
        prop_assume!(!value.ty().has_dynamic());
        for arrays in [Arrays::Tuples, Arrays::Lists] {
            let back = echoed(text.as_bytes(), &value, arrays).unwrap();
            prop_assert_eq!(back, value.clone(), "{}", text);
        }
    }

    /// Whatever a script sends, Terraform can read what becomes of it, and the same text once more is
    /// no change.
    #[test]
    fn lists_of_plain_json_are_values(value in any_value(Content::PLAIN), prior in any_value(Content::PLAIN)) {
        let text = encode(&value, &value.ty()).unwrap();
        for prior in [Value::NULL, prior] {
            let sent = echoed(text.as_bytes(), &prior, Arrays::Lists).unwrap();
            let packed = msgpack::encode(&sent, &Type::Dynamic).unwrap();
            prop_assert_eq!(msgpack::decode(&packed, &Type::Dynamic).unwrap(), sent.clone());
            prop_assert_eq!(echoed(text.as_bytes(), &sent, Arrays::Lists).unwrap(), sent, "{}", text);
        }
    }

    #[test]
    fn plain_json_has_a_type(value in any_value(Content::PLAIN)) {
        prop_assume!(!value.ty().has_dynamic());
        let text = encode(&value, &value.ty()).unwrap();
        let found = implied(text.as_bytes()).unwrap();
        let again = encode(&found, &found.ty());
        // A null has no type, and brings that along.
        if !found.ty().has_dynamic() {
            prop_assert_eq!(again.unwrap(), text);
        }
    }
}
