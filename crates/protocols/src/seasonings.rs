//! OpenTofu's plugin protocol.

#[cfg(feature = "values")]
mod list;

use serde_json::json;
use tenon_rpc::{
    Dialect, Peer,
    options::{Params, Stray},
};

use crate::lifecycle::{Begun, Client, Spec, Work, call};

pub(crate) static SPEC: Spec = Spec {
    name: "seasonings",
    dialect: Dialect::MsgpackRpc,
    // Strict msgpack-rpc peers want params to be an array.
    params: Params::Wrapped,
    // A whole state travels as one string.
    frame: Some(64 * 1024 * 1024),
    // Seasonings calls a plugin that prints anything else broken.
    stray: Stray::Fail,
    first_call: Some("init"),
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
        // Strict peers want params to be an array, so the map goes inside one.
        let params = json!([{ "protocol_version": "1.0", "capabilities": [] }]);
        call(peer, "init", Some(params)).await.map(Some)
    })
}

fn end(peer: &Peer) -> Work<'_, ()> {
    Box::pin(async move {
        // The process is ended all the same.
        let _gone = call(peer, "shutdown", None).await;
    })
}
