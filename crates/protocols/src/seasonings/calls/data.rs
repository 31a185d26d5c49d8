//! Data sources and ephemeral resources.

use bytes::Bytes;
use tenon_values::{Error, Value};

use super::super::answer::{Answer, AnswerError};
use super::super::diagnostic::{Diagnostic, has_errors};
use super::super::params::Params;
use super::{Call, Done, Kind};

/// Reads a data source.
#[derive(Clone, Copy, Debug)]
pub struct ReadData<'a> {
    /// The type.
    pub kind: Kind<'a>,
    /// What the user wrote, with defaults.
    pub config: &'a Value,
}

/// What a data source has.
#[derive(Clone, Debug, PartialEq)]
pub struct Data {
    /// The configuration with what is computed; `None` only beside an error.
    pub state: Option<Value>,
    /// Warnings and errors.
    pub diagnostics: Vec<Diagnostic>,
}

impl Call for ReadData<'_> {
    const METHOD: &'static str = "resources/readData";
    type Answer = Data;

    fn params(&self) -> Result<Params, Error> {
        with_config(self.kind, self.config)
    }

    fn answer(&self, answer: &Answer) -> Result<Data, AnswerError> {
        let diagnostics = answer.diagnostics();
        Ok(Data {
            state: over_config(answer, "state", self.kind, self.config, &diagnostics)?,
            diagnostics,
        })
    }
}

fn with_config(kind: Kind<'_>, config: &Value) -> Result<Params, Error> {
    { Params::new().text("type", kind.name) }.value("config", config, kind.body)
}

/// What was configured and is missing in the answer has the value of the configuration.
fn over_config(
    answer: &Answer,
    name: &str,
    kind: Kind<'_>,
    config: &Value,
    diagnostics: &[Diagnostic],
) -> Result<Option<Value>, AnswerError> {
    match answer.value_over(name, kind.body.into(), config) {
        Ok(state) => Ok(Some(state)),
        Err(_) if has_errors(diagnostics) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Opens an ephemeral resource.
#[derive(Clone, Copy, Debug)]
pub struct Open<'a> {
    /// The type.
    pub kind: Kind<'a>,
    /// What the user wrote, with defaults.
    pub config: &'a Value,
}

/// An ephemeral resource that was opened.
#[derive(Clone, Debug, PartialEq)]
pub struct Opened {
    /// The configuration with what is computed; `None` only beside an error. An error in it takes nothing away from
    /// the rest, which is needed to close what was opened.
    pub result: Result<Option<Value>, AnswerError>,
    /// When to renew it, in the form of RFC 3339.
    pub renew_at: Result<Option<String>, AnswerError>,
    /// What renewing and closing are given.
    pub private: Result<Option<Bytes>, AnswerError>,
    /// Warnings and errors.
    pub diagnostics: Vec<Diagnostic>,
}

impl Call for Open<'_> {
    const METHOD: &'static str = "resources/open";
    type Answer = Opened;

    fn params(&self) -> Result<Params, Error> {
        with_config(self.kind, self.config)
    }

    fn answer(&self, answer: &Answer) -> Result<Opened, AnswerError> {
        let diagnostics = answer.diagnostics();
        Ok(Opened {
            result: over_config(answer, "result", self.kind, self.config, &diagnostics),
            renew_at: answer.optional("renew_at"),
            private: answer.binary("private"),
            diagnostics,
        })
    }
}

/// Renews an ephemeral resource that is open.
#[derive(Clone, Copy, Debug)]
pub struct Renew<'a> {
    /// The type, without the prefix of the provider.
    pub name: &'a str,
    /// What opening it, or the last renewal, returned.
    pub private: Option<&'a [u8]>,
}

/// An ephemeral resource that was renewed.
#[derive(Clone, Debug, PartialEq)]
pub struct Renewed {
    /// When to renew it again, in the form of RFC 3339.
    pub renew_at: Option<String>,
    /// New private data; `None` keeps what there is.
    pub private: Option<Bytes>,
    /// Warnings and errors.
    pub diagnostics: Vec<Diagnostic>,
}

impl Call for Renew<'_> {
    const METHOD: &'static str = "resources/renew";
    type Answer = Renewed;

    fn params(&self) -> Result<Params, Error> {
        Ok(with_private(self.name, self.private))
    }

    fn answer(&self, answer: &Answer) -> Result<Renewed, AnswerError> {
        Ok(Renewed {
            renew_at: answer.optional("renew_at")?,
            private: answer.binary("private")?,
            diagnostics: answer.diagnostics(),
        })
    }
}

fn with_private(name: &str, private: Option<&[u8]>) -> Params {
    Params::new().text("type", name).binary("private", private)
}

/// Closes an ephemeral resource.
#[derive(Clone, Copy, Debug)]
pub struct Close<'a> {
    /// The type, without the prefix of the provider.
    pub name: &'a str,
    /// What opening it, or the last renewal, returned.
    pub private: Option<&'a [u8]>,
}

impl Call for Close<'_> {
    const METHOD: &'static str = "resources/close";
    type Answer = Done;

    fn params(&self) -> Result<Params, Error> {
        Ok(with_private(self.name, self.private))
    }

    fn answer(&self, answer: &Answer) -> Result<Done, AnswerError> {
        Ok(Done {
            diagnostics: answer.diagnostics(),
        })
    }
}
