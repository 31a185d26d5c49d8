//! Errors and warnings that a script reports to the user.

use serde::{Deserialize, Deserializer, Serialize};

use super::lenient::{null_as_default, texts};
use super::problem;
use crate::json::Json;

/// An error or a warning that a script returns with its result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Diagnostic {
    /// Whether it is an error or a warning.
    pub severity: Severity,
    /// A short description.
    #[serde(default, deserialize_with = "null_as_default")]
    pub summary: String,
    /// The details.
    #[serde(default, deserialize_with = "null_as_default")]
    pub detail: String,
    /// The path of the value that it is about: `["props", "tags", "0"]`.
    #[serde(
        default,
        deserialize_with = "texts",
        skip_serializing_if = "Option::is_none"
    )]
    pub prop_path: Option<Vec<String>>,
}

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The request was not carried out.
    Error,
    /// The request was carried out, but there is a problem.
    Warning,
}

impl<'de> Deserialize<'de> for Severity {
    /// Anything but an error is read as a warning, so that an unknown severity does not hide the rest.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Severity, D::Error> {
        let word = String::deserialize(deserializer)?;
        Ok(match word.to_ascii_lowercase().as_str() {
            "error" => Severity::Error,
            _ => Severity::Warning,
        })
    }
}

/// Reads the diagnostics of an answer. An invalid one becomes an error beside the others and the rest of
/// the answer, so that a resource that was created is not lost because of it.
pub(super) fn diagnostics<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<Diagnostic>, D::Error> {
    let said = Json::deserialize(deserializer)?;
    let Ok(list) = serde_json::from_str::<Option<Vec<Json>>>(said.text()) else {
        return Ok(vec![unreadable(&said, "not an array")]);
    };
    let read = |one: Json| {
        serde_json::from_str(one.text()).unwrap_or_else(|error| unreadable(&one, &problem(&error)))
    };
    Ok(list.unwrap_or_default().into_iter().map(read).collect())
}

fn unreadable(said: &Json, problem: &str) -> Diagnostic {
    let detail = format!(
        "The script sent {} as a diagnostic: {problem}. `diagnostics` is an array of objects with \
         `severity` (\"error\" or \"warning\"), `summary`, and optionally `detail` and `propPath`, an \
         array.",
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

    /// The same with a path: `["props", "tags", "0"]`.
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
