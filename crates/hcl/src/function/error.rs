//! Errors of calls.

use std::fmt::Display;

use tenon_values::Value;

/// The maximum length of a quoted text.
const QUOTED: usize = 80;

/// A call failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct FunctionError {
    /// The argument that is wrong, counted from 0, if it is one of them.
    pub argument: Option<usize>,
    /// What is wrong. Once [`Function::call`](crate::Function::call) returns it, it has the name of
    /// the argument, and nothing of the content of marked ones.
    pub message: String,
    /// Content of the arguments. It is shown only if no argument is marked.
    evidence: Option<String>,
}

impl FunctionError {
    /// A failure for this reason. The message must not quote arguments: use
    /// [`FunctionError::quoting`] and [`FunctionError::because`], which are left out where an argument
    /// could be a secret.
    pub fn new(message: impl Into<String>) -> FunctionError {
        FunctionError {
            argument: None,
            message: message.into(),
            evidence: None,
        }
    }

    /// A value of another type is required: `wanted` names it with an article.
    pub fn required(wanted: &str, given: &Value) -> FunctionError {
        let given = given.ty().friendly();
        FunctionError::new(format!("{wanted} is required, but this is of type {given}"))
    }

    /// The same failure, which is the fault of the argument at this place.
    #[must_use]
    pub fn at(mut self, argument: usize) -> FunctionError {
        self.argument = Some(argument);
        self
    }

    /// The same failure, with the text that is wrong.
    #[must_use]
    pub fn quoting(self, text: &str) -> FunctionError {
        let shown: String = text.chars().take(QUOTED).collect();
        let more = if shown.len() < text.len() { "..." } else { "" };
        self.because(format!("{shown:?}{more}"))
    }

    /// The same failure, with a reason that may quote arguments.
    #[must_use]
    pub fn because(mut self, reason: impl Display) -> FunctionError {
        self.evidence = Some(reason.to_string());
        self
    }

    /// The error as callers see it.
    pub(super) fn told(self, parameter: Option<&str>, is_secret: bool) -> FunctionError {
        let mut message = self.message;
        if let Some(parameter) = parameter {
            message = format!("{parameter}: {message}");
        }
        if let Some(evidence) = self.evidence.filter(|_| !is_secret) {
            message = format!("{message}: {evidence}");
        }
        FunctionError {
            argument: self.argument,
            message,
            evidence: None,
        }
    }
}

/// An error of a value, which may name keys and quote what was read.
impl From<tenon_values::Error> for FunctionError {
    fn from(error: tenon_values::Error) -> FunctionError {
        FunctionError::new("the value does not fit").because(error)
    }
}
