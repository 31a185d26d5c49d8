//! What a plugin answers, member by member.

use std::fmt;

use bytes::Bytes;
use serde::de::DeserializeOwned;
use tenon_rpc::wire::Packed;
use tenon_rpc::{Format, Payload, Text};
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

impl AnswerError {
    /// The text for params that were [read like an answer](Answer::of_params).
    pub fn in_params(&self) -> String {
        let AnswerError {
            method,
            path,
            problem,
        } = self;
        match path.is_empty() {
            true => format!("the params of {method}: {problem}"),
            false => format!("{path} in the params of {method}: {problem}"),
        }
    }
}

/// An answer, or the params of a call: a map whose values have not been decoded.
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

    /// Splits the params of a call: `[{..}]` or `{..}`. nil, `[]` and nothing are params without members.
    ///
    /// # Errors
    /// They are something else.
    pub fn of_params(
        method: &'static str,
        params: Option<&Payload>,
    ) -> Result<Answer, AnswerError> {
        let nothing = Payload::null(Format::Msgpack);
        let params = params.unwrap_or(&nothing);
        let mut reader = Reader::new(params.bytes());
        match reader.token() {
            Some(Token::Array(0)) => Answer::of(method, &nothing),
            Some(Token::Array(1)) => {
                let rest = reader.skip().unwrap_or_default();
                let only = params.bytes().slice(rest);
                Answer::of(method, &Payload::new(Format::Msgpack, only))
            }
            _ => Answer::of(method, params),
        }
    }

    /// The members, in their order.
    pub(super) fn members(&self) -> &[(Text, Payload)] {
        &self.members
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
    ///
    /// # Errors
    /// It does not fit the type.
    pub fn optional<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, AnswerError> {
        let Some(sent) = self.member(name).filter(|sent| !sent.is_null()) else {
            return Ok(None);
        };
        let read = sent.decode_private().map(Some);
        read.map_err(|error| self.error(name, error))
    }

    /// A member that must be there and is not nil.
    ///
    /// # Errors
    /// It is missing, or does not fit the type.
    pub fn required<T: DeserializeOwned>(&self, name: &str) -> Result<T, AnswerError> {
        { self.optional(name)? }.ok_or_else(|| self.error(name, "it is missing"))
    }

    /// A value that must be there. nil is null.
    ///
    /// # Errors
    /// It is missing, or does not fit.
    pub fn value(&self, name: &str, shape: Shape<'_>) -> Result<Value, AnswerError> {
        let sent = self.member(name).ok_or_else(|| self.missing(name))?;
        value::decode(sent.bytes(), shape).map_err(|error| self.unfit(name, error))
    }

    /// A list of values, each read by the shape; `None` if it is missing or nil.
    ///
    /// # Errors
    /// It is not a list, or a value does not fit.
    pub fn values(&self, name: &str, shape: Shape<'_>) -> Result<Option<Vec<Value>>, AnswerError> {
        let Some(list) = self.optional::<Vec<Packed>>(name)? else {
            return Ok(None);
        };
        let read = |(index, one): (usize, &Packed)| {
            value::decode(one.bytes(), shape)
                .map_err(|error| self.unfit(name, error.below(Step::Index(index))))
        };
        let values = list.iter().enumerate().map(read);
        values.collect::<Result<_, _>>().map(Some)
    }

    /// A map, to be read like an answer; an empty one if it is missing or nil. Errors name the place:
    /// `arguments.text`.
    ///
    /// # Errors
    /// It is something else.
    pub fn map(&self, name: &str) -> Result<Answer, AnswerError> {
        let nothing = Payload::null(Format::Msgpack);
        let inner = Answer::of(self.method, self.member(name).unwrap_or(&nothing));
        let inner = inner.map_err(|error| self.error(name, error.problem))?;
        Ok(Answer {
            place: format!("{}{name}.", self.place),
            ..inner
        })
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
    pub fn has(&self, name: &str) -> bool {
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
    ///
    /// # Errors
    /// It is something else.
    pub fn binary(&self, name: &str) -> Result<Option<Bytes>, AnswerError> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn params_come_in_an_array_or_bare() {
        for (sent, count) in [
            (&b"\x91\x81\xa1a\x01"[..], Some(1)),
            (b"\x81\xa1a\x01", Some(1)),
            (b"\xc0", Some(0)),
            (b"\x90", Some(0)),
            (b"\x80", Some(0)),
            (b"\x91\x80", Some(0)),
            (b"\x91\xc0", Some(0)),
            (b"\x91\x07", None),
            (b"\x92\x80\x80", None),
            (b"\x07", None),
        ] {
            let params = Payload::new(Format::Msgpack, sent);
            let read = Answer::of_params("ping", Some(&params));
            assert_eq!(read.ok().map(|read| read.members.len()), count, "{sent:?}");
        }
        assert!(Answer::of_params("ping", None).is_ok());
        let params = Payload::new(Format::Msgpack, &b"\x91\x81\xa1a\x01"[..]);
        let params = Answer::of_params("ping", Some(&params)).unwrap();
        let error = params.required::<String>("a").unwrap_err().in_params();
        assert!(error.starts_with("a in the params of ping: "), "{error}");
    }
}
