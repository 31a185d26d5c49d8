//! Calls as JSON that people can read and write.
//!
//! [`Readable`] knows where in the params and in the result of each method a cty value stands, and writes
//! and reads it by the schema that the plugin has for it. Everything else is converted from and to
//! msgpack as it is. A value is plain JSON, except for what JSON has no form for:
//!
//! | value | JSON |
//! |---|---|
//! | unknown | `{"$unknown":true}` |
//! | unknown, refined | `{"$unknown":{"null":false,"prefix":"ami-"}}`; also `min` and `max`, each `[number, is inclusive]`, `min_length` and `max_length` |
//! | sensitive by the schema | `{"$sensitive":VALUE}`; the value alone is read as well |
//! | of the type `any`, if the JSON alone would imply another type | `{"$any":["list(string)",VALUE]}` |
//! | infinity | `{"$float":"Infinity"}` |
//! | a map whose only key begins with `$` | `{"$map":[[KEY,VALUE]]}` |
//!
//! Numbers have all their digits. Binary data (`private`, and the `state` of storage) is a text where it
//! is UTF-8, and otherwise `{"$binary":"<base64>"}`.

mod arguments;
mod places;
mod read;
mod write;

use serde_json::Value as Json;
use serde_json::value::RawValue;
use tenon_rpc::{Format, Payload, Text};
use tenon_schema::{Offer, SchemaError};
use tenon_values::{Error, Problem, Step, Value};
use tenon_wire::msgpack::{Reader, Token};
use tenon_wire::transcode;

use super::answer::{Answer, AnswerError};
use super::diagnostic::has_errors;
use super::ext_names::EXT_NAMES;
use super::names::canonical;
use super::params::Params;
use super::schema::Schemas;
use super::value;
use places::{Place, Places};

/// Converts the params and results of calls by the schemas of a plugin.
#[derive(Clone, Debug, Default)]
pub struct Readable {
    offer: Offer,
    /// Whether there is a schema of the functions, and of the resources.
    knows_functions: bool,
    knows_resources: bool,
}

impl Readable {
    /// By these schemas. Without any, only what needs none is converted.
    ///
    /// # Errors
    /// A schema is not valid.
    pub fn new(schemas: &Schemas) -> Result<Readable, SchemaError> {
        Ok(Readable {
            offer: schemas.offer()?,
            knows_functions: schemas.functions.is_some(),
            knows_resources: schemas.resources.is_some(),
        })
    }

    /// The params of a call as they are sent, from JSON. Values that are left out are null; the
    /// defaults of functions and of configurations are filled in, as hosts do.
    ///
    /// # Errors
    /// A value does not fit, or the plugin has no such function or type; the error has the path.
    pub fn params(&self, method: &str, given: &Payload) -> Result<Payload, Error> {
        let Some(members) = params_members(given) else {
            return packed(given).map(|bytes| Payload::new(Format::Msgpack, bytes));
        };
        let places = self.places(method, &members);
        self.check_name(&places, &members)?;
        let mut params = Params::new();
        for (name, member) in &members {
            params = match places.param(name) {
                Some(place) => self.param(params, name, place, member)?,
                None => params.packed(name, &packed(member).map_err(|error| at(error, name))?),
            };
        }
        for (name, place) in &places.params {
            let is_there = members.iter().any(|(known, _)| known == *name);
            if is_there {
                continue;
            }
            if let Some(value) = place.absent().map_err(|error| at(error, name))? {
                params = params.packed(name, &value);
            }
        }
        Ok(params.into_payload())
    }

    /// Checks that the function or the type is there, so that a misspelt or missing name does not go unnoticed.
    fn check_name(&self, places: &Places<'_>, members: &[(Text, Payload)]) -> Result<(), Error> {
        let text = |member: &str| -> Option<String> {
            let (_, given) = members.iter().find(|(name, _)| name == member)?;
            given.decode().ok()
        };
        let wrong = |member: &str, problem: String| Err(at(Problem::Serde(problem).into(), member));
        let listed = |names: &[&str]| match names.is_empty() {
            true => "none".to_owned(),
            false => names.join(", "),
        };
        if places.method == "resources/validate" {
            let kind = text("kind");
            if !kind
                .as_deref()
                .is_some_and(|kind| Places::KINDS.contains(&kind))
            {
                let given = kind.map_or("missing".to_owned(), |kind| format!("{kind:?}"));
                let kinds = Places::KINDS.join(", ");
                return wrong(
                    "kind",
                    format!("the kind is {given}; it is one of: {kinds}"),
                );
            }
        }
        let Some((member, what, names)) = places.named(&self.offer, members) else {
            return Ok(());
        };
        let is_known = match what {
            "function" => self.knows_functions,
            _ => self.knows_resources,
        };
        match text(member) {
            _ if !is_known => Ok(()),
            Some(given) if names.contains(&given.as_str()) => Ok(()),
            Some(given) => wrong(
                member,
                format!(
                    "the plugin has no {what} {given:?}; it has: {}",
                    listed(&names)
                ),
            ),
            None => wrong(
                member,
                format!(
                    "the name of the {what} is required; the plugin has: {}",
                    listed(&names)
                ),
            ),
        }
    }

    fn param(
        &self,
        params: Params,
        name: &str,
        place: &Place<'_>,
        given: &Payload,
    ) -> Result<Params, Error> {
        let below = |error| at(error, name);
        let text = String::from_utf8_lossy(given.bytes());
        match place {
            Place::Value(shape) => {
                params.value(name, &read::value(&text, *shape).map_err(below)?, *shape)
            }
            Place::Config(body) => {
                let value = read::config(&text, body).map_err(below)?;
                params.value(name, &value, *body)
            }
            Place::Binary => match serde_json::from_str(&text) {
                Ok(Json::String(text)) => Ok(params.binary(name, Some(text.as_bytes()))),
                _ => Ok(params.packed(name, &packed(given).map_err(below)?)),
            },
            Place::Arguments(function) => {
                let arguments = arguments::by_name(function, given).map_err(below)?;
                Ok(params.map(name, arguments))
            }
            Place::Positional(function) => {
                let arguments = arguments::by_position(function, given).map_err(below)?;
                Ok(params.map("arguments", arguments))
            }
            Place::Imported(_) => Ok(params.packed(name, &packed(given).map_err(below)?)),
        }
    }

    /// The params of a call as JSON, from what was sent. What does not fit its schema is shown as it
    /// was sent, as a sensitive value if there is anything sensitive in the schema.
    pub fn shown_params(&self, method: &str, sent: &Payload) -> Option<String> {
        let members = params_members(sent)?;
        let places = self.places(method, &members);
        let shown = shown_members(&members, |name| places.param(name))?;
        Some(format!("[{shown}]"))
    }

    /// The result of a call as JSON, beside the params that were sent.
    ///
    /// # Errors
    /// A value is missing or does not fit.
    pub fn result(
        &self,
        method: &str,
        sent: Option<&Payload>,
        result: &Payload,
    ) -> Result<String, AnswerError> {
        let sent = sent.and_then(params_members).unwrap_or_default();
        let places = self.places(method, &sent);
        let has_values = places.result.iter().any(|(_, place)| place.is_value());
        if places.result.is_empty() || (result.is_null() && !has_values) {
            let shown = unpacked(result);
            return shown.ok_or_else(|| unreadable(places.method));
        }
        let answer = Answer::of(places.method, result)?;
        let may_be_left_out =
            has_errors(&answer.diagnostics()) || places.is_deletion || answer.has("imported");
        for (name, place) in &places.result {
            if place.is_value() && !may_be_left_out {
                answer.require(name)?;
            }
        }
        let base = places.over_config.then(|| config(&sent, &places)).flatten();
        let mut members = Vec::new();
        for (name, member) in answer.members() {
            let text = match places.returned(name) {
                Some(place) => place.shown(name, &answer, base.as_ref())?,
                None => unpacked(member),
            };
            let text = text.ok_or_else(|| unreadable(places.method))?;
            members.push(format!("{}:{text}", quoted(name)));
        }
        Ok(format!("{{{}}}", members.join(",")))
    }

    /// The result of a call as JSON, whatever is in it: what does not fit its schema is shown as in
    /// [`shown_params`](Readable::shown_params).
    pub fn shown_result(
        &self,
        method: &str,
        sent: Option<&Payload>,
        result: &Payload,
    ) -> Option<String> {
        if let Ok(shown) = self.result(method, sent, result) {
            return Some(shown);
        }
        let sent = sent.and_then(params_members).unwrap_or_default();
        let places = self.places(method, &sent);
        match result.members() {
            Ok(members) => shown_members(&members, |name| places.returned(name)),
            Err(_) => unpacked(result),
        }
    }

    fn places(&self, method: &str, params: &[(Text, Payload)]) -> Places<'_> {
        Places::of(&self.offer, &canonical(method), params)
    }
}

/// Members as JSON, whatever is in them.
fn shown_members<'p, 'a: 'p>(
    members: &[(Text, Payload)],
    place: impl Fn(&str) -> Option<&'p Place<'a>>,
) -> Option<String> {
    let mut texts = Vec::with_capacity(members.len());
    for (name, member) in members {
        let text = match place(name) {
            Some(place) => place.shown_anyway(member),
            None => unpacked(member),
        };
        texts.push(format!("{}:{}", quoted(name), text?));
    }
    Some(format!("{{{}}}", texts.join(",")))
}

/// The configuration that was sent, from which an answer takes what it leaves out.
fn config(sent: &[(Text, Payload)], places: &Places<'_>) -> Option<Value> {
    let (_, member) = sent.iter().find(|(name, _)| name == "config")?;
    match places.param("config")? {
        Place::Config(body) => value::decode(member.bytes(), *body).ok(),
        _ => None,
    }
}

/// The members of params: of a map, or of the only map in an array. `None` for anything else.
fn params_members(params: &Payload) -> Option<Vec<(Text, Payload)>> {
    let only = match params.format() {
        Format::Json => {
            let elements: Option<Vec<&RawValue>> = serde_json::from_slice(params.bytes()).ok();
            elements
                .and_then(|elements| match &elements[..] {
                    [only] => Some(only.get().to_owned()),
                    _ => None,
                })
                .map(|only| Payload::new(Format::Json, only))
        }
        Format::Msgpack => {
            let mut reader = Reader::new(params.bytes());
            match reader.token() {
                Some(Token::Array(1)) => reader
                    .skip()
                    .map(|place| Payload::new(Format::Msgpack, params.bytes().slice(place))),
                _ => None,
            }
        }
    };
    only.as_ref().unwrap_or(params).members().ok()
}

/// JSON as msgpack, without a schema.
fn packed(json: &Payload) -> Result<Vec<u8>, Error> {
    transcode::json_to_msgpack(json.bytes(), EXT_NAMES)
        .map_err(|error| Problem::Serde(error.to_string()).into())
}

/// msgpack as JSON, without a schema.
fn unpacked(sent: &Payload) -> Option<String> {
    transcode::msgpack_to_json(sent.bytes(), EXT_NAMES).ok()
}

fn unreadable(method: &'static str) -> AnswerError {
    AnswerError {
        method,
        path: String::new(),
        problem: "it is not msgpack within the limits".to_owned(),
    }
}

fn at(error: Error, name: &str) -> Error {
    error.below(Step::Attribute(name.into()))
}

fn quoted(text: &str) -> String {
    Json::from(text).to_string()
}

#[cfg(test)]
mod tests;
