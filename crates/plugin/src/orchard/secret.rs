//! What nobody is to see.

use std::fmt;

use tenon_values::{Error, Type, Value};

use super::Typed;

/// An attribute that the schema calls sensitive, so that hosts keep it out of what they print and
/// store. It does not print itself either.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Secret<T>(T);

impl<T> Secret<T> {
    /// Hides it.
    pub fn new(secret: T) -> Secret<T> {
        Secret(secret)
    }

    /// What is hidden. Whoever looks answers for where it goes.
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

    fn ty() -> Type {
        T::ty()
    }

    fn from_value(value: &Value) -> Result<Secret<T>, Error> {
        T::from_value(value).map(Secret)
    }

    fn to_value(&self) -> Result<Value, Error> {
        self.0.to_value()
    }
}
