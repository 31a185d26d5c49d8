//! Functions of regular expressions.

use regex::{Captures, Regex};
use tenon_values::{Type, Value};

use super::limits;
use super::syntax::compile;
use crate::function::parameter::string;
use crate::function::{Arguments, Function, FunctionError};

pub(super) fn all() -> Vec<Function> {
    vec![
        Function::new("regex", [string("pattern"), string("text")])
            .describe("Returns the first match of a regular expression, or its capture groups if it has any.")
            .gives_typed(found_type, first),
        Function::new("regexall", [string("pattern"), string("text")])
            .describe("Returns all matches of a regular expression, each as in regex.")
            .gives_typed(|arguments| Ok(Type::list(found_type(arguments)?)), every),
        Function::new(
            "replace",
            [string("text"), string("part"), string("replacement")],
        )
        .describe("Replaces all occurrences of a substring, or of a regular expression between slashes.")
        .gives(Type::String, replace),
    ]
}

/// What a match of the pattern is, if it is known.
fn found_type(arguments: &[Value]) -> Result<Type, FunctionError> {
    match arguments[0].as_str() {
        Some(pattern) => shape(&compile(pattern, 0)?),
        None => Ok(Type::Dynamic),
    }
}

fn shape(pattern: &Regex) -> Result<Type, FunctionError> {
    let names = pattern.capture_names().skip(1);
    let count = names.len();
    let named: Vec<&str> = names.flatten().collect();
    match (named.len(), count) {
        (_, 0) => Ok(Type::String),
        (0, count) => Ok(Type::tuple(vec![Type::String; count])),
        (named_count, count) if named_count == count => Ok(Type::object(
            named.into_iter().map(|name| (name, Type::String)),
        )),
        _ => Err(FunctionError::new("the groups must all have names, or none of them may").at(0)),
    }
}

/// One match, in the shape of its pattern. Groups that took no part are null.
fn found(pattern: &Regex, captures: &Captures) -> Value {
    let group = |index: usize| match captures.get(index) {
        Some(group) => Value::from(group.as_str()),
        None => Value::null(Type::String),
    };
    let names: Vec<Option<&str>> = pattern.capture_names().skip(1).collect();
    if names.is_empty() {
        return group(0);
    }
    let groups = (1..=names.len()).map(group);
    match names.iter().copied().collect::<Option<Vec<&str>>>() {
        Some(names) => Value::object(names.into_iter().zip(groups)),
        None => Value::tuple(groups.collect()),
    }
}

fn first(arguments: Arguments) -> Result<Value, FunctionError> {
    let pattern = compile(arguments.text(0)?, 0)?;
    let captures = pattern.captures(arguments.text(1)?).ok_or_else(|| {
        let message = "the pattern does not match; regexall returns an empty list in that case";
        FunctionError::new(message)
    })?;
    Ok(found(&pattern, &captures))
}

fn every(arguments: Arguments) -> Result<Value, FunctionError> {
    let pattern = compile(arguments.text(0)?, 0)?;
    let mut values = Vec::new();
    for captures in pattern.captures_iter(arguments.text(1)?) {
        values.push(found(&pattern, &captures));
        limits::check_elements(values.len())?;
    }
    Ok(Value::list(shape(&pattern)?, values)?)
}

fn replace(arguments: Arguments) -> Result<Value, FunctionError> {
    let (text, part) = (arguments.text(0)?, arguments.text(1)?);
    let replacement = arguments.text(2)?;
    let pattern = part
        .strip_prefix('/')
        .and_then(|rest| rest.strip_suffix('/'));
    if let Some(pattern) = pattern {
        return replace_pattern(text, &compile(pattern, 1)?, replacement);
    }
    let grown = text.matches(part).count().saturating_mul(replacement.len());
    limits::check_text(grown.saturating_add(text.len()))?;
    limits::text(&text.replace(part, replacement))
}

fn replace_pattern(text: &str, pattern: &Regex, replacement: &str) -> Result<Value, FunctionError> {
    let groups = replacement.matches('$').count();
    let mut out = String::new();
    let mut end = 0;
    for captures in pattern.captures_iter(text) {
        let whole = captures.get_match();
        out.push_str(&text[end..whole.start()]);
        // One match may be long and named often, so what it grows to is checked before.
        let grown = whole
            .len()
            .saturating_mul(groups)
            .saturating_add(replacement.len());
        limits::check_text(out.len().saturating_add(grown))?;
        captures.expand(replacement, &mut out);
        end = whole.end();
    }
    out.push_str(&text[end..]);
    limits::text(&out)
}
