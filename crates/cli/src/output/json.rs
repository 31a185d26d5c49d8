//! JSON as it is printed: masked on stderr, on one line for tools, indented for people.

use std::borrow::Cow;
use std::sync::OnceLock;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use tenon_protocols::seasonings::EXT_NAMES;
use tenon_rpc::trace::{MASK_JSON, mask_json};
use tenon_rpc::{Payload, RpcError};

use super::screen::Stream;
use super::secrets::{hidden, hidden_json};
use super::{is_terminal, json_data, write_line};
use crate::exit::{Code, Failure};

/// Names of members whose values stderr does not show, in lower case.
static MASKED: OnceLock<Vec<String>> = OnceLock::new();

/// Remembers which members are masked on stderr.
pub(crate) fn choose_masked(names: &[String]) {
    let names = names.iter().map(|name| name.to_lowercase()).collect();
    let _are_chosen = MASKED.set(names);
}

/// JSON for stderr, with members masked as the command line says. What cannot be masked is not shown.
pub(crate) fn masked(json: &str) -> String {
    match MASKED.get() {
        Some(names) if !names.is_empty() => {
            mask_json(json, names).unwrap_or_else(|| MASK_JSON.to_owned())
        }
        _ => json.to_owned(),
    }
}

/// JSON in which the values that are spelled as sensitive, `{"$sensitive":VALUE}`, are masked; `None` if
/// it cannot be read.
pub(crate) fn without_sensitive(json: &str) -> Option<String> {
    match json.contains("$sensitive") {
        true => mask_json(json, &["$sensitive".to_owned()]),
        false => Some(json.to_owned()),
    }
}

/// JSON from outside on one line. Only blanks change.
pub(super) fn compact(json: &str) -> String {
    tenon_text::json(&json.replace(['\n', '\r'], " ")).into_owned()
}

/// The value as JSON, in the order and with the numbers in which it came.
pub(super) fn to_json(payload: &Payload) -> Result<Box<RawValue>, Failure> {
    payload
        .to_format_with(tenon_rpc::Format::Json, EXT_NAMES)
        .and_then(|json| json.decode())
        .map_err(|error| Failure::new(Code::BrokenProtocol, format!("the answer: {error}")))
}

/// JSON without the sensitive values that are known.
pub(super) fn without_secrets(json: Box<RawValue>) -> Box<RawValue> {
    match hidden_json(json.get()) {
        Cow::Borrowed(_) => json,
        Cow::Owned(text) => RawValue::from_string(text).unwrap_or(json),
    }
}

/// The result of a call in whose diagnostics no sensitive value is quoted.
pub(super) fn with_plain_diagnostics(result: Box<RawValue>) -> Box<RawValue> {
    const NAME: &str = "diagnostics";
    if !result.get().contains(NAME) || hidden(result.get()) == result.get() {
        return result;
    }
    let Ok(members) = Payload::from_json(result.get()).and_then(|result| result.members()) else {
        return result;
    };
    let members = members.iter().map(|(name, member)| {
        let text = String::from_utf8_lossy(member.bytes());
        let text = match name == NAME {
            true => hidden_json(&text).into_owned(),
            false => text.into_owned(),
        };
        format!("{}:{text}", Value::from(name.as_str()))
    });
    let members: Vec<String> = members.collect();
    let rebuilt = RawValue::from_string(format!("{{{}}}", members.join(",")));
    rebuilt.unwrap_or(result)
}

/// An object whose members keep their order.
pub(super) fn line(members: &[(&str, &dyn ToJson)]) -> String {
    let members: Vec<String> = members
        .iter()
        .map(|(name, value)| format!("\"{name}\":{}", value.to_json()))
        .collect();
    format!("{{{}}}", members.join(","))
}

pub(super) trait ToJson {
    fn to_json(&self) -> String;
}

impl ToJson for Value {
    fn to_json(&self) -> String {
        self.to_string()
    }
}

impl ToJson for Box<RawValue> {
    fn to_json(&self) -> String {
        // It has to stay on one line.
        compact(self.get())
    }
}

/// A failure as `--json` shows it. The data of an error keeps the digits of its numbers.
pub(super) struct ErrorObject<'a>(pub(super) &'a Failure);

impl ToJson for ErrorObject<'_> {
    fn to_json(&self) -> String {
        let Some(RpcError {
            code,
            message,
            data,
        }) = &self.0.answered
        else {
            return line(&[("message", &json!(hidden(&self.0.message)))]);
        };
        let code = match code {
            tenon_rpc::ErrorCode::Number(number) => json!(number),
            tenon_rpc::ErrorCode::Name(name) => json!(name.as_str()),
        };
        let message = json!(hidden(message));
        let data = data.as_ref().filter(|data| !data.is_null());
        match data
            .and_then(|data| to_json(data).ok())
            .map(without_secrets)
        {
            Some(data) => line(&[("code", &code), ("data", &data), ("message", &message)]),
            None => line(&[("code", &code), ("message", &message)]),
        }
    }
}

/// JSON on stdout: over several lines for people, as it is for programs.
pub(super) fn laid_out(json: &RawValue) -> Result<(), Failure> {
    match is_terminal(Stream::Data) {
        true => json_data(indented(json.get())),
        // The reader of a pipe gets exactly what was sent.
        false => write_line(Stream::Data, json.get()),
    }
}

/// JSON over several lines, for people. Nothing but blanks changes.
pub(super) fn indented(json: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let (mut depth, mut in_string, mut is_escaped) = (0_usize, false, false);
    let mut characters = json.chars().peekable();
    let new_line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth));
    };
    while let Some(character) = characters.next() {
        if in_string {
            out.push(character);
            in_string = is_escaped || character != '"';
            is_escaped = !is_escaped && character == '\\';
            continue;
        }
        match character {
            ' ' | '\t' | '\n' | '\r' => {}
            '{' | '[' => {
                while characters.next_if(char::is_ascii_whitespace).is_some() {}
                out.push(character);
                if let Some(close) = characters.next_if(|next| matches!(next, '}' | ']')) {
                    out.push(close);
                } else {
                    depth += 1;
                    new_line(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                new_line(&mut out, depth);
                out.push(character);
            }
            ',' => {
                out.push(character);
                new_line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            _ => {
                in_string = character == '"';
                out.push(character);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_blanks_change_when_json_is_indented() {
        assert_eq!(
            indented(r#"{"b":[1.0,{}, [ ] ],"a":"x\"{,y"}"#),
            "{\n  \"b\": [\n    1.0,\n    {},\n    []\n  ],\n  \"a\": \"x\\\"{,y\"\n}"
        );
    }
}
