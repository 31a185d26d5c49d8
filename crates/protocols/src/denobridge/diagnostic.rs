//! What a script wants its user to know.

use serde::{Deserialize, Deserializer, Serialize};

use super::lenient::{null_as_default, texts};

/// An error or a warning that a script gives back beside its result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// What it is, in a few words.
    #[serde(default, deserialize_with = "null_as_default")]
    pub summary: String,
    /// Everything else about it.
    #[serde(default, deserialize_with = "null_as_default")]
    pub detail: String,
    /// What it is about: `["props", "tags", "0"]`.
    #[serde(
        default,
        deserialize_with = "texts",
        skip_serializing_if = "Option::is_none"
    )]
    pub prop_path: Option<Vec<String>>,
}

/// How bad something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// What was asked for was not done.
    Error,
    /// It was done, and yet.
    Warning,
}

impl<'de> Deserialize<'de> for Severity {
    /// Whatever is no error is worth a warning: a word that nobody knows must not hide the rest.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Severity, D::Error> {
        let word = String::deserialize(deserializer)?;
        Ok(match word.to_ascii_lowercase().as_str() {
            "error" => Severity::Error,
            _ => Severity::Warning,
        })
    }
}

impl Diagnostic {
    /// An error.
    pub fn error(summary: impl Into<String>, detail: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            summary: summary.into(),
            detail: detail.into(),
            prop_path: None,
        }
    }

    /// A warning.
    pub fn warning(summary: impl Into<String>, detail: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Warning,
            ..Diagnostic::error(summary, detail)
        }
    }

    /// The same, about this part: `["props", "tags", "0"]`.
    #[must_use]
    pub fn at<P: Into<String>>(mut self, path: impl IntoIterator<Item = P>) -> Diagnostic {
        self.prop_path = Some(path.into_iter().map(Into::into).collect());
        self
    }

    /// Whether it is an error.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_scripts_send() {
        let text = r#"{"severity": "ERROR", "summary": "no", "propPath": ["props", "list", 0]}"#;
        let diagnostic: Diagnostic = serde_json::from_str(text).unwrap();
        let expected = Diagnostic::error("no", "").at(["props", "list", "0"]);
        assert_eq!(diagnostic, expected);
        let text = r#"{"severity": "hint", "summary": null, "detail": "d", "propPath": null}"#;
        let diagnostic: Diagnostic = serde_json::from_str(text).unwrap();
        assert_eq!(diagnostic, Diagnostic::warning("", "d"));
    }
}
