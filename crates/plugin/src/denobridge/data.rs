//! What a script knows about something.

use std::fmt;

use serde::Serialize;
use tenon_protocols::denobridge::{Diagnostic, Json};

use super::{Failure, wire};

/// What a script knows about something: a part that may be shown, perhaps one that must not be,
/// and what to tell the user about it.
///
/// ```
/// use tenon_plugin::denobridge::{Data, Diagnostic};
///
/// #[derive(serde::Serialize)]
/// struct Account { user: String }
/// #[derive(serde::Serialize)]
/// struct Keys { private_key: String }
///
/// let data = Data::new(Account { user: "ada".into() })
///     .sensitive(&Keys { private_key: "…".into() })
///     .diagnostic(Diagnostic::warning("the key is old", "make a new one soon"));
/// assert_eq!(format!("{data:?}"), "Data { diagnostics: 1, .. }");
/// ```
pub struct Data<T> {
    value: T,
    sensitive: Option<Result<Json, Failure>>,
    diagnostics: Vec<Diagnostic>,
}

impl<T> Data<T> {
    /// What may be shown.
    pub fn new(value: T) -> Data<T> {
        Data {
            value,
            sensitive: None,
            diagnostics: Vec::new(),
        }
    }

    /// And what must not be. Hosts keep it out of what they print. Left out of a resource that was
    /// read, it is as it was.
    #[must_use]
    pub fn sensitive<S: Serialize>(mut self, secret: &S) -> Data<T> {
        let written = wire::write(secret, "sensitive part");
        // What serde says about it may quote it.
        let unwritable = |_| Failure::new("the sensitive part cannot be written as JSON");
        self.sensitive = Some(written.map_err(unwritable));
        self
    }

    /// And what to tell the user. An error does not take back what was done: a resource that was
    /// created in part is kept and made anew the next time.
    #[must_use]
    pub fn diagnostic(mut self, diagnostic: Diagnostic) -> Data<T> {
        self.diagnostics.push(diagnostic);
        self
    }
}

/// [`Data`] as it travels.
pub(super) struct Written {
    pub(super) value: Json,
    pub(super) sensitive: Option<Json>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl<T: Serialize> Data<T> {
    pub(super) fn write(self, what: &str) -> Result<Written, Failure> {
        Ok(Written {
            value: wire::write(&self.value, what)?,
            sensitive: self.sensitive.transpose()?,
            diagnostics: self.diagnostics,
        })
    }
}

/// Nothing secret, and nothing to tell.
impl<T> From<T> for Data<T> {
    fn from(value: T) -> Data<T> {
        Data::new(value)
    }
}

impl<T> fmt::Debug for Data<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Data")
            .field("diagnostics", &self.diagnostics.len())
            .finish_non_exhaustive()
    }
}
