//! Errors and warnings for the user, and the attributes they are about.

use crate::proto::tfplugin6::attribute_path::{self, step::Selector};
use crate::proto::tfplugin6::{self as proto, diagnostic as kinds};

/// An error or a warning that Terraform shows to its user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostic {
    /// Whether the call has failed.
    pub severity: Severity,
    /// What is wrong, in a few words.
    pub summary: String,
    /// What is wrong and what to do about it. May be empty.
    pub detail: String,
    /// The attribute it is about. Without one it is about the whole block.
    pub attribute: Option<AttributePath>,
}

/// All diagnostics of one call.
pub type Diagnostics = Vec<Diagnostic>;

/// How bad it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Severity {
    /// The call has failed.
    #[default]
    Error,
    /// The user should know about it.
    Warning,
}

/// The path from a block to an attribute, or into its value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AttributePath(pub Vec<PathStep>);

/// One step of an [`AttributePath`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathStep {
    /// To an attribute of a block or of a nested object.
    Attribute(String),
    /// To an element of a map, or to an attribute of an object that has no schema of its own.
    Key(String),
    /// To an element of a list.
    Index(i64),
}

impl Diagnostic {
    /// An error about a whole block. Hidden characters in the texts are escaped before Terraform
    /// gets them.
    pub fn error(summary: impl Into<String>, detail: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            summary: summary.into(),
            detail: detail.into(),
            attribute: None,
        }
    }

    /// A warning about a whole block.
    pub fn warning(summary: impl Into<String>, detail: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Warning,
            ..Diagnostic::error(summary, detail)
        }
    }

    /// The same, at an attribute.
    #[must_use]
    pub fn at(self, attribute: impl Into<AttributePath>) -> Diagnostic {
        Diagnostic {
            attribute: Some(attribute.into()),
            ..self
        }
    }

    /// Whether it is an error.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// Terraform prints the texts as they are, so whatever scripts and files put into them is
    /// escaped here.
    pub(crate) fn into_proto(self) -> proto::Diagnostic {
        let severity = match self.severity {
            Severity::Error => kinds::Severity::Error,
            Severity::Warning => kinds::Severity::Warning,
        };
        proto::Diagnostic {
            severity: severity as i32,
            summary: tenon_text::line(&self.summary).into_owned(),
            detail: tenon_text::lines(&self.detail).into_owned(),
            attribute: self.attribute.map(AttributePath::into_proto),
        }
    }
}

/// Whether there is an error among them.
pub fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(Diagnostic::is_error)
}

pub(crate) fn all_into_proto(diagnostics: Diagnostics) -> Vec<proto::Diagnostic> {
    { diagnostics.into_iter() }
        .map(Diagnostic::into_proto)
        .collect()
}

/// One error is all that is wrong.
impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Diagnostics {
        vec![diagnostic]
    }
}

impl AttributePath {
    pub(crate) fn into_proto(self) -> proto::AttributePath {
        // Terraform panics at a negative index, and with it goes the state that was to be saved.
        let is_usable = |step: &PathStep| !matches!(step, PathStep::Index(..0));
        let steps = self.0.into_iter().take_while(is_usable);
        let steps = steps.map(|step| attribute_path::Step {
            selector: Some(match step {
                PathStep::Attribute(name) => Selector::AttributeName(name),
                PathStep::Key(key) => Selector::ElementKeyString(key),
                PathStep::Index(index) => Selector::ElementKeyInt(index),
            }),
        });
        proto::AttributePath {
            steps: steps.collect(),
        }
    }
}

/// The path to an attribute of the block.
impl From<&str> for AttributePath {
    fn from(attribute: &str) -> AttributePath {
        AttributePath(vec![PathStep::Attribute(attribute.to_owned())])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_escaped_on_the_way_to_terraform() {
        let shown = Diagnostic::warning("a\nb", "c\u{1b}[2J\nd").at("x");
        let sent = shown.into_proto();
        assert_eq!(sent.summary, r"a\nb");
        assert_eq!(sent.detail, "c\\u{1b}[2J\nd");
        assert_eq!(sent.severity(), kinds::Severity::Warning);
        let step = sent.attribute.unwrap().steps.remove(0);
        assert_eq!(step.selector, Some(Selector::AttributeName("x".to_owned())));
    }

    /// Terraform 1.15 panics at one.
    #[test]
    fn a_path_ends_before_a_negative_index() {
        let path = |index| {
            let steps = [PathStep::Index(index), PathStep::Key("k".to_owned())];
            let steps = [PathStep::Attribute("a".to_owned())]
                .into_iter()
                .chain(steps);
            AttributePath(steps.collect()).into_proto().steps.len()
        };
        assert_eq!(path(0), 3);
        assert_eq!(path(-1), 1);
    }

    #[test]
    fn warnings_are_not_errors() {
        let mut all = vec![Diagnostic::warning("w", "")];
        assert!(!has_errors(&all));
        all.push(Diagnostic::error("e", ""));
        assert!(has_errors(&all));
    }
}
