//! Diagnostics: what is wrong, where, and what to do about it.

use std::fmt;

use serde::ser::{Serialize, SerializeStruct, Serializer};

use crate::render;
use crate::source::Place;

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The file or expression cannot be used.
    Error,
    /// Probably a mistake, but it can be used.
    Warning,
}

/// One problem, with its place.
///
/// Displayed as one line; [`render`](Diagnostic::render) shows the source. Serialized for tools,
/// with lines and columns from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The severity of a diagnostic.
    pub severity: Severity,
    /// What is wrong, in one line.
    pub summary: String,
    /// Where it is, if it has a place.
    pub place: Option<Place>,
    /// A label for the place.
    pub label: Option<String>,
    /// Related places, with a label each.
    pub related: Vec<(Place, String)>,
    /// What explains it.
    pub notes: Vec<String>,
    /// What to do about it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error without a place.
    pub fn error(summary: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            summary: summary.into(),
            place: None,
            label: None,
            related: Vec::new(),
            notes: Vec::new(),
            help: None,
        }
    }

    /// A warning without a place.
    pub fn warning(summary: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Warning,
            ..Diagnostic::error(summary)
        }
    }

    /// Sets the place.
    #[must_use]
    pub fn at(mut self, place: Place) -> Diagnostic {
        self.place = Some(place);
        self
    }

    /// Sets the label of the place.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Diagnostic {
        self.label = Some(label.into());
        self
    }

    /// Adds a related place.
    #[must_use]
    pub fn related(mut self, place: Place, label: impl Into<String>) -> Diagnostic {
        self.related.push((place, label.into()));
        self
    }

    /// What explains it.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Diagnostic {
        self.notes.push(note.into());
        self
    }

    /// What to do about it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// Whether it is an error, and not a warning.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// Formats the diagnostic with the lines of the source.
    pub fn render(&self, style: Style) -> String {
        render::render(self, style)
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        f.write_str(&self.summary)
    }
}

impl std::error::Error for Diagnostic {}

impl Serialize for Diagnostic {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Diagnostic", 7)?;
        fields.serialize_field("severity", &self.severity)?;
        fields.serialize_field("summary", &self.summary)?;
        fields.serialize_field("place", &self.place.as_ref().map(PlaceFields))?;
        fields.serialize_field("label", &self.label)?;
        let related: Vec<_> = self
            .related
            .iter()
            .map(|(place, label)| (PlaceFields(place), label))
            .collect();
        fields.serialize_field("related", &related)?;
        fields.serialize_field("notes", &self.notes)?;
        fields.serialize_field("help", &self.help)?;
        fields.end()
    }
}

struct PlaceFields<'a>(&'a Place);

impl Serialize for PlaceFields<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let PlaceFields(place) = self;
        let mut fields = serializer.serialize_struct("Place", 5)?;
        fields.serialize_field("file", place.source().name())?;
        fields.serialize_field("line", &place.line())?;
        fields.serialize_field("column", &place.column())?;
        fields.serialize_field("start", &place.range().start)?;
        fields.serialize_field("end", &place.range().end)?;
        fields.end()
    }
}

/// How a diagnostic is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Plain text.
    Plain,
    /// With colours, for a terminal.
    Colored,
}
