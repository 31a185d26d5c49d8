//! How a conversation with a script begins and ends.

use serde_json::Value;
#[cfg(feature = "values")]
use tenon_rpc::CallError;
use tenon_rpc::Peer;

use crate::lifecycle::{Begun, Client, Spec, Work, call, decode, refuse, send};

pub(crate) static SPEC: Spec = Spec {
    name: "denobridge",
    versions: &[super::provider::VERSION],
    first_call: Some("health"),
    begin: greet,
    end,
    goodbye: |method| (method == "shutdown").then_some(Value::Null),
    ..Spec::BASE
};

fn greet<'a>(peer: &'a Peer, _: &'a Client) -> Work<'a, Begun> {
    Box::pin(async move {
        let answer = call(peer, "health", None).await?;
        let health = decode(&answer)?;
        match &health["ok"] {
            Value::Bool(true) => Ok(Some(answer)),
            Value::Bool(false) => {
                refuse("`health` answered \"ok\": false: the script is not ready")
            }
            // The answer is not quoted: it may be large, and may contain secrets.
            _ => refuse("`health` did not answer {\"ok\":true}"),
        }
    })
}

/// Makes the first call of a process, and returns what the script reports about itself.
///
/// # Errors
/// The call failed, or the script answered that it is not ready.
#[cfg(feature = "values")]
pub async fn begin(peer: &Peer) -> Result<super::Health, CallError> {
    crate::lifecycle::begin_typed(&SPEC, peer).await
}

fn end(peer: &Peer) -> Work<'_, ()> {
    Box::pin(async move {
        // The process is ended in any case.
        let _gone = send(peer, "shutdown", None).await;
    })
}
