//! OpenTofu's plugin protocol.

#[cfg(feature = "values")]
mod list;

use serde_json::json;
#[cfg(feature = "values")]
use tenon_rpc::options::{ExtContent, ExtName};
use tenon_rpc::{
    Dialect, Peer,
    options::{Params, Stray},
};
#[cfg(feature = "values")]
use tenon_values::msgpack::{REFINED_UNKNOWN, UNKNOWN};

use crate::lifecycle::{Begun, Client, Spec, Work, call};

/// How unknown values of cty are written in JSON: `{"$unknown":true}`, or with their refinements
/// instead of `true`.
#[cfg(feature = "values")]
pub const EXT_NAMES: &[ExtName] = &[
    ExtName {
        code: UNKNOWN,
        name: "$unknown",
        content: ExtContent::Fixed(&[0]),
    },
    ExtName {
        code: REFINED_UNKNOWN,
        name: "$unknown",
        content: ExtContent::Map,
    },
];

pub(crate) static SPEC: Spec = Spec {
    name: "seasonings",
    dialect: Dialect::MsgpackRpc,
    // Strict msgpack-rpc peers require params to be an array.
    params: Params::Wrapped,
    #[cfg(feature = "values")]
    ext_names: EXT_NAMES,
    // A whole state travels as one string.
    frame: Some(64 * 1024 * 1024),
    // In Seasonings, a plugin that prints anything else is broken.
    stray: Stray::Fail,
    first_call: Some("init"),
    begins_once: true,
    begin,
    end,
    #[cfg(feature = "values")]
    list: Some(list::list),
    methods: &[
        "ping",
        "functions/getSchema",
        "functions/call",
        "resources/getSchema",
        "resources/configure",
        "resources/validate",
        "resources/planChange",
        "resources/applyChange",
        "resources/read",
        "resources/readData",
        "resources/import",
        "storage/read",
        "storage/write",
        "storage/lock",
        "storage/unlock",
        "storage/list",
        "storage/delete",
    ],
    ..Spec::BASE
};

fn begin<'a>(peer: &'a Peer, _: &'a Client) -> Work<'a, Begun> {
    Box::pin(async move {
        // Strict peers require params to be an array, so the map is inside one.
        let params = json!([{ "protocol_version": "1.0", "capabilities": [] }]);
        call(peer, "init", Some(params)).await.map(Some)
    })
}

fn end(peer: &Peer) -> Work<'_, ()> {
    Box::pin(async move {
        // The process is ended in any case.
        let _gone = call(peer, "shutdown", None).await;
    })
}

#[cfg(all(test, feature = "values"))]
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
            (refined, r#"{"$unknown":{"$map":[[1,false]]}}"#),
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
