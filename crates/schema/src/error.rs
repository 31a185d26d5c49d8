//! Mistakes in schemas.

use std::fmt::Display;

/// A mistake in a schema.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct SchemaError {
    /// Where in the schema: `actions.greet.name`.
    pub place: String,
    /// What is wrong there.
    pub problem: String,
}

impl SchemaError {
    /// A mistake at a place.
    pub fn new(place: impl Into<String>, problem: impl Display) -> SchemaError {
        SchemaError {
            place: place.into(),
            problem: problem.to_string(),
        }
    }

    /// The same mistake, with its place one level further out.
    #[must_use]
    pub fn below(mut self, place: &str) -> SchemaError {
        self.place = match self.place.is_empty() {
            true => place.to_owned(),
            false => format!("{place}.{}", self.place),
        };
        self
    }
}
