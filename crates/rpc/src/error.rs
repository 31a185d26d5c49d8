//! Two kinds of failure: an error that a peer sent ([`RpcError`]) and a call that failed ([`CallError`]).

mod code;
mod quote;

use std::sync::Arc;
use std::time::Duration;

use crate::message::Text;
use crate::payload::{Payload, PayloadError};
pub(crate) use code::Codes;
pub use code::ErrorCode;
pub use quote::{Quote, Redact};

/// An error that one peer sends to the other.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message} ({code})")]
pub struct RpcError {
    /// What kind of failure it is, for programs.
    pub code: ErrorCode,
    /// What happened, for people.
    pub message: String,
    /// Anything more, still encoded.
    pub data: Option<Payload>,
}

impl RpcError {
    /// An error without data.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> RpcError {
        RpcError {
            code,
            message: message.into(),
            data: None,
        }
    }

    /// The same error with `data`.
    pub fn with_data(mut self, data: Payload) -> RpcError {
        self.data = Some(data);
        self
    }

    /// The handler failed for a reason that its caller cannot influence.
    pub fn internal(message: impl Into<String>) -> RpcError {
        RpcError::new(ErrorCode::INTERNAL_ERROR, message)
    }

    /// The params do not fit the method.
    pub fn invalid_params(message: impl Into<String>) -> RpcError {
        RpcError::new(ErrorCode::INVALID_PARAMS, message)
    }

    /// The frame is not a valid message.
    pub fn invalid_request(message: impl Into<String>) -> RpcError {
        RpcError::new(ErrorCode::INVALID_REQUEST, message)
    }

    /// There is no such method.
    pub fn method_not_found(method: &str, format: crate::Format) -> RpcError {
        let data = Payload::encode(format, &serde_json::json!({ "method": method })).ok();
        RpcError {
            code: ErrorCode::METHOD_NOT_FOUND,
            message: "Method not found".into(),
            data,
        }
    }
}

/// Why a call returned no result.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The peer received the call and answered with an error.
    #[error("the peer answered with an error: {0}")]
    Answered(#[source] RpcError),
    /// The connection ended before the answer came.
    #[error("the connection ended before the answer came: {0}")]
    Closed(#[source] CloseReason),
    /// No answer came in time. The call was cancelled at the peer, if its protocol has a message for it.
    #[error("no answer within {0:?}")]
    TimedOut(Duration),
    /// The params could not be encoded; nothing was sent.
    #[error("the params could not be encoded: {0}")]
    Unsendable(#[source] PayloadError),
    /// The answer came, but it breaks the protocol.
    #[error("the peer's answer breaks the protocol: {0}")]
    Malformed(Text),
    /// The answer came, but it does not fit the expected type.
    #[error("the peer's answer does not fit: {0}")]
    Undecodable(#[source] PayloadError),
    /// The answer came, but it is longer than this many bytes, the limit for one message
    /// ([`Limits::frame`](crate::options::Limits::frame)). It was skipped.
    #[error("the peer's answer is longer than the limit of {0} bytes for one message")]
    TooLong(usize),
    /// Too many calls are waiting for an answer already; nothing was sent.
    #[error("too many calls ({0}) are waiting for an answer")]
    TooManyCalls(usize),
}

/// Why a connection ended.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CloseReason {
    /// The peer closed its side, and everything it asked for has been answered.
    #[error("the peer closed the connection")]
    PeerClosed,
    /// This side closed or dropped the connection.
    #[error("closed on this side")]
    ClosedHere,
    /// Reading or writing failed.
    #[error("input or output failed: {0}")]
    Io(#[source] Arc<std::io::Error>),
    /// The input is not a stream of messages.
    #[error(transparent)]
    BrokenStream(Arc<DialectError>),
}

/// A stream that cannot be decoded any further; it ends the connection.
///
/// An invalid message in an intact stream is [`Inbound::Malformed`](crate::wire::Inbound::Malformed).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}; it began with {quote}")]
#[non_exhaustive]
pub struct DialectError {
    /// What is wrong.
    pub problem: String,
    /// The first offending bytes, printable.
    pub quote: Quote,
    /// Whether a limit was exceeded; a larger limit would accept it.
    pub is_over_limit: bool,
    /// Whether it is a valid message, but not allowed here.
    pub is_message: bool,
    /// Whether the stream ended in the middle of it.
    pub is_cut: bool,
}

impl DialectError {
    pub(crate) fn new(problem: impl Into<String>, bytes: &[u8]) -> DialectError {
        DialectError {
            problem: problem.into(),
            quote: Quote::of(bytes),
            is_over_limit: false,
            is_message: false,
            is_cut: false,
        }
    }

    pub(crate) fn over_limit(problem: impl Into<String>, bytes: &[u8]) -> DialectError {
        DialectError {
            is_over_limit: true,
            ..DialectError::new(problem, bytes)
        }
    }

    /// The stream ended in the middle of a message.
    pub(crate) fn cut(bytes: &[u8]) -> DialectError {
        DialectError {
            is_cut: true,
            ..DialectError::new("the stream ended in the middle of a message", bytes)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_lead_to_what_is_behind_them() {
        let broken = std::io::Error::from(std::io::ErrorKind::TimedOut);
        let error = CallError::Closed(CloseReason::Io(Arc::new(broken)));
        let reason = std::error::Error::source(&error).expect("a reason");
        let source = reason.source().expect("an error of the system");
        let source = source.downcast_ref::<Arc<std::io::Error>>();
        assert_eq!(
            source.map(|error| error.kind()),
            Some(std::io::ErrorKind::TimedOut)
        );
        assert!(std::error::Error::source(&CallError::TooLong(1)).is_none());
    }
}
