//! Why something could not be done.

use std::error::Error;
use std::fmt;

use tenon_protocols::orchard::{Code, ProviderError};

use crate::causes::causes;

/// Why something could not be done. Every error becomes one by `?`, with its causes as the detail.
///
/// Without a code of its own, a failure of `configure` is a [`Code::ConfigureFailed`], one of an
/// action a [`Code::ExecuteFailed`].
pub struct Failure {
    code: Option<Code>,
    message: String,
    detail: Option<String>,
}

impl Failure {
    /// A failure with a message for people. What is secret does not belong there.
    pub fn new(message: impl Into<String>) -> Failure {
        Failure {
            code: None,
            message: message.into(),
            detail: None,
        }
    }

    /// A failure whose outcome is unknown: the request was sent, and no answer says whether it
    /// took effect. For a connection that is lost or a time limit that runs out after (a part of)
    /// the request was written, and for an action that took effect but whose outputs are lost.
    /// Where it is certain that nothing was changed, [`Failure::new`] is right: a connection that
    /// could not be made, a request that only reads, a server that answered that it refuses.
    ///
    /// Tenon records such an action as `maybe` instead of `failed`: it is not retried, and not run
    /// again by `--resume` unless the user says so or the action is
    /// [idempotent](super::Provider::idempotent), and a teardown undoes it. Other hosts see an
    /// ordinary failure with the code `outcome_unknown`.
    ///
    /// ```
    /// # use std::io::{Read, Write};
    /// use std::net::TcpStream;
    /// use tenon_plugin::orchard::Failure;
    ///
    /// fn order(server: &str) -> Result<String, Failure> {
    ///     let mut stream = TcpStream::connect(server)?; // nothing was sent: an ordinary failure
    ///     let lost = |error| Failure::outcome_unknown(format!("the order was sent, then: {error}"));
    ///     stream.write_all(b"one saw\n").map_err(lost)?;
    ///     let mut answer = String::new();
    ///     stream.read_to_string(&mut answer).map_err(lost)?;
    ///     Ok(answer)
    /// }
    /// ```
    pub fn outcome_unknown(message: impl Into<String>) -> Failure {
        Failure::new(message).with_code(Code::OutcomeUnknown)
    }

    /// With a code, for programs.
    #[must_use]
    pub fn with_code(mut self, code: Code) -> Failure {
        self.code = Some(code);
        self
    }

    /// With more about it, in as many lines as it takes.
    #[must_use]
    pub fn with_detail(mut self, detail: impl Into<String>) -> Failure {
        self.detail = Some(detail.into());
        self
    }

    pub(crate) fn into_error(self, otherwise: Code) -> ProviderError {
        ProviderError {
            code: self.code.unwrap_or(otherwise),
            message: self.message,
            detail: self.detail,
        }
    }
}

/// `Failure` itself is no [`Error`], which makes room for this.
impl<E: Error> From<E> for Failure {
    fn from(error: E) -> Failure {
        Failure {
            code: None,
            message: error.to_string(),
            detail: causes(&error),
        }
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failure {
            code,
            message,
            detail,
        } = self;
        write!(formatter, "{message}")?;
        if let Some(code) = code {
            write!(formatter, " ({code})")?;
        }
        match detail {
            Some(detail) => write!(formatter, "\n{detail}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Outer(std::num::ParseIntError);

    impl fmt::Display for Outer {
        fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("no port")
        }
    }

    impl Error for Outer {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            Some(&self.0)
        }
    }

    #[test]
    fn errors_bring_their_causes() {
        fn port(text: &str) -> Result<u16, Failure> {
            Ok(text.parse().map_err(Outer)?)
        }
        let error = port("x").unwrap_err().into_error(Code::ExecuteFailed);
        assert_eq!(error.to_string(), "no port (execute_failed)");
        assert_eq!(
            error.detail.as_deref(),
            Some("caused by: invalid digit found in string")
        );
        let own = Failure::new("slow down").with_code(Code::Other("rate_limited".into()));
        assert_eq!(
            own.into_error(Code::ExecuteFailed).code.as_str(),
            "rate_limited"
        );
        let unknown = Failure::outcome_unknown("no answer").into_error(Code::ExecuteFailed);
        assert_eq!(unknown.to_string(), "no answer (outcome_unknown)");
    }
}
