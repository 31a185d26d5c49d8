//! The arguments of a function.

use tenon_rpc::{Payload, Text};
use tenon_schema::{Function, Parameter};
use tenon_values::{Error, Problem, Step, Value};
use tenon_wire::json::{MAX_DEPTH, Scanner};
use tenon_wire::msgpack::{Reader, Token};

use super::super::params::Params;
use super::super::value::{self, Shape};
use super::{at, quoted, read, unpacked, write};

/// The arguments in a map.
pub(super) fn by_name(function: &Function, given: &Payload) -> Result<Params, Error> {
    let members = given.members();
    let members = members.map_err(|error| Error::from(Problem::Serde(error.to_string())))?;
    let names = { function.parameters.iter() }.chain(&function.variadic);
    let names: Vec<&str> = names.map(|one| one.name.as_str()).collect();
    if let Some((name, _)) = { members.iter() }.find(|(name, _)| !names.contains(&name.as_str())) {
        let names = names.join(", ");
        return Err(problem(&format!(
            "unknown parameter `{name}`; there are: {names}"
        )));
    }
    let find = |name: &str| members.iter().find(|(known, _)| known == name);
    let text = |(_, member): &(Text, Payload)| String::from_utf8_lossy(member.bytes()).into_owned();
    let mut arguments = Params::new();
    for one in &function.parameters {
        let given = find(&one.name).map(text);
        arguments = argument(arguments, one, given.as_deref())?;
    }
    if let Some(rest) = &function.variadic {
        let given = find(&rest.name).map(text);
        let given = given.as_deref().unwrap_or("[]");
        let values = elements(given).map_err(|error| at(error, &rest.name))?;
        arguments = several(arguments, rest, &values)?;
    }
    Ok(arguments)
}

/// The arguments in a list.
pub(super) fn by_position(function: &Function, given: &Payload) -> Result<Params, Error> {
    let text = String::from_utf8_lossy(given.bytes());
    let mut given = elements(&text)?.into_iter();
    let mut arguments = Params::new();
    for one in &function.parameters {
        arguments = argument(arguments, one, given.next())?;
    }
    let rest: Vec<&str> = given.collect();
    match &function.variadic {
        Some(parameter) => several(arguments, parameter, &rest),
        None if rest.is_empty() => Ok(arguments),
        None => Err(problem(&format!(
            "there are at most {} arguments, but {} are given",
            function.parameters.len(),
            function.parameters.len() + rest.len(),
        ))),
    }
}

/// What is sent if no arguments are given.
pub(super) fn none(function: &Function) -> Result<Vec<u8>, Error> {
    let none = Payload::new(tenon_rpc::Format::Json, "{}");
    Ok(by_name(function, &none)?.into_answer().bytes().to_vec())
}

/// One argument. What may be left out has its default, null if that is allowed, or is not sent.
fn argument(params: Params, one: &Parameter, given: Option<&str>) -> Result<Params, Error> {
    let below = |error| at(error, &one.name);
    let given = given.filter(|text| !one.may_be_left_out() || text.trim() != "null");
    let value = match (given, &one.default) {
        (Some(text), _) => given_value(text, one).map_err(below)?,
        (None, Some(default)) => default.clone(),
        (None, None) if !one.may_be_left_out() => {
            return Err(Problem::MissingAttribute(one.name.as_str().into()).into());
        }
        (None, None) if one.allows_null => Value::null(one.ty.clone()),
        (None, None) => return Ok(params),
    };
    params.value(&one.name, &value, &one.ty)
}

/// A value that was given. Terraform does not call a function with an unknown value that it does not allow, so a call
/// with one would show nothing.
fn given_value(text: &str, one: &Parameter) -> Result<Value, Error> {
    let value = read::value(text, (&one.ty).into())?;
    match value.is_wholly_known() || one.allows_unknown {
        true => Ok(value),
        false => Err(problem(
            "the parameter has no `allow_unknown`, so the function is not called with unknown values: its result is \
             unknown",
        )),
    }
}

fn several(params: Params, one: &Parameter, given: &[&str]) -> Result<Params, Error> {
    let mut values = Vec::with_capacity(given.len());
    for (index, text) in given.iter().enumerate() {
        let value = given_value(text, one);
        values.push(value.map_err(|error| at(error.below(Step::Index(index)), &one.name))?);
    }
    params.values(&one.name, &values, &one.ty)
}

/// What was sent, as JSON; `None` if it does not fit.
pub(super) fn shown(function: &Function, sent: &Payload) -> Option<String> {
    let by = |sent: &[u8], one: &Parameter| {
        let shape = Shape::from(&one.ty);
        Some(write::value(&value::decode(sent, shape).ok()?, shape))
    };
    let mut texts = Vec::new();
    for (name, member) in sent.members().ok()? {
        let fixed = function
            .parameters
            .iter()
            .find(|one| name == one.name.as_str());
        let text = match (fixed, &function.variadic) {
            (Some(one), _) => by(member.bytes(), one)?,
            (None, Some(rest)) if name == rest.name.as_str() => {
                let mut reader = Reader::new(member.bytes());
                let Some(Token::Array(count)) = reader.token() else {
                    return None;
                };
                let each = |_| by(&member.bytes()[reader.skip()?], rest);
                let each: Option<Vec<String>> = (0..count).map(each).collect();
                format!("[{}]", each?.join(","))
            }
            _ => unpacked(&member)?,
        };
        texts.push(format!("{}:{text}", quoted(&name)));
    }
    Some(format!("{{{}}}", texts.join(",")))
}

/// The elements of a JSON array.
pub(super) fn elements(json: &str) -> Result<Vec<&str>, Error> {
    let mut places = Vec::new();
    let mut scanner = Scanner::new(json.as_bytes(), MAX_DEPTH);
    scanner
        .array(|place| places.push(place))
        .map_err(|_| problem("a list is required"))?;
    Ok(places.into_iter().map(|place| &json[place]).collect())
}

fn problem(text: &str) -> Error {
    Problem::Serde(text.to_owned()).into()
}
