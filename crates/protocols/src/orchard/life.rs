//! How a conversation with a provider begins and ends.

use std::time::Duration;

use serde_json::json;
use tenon_rpc::{CallError, Dialect, ErrorCode, Peer, options::Stray};

use super::{ERROR_NAMES, VERSION};
use crate::lifecycle::{Begun, Client, Spec, Work, call, decode, quotable_version, refuse};

pub(crate) static SPEC: Spec = Spec {
    name: "orchard",
    dialect: Dialect::Orchard,
    versions: &[VERSION],
    error_names: ERROR_NAMES,
    // In Orchard, a provider that prints anything else is broken.
    stray: Stray::Fail,
    start_limit: Duration::from_secs(5),
    first_call: Some("describe"),
    begin: greet,
    before: |peer, method| (method == "execute").then(|| configure(peer)),
    end,
    goodbye: |method| (method == "shutdown").then(|| json!({})),
    #[cfg(feature = "values")]
    list: Some(super::list::list),
    methods: &["describe", "configure", "execute", "shutdown"],
    ..Spec::BASE
};

fn greet<'a>(peer: &'a Peer, _: &'a Client) -> Work<'a, Begun> {
    Box::pin(async move {
        let answer = call(peer, "describe", Some(json!({}))).await?;
        let described = decode(&answer)?;
        let schema = &described["schema"];
        if !schema.is_object() {
            return refuse("the answer to `describe` has no schema");
        }
        let spoken = &schema["protocol"];
        match quotable_version(spoken) {
            _ if spoken == VERSION => Ok(Some(answer)),
            Some(version) => refuse(format!(
                "the provider speaks protocol {version}, but this host speaks {VERSION:?}"
            )),
            None => refuse("the schema in the answer to `describe` has no protocol version"),
        }
    })
}

/// Calls `describe`, the first call of a connection, and returns what the provider offers. The schema
/// has passed [`check`](super::ProviderSchema::check).
///
/// # Errors
/// The call failed, or its answer is not a schema that scenarios can be written against.
#[cfg(feature = "values")]
pub async fn begin(peer: &Peer) -> Result<super::ProviderSchema, CallError> {
    let super::DescribeResult { schema } = crate::lifecycle::begin_typed(&SPEC, peer).await?;
    match schema.check() {
        Ok(()) => Ok(schema),
        Err(error) => refuse(error.to_string()),
    }
}

/// A provider is configured before it runs an action. Who calls a single action has no configuration.
fn configure(peer: &Peer) -> Work<'_, Result<(), CallError>> {
    Box::pin(async move {
        match call(peer, "configure", Some(json!({ "config": {} }))).await {
            // There is nothing to configure.
            Err(CallError::Answered(error)) if error.code == ErrorCode::METHOD_NOT_FOUND => Ok(()),
            configured => configured.map(drop),
        }
    })
}

fn end(peer: &Peer) -> Work<'_, ()> {
    Box::pin(async move {
        // The process is ended in any case.
        let _gone = call(peer, "shutdown", Some(json!({}))).await;
    })
}
