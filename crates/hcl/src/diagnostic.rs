//! What is wrong, where, and what to do about it.

use std::fmt;

use serde::ser::{Serialize, SerializeStruct, Serializer};

use crate::render;
use crate::source::Place;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Nothing can be done with it.
    Error,
    /// It is probably not what was meant.
    Warning,
}

/// One problem, with the place it is at.
///
/// Displayed as one line; [`render`](Diagnostic::render) shows the source. Serialized for tools,
/// with lines and columns from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, in a line.
    pub summary: String,
    /// Where, if it is anywhere.
    pub place: Option<Place>,
    /// What is to be said about the place itself.
    pub label: Option<String>,
    /// Other places that have to do with it, and what.
    pub related: Vec<(Place, String)>,
    /// What explains it.
    pub notes: Vec<String>,
    /// What to do about it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error, at no place yet.
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

    /// A warning, at no place yet.
    pub fn warning(summary: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Warning,
            ..Diagnostic::error(summary)
        }
    }

    /// It is there.
    #[must_use]
    pub fn at(mut self, place: Place) -> Diagnostic {
        self.place = Some(place);
        self
    }

    /// What is to be said about the place.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Diagnostic {
        self.label = Some(label.into());
        self
    }

    /// Another place that has to do with it.
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

    /// It may not be what was meant, but it can be worked with.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// For a person: the problem under the lines it is in.
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
    /// Letters only.
    Plain,
    /// With colours, for a terminal.
    Colored,
}
