//! The params of a call, as they are typed.

use std::io::Read;

use tenon_rpc::{Format, Payload};

use crate::exit::Failure;

/// The params as JSON: the text itself, `@file`, or `-` for stdin.
pub(crate) fn read(argument: Option<&str>) -> Result<Option<Payload>, Failure> {
    let Some(argument) = argument else {
        return Ok(None);
    };
    let unreadable = |place: &str, error| {
        Failure::usage(format!(
            "the params could not be read from {place}: {error}"
        ))
    };
    let (place, text) = match (argument, argument.strip_prefix('@')) {
        ("-", _) => {
            let mut text = String::new();
            std::io::stdin()
                .read_to_string(&mut text)
                .map_err(|error| unreadable("stdin", error))?;
            (" on stdin", text)
        }
        (_, Some(path)) => {
            let text = std::fs::read_to_string(path).map_err(|error| unreadable(path, error))?;
            (" in the file", text)
        }
        (text, None) => ("", text.to_owned()),
    };
    if text.trim().is_empty() {
        return Err(Failure::usage(format!(
            "there are no params{place}: it is empty"
        )));
    }
    let payload = Payload::from_json(text.trim()).map_err(|error| {
        let hint = "params are JSON, such as '{\"name\":\"you\"}' or '[1,2]'";
        Failure::usage(format!(
            "the params{place} are no JSON: {error}\n  hint: {hint}"
        ))
    })?;
    Ok(Some(payload))
}

/// The params in the format of the connection.
pub(crate) fn encode(params: Option<Payload>, format: Format) -> Result<Option<Payload>, Failure> {
    params
        .map(|params| params.to_format(format))
        .transpose()
        .map_err(|error| Failure::usage(format!("the params: {error}")))
}
