//! `format` and `formatlist`.

use tenon_values::{Type, Value, convert, json};
use unicode_segmentation::UnicodeSegmentation;

use super::verbs::{Piece, Verb, pieces};
use super::{limits, numerals};
use crate::function::parameter::{any, string};
use crate::function::{Arguments, Function, FunctionError};

pub(super) fn all() -> Vec<Function> {
    vec![
        Function::new("format", [string("format")])
            .and_more(any("values").or_null().or_dynamic())
            .describe("Formats values with verbs such as %s and %d.")
            .gives(Type::String, format_one),
        Function::new("formatlist", [string("format")])
            .and_more(any("values").or_null().or_dynamic())
            .describe("Formats like format, once for each element of its list arguments.")
            .gives(Type::list(Type::String), format_each),
    ]
}

fn format_one(arguments: Arguments) -> Result<Value, FunctionError> {
    let pieces = pieces(arguments.text(0)?)?;
    let values: Vec<&Value> = arguments.all()[1..].iter().collect();
    formatted(&pieces, &values)
}

fn format_each(arguments: Arguments) -> Result<Value, FunctionError> {
    let pieces = pieces(arguments.text(0)?)?;
    let values = &arguments.all()[1..];
    let mut count = None;
    let mut is_unknown = false;
    for (index, value) in values.iter().enumerate() {
        let length = match value.ty() {
            _ if value.is_null() => continue,
            Type::Tuple(tuple) => tuple.elements().len(),
            Type::List(_) | Type::Set(_) => match value.length()?.as_number() {
                Some(length) => length
                    .to_u64()
                    .and_then(|n| usize::try_from(n).ok())
                    .unwrap_or(0),
                None => {
                    is_unknown = true;
                    continue;
                }
            },
            Type::Dynamic if !value.is_known() => {
                is_unknown = true;
                continue;
            }
            _ => continue,
        };
        let first = *count.get_or_insert(length);
        if first != length {
            let message = format!(
                "lists of one length are required, but they have {first} and {length} elements"
            );
            return Err(FunctionError::new(message).at(index + 1));
        }
        is_unknown |= !value.is_known();
    }
    if is_unknown {
        return Ok(arguments.unknown());
    }
    let count = count.unwrap_or(1);
    limits::check_elements(count)?;
    let mut made = 0;
    let mut results = Vec::with_capacity(count);
    for index in 0..count {
        let at = |value| element_or_itself(value, index);
        let row: Vec<&Value> = values.iter().map(at).collect();
        let result = formatted(&pieces, &row)?;
        made += result.as_text().map_or(0, |text| text.as_bytes().len());
        limits::check_text(made)?;
        results.push(result);
    }
    Ok(Value::list(Type::String, results)?)
}

fn element_or_itself(value: &Value, index: usize) -> &Value {
    let element = value.elements().and_then(|elements| elements.get(index));
    element.unwrap_or(value)
}

fn formatted(pieces: &[Piece], values: &[&Value]) -> Result<Value, FunctionError> {
    if !values.iter().all(|value| value.is_wholly_known()) {
        return Ok(Value::unknown(Type::String).refine_not_null()?);
    }
    let mut out = String::new();
    let mut used = 0;
    for piece in pieces {
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Verb(verb) => {
                let wanted = verb.argument + 1;
                used = used.max(wanted);
                let value = values.get(verb.argument).ok_or_else(|| {
                    let message = format!(
                        "the format asks for value {wanted}, but there are {}",
                        values.len()
                    );
                    FunctionError::new(message).at(0).because(verb.written)
                })?;
                // What would be padded or filled is checked before it is.
                let size = verb.width.saturating_add(verb.precision.unwrap_or(0));
                limits::check_text(out.len().saturating_add(size))?;
                out.push_str(&written(value, verb)?);
            }
        }
        limits::check_text(out.len())?;
    }
    match used < values.len() {
        true => {
            let message = format!("the format uses {used} of the {} values", values.len());
            Err(FunctionError::new(message).at(used + 1))
        }
        false => Ok(out.into()),
    }
}

fn written(value: &Value, verb: &Verb) -> Result<String, FunctionError> {
    let fail = |reason: &str| {
        let message = format!("a value cannot be written as %{}", verb.letter);
        FunctionError::new(message)
            .at(verb.argument + 1)
            .because(reason)
    };
    if value.is_null() && verb.letter != 'v' {
        return Err(fail("it is null"));
    }
    let converted =
        |ty: &Type| convert::convert(value, ty).map_err(|error| fail(&error.to_string()));
    match verb.letter {
        'v' => {
            let plain = match (verb.is_sharp, value.as_str(), value.as_number()) {
                (false, Some(text), _) => Some(text.to_owned()),
                (false, _, Some(number)) => Some(numerals::shortest(number)),
                _ => None,
            };
            match plain {
                Some(plain) => Ok(padded(&plain, verb)),
                None => Ok(padded(&json::encode(value, &value.ty())?, verb)),
            }
        }
        't' => Ok(converted(&Type::Bool)?
            .as_bool()
            .unwrap_or_default()
            .to_string()),
        'b' | 'd' | 'o' | 'x' | 'X' | 'e' | 'E' | 'f' | 'g' | 'G' => {
            let value = converted(&Type::Number)?;
            let number = value
                .as_number()
                .ok_or_else(|| fail("it is not a number"))?;
            match verb.letter {
                'e' | 'E' | 'f' | 'g' | 'G' => Ok(numerals::real(number, verb)),
                _ => numerals::whole(number, verb).ok_or_else(|| fail("it is not a whole number")),
            }
        }
        's' | 'q' => {
            let value = converted(&Type::String)?;
            let text = value.as_str().ok_or_else(|| fail("it is not UTF-8"))?;
            // A precision of zero keeps everything, as in Terraform.
            let kept: String = match verb.precision.filter(|precision| *precision > 0) {
                Some(precision) => text.graphemes(true).take(precision).collect(),
                None => text.to_owned(),
            };
            match verb.letter {
                'q' => Ok(padded(&json::encode(&kept.into(), &Type::String)?, verb)),
                _ => Ok(padded(&kept, verb)),
            }
        }
        _ => {
            let message = "unknown format verb; use one of %v %s %q %t %d %b %o %x %e %f %g";
            Err(FunctionError::new(message).at(0).because(verb.written))
        }
    }
}

/// The text in the width of the verb, counted in characters that people see.
fn padded(text: &str, verb: &Verb) -> String {
    if verb.width == 0 {
        return text.to_owned();
    }
    let fill = if verb.is_filled { "0" } else { " " };
    let missing = verb.width.saturating_sub(text.graphemes(true).count());
    match verb.is_left {
        true => format!("{text}{}", fill.repeat(missing)),
        false => format!("{}{text}", fill.repeat(missing)),
    }
}
