//! Numbers, texts and bytes, which are more in a value than serde can say.

use std::fmt::{Display, LowerExp};

use ::serde::de::{self, Deserialize, Deserializer};
use ::serde::ser::{Error as _, Serialize, Serializer};

use crate::error::Problem;
use crate::serde::offer::{self, offer};
use crate::serde::value::ValueVisitor;
use crate::serde::{NUMBER, TEXT};
use crate::types::Type;
use crate::value::{Kind, Value};
use crate::{Number, Text};

/// The number that the shortest decimal text of a float says.
///
/// The exact binary value would differ from the number of the same text in HCL, without a visible
/// difference.
pub(super) fn from_float(float: impl LowerExp) -> Result<Number, Problem> {
    let text = format!("{float:e}");
    match text.as_str() {
        "NaN" => Err(Problem::Serde("NaN is not a number".to_owned())),
        text => Ok(text.parse::<Number>()?),
    }
}

/// The nearest `f64`, unless that is infinite and the number is not.
pub(super) fn to_f64(number: &Number) -> Result<f64, Problem> {
    let float = number.to_f64();
    finite(number, float.is_finite(), "f64").map(|()| float)
}

/// The nearest `f32`, if there is one.
pub(super) fn to_f32(number: &Number) -> Result<f32, Problem> {
    let float = match number.to_f64_exact() {
        Some(exact) => exact as f32,
        // By way of the nearest `f64` it would be rounded twice.
        None => number.to_compact_text().parse().unwrap_or(f32::NAN),
    };
    finite(number, float.is_finite(), "f32").map(|()| float)
}

fn finite(number: &Number, is_finite: bool, target: &str) -> Result<(), Problem> {
    match is_finite || number.is_infinite() {
        true => Ok(()),
        false => Err(Problem::Serde(format!(
            "the number is too large for an {target}"
        ))),
    }
}

/// Why the number is not the integer that is asked for.
pub(super) fn no_fit(number: &Number, target: &str, range: [&dyn Display; 2]) -> Problem {
    let [lowest, highest] = range;
    Problem::Serde(match number.is_integer() {
        true => {
            format!("the number does not fit into {target}, which is from {lowest} to {highest}")
        }
        false => "a whole number is required, but this number has a fraction".to_owned(),
    })
}

/// Bytes as a tuple of numbers, which is what a `Vec<u8>` is to serde.
pub(super) fn from_bytes(bytes: &[u8]) -> Value {
    Value::tuple(bytes.iter().copied().map(Value::from).collect())
}

/// A number for a format that is not ours: as an `i64` or `u64`, and else as the nearest `f64`.
pub(super) fn write_number<S: Serializer>(
    number: &Number,
    serializer: S,
    refused: impl Fn(Problem) -> S::Error,
) -> Result<S::Ok, S::Error> {
    if let Some(integer) = number.to_i64() {
        return serializer.serialize_i64(integer);
    }
    if let Some(integer) = number.to_u64() {
        return serializer.serialize_u64(integer);
    }
    match number.is_infinite() {
        // JSON would make null of it.
        true => {
            let message = "an infinite number cannot be written";
            Err(refused(Problem::Serde(message.to_owned())))
        }
        false => serializer.serialize_f64(to_f64(number).map_err(refused)?),
    }
}

/// A text for a format that is not ours.
pub(super) fn write_text<S: Serializer>(
    text: &Text,
    serializer: S,
    refused: impl Fn(Problem) -> S::Error,
) -> Result<S::Ok, S::Error> {
    match text.as_str() {
        Some(text) => serializer.serialize_str(text),
        None => Err(refused(Problem::NotUtf8)),
    }
}

struct PlainNumber<'v>(&'v Number);

impl Serialize for PlainNumber<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        offer::take();
        write_number(self.0, serializer, S::Error::custom)
    }
}

/// Exactly, in [`to_value`](crate::to_value). For other formats as an `i64` or `u64` where it is
/// one, and else as the nearest `f64`; an infinity is an error.
impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value = Value::from(self.clone());
        offer(value, || {
            serializer.serialize_newtype_struct(NUMBER, &PlainNumber(self))
        })
    }
}

/// Exactly, in [`from_value`](crate::from_value). From other formats a float is read as its
/// shortest decimal text.
impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Number, D::Error> {
        let value = deserializer.deserialize_newtype_struct(NUMBER, ValueVisitor::new())?;
        match value.kind() {
            Kind::Number(number) => Ok(number.clone()),
            _ => Err(other_kind(Type::Number, &value)),
        }
    }
}

struct PlainText<'v>(&'v Text);

impl Serialize for PlainText<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        offer::take();
        write_text(self.0, serializer, S::Error::custom)
    }
}

/// As a string. Outside of [`to_value`](crate::to_value), one that is not UTF-8 is an error.
impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value = Value::from(self.clone());
        offer(value, || {
            serializer.serialize_newtype_struct(TEXT, &PlainText(self))
        })
    }
}

/// From a string.
impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Text, D::Error> {
        let value = deserializer.deserialize_newtype_struct(TEXT, ValueVisitor::new())?;
        match value.kind() {
            Kind::String(text) => Ok(text.clone()),
            _ => Err(other_kind(Type::String, &value)),
        }
    }
}

/// What it is that there is another value where a number or text was to be, perhaps because serde
/// had kept it.
fn other_kind<E: de::Error>(wanted: Type, value: &Value) -> E {
    match value.kind() {
        Kind::Unknown(_) => E::custom(Problem::Unknown),
        Kind::Null => E::custom(Problem::Null),
        Kind::Marked(marks, _) => E::custom(Problem::Marked(marks.to_string())),
        _ => {
            let given = value.ty();
            E::custom(Problem::WrongType { wanted, given })
        }
    }
}
