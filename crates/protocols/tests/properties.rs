//! Seasonings: what holds for every value by every type and schema, and for bytes that are no value.

#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../../values/tests/properties/numbers.rs"]
mod numbers;
#[path = "seasonings/schemas.rs"]
mod schemas;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../../values/tests/properties/types.rs"]
mod types;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../../values/tests/properties/values.rs"]
mod values;

use proptest::prelude::*;
use tenon_protocols::seasonings::schema::Schemas;
use tenon_protocols::seasonings::value::{decode, encode};
use tenon_protocols::seasonings::{Params, Readable};
use tenon_rpc::Payload;
use tenon_rpc::wire::Packed;
use tenon_values::{Type, Value};

use schemas::{any_body, value_by};
use types::any_type;
use values::{Content, Without, any_value};

/// So many cases, and no file of failures: what was found once becomes a test with a name.
fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Everything that plugins and people can write down.
const WRITTEN: Content = Content {
    nulls: true,
    unknowns: true,
    foreign: false,
    without: Without::ChangedByMsgpack,
};

/// A value with its own type, or with the type `any`. (Inside a collection of any values, as in cty, an empty
/// collection would lose the type of its elements.)
fn typed_value(content: Content) -> BoxedStrategy<(Type, Value)> {
    (any_value(content), any::<bool>())
        .prop_map(|(value, is_any)| match is_any {
            true => (Type::Dynamic, value),
            false => (value.ty(), value),
        })
        .boxed()
}

/// Bytes that msgpack begins values with, more often than others.
fn any_bytes() -> BoxedStrategy<Vec<u8>> {
    let heads: &[u8] = &[
        0x80, 0x81, 0x82, 0x90, 0x91, 0x92, 0xa0, 0xa1, 0xc0, 0xc2, 0xc3, 0xc4, 0xc7, 0xca, 0xcb,
        0xcf, 0xd4, 0xd5, 0xd6, 0xd9, 0xdc, 0xdd, 0xde, 0xdf, 0x0c, 0x01, 0x05, 0x06, b'a', b'b',
    ];
    let byte = prop_oneof![3 => proptest::sample::select(heads), 1 => any::<u8>()];
    proptest::collection::vec(byte, 0..24).boxed()
}

/// A function that takes and returns a value of this type; `None` for types that schemas cannot have, such
/// as a set of any values.
fn readable(ty: &Type) -> Option<Readable> {
    let ty: serde_json::Value = serde_json::from_str(&ty.to_json()).unwrap();
    let function = serde_json::json!({
        "functions": {"f": {"parameters": [{"name": "v", "type": ty, "allow_unknown": true}], "returns": ty}},
    });
    let schemas = Schemas {
        functions: Some(Packed::encode(&function).unwrap()),
        resources: None,
    };
    Readable::new(&schemas).ok()
}

proptest! {
    #![proptest_config(config(512))]

    #[test]
    fn values_of_any_type_come_back((ty, value) in typed_value(Content::TRAVELLING)) {
        let bytes = encode(&value, &ty).unwrap();
        let back = decode(&bytes, &ty).unwrap();
        prop_assert_eq!(&back, &value);
        prop_assert_eq!(encode(&back, &ty).unwrap(), bytes);
    }

    #[test]
    fn values_by_any_schema_come_back(
        (body, value) in any_body().prop_flat_map(|body| {
            let value = value_by(&body, Content::TRAVELLING);
            (Just(body), value)
        })
    ) {
        let bytes = encode(&value, &body).unwrap();
        prop_assert_eq!(decode(&bytes, &body).unwrap(), value);
    }

    #[test]
    fn values_come_back_from_readable_json((ty, value) in typed_value(WRITTEN)) {
        let readable = readable(&ty);
        prop_assume!(readable.is_some());
        let readable = readable.unwrap();
        let arguments = Params::new().value("v", &value, &ty).unwrap();
        let sent = Params::new().text("name", "f").map("arguments", arguments).into_payload();
        let shown = readable.shown_params("functions/call", &sent).unwrap();
        let given = Payload::from_json(shown.as_str()).unwrap();
        let again = readable.params("functions/call", &given);
        prop_assert_eq!(again.map(|again| again.bytes().clone()), Ok(sent.bytes().clone()), "{}", shown);
    }

    #[test]
    fn any_bytes_are_read_or_refused(ty in any_type(), bytes in any_bytes()) {
        check_bytes(&ty, &bytes)?;
    }

    #[test]
    fn bytes_that_are_nearly_a_value_are_read_or_refused(
        (ty, value) in typed_value(Content::ANY),
        place in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let mut bytes = encode(&value, &ty).unwrap();
        let place = place.index(bytes.len());
        bytes[place] = byte;
        check_bytes(&ty, &bytes)?;
        bytes.truncate(place);
        check_bytes(&ty, &bytes)?;
    }

    #[test]
    fn any_bytes_by_any_schema_are_read_or_refused(body in any_body(), bytes in any_bytes()) {
        if let Ok(value) = decode(&bytes, &body) {
            prop_assert!(value.ty().conforms_to(&body.implied_type()));
            encode(&value, &body).unwrap();
        }
    }
}

/// What is read has the type, and can be written.
fn check_bytes(ty: &Type, bytes: &[u8]) -> Result<(), TestCaseError> {
    if let Ok(value) = decode(bytes, ty) {
        prop_assert!(value.ty().conforms_to(ty));
        let written = encode(&value, ty).unwrap();
        decode(&written, ty).unwrap();
    }
    Ok(())
}

/// However deep something is nested and whatever length it claims, reading it ends with an error.
#[test]
fn limits_hold_for_values_that_never_end() {
    let typed = [&b"\x92\xc4\x09\"dynamic\""[..]].concat();
    let deep = [
        [0x91].repeat(1_000_000),
        b"\x81\xa1a".repeat(1_000_000),
        typed.repeat(100_000),
        b"\xdd\xff\xff\xff\xff".to_vec(),
        b"\xdf\xff\xff\xff\xff".to_vec(),
        b"\xdb\xff\xff\xff\xff".to_vec(),
        b"\xdc\xff\xff".repeat(1000),
    ];
    let list: Type = "list(any)".parse().unwrap();
    let object: Type = "object({ a = any })".parse().unwrap();
    for bytes in deep {
        for ty in [&Type::Dynamic, &Type::Number, &list, &object] {
            decode(&bytes, ty).unwrap_err();
        }
    }
}
