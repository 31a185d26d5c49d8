//! Values as the vector files describe them.

use serde_json::Value as Json;
use tenon_values::{Kind, Number, Text, Type, Value};

use super::{Check, from_hexadecimal, same, text, type_of};

/// The value that is described.
pub(crate) fn value(description: &Json) -> Result<Value, String> {
    let inside = || values(&description["v"]);
    match text(description, "k")? {
        "null" => Ok(Value::null(type_of(description, "type")?)),
        "unknown" => unknown(description),
        "bool" => Ok(Value::from(
            description["v"].as_bool().ok_or("a bool without \"v\"")?,
        )),
        "number" => Ok(Value::from(number(description)?)),
        "string" => string(description),
        "list" => {
            let values = match &description["rep"] {
                Json::Null => inside()?,
                repeated => vec![value(&repeated[0])?; count(&repeated[1])?],
            };
            Value::list(type_of(description, "ety")?, values).map_err(explained)
        }
        "set" => Value::set(type_of(description, "ety")?, inside()?).map_err(explained),
        "map" => {
            let entries = entries(&description["v"])?;
            Value::map(type_of(description, "ety")?, entries).map_err(explained)
        }
        "tuple" => Ok(Value::tuple(inside()?)),
        "object" => Ok(Value::object(entries(&description["v"])?)),
        other => Err(format!("{other:?} is no kind of value")),
    }
}

pub(crate) fn values(descriptions: &Json) -> Result<Vec<Value>, String> {
    descriptions
        .as_array()
        .ok_or("no array of values")?
        .iter()
        .map(value)
        .collect()
}

fn entries(pairs: &Json) -> Result<Vec<(String, Value)>, String> {
    let entry = |pair: &Json| {
        Ok((
            pair[0].as_str().ok_or("no key")?.to_owned(),
            value(&pair[1])?,
        ))
    };
    pairs
        .as_array()
        .ok_or("no array of pairs")?
        .iter()
        .map(entry)
        .collect()
}

fn explained(error: tenon_values::Error) -> String {
    error.to_string()
}

fn count(number: &Json) -> Result<usize, String> {
    number
        .as_u64()
        .and_then(|count| usize::try_from(count).ok())
        .ok_or("no count".to_owned())
}

fn string(description: &Json) -> Result<Value, String> {
    if let Ok(digits) = text(description, "v_hex") {
        return Ok(Value::from(Text::from_bytes(&from_hexadecimal(digits)?)));
    }
    if let Some(repeated) = description["rep"].as_array() {
        let part = repeated[0].as_str().ok_or("no text to repeat")?;
        return Ok(Value::from(part.repeat(count(&repeated[1])?)));
    }
    Ok(Value::from(text(description, "v")?))
}

/// A number. The binary form is exact; the decimal text must be what it prints as.
fn number(description: &Json) -> Result<Number, String> {
    let Some(binary) = description["p"].as_str() else {
        return text(description, "v")?
            .parse()
            .map_err(|error| format!("{error}"));
    };
    let precision = description["prec"]
        .as_u64()
        .and_then(|bits| u32::try_from(bits).ok());
    let number = Number::from_binary_text(binary, precision.ok_or("no precision")?);
    let number = number.map_err(|error| error.to_string())?;
    let printed = number.to_text();
    match description["v"].as_str() {
        Some(text) => same("the text of a number", &*printed, text)?,
        None => {
            same(
                "the length of a number's text",
                printed.len(),
                count(&description["v_len"])?,
            )?;
            let head = text(description, "v_head")?;
            same(
                "the beginning of a number's text",
                printed.starts_with(head),
                true,
            )?;
        }
    }
    Ok(number)
}

fn unknown(description: &Json) -> Result<Value, String> {
    let mut value = Value::unknown(type_of(description, "type")?);
    let bound = |field: &str| -> Result<Option<(Number, bool)>, String> {
        let Some(pair) = description[field].as_array() else {
            return Ok(None);
        };
        let number = pair[0].as_str().and_then(|text| text.parse().ok());
        Ok(Some((
            number.ok_or("no number in a bound")?,
            pair[1].as_bool().unwrap_or(false),
        )))
    };
    if let Some((number, is_inclusive)) = bound("min")? {
        value = value
            .refine_lower(number, is_inclusive)
            .map_err(explained)?;
    }
    if let Some((number, is_inclusive)) = bound("max")? {
        value = value
            .refine_upper(number, is_inclusive)
            .map_err(explained)?;
    }
    if let Some(prefix) = description["prefix"].as_str() {
        value = value.refine_whole_prefix(prefix).map_err(explained)?;
    }
    if let Some(length) = description["len_min"].as_u64() {
        value = value.refine_shortest(length).map_err(explained)?;
    }
    if let Some(length) = description["len_max"].as_u64() {
        value = value.refine_longest(length).map_err(explained)?;
    }
    match description["not_null"].as_bool() {
        Some(true) => value.refine_not_null().map_err(explained),
        _ => Ok(value),
    }
}

/// The value is the one that is described, with numbers of the same precision.
pub(crate) fn is(value: &Value, description: &Json) -> Check {
    let wanted = self::value(description)?;
    same("the value", value, &wanted)?;
    same("its type", value.ty(), wanted.ty())?;
    same("its numbers", numbers(value), numbers(&wanted))
}

/// The exact form of all numbers in a value, in order. Bounds of unknown ones are left out: the
/// files do not give their precision.
fn numbers(value: &Value) -> Vec<(String, u32)> {
    let mut found = Vec::new();
    value.walk(&mut |_, value| {
        if let Kind::Number(number) = value.kind() {
            found.push((number.to_binary_text(), number.precision()));
        }
        true
    });
    found
}

/// A value of this type to try things with.
pub(crate) fn sample(ty: &Type) -> Value {
    let one = |element: &Type| vec![sample(element)];
    let sample = match ty {
        Type::String | Type::Dynamic => Ok(Value::from("sample")),
        Type::Number => Ok(Value::from(1)),
        Type::Bool => Ok(Value::TRUE),
        Type::List(element) => Value::list(Type::clone(element), one(element)),
        Type::Set(element) => Value::set(Type::clone(element), one(element)),
        Type::Map(element) => Value::map(Type::clone(element), [("key", sample(element))]),
        Type::Tuple(tuple) => Ok(Value::tuple(tuple.elements().iter().map(sample).collect())),
        Type::Object(object) => {
            let attributes = object.attributes().iter();
            Ok(Value::object(attributes.map(|attribute| {
                (attribute.name.clone(), sample(&attribute.ty))
            })))
        }
    };
    sample.unwrap_or_else(|_| Value::null(ty.clone()))
}
