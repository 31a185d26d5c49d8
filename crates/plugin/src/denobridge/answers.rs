//! Answers to calls, and to calls for what a plugin does not have.

use std::collections::BTreeMap;

use serde::Serialize;
use tenon_protocols::denobridge::Outcome;
use tenon_rpc::{ErrorCode, Format, Reply, RpcError};

use super::places::Places;
use crate::parts::Refusal;
use crate::session::Session;
use crate::{Failure, wire};

/// The answer to a call.
pub(super) fn answer<T: Serialize>(places: &Places<'_>, result: Result<T, Refusal>) -> Reply {
    let diagnostics = match result {
        Ok(result) => return wire::encode("the result", &result).map_err(failed),
        Err(Refusal::Unfit(given, error)) => vec![places.unfit(given, &error)],
        Err(Refusal::Failed(failure)) if failure.diagnostics.is_empty() => {
            return Err(failed(failure));
        }
        Err(Refusal::Failed(failure)) => places.all(failure.diagnostics),
    };
    // Every result has a place for diagnostics, and nothing that it must have besides.
    let refused = Outcome {
        done: None,
        diagnostics,
    };
    wire::encode("the result", &refused).map_err(failed)
}

/// An error that fails the call as a whole.
pub(super) fn failed(failure: impl Into<Reason>) -> RpcError {
    let Reason(message) = failure.into();
    RpcError::new(ErrorCode::SERVER_ERROR, message)
}

/// The text of an error.
pub(super) struct Reason(String);

impl From<String> for Reason {
    fn from(text: String) -> Reason {
        Reason(text)
    }
}

impl From<Failure> for Reason {
    fn from(failure: Failure) -> Reason {
        Reason(failure.into_text())
    }
}

/// The name of the one thing of a kind that the plugin has: denobridge's calls do not name it.
pub(super) fn only<'a, T>(
    session: &Session,
    method: &str,
    kind: &str,
    all: &'a BTreeMap<String, T>,
) -> Result<&'a String, RpcError> {
    let mut names = all.keys();
    match (names.next(), names.next()) {
        (Some(only), None) => Ok(only),
        (None, _) => Err(has_none(session, method, kind)),
        (Some(_), Some(_)) => {
            let names: Vec<&str> = all.keys().map(String::as_str).collect();
            Err(failed(format!(
                "the plugin {} has several {kind}s ({}), and denobridge does not say which one it calls",
                session.offer.name,
                names.join(", ")
            )))
        }
    }
}

/// The plugin has nothing of a kind.
pub(super) fn has_none(session: &Session, method: &str, kind: &str) -> RpcError {
    let mut error = RpcError::method_not_found(method, Format::Json);
    error.message = format!(
        "{}: the plugin {} has no {kind}; it offers {}",
        error.message,
        session.offer.name,
        session.summary()
    );
    error
}
