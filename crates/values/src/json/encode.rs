//! From values to JSON.

use crate::convert;
use crate::error::{Error, Problem};
use crate::json::write_string;
use crate::path::Step;
use crate::types::Type;
use crate::value::{Kind, Value};

/// Writes a value by this type as compact JSON, with sorted keys. A value of another type is
/// converted first; one at [`Type::Dynamic`] is written with its type. Numbers are written as
/// [`Number::to_compact_text`](crate::Number::to_compact_text) writes them.
///
/// # Errors
/// The value cannot be converted, or it or one inside it is unknown, marked, or infinite: the
/// error has the path.
pub fn encode(value: &Value, ty: &Type) -> Result<String, Error> {
    let mut out = String::new();
    if value.ty_ref().conforms_to(ty) {
        write(value, ty, &mut out)?;
    } else {
        write(&convert::convert(value, ty)?, ty, &mut out)?;
    }
    Ok(out)
}

fn write(value: &Value, ty: &Type, out: &mut String) -> Result<(), Error> {
    match value.kind() {
        Kind::Marked(marks, _) => return Err(Problem::Marked(marks.to_string()).into()),
        _ if *ty != Type::Dynamic || *value.ty_ref() == Type::Dynamic => {}
        _ => {
            let own = value.ty_ref();
            out.push_str("{\"value\":");
            write(value, own, out)?;
            out.push_str(",\"type\":");
            own.write_json(out);
            out.push('}');
            return Ok(());
        }
    }
    match (value.kind(), ty) {
        (Kind::Null, _) => out.push_str("null"),
        (Kind::Unknown(_), _) => return Err(Problem::Unknown.into()),
        (Kind::Bool(value), _) => out.push_str(if value { "true" } else { "false" }),
        (Kind::Number(number), _) if number.is_infinite() => return Err(Problem::Infinity.into()),
        (Kind::Number(number), _) => {
            out.push_str(&number.to_compact_text());
        }
        (Kind::String(text), _) => write_string(&text.to_string_lossy(), out),
        (Kind::List(values) | Kind::Set(values), _) => {
            let element = ty.element().unwrap_or(&Type::Dynamic);
            write_array(ty, values.iter().map(|value| (value, element)), out)?;
        }
        (Kind::Tuple(values), Type::Tuple(tuple)) => {
            write_array(ty, values.iter().zip(tuple.elements()), out)?;
        }
        (Kind::Map(entries), _) => {
            let element = ty.element().unwrap_or(&Type::Dynamic);
            out.push('{');
            for (index, (key, value)) in entries.iter().enumerate() {
                let below = |error: Error| error.below(Step::Key(key.clone()));
                // Two keys that are not UTF-8 could become one.
                let name = key.as_str().ok_or(Problem::NotUtf8);
                write_key(index, name.map_err(|problem| below(problem.into()))?, out);
                write(value, element, out).map_err(below)?;
            }
            out.push('}');
        }
        (Kind::Object(attributes), Type::Object(wanted)) => {
            out.push('{');
            let pairs = wanted.attributes().iter().zip(attributes.iter());
            for (index, (wanted, (name, value))) in pairs.enumerate() {
                write_key(index, name, out);
                let below = |error: Error| error.below(Step::Attribute(name.into()));
                write(value, &wanted.ty, out).map_err(below)?;
            }
            out.push('}');
        }
        (Kind::Tuple(_) | Kind::Object(_) | Kind::Marked(..), _) => {
            return Err(Problem::WrongType {
                wanted: ty.clone(),
                given: value.ty(),
            }
            .into());
        }
    }
    Ok(())
}

fn write_key(index: usize, key: &str, out: &mut String) {
    if index > 0 {
        out.push(',');
    }
    write_string(key, out);
    out.push(':');
}

fn write_array<'a>(
    array: &Type,
    values: impl Iterator<Item = (&'a Value, &'a Type)>,
    out: &mut String,
) -> Result<(), Error> {
    out.push('[');
    for (index, (value, ty)) in values.enumerate() {
        if index > 0 {
            out.push(',');
        }
        write(value, ty, out).map_err(|error| error.below(Step::to_element(array, index)))?;
    }
    out.push(']');
    Ok(())
}
