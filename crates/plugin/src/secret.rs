//! Values that hosts neither show nor store.

use std::fmt;

use serde::de::Error as _;
use tenon_values::{Error, Problem, Type, Value};

use crate::Typed;

/// A sensitive attribute: hosts do not show it. It is not part of `Debug` output, and no error quotes
/// it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Secret<T>(T);

impl<T> Secret<T> {
    /// Wraps a value.
    pub fn new(secret: T) -> Secret<T> {
        Secret(secret)
    }

    /// The value. The caller is responsible for where it goes.
    pub fn reveal(&self) -> &T {
        &self.0
    }
}

impl<T> fmt::Debug for Secret<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret")
    }
}

impl<T: Typed> Typed for Secret<T> {
    const IS_OPTIONAL: bool = T::IS_OPTIONAL;
    const IS_SENSITIVE: bool = true;
    const HAS_NULL_ELEMENTS: bool = T::HAS_NULL_ELEMENTS;

    fn ty() -> Type {
        T::ty()
    }

    fn from_value(value: &Value) -> Result<Secret<T>, Error> {
        T::from_value(value).map(Secret).map_err(hidden)
    }

    fn to_value(&self) -> Result<Value, Error> {
        self.0.to_value().map_err(hidden)
    }
}

/// An attribute of a resource that hosts pass to the plugin and never store: a password that is only
/// set. It is absent from everything that was stored, so it may always be absent.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct WriteOnly<T>(Option<T>);

impl<T> WriteOnly<T> {
    /// Wraps a value.
    pub fn new(secret: T) -> WriteOnly<T> {
        WriteOnly(Some(secret))
    }

    /// No value, as in a resource that was read.
    pub fn absent() -> WriteOnly<T> {
        WriteOnly(None)
    }

    /// The value, if the user gave one. The caller is responsible for where it goes.
    pub fn reveal(&self) -> Option<&T> {
        self.0.as_ref()
    }
}

impl<T> fmt::Debug for WriteOnly<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("WriteOnly")
    }
}

impl<T: Typed> Typed for WriteOnly<T> {
    const IS_OPTIONAL: bool = true;
    const IS_SENSITIVE: bool = true;
    const IS_WRITE_ONLY: bool = true;
    const HAS_NULL_ELEMENTS: bool = T::HAS_NULL_ELEMENTS;

    fn ty() -> Type {
        T::ty()
    }

    fn from_value(value: &Value) -> Result<WriteOnly<T>, Error> {
        let secret = Option::from_value(value).map_err(hidden)?;
        Ok(WriteOnly(secret))
    }

    fn to_value(&self) -> Result<Value, Error> {
        self.0.to_value().map_err(hidden)
    }
}

/// The error without any part of the secret: not even a key in it may be quoted.
pub(crate) fn hidden(error: Error) -> Error {
    match error.problem() {
        // The name of a field of the author's type.
        problem @ (Problem::MissingAttribute(_) | Problem::Null) => problem.clone().into(),
        _ => Error::custom("its type is wrong (details are hidden because it is a secret)"),
    }
}
