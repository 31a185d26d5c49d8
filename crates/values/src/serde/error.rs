//! The errors that serde and the types it reads and writes make.

use std::fmt::Display;

use ::serde::de::{Expected, Unexpected};

use crate::error::{Error, Problem};

impl ::serde::ser::Error for Error {
    fn custom<T: Display>(message: T) -> Error {
        Problem::Serde(message.to_string()).into()
    }
}

/// What is in the value is not quoted, since it may be a secret.
impl ::serde::de::Error for Error {
    fn custom<T: Display>(message: T) -> Error {
        Problem::Serde(message.to_string()).into()
    }

    fn invalid_type(given: Unexpected<'_>, wanted: &dyn Expected) -> Error {
        let given = match kind(&given) {
            // The one kind that is a value and not a sort of values.
            "null" => return Problem::Null.into(),
            given => given,
        };
        Problem::Serde(format!("{wanted} is required, but this is a {given}")).into()
    }

    fn invalid_value(given: Unexpected<'_>, wanted: &dyn Expected) -> Error {
        let given = kind(&given);
        Problem::Serde(format!("{wanted} is required, which this {given} is not")).into()
    }

    fn unknown_variant(_given: &str, wanted: &'static [&'static str]) -> Error {
        let wanted = wanted.join("`, `");
        Problem::Serde(format!("this must be one of `{wanted}`")).into()
    }

    fn missing_field(name: &'static str) -> Error {
        Problem::MissingAttribute(name.into()).into()
    }
}

/// What there is, in the words for values.
fn kind(given: &Unexpected<'_>) -> &'static str {
    match given {
        Unexpected::Bool(_) => "bool",
        Unexpected::Unsigned(_) | Unexpected::Signed(_) | Unexpected::Float(_) => "number",
        Unexpected::Char(_) | Unexpected::Str(_) => "string",
        Unexpected::Bytes(_) => "sequence of bytes",
        Unexpected::Unit | Unexpected::Option => "null",
        Unexpected::Seq => "sequence",
        Unexpected::Map => "map",
        Unexpected::UnitVariant => "variant without content",
        Unexpected::Enum
        | Unexpected::NewtypeStruct
        | Unexpected::NewtypeVariant
        | Unexpected::TupleVariant
        | Unexpected::StructVariant
        | Unexpected::Other(_) => "value of another kind",
    }
}
