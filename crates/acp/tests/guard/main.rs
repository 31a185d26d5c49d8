//! The guard between scripted editors and agents, in memory.

// With the paths of Unix, and files of the system in them.
#![cfg(unix)]

mod actors;
mod asking;
mod counting;
mod deciding;
mod ending;
mod files;
mod interleaving;
mod lines;
mod passing;
mod quirks;
mod raw;
mod recording;
mod refusing;
mod sizes;
mod terminals;

use serde_json::{Value, json};
use tenon_acp::guard::Settings;
use tenon_acp::policy::Policy;
use tenon_hcl::Source;
use tenon_rpc::{CallError, Payload, Peer, RpcError};

use actors::json_payload;

/// The error of a call.
fn error(outcome: Result<Payload, CallError>) -> RpcError {
    match outcome {
        Err(CallError::Answered(error)) => error,
        other => panic!("{other:?}"),
    }
}

fn code(outcome: Result<Payload, CallError>) -> i64 {
    error(outcome).code.number()
}

fn value(payload: &Payload) -> Value {
    payload.decode().unwrap()
}

async fn call(peer: &Peer, method: &'static str, params: &Value) -> Result<Payload, CallError> {
    peer.call_raw(method, Some(json_payload(params))).await
}

fn chunk(text: &str) -> Value {
    json!({ "sessionId": "s", "update": { "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": text } } })
}

fn everything() -> Value {
    json!({ "fs": { "readTextFile": true, "writeTextFile": true }, "terminal": true })
}

fn policy(text: &str) -> Settings {
    Settings {
        policy: Policy::parse(&Source::new("policy.hcl", text)).unwrap(),
        ..Settings::default()
    }
}

fn permission(id: &str, path: &str) -> Value {
    json!({ "sessionId": "s", "toolCall": { "toolCallId": id, "kind": "edit", "title": "Edit", "rawInput": { "path": path } }, "options": [
        { "optionId": "yes", "name": "Yes", "kind": "allow_once" },
        { "optionId": "all", "name": "All", "kind": "allow_always" },
        { "optionId": "no", "name": "No", "kind": "reject_once" },
    ] })
}

fn chosen(option: &str) -> Value {
    json!({ "result": { "outcome": { "outcome": "selected", "optionId": option } } })
}
