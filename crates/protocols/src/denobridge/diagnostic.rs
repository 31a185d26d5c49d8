//! What a script wants its user to know.

use serde::{Deserialize, Deserializer, Serialize};

use super::lenient::{null_as_default, texts};
use crate::json::Json;

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

/// The diagnostics of an answer. One that cannot be read is an error of its own, beside the others and
/// the rest of the answer: a resource that was created is not lost because of it.
pub(super) fn diagnostics<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<Diagnostic>, D::Error> {
    let said = Json::deserialize(deserializer)?;
    let Ok(list) = serde_json::from_str::<Option<Vec<Json>>>(said.text()) else {
        return Ok(vec![unreadable(&said, "it is not a list")]);
    };
    let read = |one: Json| {
        serde_json::from_str(one.text())
            .unwrap_or_else(|error| unreadable(&one, &error.to_string()))
    };
    Ok(list.unwrap_or_default().into_iter().map(read).collect())
}

fn unreadable(said: &Json, problem: &str) -> Diagnostic {
    let detail = format!(
        "The script sent {} as a diagnostic, and {problem}. A diagnostic has `severity` (\"error\" or \
         \"warning\"), `summary`, and perhaps `detail` and `propPath`, a list.",
        said.text()
    );
    Diagnostic::error("A diagnostic of the script cannot be read", detail)
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
