//! Why something could not be done.

use std::error::Error;
use std::fmt;

use tenon_protocols::denobridge::Diagnostic;
use tenon_protocols::orchard::{Code, ProviderError};

use crate::{Lock, process};

/// Why something could not be done. `?` turns every error into one, with its causes as the detail.
///
/// Its texts reach the user, so secrets do not belong there. Hosts show what they have a place for:
/// Orchard the message, the detail and the code; Terraform the diagnostics, or else the message and
/// the detail.
pub struct Failure {
    code: Option<Code>,
    message: String,
    detail: Option<String>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) reason: Option<Reason>,
}

/// A reason that a host acts upon.
pub(crate) enum Reason {
    /// A state is locked, by this lock if it is known.
    Locked(Option<Lock>),
    /// The plugin does not have it.
    Unsupported,
}

impl Failure {
    /// A failure with a message for people.
    pub fn new(message: impl Into<String>) -> Failure {
        Failure {
            code: None,
            message: message.into(),
            detail: None,
            diagnostics: Vec::new(),
            reason: None,
        }
    }

    /// A state that another client has locked: the lock that is held, if there is one. A client that has
    /// lost its lock gets this as well.
    pub fn locked(held: Option<Lock>) -> Failure {
        let message = match held {
            Some(_) => "the state is locked by another client",
            None => "the lock is no longer held",
        };
        Failure {
            reason: Some(Reason::Locked(held)),
            ..Failure::new(message)
        }
    }

    /// For a part of the protocol that the plugin does not have.
    pub(crate) fn unsupported() -> Failure {
        Failure {
            reason: Some(Reason::Unsupported),
            ..Failure::new("the plugin does not support this")
        }
    }

    /// A failure that names the attribute it is about, or several at once. A path begins with the
    /// name of an attribute, or of a function's parameter:
    ///
    /// ```
    /// use tenon_plugin::{Diagnostic, Failure};
    ///
    /// fn check(port: u16) -> Result<(), Failure> {
    ///     match port {
    ///         0 => Err(Failure::diagnosed([
    ///             Diagnostic::error("invalid port", "0 is not a port").at(["port"]),
    ///         ])),
    ///         _ => Ok(()),
    ///     }
    /// }
    /// # assert!(check(0).is_err() && check(80).is_ok());
    /// ```
    pub fn diagnosed(diagnostics: impl IntoIterator<Item = Diagnostic>) -> Failure {
        let mut diagnostics: Vec<Diagnostic> = diagnostics.into_iter().collect();
        // To a host, warnings alone are a success, with everything else left out.
        if !diagnostics.iter().any(Diagnostic::is_error) {
            diagnostics.push(Diagnostic::error(
                "the plugin failed",
                "no reason was given",
            ));
        }
        let mut texts = diagnostics.iter().filter(|one| one.is_error()).map(text);
        let message = texts.next().unwrap_or_default();
        let others: Vec<String> = texts.collect();
        Failure {
            detail: (!others.is_empty()).then(|| others.join("\n")),
            diagnostics,
            ..Failure::new(message)
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
    /// [idempotent](crate::Plugin::idempotent), and a teardown undoes it. Other hosts see an
    /// ordinary failure with the code `outcome_unknown`.
    ///
    /// ```
    /// # use std::io::{Read, Write};
    /// use std::net::TcpStream;
    /// use tenon_plugin::Failure;
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

    /// For a host that has codes. Without one of its own, a failure has the code `otherwise`.
    pub(crate) fn into_error(self, otherwise: Code) -> ProviderError {
        ProviderError {
            code: self.code.unwrap_or(otherwise),
            message: self.message,
            detail: self.detail,
        }
    }

    /// The code, if it has one of its own.
    pub(crate) fn code(&self) -> Option<&Code> {
        self.code.as_ref()
    }

    /// For a host that has one text.
    pub(crate) fn into_text(self) -> String {
        match self.detail {
            Some(detail) => format!("{}\n{detail}", self.message),
            None => self.message,
        }
    }
}

/// A diagnostic in one line.
pub(crate) fn text(diagnostic: &Diagnostic) -> String {
    let mut text = match &diagnostic.prop_path {
        Some(path) => format!("{}: {}", path.join("."), diagnostic.summary),
        None => diagnostic.summary.clone(),
    };
    if !diagnostic.detail.is_empty() {
        text += &format!(": {}", diagnostic.detail);
    }
    text
}

/// Shows diagnostics where the host has no place for them but stderr, which it may show.
pub(crate) fn tell(diagnostics: &[Diagnostic]) {
    for diagnostic in diagnostics {
        process::tell(&format!("{}\n", text(diagnostic)));
    }
}

/// The causes of an error, a line for each, if there are any. Many errors quote their causes in
/// their own text, so a cause is left out if a text before it has it.
fn causes(error: &impl Error) -> Option<String> {
    let mut texts = vec![error.to_string()];
    for cause in std::iter::successors(error.source(), |&cause| cause.source()) {
        let text = cause.to_string();
        if !texts.iter().any(|known| known.contains(&text)) {
            texts.push(text);
        }
    }
    let causes: Vec<String> = { texts.iter().skip(1) }
        .map(|text| format!("caused by: {text}"))
        .collect();
    (!causes.is_empty()).then(|| causes.join("\n"))
}

/// `Failure` itself is not an [`Error`], which makes room for this.
impl<E: Error> From<E> for Failure {
    fn from(error: E) -> Failure {
        Failure {
            detail: causes(&error),
            ..Failure::new(error.to_string())
        }
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.message)?;
        if let Some(code) = &self.code {
            write!(formatter, " ({code})")?;
        }
        match &self.detail {
            Some(detail) => write!(formatter, "\n{detail}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An error with a text and a cause.
    #[derive(Debug)]
    struct Outer(&'static str, Box<dyn Error + 'static>);

    impl fmt::Display for Outer {
        fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str(self.0)
        }
    }

    impl Error for Outer {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            Some(&*self.1)
        }
    }

    #[test]
    fn a_cause_that_was_quoted_is_not_repeated() {
        let detail = |texts: &[&'static str]| {
            let cause: Box<dyn Error> = "invalid digit".into();
            let outer =
                |cause, text: &&'static str| -> Box<dyn Error> { Box::new(Outer(text, cause)) };
            let [first, others @ ..] = texts else {
                panic!("there is a text");
            };
            let error = Outer(first, others.iter().rev().fold(cause, outer));
            Failure::from(error).into_error(Code::ExecuteFailed).detail
        };
        assert_eq!(detail(&["no port: invalid digit"]), None);
        assert_eq!(
            detail(&["no port", "not a number: invalid digit"]).as_deref(),
            Some("caused by: not a number: invalid digit")
        );
        assert_eq!(
            detail(&["no port: not a number", "not a number"]).as_deref(),
            Some("caused by: invalid digit")
        );
    }

    #[test]
    fn causes_become_the_detail() {
        fn port(text: &str) -> Result<u16, Failure> {
            Ok(text
                .parse()
                .map_err(|cause: std::num::ParseIntError| Outer("no port", cause.into()))?)
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

    #[test]
    fn a_failure_without_an_error_gets_one() {
        let told = Failure::diagnosed([Diagnostic::warning("old", "")]).diagnostics;
        assert_eq!(told.len(), 2);
        assert!(told[1].is_error());
        let told = Failure::diagnosed([Diagnostic::error("no", "")]).diagnostics;
        assert_eq!(told, [Diagnostic::error("no", "")]);
    }

    #[test]
    fn diagnostics_have_a_text_for_hosts_without_them() {
        let failure = Failure::diagnosed([
            Diagnostic::warning("old", ""),
            Diagnostic::error("invalid port", "0 is not a port").at(["servers", "0", "port"]),
            Diagnostic::error("no name", ""),
        ]);
        let error = failure.into_error(Code::ExecuteFailed);
        assert_eq!(
            error.message,
            "servers.0.port: invalid port: 0 is not a port"
        );
        assert_eq!(error.detail.as_deref(), Some("no name"));
    }
}
