//! JSON whose numbers are compared as text: `1.0` is not `1`, and no digit is lost.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::collections::BTreeMap;

use serde_json::value::RawValue;

/// A JSON value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Exact {
    Object(BTreeMap<String, Exact>),
    Array(Vec<Exact>),
    Text(String),
    /// A number, or a word, as it was written.
    Word(String),
}

impl Exact {
    pub(crate) fn parse(text: &str) -> Exact {
        let parsed = serde_json::from_str::<&RawValue>(text);
        Exact::read(parsed.unwrap_or_else(|error| panic!("{error} in {text}")))
    }

    fn read(value: &RawValue) -> Exact {
        let text = value.get();
        match text.as_bytes()[0] {
            b'{' => {
                let members: BTreeMap<String, Box<RawValue>> = serde_json::from_str(text).unwrap();
                let read = |(name, value): (String, Box<RawValue>)| (name, Exact::read(&value));
                Exact::Object(members.into_iter().map(read).collect())
            }
            b'[' => {
                let items: Vec<Box<RawValue>> = serde_json::from_str(text).unwrap();
                Exact::Array(items.iter().map(|item| Exact::read(item)).collect())
            }
            b'"' => match serde_json::from_str(text) {
                Ok(text) => Exact::Text(text),
                // Half a surrogate pair is JSON, but no text.
                Err(_) => Exact::Word(text.to_owned()),
            },
            _ => Exact::Word(text.to_owned()),
        }
    }

    /// Whether it is what was expected, where `"*"` expects any text but an empty one.
    pub(crate) fn fits(&self, expected: &Exact) -> bool {
        match (expected, self) {
            (Exact::Text(any), Exact::Text(text)) if any == "*" => !text.is_empty(),
            (Exact::Object(expected), Exact::Object(found)) => {
                let member = |(name, value): (&String, &Exact)| {
                    found.get(name).is_some_and(|found| found.fits(value))
                };
                expected.len() == found.len() && expected.iter().all(member)
            }
            (Exact::Array(expected), Exact::Array(found)) => {
                let mut pairs = expected.iter().zip(found);
                expected.len() == found.len() && pairs.all(|(expected, found)| found.fits(expected))
            }
            (expected, found) => expected == found,
        }
    }
}

/// Checks one answer.
pub(crate) fn assert_fits(found: &str, expected: &str) {
    assert!(
        Exact::parse(found).fits(&Exact::parse(expected)),
        "{found} came, {expected} was expected"
    );
}
