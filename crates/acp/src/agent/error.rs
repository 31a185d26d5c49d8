//! Why the work of an agent failed, and what the client is answered.

use std::error::Error;
use std::fmt;

use serde_json::{Value, json};
use tenon_protocols::acp::{Failure, Profile};
use tenon_rpc::{CallError, ErrorCode, RpcError};

/// The code by which an editor opens its login page.
const AUTHENTICATION_REQUIRED: i64 = -32000;

/// Why the work of an agent failed.
///
/// Every error converts into it with `?`. The client learns that the agent failed, and nothing else: the text of an
/// error may name files, hosts or secrets. It goes to the log. What a client should know is a [`Refused`](AgentError::Refused)
/// error.
#[derive(Debug)]
#[non_exhaustive]
pub enum AgentError {
    /// The turn was cancelled. Return it from `prompt`, and the turn ends with `cancelled`.
    Cancelled,
    /// The client does not support this; nothing was sent.
    Unsupported {
        /// The method.
        method: &'static str,
        /// What the client has not stated.
        details: String,
    },
    /// The client answered with an error, or has disconnected.
    Client(CallError),
    /// The client gets this error.
    Refused(RpcError),
    /// Anything else, for the log.
    Internal(Box<dyn Error + Send + Sync>),
}

impl AgentError {
    /// The client gets this failure. `data` says more about it, without anything internal.
    pub fn failure(failure: Failure, data: Value) -> AgentError {
        AgentError::Refused(failure.error(Profile::V1, data))
    }

    /// The client gets this text, with the code of an internal error.
    pub fn text(details: impl Into<String>) -> AgentError {
        let details: String = details.into();
        AgentError::failure(Failure::Internal, json!({ "details": details }))
    }

    /// The user has to log in first.
    pub fn authentication_required() -> AgentError {
        let code = ErrorCode::Number(AUTHENTICATION_REQUIRED);
        AgentError::Refused(RpcError::new(code, "Authentication required"))
    }

    /// The failure that the client answered with, if it is one of the table.
    pub fn as_failure(&self) -> Option<Failure> {
        match self {
            AgentError::Client(CallError::Answered(error)) | AgentError::Refused(error) => {
                Failure::of(error, true)
            }
            _ => None,
        }
    }

    /// The answer for the client.
    pub(crate) fn into_answer(self, profile: Profile) -> RpcError {
        let internal =
            |details: &str| Failure::Internal.error(profile, json!({ "details": details }));
        match self {
            AgentError::Cancelled => Failure::Cancelled.error(profile, Value::Null),
            AgentError::Refused(error) => error,
            AgentError::Unsupported { method, details } => {
                internal(&format!("the agent needs `{method}`: {details}"))
            }
            error @ AgentError::Client(_) => {
                // Debug, because the error may quote what the client sent.
                tracing::error!(?error, "a call of the client failed");
                match error.as_failure() {
                    Some(failure) => failure.error(profile, Value::Null),
                    None => internal("a call of the client failed"),
                }
            }
            AgentError::Internal(error) => {
                tracing::error!(?error, "the agent failed");
                internal("the agent failed; its log says why")
            }
        }
    }
}

impl fmt::Display for AgentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AgentError::Cancelled => f.write_str("the turn was cancelled"),
            AgentError::Unsupported { method, details } => write!(f, "`{method}`: {details}"),
            AgentError::Client(error) => error.fmt(f),
            AgentError::Refused(error) => error.fmt(f),
            AgentError::Internal(error) => error.fmt(f),
        }
    }
}

// AgentError is not an `Error` itself, because this would convert it into itself.
impl<E: Error + Send + Sync + 'static> From<E> for AgentError {
    fn from(error: E) -> AgentError {
        AgentError::Internal(Box::new(error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_an_error_is_not_sent() {
        let secret = std::io::Error::other("/home/me/.key: hunter2");
        let answer = AgentError::from(secret).into_answer(Profile::V1);
        assert_eq!(answer.code.number(), -32603);
        assert!(!format!("{answer:?}").contains("hunter2"), "{answer:?}");
        let known = AgentError::failure(Failure::ToolNotFound, json!({ "tool": "saw" }));
        assert_eq!(known.into_answer(Profile::V1).code.number(), -31800);
        let login = AgentError::authentication_required();
        assert_eq!(login.into_answer(Profile::V1).code.number(), -32000);
    }
}
