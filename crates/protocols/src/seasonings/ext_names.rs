//! How unknown values look in JSON.

use tenon_rpc::options::{ExtContent, ExtName};
use tenon_values::msgpack::{REFINED_UNKNOWN, UNKNOWN};

/// How unknown values of cty are written in JSON: `{"$unknown":true}`, or with what is known of them
/// instead of `true`, such as `{"null":false,"prefix":"ami-"}`.
pub const EXT_NAMES: &[ExtName] = &[
    ExtName {
        code: UNKNOWN,
        name: "$unknown",
        content: ExtContent::Fixed(&[0]),
    },
    ExtName {
        code: REFINED_UNKNOWN,
        name: "$unknown",
        content: ExtContent::Map(&[
            (1, "null"),
            (2, "prefix"),
            (3, "min"),
            (4, "max"),
            (5, "min_length"),
            (6, "max_length"),
        ]),
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use tenon_rpc::{Format, Payload};
    use tenon_values::{Type, Value, msgpack};

    #[test]
    fn unknown_values_have_a_name_in_json() {
        let unknown = Value::unknown(Type::String);
        let refined = unknown.clone().refine_not_null().unwrap();
        for (value, expected) in [
            (unknown, r#"{"$unknown":true}"#),
            (refined, r#"{"$unknown":{"null":false}}"#),
        ] {
            let bytes = msgpack::encode(&value, &Type::String).unwrap();
            let payload = Payload::new(Format::Msgpack, bytes);
            let json = payload.to_format_with(Format::Json, EXT_NAMES).unwrap();
            assert_eq!(&json.bytes()[..], expected.as_bytes());
            let back = json.to_format_with(Format::Msgpack, EXT_NAMES).unwrap();
            assert_eq!(back, payload);
        }
    }
}
