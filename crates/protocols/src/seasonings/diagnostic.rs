//! What a plugin wants the user to know.

use serde::{Deserialize, Deserializer, Serialize};
use tenon_rpc::Payload;
use tenon_rpc::wire::Packed;

use super::path::Segment;
use crate::lenient::null_as_default;

/// An error or a warning beside a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// What it is, in a few words.
    #[serde(default, deserialize_with = "null_as_default")]
    pub summary: String,
    /// Everything else about it.
    #[serde(default, deserialize_with = "null_as_default")]
    pub detail: String,
    /// What it is about.
    #[serde(
        default,
        deserialize_with = "path",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub path: Vec<Segment>,
}

/// How bad something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The call has failed.
    Error,
    /// The user should know about it.
    Warning,
}

impl<'de> Deserialize<'de> for Severity {
    /// An unknown word is an error: nothing is taken for done that may not be.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Severity, D::Error> {
        let word = Option::<String>::deserialize(deserializer)?.unwrap_or_default();
        Ok(match word.to_ascii_lowercase().as_str() {
            "warning" | "warn" => Severity::Warning,
            _ => Severity::Error,
        })
    }
}

/// If the path cannot be read, the rest is kept.
fn path<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Segment>, D::Error> {
    let packed = Packed::deserialize(deserializer)?;
    Ok(packed.decode().unwrap_or_default())
}

impl Diagnostic {
    /// An error.
    pub fn error(summary: impl Into<String>, detail: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            summary: summary.into(),
            detail: detail.into(),
            path: Vec::new(),
        }
    }

    /// A warning.
    pub fn warning(summary: impl Into<String>, detail: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Warning,
            ..Diagnostic::error(summary, detail)
        }
    }

    /// Whether it is an error.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// Whether there is an error among them.
pub fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(Diagnostic::is_error)
}

/// Reads the diagnostics of an answer. One that cannot be read is an error itself, beside the others
/// and the rest of the answer: a resource that was created is not lost because of it.
pub(super) fn read(sent: Option<&Payload>, method: &str) -> Vec<Diagnostic> {
    let Some(sent) = sent else {
        return Vec::new();
    };
    let Ok(list) = sent.decode_private::<Option<Vec<Packed>>>() else {
        return vec![unreadable(method, "`diagnostics` is not a list")];
    };
    let read = |one: Packed| {
        Payload::from(one)
            .decode_private()
            .unwrap_or_else(|error| unreadable(method, &error.to_string()))
    };
    list.unwrap_or_default().into_iter().map(read).collect()
}

fn unreadable(method: &str, problem: &str) -> Diagnostic {
    let detail = format!(
        "The answer to {method} has a diagnostic that cannot be read: {problem}. A diagnostic is a map \
         with `severity` (\"error\" or \"warning\") and `summary`, and may have `detail` and `path`."
    );
    Diagnostic::error("Unreadable diagnostic", detail)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tenon_rpc::Format;

    use super::*;

    fn read_json(sent: serde_json::Value) -> Vec<Diagnostic> {
        let sent = Payload::encode(Format::Msgpack, &sent).unwrap();
        read(Some(&sent), "resources/read")
    }

    #[test]
    fn diagnostics_are_read_one_by_one() {
        let read = read_json(json!([
            {"severity": "Warning", "summary": "a", "detail": null, "path": ["b", 0], "later": 1},
            {"severity": "error", "summary": "c", "path": [null]},
            {"severity": "hint", "summary": "d"},
            7,
        ]));
        let located = Diagnostic {
            path: vec![Segment::Name("b".to_owned()), Segment::Index(0)],
            ..Diagnostic::warning("a", "")
        };
        assert_eq!(read[0], located);
        assert_eq!(read[1], Diagnostic::error("c", ""));
        assert_eq!(read[2], Diagnostic::error("d", ""));
        assert_eq!(read[3].summary, "Unreadable diagnostic");
        assert!(has_errors(&read));
        assert_eq!(read_json(json!(null)), []);
        assert_eq!(read_json(json!("x"))[0].summary, "Unreadable diagnostic");
    }
}
