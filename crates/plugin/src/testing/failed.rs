//! Why a call failed.

use std::fmt;

use serde::Deserialize;
use tenon_protocols::orchard::Code;
use tenon_protocols::seasonings::calls::blamed_argument;
use tenon_protocols::seasonings::{Diagnostic, Segment};
use tenon_rpc::{CallError, PayloadError, RpcError};
use tenon_schema::SchemaError;
use tenon_values::Error;

use crate::path;
use crate::tools::unfit;

/// Why a call failed, as a host shows it to the user. It is displayed as `attribute: message`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Failed {
    /// What happened.
    pub message: String,
    /// More about it, if there is more.
    pub detail: Option<String>,
    /// The code for programs, if there is one; only actions have it.
    pub code: Option<Code>,
    /// The attribute that it is about; empty if that is not known.
    pub path: Vec<Segment>,
}

impl Failed {
    pub(super) fn new(message: impl Into<String>) -> Failed {
        Failed {
            message: message.into(),
            detail: None,
            code: None,
            path: Vec::new(),
        }
    }

    /// The attribute that it is about, as text: `rules.0.port`.
    pub fn attribute(&self) -> String {
        path::text(&self.path)
    }

    pub(super) fn of_errors(errors: &[Error]) -> Failed {
        let refused = unfit(errors);
        Failed::new(refused.message).at(refused.path)
    }

    pub(super) fn of_diagnostics(errors: &[Diagnostic]) -> Failed {
        let texts: Vec<String> = errors.iter().map(text).collect();
        let path = errors.first().map(|error| error.path.clone());
        Failed::new(texts.join("\n")).at(path.unwrap_or_default())
    }

    /// About the attribute at this path. A message that begins with it loses it: it is displayed in any case.
    fn at(mut self, path: Vec<Segment>) -> Failed {
        let place = format!("{}: ", path::text(&path));
        if let Some(rest) = self.message.strip_prefix(&place) {
            self.message = rest.to_owned();
        }
        self.path = path;
        self
    }

    fn of_answer(error: RpcError) -> Failed {
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Data {
            path: Vec<Segment>,
            code: Option<String>,
            detail: Option<String>,
        }
        let argument = blamed_argument(&error).map(Segment::Name);
        let data: Option<Data> = error.data.and_then(|data| data.decode().ok());
        let data = data.unwrap_or_default();
        let path = data.path.into_iter().chain(argument).collect();
        Failed {
            code: data.code.map(|code| Code::from(code.as_str())),
            detail: data.detail,
            ..Failed::new(error.message).at(path)
        }
    }
}

/// A diagnostic in one line.
pub(super) fn text(diagnostic: &Diagnostic) -> String {
    let place = match diagnostic.path.is_empty() {
        true => String::new(),
        false => format!("{}: ", path::text(&diagnostic.path)),
    };
    match diagnostic.detail.is_empty() {
        true => format!("{place}{}", diagnostic.summary),
        false => format!("{place}{}: {}", diagnostic.summary, diagnostic.detail),
    }
}

impl fmt::Display for Failed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(formatter, "{}: ", self.attribute())?;
        }
        formatter.write_str(&self.message)?;
        match &self.detail {
            Some(detail) => write!(formatter, "\n{detail}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Failed {}

impl From<CallError> for Failed {
    fn from(error: CallError) -> Failed {
        match error {
            CallError::Answered(error) => Failed::of_answer(error),
            error => Failed::new(error.to_string()),
        }
    }
}

/// A value that does not fit its type.
impl From<Error> for Failed {
    fn from(error: Error) -> Failed {
        Failed::of_errors(&[error])
    }
}

/// An offer that is invalid.
impl From<SchemaError> for Failed {
    fn from(error: SchemaError) -> Failed {
        Failed::new(error.to_string())
    }
}

impl From<PayloadError> for Failed {
    fn from(error: PayloadError) -> Failed {
        Failed::new(error.to_string())
    }
}
