//! Answers to calls, and the errors in them.

use std::collections::BTreeMap;

use tenon_protocols::Protocol;
use tenon_protocols::seasonings::{Diagnostic, FAILED, NOT_FOUND, Params, Segment};
use tenon_rpc::{Reply, RpcError};
use tenon_schema::Body;
use tenon_values::{Error, Value};

use super::{Received, Served};
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

fn told(answer: Params, diagnostics: &[Diagnostic]) -> Result<Params, Failure> {
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
pub(super) fn failed(failure: Failure) -> RpcError {
    RpcError::new(FAILED, failure.into_text())
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
