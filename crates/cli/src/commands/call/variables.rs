//! What a conversation keeps, and how params refer to it: `$NAME.member[0]["odd name"]`.

use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::value::RawValue;
use tenon_protocols::seasonings::EXT_NAMES;
use tenon_rpc::{Format, Payload};

use super::line::is_name;
use crate::exit::Failure;

/// The name of the last result.
const LAST: &str = "_";

/// Values as they were written, by name.
#[derive(Debug, Default)]
pub(crate) struct Variables(BTreeMap<String, String>);

impl Variables {
    /// Keeps a result as the last one, and under its name if it has one.
    pub(crate) fn keep(&mut self, name: Option<&str>, result: &Payload) {
        self.set(LAST, result);
        if let Some(name) = name {
            self.set(name, result);
        }
    }

    /// Keeps a value under a name.
    pub(crate) fn set(&mut self, name: &str, value: &Payload) {
        if let Ok(json) = value.to_format_with(Format::Json, EXT_NAMES) {
            let text = String::from_utf8_lossy(json.bytes()).into_owned();
            self.0.insert(name.to_owned(), text);
        }
    }

    /// All of them, with the last result first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The text with every reference outside of strings replaced by the JSON of its value. A value
    /// stands where a value may stand, so nothing in it can change what is around it.
    pub(crate) fn resolve(&self, text: &str) -> Result<String, Failure> {
        let mut resolved = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find(['"', '$']) {
            resolved.push_str(&rest[..start]);
            rest = &rest[start..];
            let length = match rest.starts_with('"') {
                true => {
                    let length = string_length(rest);
                    resolved.push_str(&rest[..length]);
                    length
                }
                false => {
                    let (value, length) = self.refer(rest)?;
                    resolved.push_str(&value);
                    length
                }
            };
            rest = &rest[length..];
        }
        resolved.push_str(rest);
        Ok(resolved)
    }

    /// The value of the reference that the text begins with, and how long the reference is.
    fn refer(&self, text: &str) -> Result<(String, usize), Failure> {
        let name = name_at(text, 1);
        let shown = &text[..name.end];
        let Some(value) = self.0.get(&text[name.clone()]) else {
            let known: Vec<String> = self.0.keys().map(|name| format!("${name}")).collect();
            let known = match known.is_empty() {
                true => "no value has been kept yet".to_owned(),
                false => format!("there are {}", known.join(", ")),
            };
            return Err(Failure::usage(format!(
                "unknown variable {shown}; {known}\n  hint: NAME = METHOD [PARAMS] keeps a result"
            )));
        };
        let mut value = value.clone();
        let mut end = name.end;
        while let Some((step, length)) = step_at(&text[end..])? {
            let place = &text[..end];
            value = member(&value, &step)
                .ok_or_else(|| Failure::usage(missing(place, &value, &step)))?;
            end += length;
        }
        Ok((value, end))
    }
}

/// One step into a value.
enum Step {
    Name(String),
    Index(usize),
}

/// Where the name stands that begins at `start`.
fn name_at(text: &str, start: usize) -> Range<usize> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let length = text[start..].find(|c| !is_part(c));
    start..length.map_or(text.len(), |length| start + length)
}

/// The step that the text begins with, and how long it is.
fn step_at(text: &str) -> Result<Option<(Step, usize)>, Failure> {
    if text.starts_with('.') {
        let name = name_at(text, 1);
        let step = &text[name.clone()];
        return match is_name(step) {
            true => Ok(Some((Step::Name(step.to_owned()), name.end))),
            false => Err(Failure::usage(
                "a name must follow the dot of a variable; write other names as $NAME[\"odd name\"]",
            )),
        };
    }
    let Some(inner) = text.strip_prefix('[') else {
        return Ok(None);
    };
    let wrong = || Failure::usage("$NAME[...] takes an index or a name in quotes");
    let length = match inner.starts_with('"') {
        true => string_length(inner),
        false => inner.find(']').ok_or_else(wrong)?,
    };
    let step = inner[..length].trim();
    let step = match serde_json::from_str(step) {
        Ok(name) => Step::Name(name),
        Err(_) => Step::Index(step.parse().map_err(|_| wrong())?),
    };
    match inner[length..].starts_with(']') {
        // The two brackets.
        true => Ok(Some((step, length + 2))),
        false => Err(wrong()),
    }
}

fn member(value: &str, step: &Step) -> Option<String> {
    let found = match step {
        Step::Name(name) => serde_json::from_str::<BTreeMap<String, Box<RawValue>>>(value)
            .ok()?
            .remove(name),
        Step::Index(index) => serde_json::from_str::<Vec<Box<RawValue>>>(value)
            .ok()?
            .into_iter()
            .nth(*index),
    };
    found.map(|found| found.get().to_owned())
}

/// Why there is no such member, and which there are.
fn missing(place: &str, value: &str, step: &Step) -> String {
    if let Ok(members) = serde_json::from_str::<BTreeMap<String, Box<RawValue>>>(value) {
        let names: Vec<&str> = members.keys().map(String::as_str).collect();
        return match step {
            Step::Name(name) => format!("{place} has no {name:?}; it has {}", names.join(", ")),
            Step::Index(_) => format!(
                "{place} is an object, which has no index; it has {}",
                names.join(", ")
            ),
        };
    }
    if let Ok(elements) = serde_json::from_str::<Vec<Box<RawValue>>>(value) {
        let count = elements.len();
        return match step {
            Step::Index(index) => format!("{place} has no element {index}; it has {count}"),
            Step::Name(name) => format!("{place} is an array of {count}, which has no {name:?}"),
        };
    }
    format!("{place} is neither an object nor an array")
}

/// How long the string is that the text begins with; all of it if it does not end.
fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (index, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return index + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables() -> Variables {
        let mut variables = Variables::default();
        let result = r#"{"items":[{"id":1.10,"odd name":"\"$x\""}],"n":1e400}"#;
        let result = Payload::from_json(result).expect("JSON");
        variables.keep(Some("x"), &result);
        variables
    }

    #[test]
    fn references_are_replaced_by_their_values() {
        let variables = variables();
        let resolved = |text| variables.resolve(text).expect(text);
        assert_eq!(resolved("[$x.items[0].id,$x.n]"), "[1.10,1e400]");
        assert_eq!(
            resolved(r#"{"a":$_.items[0]["odd name"]}"#),
            r#"{"a":"\"$x\""}"#
        );
        // Text in strings is the user's own.
        let text = r#"{"$binary":"$x \" $x","b":"é"}"#;
        assert_eq!(resolved(text), text);
        assert_eq!(resolved("[]"), "[]");
    }

    #[test]
    fn unknown_variables_and_steps_are_errors() {
        let variables = variables();
        for (text, expected) in [
            ("$y", "unknown variable $y; there are $_, $x"),
            ("$", "unknown variable $;"),
            ("$x.item", "$x has no \"item\"; it has items, n"),
            ("$x.items[3]", "$x.items has no element 3; it has 1"),
            ("$x.items.id", "$x.items is an array of 1"),
            ("$x[0]", "$x is an object"),
            ("$x.n.a", "$x.n is neither"),
            ("$x.", "a name must follow the dot"),
            ("$x[", "takes an index"),
            ("$x[a]", "takes an index"),
            ("$x[\"items\"", "takes an index"),
        ] {
            let failure = variables.resolve(text).expect_err(text);
            assert!(
                failure.message.contains(expected),
                "{text}: {}",
                failure.message
            );
        }
        let failure = Variables::default().resolve("$a").expect_err("nothing");
        assert!(failure.message.contains("no value has been kept yet"));
    }
}
