//! Values as part of other types.

use std::fmt;

use ::serde::de::{
    self, Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor,
};
use ::serde::ser::{Error as _, Serialize, Serializer};
use smol_str::SmolStr;

use crate::Number;
use crate::error::{Error, Problem};
use crate::path::Step;
use crate::serde::offer::{self, offer};
use crate::serde::{DEPTH, VALUE, level_below, object, scalar, ticket};
use crate::value::{Kind, Value};

/// How serde_json gives a number, where its feature `arbitrary_precision` is on.
const JSON_NUMBER: &str = "$serde_json::private::Number";

/// As it is, in [`to_value`](crate::to_value). For other formats as plain data: null, bools,
/// numbers, strings, sequences and maps; unknown and marked values are an error, since no secret
/// is to be written by accident. Numbers are written as [`Number`] writes itself.
impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Offered(self, Place::default()).serialize(serializer)
    }
}

/// Where in the value that is written another one is.
#[derive(Default)]
struct Place<'v> {
    outer: Option<(&'v Place<'v>, Step)>,
    depth: usize,
}

impl Place<'_> {
    fn inside(&self, step: Step) -> Place<'_> {
        Place {
            outer: Some((self, step)),
            depth: self.depth + 1,
        }
    }

    /// The error that this problem is here.
    fn error(&self, problem: Problem) -> Error {
        let mut error = Error::from(problem);
        let mut place = self;
        while let Some((outer, step)) = &place.outer {
            error = error.below(step.clone());
            place = outer;
        }
        error
    }
}

/// A value on offer.
struct Offered<'v>(&'v Value, Place<'v>);

impl Serialize for Offered<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Offered(value, place) = self;
        let plain = Plain { value, place };
        offer(Value::clone(value), || {
            serializer.serialize_newtype_struct(VALUE, &plain)
        })
    }
}

/// A value as plain data, for who did not take the offer. What is inside is on offer again: a
/// value that is flattened into a struct is taken piece by piece.
struct Plain<'v> {
    value: &'v Value,
    place: &'v Place<'v>,
}

impl Serialize for Plain<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        offer::take();
        let refused = |problem| S::Error::custom(self.place.error(problem));
        level_below(DEPTH + 1 - self.place.depth).map_err(refused)?;
        let is_set = matches!(self.value.kind(), Kind::Set(_));
        let element = |(position, value)| {
            let step = match is_set {
                true => Step::Element(position),
                false => Step::Index(position),
            };
            Offered(value, self.place.inside(step))
        };
        match self.value.kind() {
            Kind::Null => serializer.serialize_unit(),
            Kind::Bool(value) => serializer.serialize_bool(value),
            Kind::Number(number) => scalar::write_number(number, serializer, refused),
            Kind::String(text) => scalar::write_text(text, serializer, refused),
            Kind::List(values) | Kind::Set(values) | Kind::Tuple(values) => {
                serializer.collect_seq(values.iter().enumerate().map(element))
            }
            Kind::Map(entries) => serializer.collect_map(entries.iter().map(|(key, value)| {
                let place = self.place.inside(Step::Key(key.clone()));
                (key, Offered(value, place))
            })),
            Kind::Object(attributes) => {
                serializer.collect_map(attributes.iter().map(|(name, value)| {
                    let place = self.place.inside(Step::Attribute(name.into()));
                    (name, Offered(value, place))
                }))
            }
            Kind::Unknown(_) => Err(refused(Problem::Unknown)),
            Kind::Marked(marks, _) => Err(refused(Problem::Marked(marks.to_string()))),
        }
    }
}

/// As it is, in [`from_value`](crate::from_value). From other formats the value that the data has
/// without a type: sequences are tuples, maps are objects, null is of no known type, bytes are a
/// tuple of numbers. A float is read as its shortest decimal text.
impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        ValueVisitor::new().deserialize(deserializer)
    }
}

/// Makes a value of plain data, or redeems a ticket.
#[derive(Clone, Copy)]
pub(super) struct ValueVisitor {
    /// How many levels may still come.
    depth: usize,
}

impl ValueVisitor {
    pub(super) fn new() -> ValueVisitor {
        ValueVisitor { depth: DEPTH }
    }

    pub(super) fn with_depth(depth: usize) -> ValueVisitor {
        ValueVisitor { depth }
    }

    fn inside<E: de::Error>(self) -> Result<ValueVisitor, E> {
        let depth = level_below(self.depth).map_err(E::custom)?;
        Ok(ValueVisitor { depth })
    }
}

impl<'de> DeserializeSeed<'de> for ValueVisitor {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_newtype_struct(VALUE, self)
    }
}

macro_rules! integers {
    ($($method:ident $integer:ident;)*) => {$(
        fn $method<E: de::Error>(self, value: $integer) -> Result<Value, E> {
            Ok(Value::from(Number::from(value)))
        }
    )*};
}

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    integers! {
        visit_i64 i64;
        visit_i128 i128;
        visit_u64 u64;
        visit_u128 u128;
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f32<E: de::Error>(self, value: f32) -> Result<Value, E> {
        scalar::from_float(value)
            .map(Value::from)
            .map_err(E::custom)
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
        scalar::from_float(value)
            .map(Value::from)
            .map_err(E::custom)
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::string(value))
    }

    fn visit_bytes<E: de::Error>(self, value: &[u8]) -> Result<Value, E> {
        Ok(ticket::redeem(value).unwrap_or_else(|| scalar::from_bytes(value)))
    }

    fn visit_none<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::NULL)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        self.deserialize(deserializer)
    }

    fn visit_unit<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::NULL)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let inside = self.inside()?;
        let mut values = Vec::new();
        while let Some(value) = elements.next_element_seed(inside)? {
            values.push(value);
        }
        Ok(Value::tuple(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let inside = self.inside()?;
        let mut entries: Vec<(SmolStr, Value)> = Vec::new();
        while let Some(key) = map.next_key_seed(inside)? {
            let name = key_text(&key).map_err(de::Error::custom)?;
            if name == JSON_NUMBER && entries.is_empty() {
                let number: Number =
                    { map.next_value::<String>()?.parse() }.map_err(de::Error::custom)?;
                return Ok(Value::from(number));
            }
            entries.push((name, map.next_value_seed(inside)?));
        }
        object(entries).map_err(de::Error::custom)
    }
}

/// The text of a key, which some formats have as numbers or bools.
fn key_text(key: &Value) -> Result<SmolStr, Problem> {
    match key.kind() {
        Kind::String(text) => text.as_str().map(SmolStr::new).ok_or(Problem::NotUtf8),
        Kind::Number(number) => Ok(number.to_text().into()),
        Kind::Bool(value) => Ok(SmolStr::new_static(if value { "true" } else { "false" })),
        _ => Err(Problem::Serde(
            "a key must be a string, a number or a bool".to_owned(),
        )),
    }
}
