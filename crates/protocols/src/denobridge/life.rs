//! How a script is greeted and said goodbye to.

use serde_json::Value;
use tenon_rpc::Peer;

use crate::lifecycle::{Begun, Client, Spec, Work, call, decode, refuse, send};

pub(crate) static SPEC: Spec = Spec {
    name: "denobridge",
    first_call: Some("health"),
    begin,
    end,
    ..Spec::BASE
};

fn begin<'a>(peer: &'a Peer, _: &'a Client) -> Work<'a, Begun> {
    Box::pin(async move {
        let answer = call(peer, "health", None).await?;
        let health = decode(&answer)?;
        match &health["ok"] {
            Value::Bool(true) => Ok(Some(answer)),
            _ => refuse(format!("`health` answered {health}, not {{\"ok\":true}}")),
        }
    })
}

fn end(peer: &Peer) -> Work<'_, ()> {
    Box::pin(async move {
        // The process is ended all the same.
        let _gone = send(peer, "shutdown", None).await;
    })
}
