//! What the code that [`attributes!`](crate::attributes) writes is made of. Nobody else calls it.

use tenon_values::convert::convert;
use tenon_values::{Attribute as Member, Attributes, Error, Problem, Step, Value};

use crate::Typed;
use crate::typed::unfit;

pub use tenon_schema::Attribute;
pub use tenon_values::ObjectType;

/// What [`attributes!`](crate::attributes) knows of one field.
#[derive(Debug)]
pub struct Field<T> {
    name: &'static str,
    about: &'static [&'static str],
    default: Option<T>,
}

impl<T: Typed> Field<T> {
    /// A field, with the lines above it.
    pub fn new(name: &'static str, about: &'static [&'static str], default: Option<T>) -> Field<T> {
        Field {
            name: plain(name),
            about,
            default,
        }
    }

    fn is_required(&self) -> bool {
        !T::IS_OPTIONAL && self.default.is_none()
    }

    /// The field in the schema.
    ///
    /// # Panics
    /// The default is not a value, as NaN is none.
    pub fn attribute(self) -> Attribute {
        let lines: Vec<&str> = self.about.iter().map(|line| line.trim()).collect();
        let attribute = Attribute {
            is_sensitive: T::IS_SENSITIVE,
            is_write_only: T::IS_WRITE_ONLY,
            is_idempotency_key: T::IS_IDEMPOTENCY_KEY,
            ..Attribute::new(self.name, T::ty()).about(lines.join(" ").trim())
        };
        if self.is_required() {
            return attribute.required();
        }
        let Some(default) = self.default else {
            return attribute;
        };
        let default = { default.to_value() }.and_then(|value| convert(&value, &T::ty()));
        match default {
            Ok(default) => attribute.with_default(default),
            Err(error) => panic!("the default of `{}`: {error}", self.name),
        }
    }

    /// The field in the type of its struct.
    pub fn member(self) -> Member {
        Member {
            name: self.name.into(),
            ty: T::ty(),
            is_optional: !self.is_required(),
        }
    }

    /// The field of what was given.
    ///
    /// # Errors
    /// The value does not fit.
    pub fn read(self, given: &Attributes<'_>) -> Result<T, Error> {
        let below = |error: Error| error.below(Step::Attribute(self.name.into()));
        match (given.get(self.name), self.default) {
            (None, Some(default)) => Ok(default),
            (Some(value), Some(default)) if value.is_null() => Ok(default),
            (Some(value), _) => T::from_value(value).map_err(below),
            (None, None) if T::IS_OPTIONAL => T::from_value(&Value::NULL).map_err(below),
            (None, None) => Err(Problem::MissingAttribute(self.name.into()).into()),
        }
    }
}

/// The attributes of an object that a struct is read from.
///
/// # Errors
/// The value is no object.
pub fn given<T: Typed>(value: &Value) -> Result<Attributes<'_>, Error> {
    value.attributes().ok_or_else(|| unfit(value, T::ty()))
}

/// The field in the value of its struct.
///
/// # Errors
/// There is no such value.
pub fn write<T: Typed>(name: &'static str, field: &T) -> Result<(&'static str, Value), Error> {
    let name = plain(name);
    let below = |error: Error| error.below(Step::Attribute(name.into()));
    Ok((name, field.to_value().map_err(below)?))
}

/// A field that is called like a word of Rust's is `r#type` there, but not in the schema.
fn plain(name: &'static str) -> &'static str {
    name.strip_prefix("r#").unwrap_or(name)
}

/// What may stand for a default, so that `String = "text"` can be written.
pub trait FromDefault<D> {
    /// The default.
    fn from_default(default: D) -> Self;
}

impl<T> FromDefault<T> for T {
    fn from_default(default: T) -> T {
        default
    }
}

impl FromDefault<&str> for String {
    fn from_default(default: &str) -> String {
        default.to_owned()
    }
}
