//! The params of a call, as they are typed.

use std::collections::BTreeMap;
use std::io::Read;

use serde_json::value::{RawValue, to_raw_value};
use tenon_protocols::Protocol;
use tenon_protocols::seasonings::EXT_NAMES;
use tenon_rpc::{Format, Payload};

use crate::args::CallArgs;
use crate::exit::Failure;

/// The params as JSON: the text itself, `@file`, or `-` for stdin.
pub(crate) fn read(argument: Option<&str>) -> Result<Option<Payload>, Failure> {
    match argument {
        None => Ok(None),
        Some("-") => {
            let mut text = String::new();
            std::io::stdin()
                .read_to_string(&mut text)
                .map_err(|error| unreadable("params", "stdin", &error))?;
            parse("params", " on stdin", &text).map(Some)
        }
        Some(argument) => value("params", argument).map(Some),
    }
}

/// JSON text, or `@file`. `what` is what it is for.
pub(crate) fn value(what: &str, argument: &str) -> Result<Payload, Failure> {
    match argument.strip_prefix('@') {
        Some(path) => {
            let text = std::fs::read_to_string(path);
            let text = text.map_err(|error| unreadable(what, path, &error))?;
            parse(what, " in the file", &text)
        }
        None => parse(what, "", argument),
    }
}

fn unreadable(what: &str, place: &str, error: &std::io::Error) -> Failure {
    Failure::usage(format!(
        "the {what} could not be read from {place}: {error}"
    ))
}

fn parse(what: &str, place: &str, text: &str) -> Result<Payload, Failure> {
    let verb = if what.ends_with('s') { "are" } else { "is" };
    if text.trim().is_empty() {
        return Err(Failure::usage(format!("the {what}{place} {verb} empty")));
    }
    Payload::from_json(text.trim()).map_err(|error| {
        let hint = "write JSON, such as '{\"name\":\"you\"}' or '[1,2]'";
        Failure::usage(format!(
            "the {what}{place} {verb} not JSON: {error}\n  hint: {hint}"
        ))
    })
}

/// The params in the format of the connection.
pub(crate) fn encode(params: Option<Payload>, format: Format) -> Result<Option<Payload>, Failure> {
    params
        .map(|params| params.to_format_with(format, EXT_NAMES))
        .transpose()
        .map_err(|error| Failure::usage(format!("the params: {error}")))
}

/// The params with a token that asks for progress, if that is wanted. A token that is there already
/// is kept, and params that are not an object have no place for one.
pub(crate) fn with_progress(
    params: Option<Payload>,
    args: &CallArgs,
    token: u64,
) -> Result<Option<Payload>, Failure> {
    let path = args.protocol.and_then(Protocol::progress_token);
    let (true, Some(path)) = (args.progress, path) else {
        return Ok(params);
    };
    let text = match &params {
        Some(params) => String::from_utf8_lossy(params.bytes()).into_owned(),
        None => "{}".to_owned(),
    };
    match inserted(&text, path, token) {
        Some(text) => {
            let params = Payload::from_json(text);
            params
                .map(Some)
                .map_err(|error| Failure::usage(format!("the params: {error}")))
        }
        None => Ok(params),
    }
}

/// The object with the number at the end of the path, where there is nothing yet. Everything else
/// keeps its spelling.
fn inserted(object: &str, path: &[&str], number: u64) -> Option<String> {
    let mut members: BTreeMap<String, Box<RawValue>> = serde_json::from_str(object).ok()?;
    let (first, rest) = path.split_first()?;
    let there = members.get(*first).map_or("{}", |value| value.get());
    let value = match rest {
        [] if members.contains_key(*first) => return None,
        [] => to_raw_value(&number).ok()?,
        rest => RawValue::from_string(inserted(there, rest, number)?).ok()?,
    };
    members.insert((*first).to_owned(), value);
    serde_json::to_string(&members).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_put_where_there_is_none() {
        let path = ["_meta", "progressToken"];
        let put = |object: &str| inserted(object, &path, 7);
        assert_eq!(put("{}").unwrap(), r#"{"_meta":{"progressToken":7}}"#);
        assert_eq!(
            put(r#"{"n":1e400,"_meta":{"a":1.0}}"#).unwrap(),
            r#"{"_meta":{"a":1.0,"progressToken":7},"n":1e400}"#
        );
        assert_eq!(put(r#"{"_meta":{"progressToken":"mine"}}"#), None);
        assert_eq!(put("[1]"), None);
    }
}
