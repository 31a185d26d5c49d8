//! How each protocol begins and ends.

use serde_json::{Value, json};
use tenon_rpc::{CallError, Payload, Peer};

use crate::Protocol;

pub(crate) async fn begin(protocol: Protocol, peer: &Peer) -> Result<Option<Payload>, CallError> {
    let (method, params) = match protocol {
        Protocol::Ipc => return Ok(None),
        Protocol::Denobridge => ("health", None),
        Protocol::Acp => (
            "initialize",
            Some(json!({
                "protocolVersion": 1,
                "clientCapabilities": {},
                "clientInfo": { "name": "tenon", "version": env!("CARGO_PKG_VERSION") },
            })),
        ),
        // Strict peers want params to be an array, so the map goes inside one.
        Protocol::Seasonings => (
            "init",
            Some(json!([{ "protocol_version": "1.0", "capabilities": [] }])),
        ),
        Protocol::Orchard => ("describe", Some(json!({}))),
    };
    let answer = call(peer, method, params).await?;
    check(protocol, &answer)?;
    Ok(Some(answer))
}

/// Whether the answer to the first call says that the plugin is ready.
fn check(protocol: Protocol, answer: &Payload) -> Result<(), CallError> {
    let refuse = |problem: String| Err(CallError::Malformed(problem.into()));
    if !matches!(protocol, Protocol::Denobridge | Protocol::Orchard) {
        return Ok(());
    }
    let answer: Value = answer.decode().map_err(CallError::Undecodable)?;
    match protocol {
        Protocol::Denobridge if answer["ok"] != Value::Bool(true) => {
            refuse(format!("`health` answered {answer}, not {{\"ok\":true}}"))
        }
        Protocol::Orchard if answer["schema"]["protocol"] != "1" => refuse(format!(
            "the provider speaks protocol {}, but this is a host for \"1\"",
            answer["schema"]["protocol"]
        )),
        _ => Ok(()),
    }
}

pub(crate) async fn end(protocol: Protocol, peer: &Peer) {
    let said = match protocol {
        Protocol::Ipc | Protocol::Acp => Ok(()),
        Protocol::Denobridge => peer.send_raw("shutdown", None).await,
        Protocol::Seasonings => call(peer, "shutdown", None).await.map(drop),
        Protocol::Orchard => call(peer, "shutdown", Some(json!({}))).await.map(drop),
    };
    // It is ended all the same; whoever wants to know why sees it on the wire.
    drop(said);
}

async fn call(
    peer: &Peer,
    method: &'static str,
    params: Option<Value>,
) -> Result<Payload, CallError> {
    let params = params
        .map(|params| Payload::encode(peer.format(), &params))
        .transpose()
        .map_err(CallError::Unsendable)?;
    peer.call_raw(method, params).await
}
