//! Why something could not be done.

use std::error::Error;
use std::fmt;

use tenon_protocols::denobridge::Diagnostic;

use crate::causes::causes;

/// Why something could not be done. Every error becomes one by `?`, with its causes.
///
/// Its text reaches the user, so what is secret does not belong there.
pub struct Failure(pub(super) Reason);

pub(super) enum Reason {
    /// The call has failed as a whole.
    Message(String),
    /// At least one of these is an error.
    Diagnostics(Vec<Diagnostic>),
}

impl Failure {
    /// A failure with a message for people.
    pub fn new(message: impl Into<String>) -> Failure {
        Failure(Reason::Message(message.into()))
    }

    /// A failure that says what it is about, or several at once:
    ///
    /// ```
    /// use tenon_plugin::denobridge::{Diagnostic, Failure};
    ///
    /// fn check(port: u16) -> Result<(), Failure> {
    ///     match port {
    ///         0 => Err(Failure::diagnosed([
    ///             Diagnostic::error("no port", "0 is none; choose another").at(["props", "port"]),
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
            diagnostics.push(Diagnostic::error("the script failed", "it gave no reason"));
        }
        Failure(Reason::Diagnostics(diagnostics))
    }
}

/// `Failure` itself is no [`Error`], which makes room for this.
impl<E: Error> From<E> for Failure {
    fn from(error: E) -> Failure {
        Failure::new(match causes(&error) {
            Some(causes) => format!("{error}\n{causes}"),
            None => error.to_string(),
        })
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Reason::Message(message) => formatter.write_str(message),
            Reason::Diagnostics(diagnostics) => {
                formatter.debug_list().entries(diagnostics).finish()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_without_an_error_gets_one() {
        let Failure(Reason::Diagnostics(told)) =
            Failure::diagnosed([Diagnostic::warning("old", "")])
        else {
            panic!("diagnostics stay diagnostics");
        };
        assert_eq!(told.len(), 2);
        assert!(told[1].is_error());
        let Failure(Reason::Diagnostics(told)) = Failure::diagnosed([Diagnostic::error("no", "")])
        else {
            panic!("diagnostics stay diagnostics");
        };
        assert_eq!(told, [Diagnostic::error("no", "")]);
    }
}
