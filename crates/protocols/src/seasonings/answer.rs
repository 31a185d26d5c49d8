//! What a plugin answers, member by member.

use std::fmt;

use bytes::Bytes;
use serde::de::DeserializeOwned;
use tenon_rpc::wire::Packed;
use tenon_rpc::{Payload, Text};
use tenon_values::{Error, Step, Value};
use tenon_wire::msgpack::{Reader, Token};

use super::diagnostic::{self, Diagnostic, has_errors};
use super::value::{self, Shape};

/// An answer that cannot be used: the method, where in the answer, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerError {
    /// The method that was called.
    pub method: &'static str,
    /// Where in the answer; empty for the whole of it.
    pub path: String,
    /// What is wrong there.
    pub problem: String,
}

impl fmt::Display for AnswerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let AnswerError {
            method,
            path,
            problem,
        } = self;
        match path.is_empty() {
            true => write!(f, "the answer to {method}: {problem}"),
            false => write!(f, "{path} in the answer to {method}: {problem}"),
        }
    }
}

impl std::error::Error for AnswerError {}

/// An answer: a map whose values have not been decoded.
pub struct Answer {
    method: &'static str,
    /// What paths in errors begin with.
    place: String,
    members: Vec<(Text, Payload)>,
}

impl Answer {
    /// Splits an answer. nil is an answer without members.
    pub(super) fn of(method: &'static str, answer: &Payload) -> Result<Answer, AnswerError> {
        let members = match answer.is_null() {
            true => Ok(Vec::new()),
            false => answer.members(),
        };
        let members = members.map_err(|error| AnswerError {
            method,
            path: String::new(),
            problem: error.to_string(),
        })?;
        Ok(Answer {
            method,
            place: String::new(),
            members,
        })
    }

    fn member(&self, name: &str) -> Option<&Payload> {
        let found = self.members.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value)
    }

    pub(super) fn error(&self, path: &str, problem: impl fmt::Display) -> AnswerError {
        AnswerError {
            method: self.method,
            path: format!("{}{path}", self.place),
            problem: problem.to_string(),
        }
    }

    /// A member that may be missing or nil.
    pub(super) fn optional<T: DeserializeOwned>(
        &self,
        name: &str,
    ) -> Result<Option<T>, AnswerError> {
        let Some(sent) = self.member(name).filter(|sent| !sent.is_null()) else {
            return Ok(None);
        };
        let read = sent.decode_private().map(Some);
        read.map_err(|error| self.error(name, error))
    }

    /// A member that must be there and is not nil.
    pub(super) fn required<T: DeserializeOwned>(&self, name: &str) -> Result<T, AnswerError> {
        { self.optional(name)? }.ok_or_else(|| self.error(name, "it is missing"))
    }

    /// A value that must be there. nil is null.
    pub(super) fn value(&self, name: &str, shape: Shape<'_>) -> Result<Value, AnswerError> {
        let sent = self.member(name).ok_or_else(|| self.missing(name))?;
        value::decode(sent.bytes(), shape).map_err(|error| self.unfit(name, error))
    }

    /// A member must be there, be it nil.
    pub(super) fn require(&self, name: &str) -> Result<(), AnswerError> {
        match self.has(name) {
            true => Ok(()),
            false => Err(self.missing(name)),
        }
    }

    /// A type that the plugin does not have.
    pub(super) fn unknown_type(&self, name: &str) -> AnswerError {
        self.error(
            "type",
            format_args!("the plugin has no resource of the type {name:?}"),
        )
    }

    /// Whether there is such a member, be it nil.
    pub(super) fn has(&self, name: &str) -> bool {
        self.member(name).is_some()
    }

    /// The maps in a list, each to be read like an answer; `None` if there is no such list. Errors
    /// name the place: `imported[0].state`.
    pub(super) fn list(&self, name: &str) -> Result<Option<Vec<Answer>>, AnswerError> {
        let Some(list) = self.optional::<Vec<Packed>>(name)? else {
            return Ok(None);
        };
        let inner = |(index, one): (usize, Packed)| {
            let place = format!("{name}[{index}]");
            let members = Payload::from(one).members();
            let members = members.map_err(|error| self.error(&place, error))?;
            Ok(Answer {
                method: self.method,
                place: format!("{place}."),
                members,
            })
        };
        list.into_iter()
            .enumerate()
            .map(inner)
            .collect::<Result<_, _>>()
            .map(Some)
    }

    /// A value that must be there, unless an error is reported beside it.
    pub(super) fn value_unless_failed(
        &self,
        name: &str,
        shape: Shape<'_>,
        diagnostics: &[Diagnostic],
    ) -> Result<Option<Value>, AnswerError> {
        match (self.value(name, shape), has_errors(diagnostics)) {
            (Ok(value), _) => Ok(Some(value)),
            (Err(_), true) => Ok(None),
            (Err(error), false) => Err(error),
        }
    }

    /// A value that must be there, in which what is missing is taken from `base`.
    pub(super) fn value_over(
        &self,
        name: &str,
        shape: Shape<'_>,
        base: &Value,
    ) -> Result<Value, AnswerError> {
        let sent = self.member(name).ok_or_else(|| self.missing(name))?;
        value::decode_over(sent.bytes(), shape, base).map_err(|error| self.unfit(name, error))
    }

    fn missing(&self, name: &str) -> AnswerError {
        self.error(
            name,
            "it is missing; a value that is null is sent as nil, not left out",
        )
    }

    fn unfit(&self, name: &str, error: Error) -> AnswerError {
        let error = error.below(Step::Attribute(name.into()));
        let path = error.path().to_string();
        self.error(path.trim_start_matches('.'), error.problem())
    }

    /// Binary data. A text is accepted, too; missing and nil are `None`.
    pub(super) fn binary(&self, name: &str) -> Result<Option<Bytes>, AnswerError> {
        let Some(sent) = self.member(name) else {
            return Ok(None);
        };
        match Reader::new(sent.bytes()).token() {
            Some(Token::Nil) => Ok(None),
            Some(Token::Bin(bytes) | Token::Str(bytes)) => Ok(Some(sent.bytes().slice_ref(bytes))),
            _ => Err(self.error(name, "binary data is required")),
        }
    }

    /// The diagnostics.
    pub(super) fn diagnostics(&self) -> Vec<Diagnostic> {
        diagnostic::read(self.member("diagnostics"), self.method)
    }
}
