//! Where a JSON value ends: a validating scanner that allocates nothing and never recurses. And
//! [`encode()`], which writes serde types.
//!
//! `serde_json` reads a value into a type; a frame must be cut before any type is known, and
//! within a limit of nesting, which its raw values do not have.

mod encode;
mod scanner;
mod string;

use std::borrow::Cow;
use std::fmt;

pub use encode::encode;
pub use scanner::Scanner;
pub use string::write_string;

/// The deepest nesting the scanner can be asked to follow.
pub const MAX_DEPTH: usize = 1024;

/// What is wrong with JSON text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// The offset of the byte where it was found.
    pub at: usize,
    /// What is wrong there.
    pub problem: &'static str,
}

impl std::error::Error for JsonError {}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.problem, self.at)
    }
}

/// Checks that `bytes` are exactly one JSON value with blanks around it.
///
/// # Errors
/// They are not, or the value is nested more than `depth` levels deep.
pub fn check(bytes: &[u8], depth: usize) -> Result<(), JsonError> {
    check_utf8(bytes)?;
    let mut scanner = Scanner::new(bytes, depth);
    scanner.value()?;
    scanner.end()
}

/// Checks that `bytes` are UTF-8, which most are by being ASCII.
///
/// # Errors
/// They are not; the error says from where.
#[inline]
pub fn check_utf8(bytes: &[u8]) -> Result<(), JsonError> {
    if bytes.is_ascii() {
        return Ok(());
    }
    std::str::from_utf8(bytes)
        .map(drop)
        .map_err(|error| JsonError {
            at: error.valid_up_to(),
            problem: "invalid UTF-8",
        })
}

/// The text of a JSON string, given what is between its quotes; `None` if that is not text or has an
/// invalid escape.
pub fn unescape(bytes: &[u8]) -> Option<Cow<'_, str>> {
    let text = std::str::from_utf8(bytes).ok()?;
    if !bytes.contains(&b'\\') {
        return Some(text.into());
    }
    serde_json::from_str::<String>(&format!("\"{text}\""))
        .ok()
        .map(Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn agrees_with_serde_json_on_odd_texts() {
        for text in [
            "",
            " ",
            "{",
            "}",
            "[",
            "[]",
            "[1",
            "[1,]",
            "[1 2]",
            "{}",
            "{\"a\"}",
            "{\"a\":}",
            "{\"a\":1,}",
            "{\"a\":1}",
            "{a:1}",
            "nul",
            "null",
            "nulll",
            "tru",
            "-",
            "-0",
            "01",
            "1.",
            "1.5",
            "1e",
            "1e+5",
            "1E-5",
            "+1",
            ".5",
            "\"",
            "\"\\\"",
            "\"\\x\"",
            "\"\\u12\"",
            "\"\\u0041\"",
            "\"a\nb\"",
            "[[]]",
            "[{}]",
            "[{\"a\":[1,{\"b\":null}]}]",
            " [ 1 , 2 ] ",
            "[}",
            "{]",
            "1 1",
            "\"é\"",
            "\u{feff}1",
            "[1]x",
            "{\"a\":1 \"b\":2}",
            "{\"a\",1}",
        ] {
            assert_eq!(
                check(text.as_bytes(), 128).is_ok(),
                serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok(),
                "{text}"
            );
        }
    }

    #[test]
    fn depth_is_limited() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(check(nested(128).as_bytes(), 128).is_ok());
        let error = check(nested(129).as_bytes(), 128).unwrap_err();
        assert_eq!(error.problem, "nested too deeply");
        assert!(check("[".repeat(1_000_000).as_bytes(), usize::MAX).is_err());
    }

    #[test]
    fn members_are_found_in_place() {
        let text = br#" { "a" : [1, 2] , "b":"x\"y" } "#;
        let mut found = Vec::new();
        let mut scanner = Scanner::new(text, 128);
        scanner
            .object(|key, value| found.push((&text[key], &text[value])))
            .unwrap();
        scanner.end().unwrap();
        assert_eq!(found, [(&b"a"[..], &b"[1, 2]"[..]), (b"b", br#""x\"y""#)]);
    }

    proptest! {
        #[test]
        fn agrees_with_serde_json(text in r#"[\[\]{}:,"0-9eE.\\+\-a tfn\n]{0,12}"#) {
            prop_assert_eq!(
                check(text.as_bytes(), 128).is_ok(),
                serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok()
            );
        }

        #[test]
        fn long_strings_end_where_they_end(text in "[a-z\\n\"\\\\]{0,100}") {
            let json = serde_json::to_string(&text).unwrap();
            prop_assert!(check(json.as_bytes(), 1).is_ok());
            prop_assert!(check(&json.as_bytes()[..json.len() - 1], 1).is_err());
        }
    }
}
