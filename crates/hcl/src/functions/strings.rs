//! Functions of strings. Characters are what people see as one: grapheme clusters.

use tenon_values::{Type, Value};
use unicode_segmentation::UnicodeSegmentation;

use super::limits;
use crate::function::parameter::{list, number, string};
use crate::function::{Arguments, Function, FunctionError};

pub(super) fn all() -> Vec<Function> {
    vec![
        Function::new("chomp", [string("text")])
            .describe("Removes line breaks at the end of a string.")
            .gives(Type::String, |arguments| {
                Ok(arguments.text(0)?.trim_end_matches(['\n', '\r']).into())
            }),
        Function::new("endswith", [string("text"), string("suffix")])
            .describe("Reports whether a string ends with a suffix.")
            .gives(Type::Bool, |arguments| {
                Ok(arguments.text(0)?.ends_with(arguments.text(1)?).into())
            }),
        Function::new("indent", [number("spaces"), string("text")])
            .describe("Indents all lines but the first by this many spaces.")
            .gives(Type::String, indent),
        Function::new("join", [string("separator")])
            .and_more(list("lists", Type::String))
            .describe("Joins the strings of lists with a separator.")
            .gives(Type::String, join),
        Function::new("lower", [string("text")])
            .describe("Converts a string to lower case.")
            .gives(Type::String, |arguments| {
                Ok(by_character(arguments.text(0)?, small).into())
            }),
        Function::new("split", [string("separator"), string("text")])
            .describe("Splits a string at a separator.")
            .gives(Type::list(Type::String), split),
        Function::new("startswith", [string("text"), string("prefix")])
            .describe("Reports whether a string starts with a prefix.")
            .gives(Type::Bool, |arguments| {
                Ok(arguments.text(0)?.starts_with(arguments.text(1)?).into())
            }),
        Function::new("strcontains", [string("text"), string("part")])
            .describe("Reports whether a string contains a substring.")
            .gives(Type::Bool, |arguments| {
                Ok(arguments.text(0)?.contains(arguments.text(1)?).into())
            }),
        Function::new("strrev", [string("text")])
            .describe("Reverses the characters of a string.")
            .gives(Type::String, |arguments| {
                Ok(arguments
                    .text(0)?
                    .graphemes(true)
                    .rev()
                    .collect::<String>()
                    .into())
            }),
        Function::new(
            "substr",
            [string("text"), number("offset"), number("length")],
        )
        .describe(
            "Returns this many characters from an offset; a negative length means all that follow.",
        )
        .gives(Type::String, part),
        Function::new("title", [string("text")])
            .describe("Capitalizes the first letter of each word.")
            .gives(Type::String, |arguments| {
                Ok(title(arguments.text(0)?).into())
            }),
        Function::new("trim", [string("text"), string("characters")])
            .describe("Removes these characters from the start and end of a string.")
            .gives(Type::String, |arguments| {
                let unwanted = arguments.text(1)?;
                Ok(arguments
                    .text(0)?
                    .trim_matches(|character| unwanted.contains(character))
                    .into())
            }),
        Function::new("trimprefix", [string("text"), string("prefix")])
            .describe("Removes a prefix from a string if it is there.")
            .gives(Type::String, |arguments| {
                let text = arguments.text(0)?;
                Ok(text.strip_prefix(arguments.text(1)?).unwrap_or(text).into())
            }),
        Function::new("trimspace", [string("text")])
            .describe("Removes white space from the start and end of a string.")
            .gives(Type::String, |arguments| {
                Ok(arguments.text(0)?.trim().into())
            }),
        Function::new("trimsuffix", [string("text"), string("suffix")])
            .describe("Removes a suffix from a string if it is there.")
            .gives(Type::String, |arguments| {
                let text = arguments.text(0)?;
                Ok(text.strip_suffix(arguments.text(1)?).unwrap_or(text).into())
            }),
        Function::new("upper", [string("text")])
            .describe("Converts a string to upper case.")
            .gives(Type::String, |arguments| {
                Ok(by_character(arguments.text(0)?, capital).into())
            }),
    ]
}

fn indent(arguments: Arguments) -> Result<Value, FunctionError> {
    let spaces = usize::try_from(arguments.whole(0)?).map_err(|_| {
        FunctionError::new("a number of spaces is required, but this is negative").at(0)
    })?;
    let text = arguments.text(1)?;
    let lines = text.matches('\n').count();
    limits::check_text(spaces.saturating_mul(lines).saturating_add(text.len()))?;
    if lines == 0 {
        return Ok(text.into());
    }
    Ok(text
        .replace('\n', &format!("\n{}", " ".repeat(spaces)))
        .into())
}

fn join(arguments: Arguments) -> Result<Value, FunctionError> {
    let separator = arguments.text(0)?;
    let lists = &arguments.all()[1..];
    if lists.is_empty() {
        return Err(FunctionError::new("at least one list is required"));
    }
    if !lists.iter().all(Value::is_wholly_known) {
        return Ok(arguments.unknown());
    }
    let mut joined = String::new();
    let mut is_first = true;
    for index in 1..=lists.len() {
        for (place, element) in arguments.elements(index)?.iter().enumerate() {
            if !is_first {
                joined.push_str(separator);
            }
            is_first = false;
            let text = element.as_str().ok_or_else(|| {
                let message =
                    format!("the element {place} is null or not UTF-8, so it cannot be joined");
                FunctionError::new(message).at(index)
            })?;
            joined.push_str(text);
            limits::check_text(joined.len())?;
        }
    }
    Ok(joined.into())
}

fn split(arguments: Arguments) -> Result<Value, FunctionError> {
    let (separator, text) = (arguments.text(0)?, arguments.text(1)?);
    let parts: Vec<Value> = match separator {
        "" => text
            .chars()
            .map(|character| character.to_string().into())
            .collect(),
        separator => text.split(separator).map(Value::from).collect(),
    };
    Ok(Value::list(Type::String, parts)?)
}

fn part(arguments: Arguments) -> Result<Value, FunctionError> {
    let text = arguments.text(0)?;
    let (offset, length) = (arguments.whole(1)?, arguments.whole(2)?);
    let start = match usize::try_from(offset) {
        Ok(offset) => offset,
        Err(_) => {
            let back = usize::try_from(offset.unsigned_abs()).unwrap_or(usize::MAX);
            text.graphemes(true).count().saturating_sub(back)
        }
    };
    // A negative length means no limit.
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    let part: String = text.graphemes(true).skip(start).take(length).collect();
    Ok(part.into())
}

fn by_character(text: &str, change: fn(char) -> char) -> String {
    text.chars().map(change).collect()
}

/// The capital letter, where it is one: `ß` stays, as in Go.
fn capital(character: char) -> char {
    let mut capitals = character.to_uppercase();
    match (capitals.next(), capitals.next()) {
        (Some(capital), None) => capital,
        _ => character,
    }
}

/// The capital letter at the start of a word, which four letters that look like two have.
fn first_capital(character: char) -> char {
    match character {
        '\u{1c4}'..='\u{1c6}' => '\u{1c5}',
        '\u{1c7}'..='\u{1c9}' => '\u{1c8}',
        '\u{1ca}'..='\u{1cc}' => '\u{1cb}',
        '\u{1f1}'..='\u{1f3}' => '\u{1f2}',
        character => capital(character),
    }
}

/// The small letter. Only `İ` has two characters, of which Go keeps the first.
fn small(character: char) -> char {
    character.to_lowercase().next().unwrap_or(character)
}

/// Words are what Go's `strings.Title` takes for words: a quote ends one, an underscore does not.
fn title(text: &str) -> String {
    let is_inside = |character: char| match character.is_ascii() {
        true => character.is_ascii_alphanumeric() || character == '_',
        false => character.is_alphanumeric() || !character.is_whitespace(),
    };
    let mut previous = ' ';
    let capitalize = |character: char| {
        let result = match is_inside(previous) {
            true => character,
            false => first_capital(character),
        };
        previous = character;
        result
    };
    text.chars().map(capitalize).collect()
}
