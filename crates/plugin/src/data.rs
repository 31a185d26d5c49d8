//! Results with diagnostics.

use std::fmt;

use tenon_protocols::denobridge::Diagnostic;
use tenon_values::Value;

use crate::{Failure, Typed};

/// A result, with diagnostics for the user.
///
/// ```
/// use tenon_plugin::{Data, Diagnostic};
///
/// let data = Data::new("ada").diagnostic(Diagnostic::warning("the key is old", "make a new one"));
/// assert_eq!(format!("{data:?}"), "Data { diagnostics: 1, .. }");
/// ```
pub struct Data<T> {
    pub(crate) value: T,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl<T> Data<T> {
    /// A result without diagnostics.
    pub fn new(value: T) -> Data<T> {
        Data {
            value,
            diagnostics: Vec::new(),
        }
    }

    /// With a diagnostic. An error does not undo what was done: a resource that was created in part
    /// is kept, and replaced the next time.
    #[must_use]
    pub fn diagnostic(mut self, diagnostic: Diagnostic) -> Data<T> {
        self.diagnostics.push(diagnostic);
        self
    }
}

impl Data<()> {
    /// Success without a result.
    pub fn done() -> Data<()> {
        Data::new(())
    }
}

impl<T: Typed> Data<T> {
    /// As a value.
    pub(crate) fn write(self, what: &str) -> Result<Data<Value>, Failure> {
        Ok(Data {
            value: write(&self.value, what)?,
            diagnostics: self.diagnostics,
        })
    }
}

pub(crate) fn write<T: Typed>(value: &T, what: &str) -> Result<Value, Failure> {
    { value.to_value() }
        .map_err(|error| Failure::new(format!("the {what} cannot be written: {error}")))
}

impl<T> From<T> for Data<T> {
    fn from(value: T) -> Data<T> {
        Data::new(value)
    }
}

/// The result is not shown, because it may contain secrets.
impl<T> fmt::Debug for Data<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Data")
            .field("diagnostics", &self.diagnostics.len())
            .finish_non_exhaustive()
    }
}

/// What actions and data sources return: a type with a schema, or [`Data`] of one.
pub trait IntoData {
    /// The type with a schema.
    type Value: Typed;

    /// The result with its diagnostics.
    fn into_data(self) -> Data<Self::Value>;
}

impl<T: Typed> IntoData for T {
    type Value = T;

    fn into_data(self) -> Data<T> {
        Data::new(self)
    }
}

impl<T: Typed> IntoData for Data<T> {
    type Value = T;

    fn into_data(self) -> Data<T> {
        self
    }
}
