//! Errors that a provider answers with.

use std::fmt;

use tenon_rpc::{ErrorCode, Format, Payload, RpcError};

use super::ERROR_NAMES;

/// The kind of a failure. Hosts handle the well-known ones; all others are ordinary failures.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// The request is malformed or cannot be decoded.
    InvalidRequest,
    /// The provider does not know the method.
    UnknownMethod,
    /// The schema has no such action.
    UnknownAction,
    /// The attributes are invalid.
    ValidationFailed,
    /// The provider could not be configured: wrong credentials, connection refused.
    ConfigureFailed,
    /// The action failed while it ran.
    ExecuteFailed,
    /// An error in the provider itself.
    InternalError,
    /// The outcome of the action is unknown: the request was sent, but there was no answer. Not one of
    /// Orchard's own codes; a host that does not know it sees an ordinary failure.
    OutcomeUnknown,
    /// A code of the provider's own.
    Other(String),
}

impl Code {
    /// The codes that Orchard defines.
    pub const WELL_KNOWN: [Code; 7] = [
        Code::InvalidRequest,
        Code::UnknownMethod,
        Code::UnknownAction,
        Code::ValidationFailed,
        Code::ConfigureFailed,
        Code::ExecuteFailed,
        Code::InternalError,
    ];

    /// The code on the wire.
    pub fn as_str(&self) -> &str {
        match self {
            Code::InvalidRequest => "invalid_request",
            Code::UnknownMethod => "unknown_method",
            Code::UnknownAction => "unknown_action",
            Code::ValidationFailed => "validation_failed",
            Code::ConfigureFailed => "configure_failed",
            Code::ExecuteFailed => "execute_failed",
            Code::InternalError => "internal_error",
            Code::OutcomeUnknown => "outcome_unknown",
            Code::Other(code) => code,
        }
    }
}

impl From<&ErrorCode> for Code {
    fn from(code: &ErrorCode) -> Code {
        let known = match code {
            ErrorCode::Number(number) => ERROR_NAMES.iter().find(|(known, _)| known == number),
            ErrorCode::Name(_) => None,
        };
        match known {
            Some((_, name)) => Code::from(*name),
            None => Code::from(&*code.name()),
        }
    }
}

impl From<&str> for Code {
    fn from(code: &str) -> Code {
        let known = { Code::WELL_KNOWN.into_iter() }
            .chain([Code::OutcomeUnknown])
            .find(|known| known.as_str() == code);
        known.unwrap_or_else(|| Code::Other(code.to_owned()))
    }
}

impl fmt::Display for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// An error that a provider answered with, as Orchard defines it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message} ({code})")]
pub struct ProviderError {
    /// What kind of failure it is, for programs.
    pub code: Code,
    /// What happened, for people.
    pub message: String,
    /// More about it, perhaps several lines.
    pub detail: Option<String>,
}

impl ProviderError {
    /// An error without detail.
    pub fn new(code: Code, message: impl Into<String>) -> ProviderError {
        ProviderError {
            code,
            message: message.into(),
            detail: None,
        }
    }
}

impl From<ProviderError> for RpcError {
    fn from(error: ProviderError) -> RpcError {
        RpcError {
            code: ErrorCode::Name(error.code.as_str().into()),
            message: error.message,
            // A string can always be expressed in JSON.
            data: { error.detail }.and_then(|text| Payload::encode(Format::Json, &text).ok()),
        }
    }
}

impl From<RpcError> for ProviderError {
    fn from(error: RpcError) -> ProviderError {
        let detail = error.data.map(|data| match data.decode::<String>() {
            Ok(text) => text,
            // Not as the protocol defines it, but useful to read.
            Err(_) => String::from_utf8_lossy(data.bytes()).into_owned(),
        });
        ProviderError {
            code: Code::from(&error.code),
            message: error.message,
            detail,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_read_as_they_are_written() {
        let own = [Code::OutcomeUnknown, Code::Other("rate_limited".into())];
        for code in Code::WELL_KNOWN.into_iter().chain(own) {
            assert_eq!(Code::from(code.as_str()), code);
            let error = ProviderError {
                detail: Some("line 1\nline \"2\"".into()),
                ..ProviderError::new(code, "it failed")
            };
            assert_eq!(ProviderError::from(RpcError::from(error.clone())), error);
        }
    }

    #[test]
    fn names_for_the_engine_are_those_of_orchard() {
        for (_, name) in ERROR_NAMES {
            assert!(Code::WELL_KNOWN.contains(&Code::from(*name)), "{name}");
        }
    }

    #[test]
    fn what_the_engine_answers_has_a_code_here() {
        let code = |error: RpcError| ProviderError::from(error).code;
        assert_eq!(code(RpcError::internal("a panic")), Code::InternalError);
        assert_eq!(code(RpcError::invalid_request("no")), Code::InvalidRequest);
        let unknown = RpcError::method_not_found("m", Format::Json);
        let unknown = ProviderError::from(unknown);
        assert_eq!(unknown.code, Code::UnknownMethod);
        assert_eq!(unknown.detail.as_deref(), Some("{\"method\":\"m\"}"));
    }
}
