//! Values of plain JSON, which came without a type.

use crate::error::{Error, Problem};
use crate::json::decode::number;
use crate::json::{Fault, Reader, Token};
use crate::limits::Limits;
use crate::path::Step;
use crate::text::{Text, normalized};
use crate::types::Type;
use crate::value::{Kind, Value};

/// The type that plain JSON has: arrays are tuples, objects are objects, null is dynamic.
///
/// # Errors
/// As for [`implied`].
pub fn implied_type(text: &[u8]) -> Result<Type, Error> {
    Ok(implied(text)?.ty())
}

/// The value of plain JSON: arrays are tuples, objects are objects, numbers keep all their digits.
///
/// # Errors
/// The text is not one JSON value, or a property is there twice with different types.
pub fn implied(text: &[u8]) -> Result<Value, Error> {
    let mut reader = Reader::new(text, Limits::default())?;
    let value = read(&mut reader)?;
    match reader.end() {
        Ok(()) => Ok(value),
        Err(fault) => Err(reader.error(fault)),
    }
}

/// The value of plain JSON, with the types of `prior` wherever the JSON fits them: an array in the
/// place of a set stays a set. Where nothing changed the result is the same as `prior`, so that a
/// round trip through JSON shows no difference. Marks are not copied from `prior`: the caller has to
/// mark what a script sends.
///
/// # Errors
/// As for [`implied`].
pub fn implied_like(text: &[u8], prior: &Value) -> Result<Value, Error> {
    Ok(like(implied(text)?, &prior.unmark_deep().0))
}

fn read(reader: &mut Reader<'_>) -> Result<Value, Error> {
    let token = reader.value();
    match checked(reader, token)? {
        Token::Null => Ok(Value::NULL),
        Token::Bool(value) => Ok(Value::from(value)),
        Token::Number(text) => number(text),
        Token::String(text) => Ok(Value::string(&text)),
        Token::Array => {
            let mut values = Vec::new();
            loop {
                let more = reader.next_element();
                if !checked(reader, more)? {
                    return Ok(Value::tuple(values));
                }
                let below = |error: Error| error.below(Step::Index(values.len()));
                let value = read(reader).map_err(below)?;
                values.push(value);
            }
        }
        Token::Object => {
            let mut entries: Vec<(Text, Value)> = Vec::new();
            loop {
                let key = reader.next_key();
                let Some(key) = checked(reader, key)? else {
                    return object(entries);
                };
                let name = normalized(&key);
                let value =
                    read(reader).map_err(|error| error.below(Step::Attribute((&*name).into())))?;
                entries.push((Text::new(&name), value));
            }
        }
    }
}

fn checked<T>(reader: &Reader<'_>, result: Result<T, Fault>) -> Result<T, Error> {
    result.map_err(|fault| reader.error(fault))
}

/// An object of these properties. A property that is there twice must at least be of one type.
fn object(mut entries: Vec<(Text, Value)>) -> Result<Value, Error> {
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    for pair in entries.windows(2) {
        if pair[0].0 == pair[1].0 && pair[0].1.ty_ref() != pair[1].1.ty_ref() {
            return Err(Problem::DuplicateProperty(pair[0].0.to_string()).into());
        }
    }
    let named = entries
        .into_iter()
        .map(|(name, value)| (name.to_string_lossy().into_owned(), value));
    Ok(Value::object(named))
}

/// The value with the types of `prior` where it fits them.
fn like(value: Value, prior: &Value) -> Value {
    if let Some(adopted) = adopt(&value, prior.ty_ref()) {
        return if adopted == *prior {
            prior.clone()
        } else {
            adopted
        };
    }
    let element = prior.ty_ref().element().cloned().map(Value::unknown);
    match value.kind() {
        Kind::Object(attributes) => {
            let convert = |(name, value): (&str, &Value)| {
                let prior = match prior.kind() {
                    Kind::Object(attributes) => attributes.get(name).cloned(),
                    _ => element.clone(),
                };
                (
                    name.to_owned(),
                    prior.map_or_else(|| value.clone(), |prior| like(value.clone(), &prior)),
                )
            };
            Value::object(attributes.iter().map(convert))
        }
        Kind::Tuple(values) => {
            let convert = |(index, value): (usize, &Value)| {
                let prior = match prior.kind() {
                    Kind::Tuple(values) | Kind::List(values) => values.get(index).cloned(),
                    _ => None,
                };
                let prior = prior.or_else(|| element.clone());
                prior.map_or_else(|| value.clone(), |prior| like(value.clone(), &prior))
            };
            Value::tuple(values.iter().enumerate().map(convert).collect())
        }
        _ => value,
    }
}

/// The value as one of this type, if JSON says the same of both: arrays may be lists, sets or
/// tuples, objects may be maps. No string becomes a number, and nothing is lost.
fn adopt(value: &Value, ty: &Type) -> Option<Value> {
    match (value.kind(), ty) {
        (_, Type::Dynamic) => Some(value.clone()),
        (Kind::Null, _) => Some(Value::null(ty.clone())),
        (Kind::String(_), Type::String)
        | (Kind::Number(_), Type::Number)
        | (Kind::Bool(_), Type::Bool) => Some(value.clone()),
        (Kind::Tuple(values), Type::List(element)) => {
            let values = values
                .iter()
                .map(|value| adopt(value, element))
                .collect::<Option<_>>()?;
            Value::list(Type::clone(element), values).ok()
        }
        (Kind::Tuple(values), Type::Set(element)) => {
            let adopted = values
                .iter()
                .map(|value| adopt(value, element))
                .collect::<Option<_>>()?;
            let set = Value::set(Type::clone(element), adopted).ok()?;
            set.elements()
                .is_some_and(|elements| elements.len() == values.len())
                .then_some(set)
        }
        (Kind::Tuple(values), Type::Tuple(tuple)) if values.len() == tuple.elements().len() => {
            let pairs = values.iter().zip(tuple.elements());
            Some(Value::tuple(
                pairs
                    .map(|(value, ty)| adopt(value, ty))
                    .collect::<Option<_>>()?,
            ))
        }
        (Kind::Object(attributes), Type::Map(element)) => {
            let adopted = attributes
                .iter()
                .map(|(name, value)| Some((name, adopt(value, element)?)));
            Value::map(Type::clone(element), adopted.collect::<Option<Vec<_>>>()?).ok()
        }
        (Kind::Object(attributes), Type::Object(object))
            if attributes.len() == object.attributes().len() =>
        {
            let adopted = attributes
                .iter()
                .map(|(name, value)| Some((name, adopt(value, &object.attribute(name)?.ty)?)));
            Some(Value::object(adopted.collect::<Option<Vec<_>>>()?))
        }
        _ => None,
    }
}
