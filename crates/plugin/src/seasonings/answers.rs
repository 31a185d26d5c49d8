//! Answers to calls, and the errors in them.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;
use tenon_protocols::Protocol;
use tenon_protocols::seasonings::{
    Diagnostic, FAILED, LOCKED, NOT_FOUND, NOT_SUPPORTED, Params, Segment,
};
use tenon_rpc::{Format, Payload, Peer, Reply, RpcError};
use tenon_schema::Body;
use tenon_values::{Error, Value};

use super::{Received, Served};
use crate::context::{Said, Say};
use crate::failure::Reason;
use crate::parts::{Given, Refusal};
use crate::path::{located, segment};
use crate::{Failure, wire};

/// The answer to a call about something with this schema.
pub(super) fn answer(body: &Body, result: Result<Params, Refusal>) -> Reply {
    let diagnostics = match result {
        Ok(answer) => return sent(answer),
        Err(Refusal::Unfit(given, error)) => vec![unfit(given, &error)],
        Err(Refusal::Failed(failure)) if failure.diagnostics.is_empty() => {
            return Err(failed(failure));
        }
        Err(Refusal::Failed(failure)) => located(failure.diagnostics, body),
    };
    sent(told(Params::new(), &diagnostics).map_err(failed)?)
}

/// An answer with diagnostics, if there are any.
pub(super) fn with_diagnostics(
    answer: Params,
    diagnostics: Vec<crate::Diagnostic>,
    body: &Body,
) -> Result<Params, Refusal> {
    Ok(told(answer, &located(diagnostics, body))?)
}

/// The same, for diagnostics that have their places.
pub(super) fn told(answer: Params, diagnostics: &[Diagnostic]) -> Result<Params, Failure> {
    match diagnostics.is_empty() {
        true => Ok(answer),
        false => Ok(answer.member("diagnostics", diagnostics)?),
    }
}

pub(super) fn sent(answer: Params) -> Reply {
    let frame = Protocol::Seasonings.host_options().limits.frame;
    wire::fitting("the result", answer.into_answer(), frame)
        .map_err(|problem| RpcError::new(FAILED, problem))
}

/// An error that fails the call as a whole.
pub(super) fn failed(mut failure: Failure) -> RpcError {
    let reason = failure.reason.take();
    let text = failure.into_text();
    match reason {
        None => RpcError::new(FAILED, text),
        Some(Reason::NotFound) => RpcError::new(NOT_FOUND, text),
        Some(Reason::Unsupported) => RpcError::new(NOT_SUPPORTED, text),
        Some(Reason::Locked(held)) => {
            let (id, info) = held.map(|held| (held.id, held.info)).unzip();
            let data = json!({ "lockId": id, "info": info });
            let error = RpcError::new(LOCKED, text);
            match Payload::encode(Format::Msgpack, &data) {
                Ok(data) => error.with_data(data),
                Err(_) => error,
            }
        }
    }
}

/// Sends progress and lines of the log to the host.
pub(super) fn say(peer: Peer) -> Arc<Say> {
    Arc::new(move |said| {
        let peer = peer.clone();
        Box::pin(async move {
            let (event, params) = match said {
                Said::Progress { message, done } => {
                    let mut params = json!({ "message": message });
                    if let Some((done, total)) = done {
                        params["done"] = done.into();
                        params["total"] = total.into();
                    }
                    ("progress", params)
                }
                Said::Log(level, message) => {
                    ("log", json!({ "level": level.name(), "message": message }))
                }
            };
            if let Ok(params) = Payload::encode(Format::Msgpack, &[params]) {
                // If the host is gone, nobody is told.
                let _unheard = peer.send_raw(event, Some(params)).await;
            }
        })
    })
}

/// The name of the thing that a call is about, and the thing.
pub(super) fn subject<'a, T>(
    served: &Served,
    given: &Received,
    kind: &str,
    all: &'a BTreeMap<String, T>,
) -> Result<(&'a str, &'a T), RpcError> {
    let name: String = given.required("type")?;
    match all.get_key_value(&name) {
        Some((name, one)) => Ok((name, one)),
        None => {
            let problem = served.session.missing(kind, &name, all.keys());
            Err(RpcError::new(NOT_FOUND, problem))
        }
    }
}

/// What was sent does not fit the author's type.
fn unfit(given: Given, error: &Error) -> Diagnostic {
    let path: Vec<Segment> = error.path().steps().iter().map(segment).collect();
    let what = match given {
        Given::Private => "private data",
        Given::State | Given::Sensitive | Given::Current => "stored value",
        Given::Props | Given::WriteOnly => "value",
    };
    Diagnostic {
        // Private data is in no schema.
        path: { path }
            .into_iter()
            .filter(|_| given != Given::Private)
            .collect(),
        ..Diagnostic::error(format!("invalid {what}"), error.problem().to_string())
    }
}

/// An attribute of an object; null if there is none.
pub(super) fn part(object: &Value, name: &str) -> Value {
    let attributes = object.attributes();
    { attributes.and_then(|all| all.get(name).cloned()) }.unwrap_or(Value::NULL)
}
