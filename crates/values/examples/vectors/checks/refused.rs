//! What cannot be written: the list `encode_errors`.
//!
//! Its entries describe no value. A fitting one is made from what the entry says of the error:
//! marks, a missing attribute, a type that is not the wanted one.

use serde_json::Value as Json;
use tenon_values::{Error, Number, Type, Value, json, msgpack};

use super::{Check, description, from_hexadecimal, refused, same, text};

/// A value for the entry, and the type to write it by.
enum Given {
    Value(Value, Type),
    /// A capsule, which this crate has none of: the type itself is refused.
    Capsule,
}

pub(crate) fn encode(entry: &Json) -> Check {
    let (value, ty) = match given(entry)? {
        Given::Value(value, ty) => (value, ty),
        Given::Capsule => return refused(Type::from_json("\"capsule\"")),
    };
    let encoded = msgpack::encode(&value, &ty);
    match text(entry, "hex") {
        Ok(digits) => {
            let encoded = encoded.map_err(|error: Error| error.to_string())?;
            same("msgpack", encoded, from_hexadecimal(digits)?)?;
        }
        Err(_) => refused(encoded)?,
    }
    match entry.get("ctyjson_error") {
        Some(_) => refused(json::encode(&value, &ty)),
        None => Ok(()),
    }
}

fn given(entry: &Json) -> Result<Given, String> {
    let note = text(entry, "note")?;
    let name = text(entry, "type")?;
    let error = entry["error"]
        .as_str()
        .or(entry["ctyjson_error"].as_str())
        .unwrap_or_default();
    if note.contains("capsule") || name.contains("capsule") {
        return Ok(Given::Capsule);
    }
    let ty = type_named(name)?;
    let value = match () {
        () if error.contains("marks") => marked(note, &ty),
        () if note.contains("infinity") => match note.contains("negative") {
            true => Value::from(Number::NEGATIVE_INFINITY),
            false => Value::from(Number::INFINITY),
        },
        () if error.contains("but have ") => {
            let have = error.rsplit("but have ").next().unwrap_or_default();
            description::sample(&type_in_words(have)?)
        }
        () if error.starts_with("tuple required") => {
            let length = match &ty {
                Type::Tuple(tuple) => tuple.elements().len() + 1,
                _ => 1,
            };
            Value::tuple(vec![Value::from("sample"); length])
        }
        () if error.contains("is required") && error.starts_with("attribute") => {
            let missing = error.split('"').nth(1).unwrap_or_default();
            let sample = description::sample(&ty);
            let attributes = sample.attributes().ok_or("the type is no object")?;
            let others = attributes.iter().filter(|(name, _)| *name != missing);
            Value::object(others.map(|(name, value)| (name.to_owned(), value.clone())))
        }
        () if error.contains("not known") => Value::unknown(ty.clone()),
        () if error.contains("number is required") || error.contains("bool is required") => {
            Value::from("neither")
        }
        () => return Err(format!("there is no rule for {note:?}")),
    };
    Ok(Given::Value(value, ty))
}

/// A marked value of the type: inside, unknown, or null where the note says so.
fn marked(note: &str, ty: &Type) -> Value {
    let secret = |ty: &Type| match () {
        () if note.contains("unknown") => Value::unknown(ty.clone()).sensitive(),
        () if note.contains("null") => Value::null(ty.clone()).sensitive(),
        () => description::sample(ty).sensitive(),
    };
    let inside = ["nested", "element", "inside", "deep", "attr"];
    if !inside.iter().any(|word| note.contains(word)) {
        return secret(ty);
    }
    let outer = description::sample(ty);
    let mark = |path: &tenon_values::Path, value: Value| match path.steps().len() {
        1 => Ok(secret(&value.ty())),
        _ => Ok(value),
    };
    outer.transform(&mut { mark }).unwrap_or(outer)
}

/// The types of this list are written for people, `tuple(string,string)` and `object(a,b)`.
fn type_named(name: &str) -> Result<Type, String> {
    let inside = |start: &str| name.strip_prefix(start)?.strip_suffix(')');
    if let Some(elements) = inside("tuple(").filter(|inside| !inside.starts_with('[')) {
        let elements = elements.split(',').map(|element| element.trim().parse());
        return Ok(Type::tuple(
            elements
                .collect::<Result<Vec<Type>, _>>()
                .map_err(|error| error.to_string())?,
        ));
    }
    if let Some(names) = inside("object(").filter(|inside| !inside.starts_with('{')) {
        return Ok(Type::object(
            names.split(',').map(|name| (name.trim(), Type::String)),
        ));
    }
    match name {
        "dynamic" => Ok(Type::Dynamic),
        name => name
            .parse()
            .map_err(|error: tenon_values::TypeError| error.to_string()),
    }
}

/// A type as error messages name it: `list of string`.
fn type_in_words(words: &str) -> Result<Type, String> {
    match words.split_once(" of ") {
        Some(("list", element)) => Ok(Type::list(type_in_words(element)?)),
        Some(("set", element)) => Ok(Type::set(type_in_words(element)?)),
        Some(("map", element)) => Ok(Type::map(type_in_words(element)?)),
        _ => match words {
            "tuple" => Ok(Type::tuple([Type::String])),
            "object" => Ok(Type::object([("attribute", Type::String)])),
            _ => type_named(words),
        },
    }
}
