//! What is wrong with JSON from a script, in the words of JSON.

/// Says what is wrong with a value that a script sent. Its author knows JSON, and neither the names of
/// types in Rust nor the text that the line and the column of a [`serde_json::Error`] count in.
///
/// ```
/// use tenon_protocols::denobridge::{CreateResult, problem};
///
/// let error = serde_json::from_str::<CreateResult>(r#"{"id": true}"#).unwrap_err();
/// assert_eq!(problem(&error), "a boolean instead of a string or a number");
/// ```
pub fn problem(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = text.rfind(" at line ");
    let text = &text[..place.unwrap_or(text.len())];
    if let Some((found, expected)) =
        { text.strip_prefix("invalid type: ") }.and_then(|kinds| kinds.rsplit_once(", expected "))
    {
        return format!("{} instead of {}", kind(found), kind(expected));
    }
    if let Some(name) = text.strip_prefix("missing field ") {
        return format!("{name} is missing");
    }
    if let Some(name) = text.strip_prefix("duplicate field ") {
        return format!("{name} occurs twice");
    }
    if text.contains("surrogate") || text.contains("hex escape") {
        return r"a string has one half of a surrogate pair, such as \ud83d, without the other"
            .to_owned();
    }
    text.to_owned()
}

/// A kind of value as JSON calls it. What was found is not quoted: it may be a secret.
fn kind(words: &str) -> &str {
    let begins = |start: &str| words.starts_with(start);
    match words {
        "null" | "unit value" => "null",
        "a sequence" | "sequence" => "an array",
        "a map" | "map" => "an object",
        _ if begins("struct ") => "an object",
        _ if begins("boolean ") => "a boolean",
        _ if begins("integer ") || begins("floating point ") => "a number",
        _ if begins("string ") => "a string",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::denobridge::{Diagnostic, OpenResult, Outcome};

    fn of<T: serde::de::DeserializeOwned>(text: &str) -> String {
        match serde_json::from_str::<T>(text) {
            Ok(_) => "nothing".to_owned(),
            Err(error) => problem(&error),
        }
    }

    #[test]
    fn rust_is_not_mentioned() {
        for (text, expected) in [
            (r#""disk full""#, "a string instead of an object"),
            ("5", "a number instead of an object"),
            ("1.5", "a number instead of an object"),
            ("null", "null instead of an object"),
            ("{}", "`severity` is missing"),
            (r#"{"severity": true}"#, "a boolean instead of a string"),
            (
                r#"{"severity": "error", "severity": "error"}"#,
                "`severity` occurs twice",
            ),
            (
                r#"{"severity": "error", "propPath": "props.b"}"#,
                "a string instead of an array",
            ),
            (
                r#"{"severity": "error", "propPath": [[]]}"#,
                "an array instead of a string or a number",
            ),
        ] {
            assert_eq!(of::<Diagnostic>(text), expected, "{text}");
        }
        assert_eq!(
            of::<Outcome>(r#"{"done": "yes, expected or not"}"#),
            "a string instead of a boolean"
        );
        assert_eq!(
            of::<OpenResult>(r#"{"renewAt": "soon"}"#),
            "\"soon\" is not a time in seconds"
        );
        for half in [r#"{"severity": "\ud83d"}"#, r#"{"severity": "\udc00 at"}"#] {
            assert!(of::<Diagnostic>(half).contains("surrogate pair"), "{half}");
        }
    }
}
