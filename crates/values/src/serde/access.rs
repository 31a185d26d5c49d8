//! What is inside a value, one by one.

use std::slice;
use std::vec;

use ::serde::de::value::BorrowedStrDeserializer;
use ::serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor,
};

use crate::Text;
use crate::error::{Error, Problem};
use crate::path::Step;
use crate::serde::deserializer::ValueDeserializer;
use crate::serde::{key, ticket};
use crate::value::{Kind, Value};

/// What `read` makes of something inside, with errors as seen from here.
fn below<T>(step: impl Fn() -> Step, read: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    let tickets = ticket::count();
    let result = read();
    ticket::below(tickets, &step);
    result.map_err(|error| error.below(step()))
}

/// The elements of a list, set or tuple.
pub(super) struct Elements<'v> {
    inside: ValueDeserializer<'v>,
    values: slice::Iter<'v, Value>,
    length: usize,
    is_set: bool,
}

impl<'v> Elements<'v> {
    pub(super) fn new(deserializer: ValueDeserializer<'v>) -> Result<Elements<'v>, Error> {
        let value = deserializer.value();
        let values = value.elements().unwrap_or_default();
        Ok(Elements {
            inside: deserializer.inside()?,
            values: values.iter(),
            length: values.len(),
            is_set: matches!(value.kind(), Kind::Set(_)),
        })
    }

    /// All elements were wanted.
    pub(super) fn end(self) -> Result<(), Error> {
        match self.values.len() {
            0 => Ok(()),
            left => Err(Error::from(Problem::TupleLength {
                wanted: self.length - left,
                given: self.length,
            })),
        }
    }
}

impl<'v> SeqAccess<'v> for &mut Elements<'v> {
    type Error = Error;

    fn next_element_seed<S: DeserializeSeed<'v>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Error> {
        let position = self.length - self.values.len();
        let Some(value) = self.values.next() else {
            return Ok(None);
        };
        let step = || match self.is_set {
            true => Step::Element(position),
            false => Step::Index(position),
        };
        below(step, || seed.deserialize(self.inside.with(value))).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.values.len())
    }
}

/// Under what a value stands in a map or object.
#[derive(Clone, Copy)]
enum Name<'v> {
    Attribute(&'v str),
    Key(&'v Text),
}

impl<'v> Name<'v> {
    fn text(self) -> Result<&'v str, Problem> {
        match self {
            Name::Attribute(name) => Ok(name),
            Name::Key(key) => key.as_str().ok_or(Problem::NotUtf8),
        }
    }

    fn step(self) -> Step {
        match self {
            Name::Attribute(name) => Step::Attribute(name.into()),
            Name::Key(key) => Step::Key(key.clone()),
        }
    }
}

/// The attributes of an object, or the elements of a map.
pub(super) struct Entries<'v> {
    inside: ValueDeserializer<'v>,
    entries: vec::IntoIter<(Name<'v>, &'v Value)>,
    /// The entry whose key was read.
    current: Option<(Name<'v>, &'v Value)>,
}

impl<'v> Entries<'v> {
    pub(super) fn new(deserializer: ValueDeserializer<'v>) -> Result<Entries<'v>, Error> {
        let value = deserializer.value();
        let entries: Vec<_> = match value.kind() {
            Kind::Object(attributes) => { attributes.iter() }
                .map(|(name, value)| (Name::Attribute(name), value))
                .collect(),
            Kind::Map(entries) => { entries.iter() }
                .map(|(key, value)| (Name::Key(key), value))
                .collect(),
            _ => Vec::new(),
        };
        Ok(Entries {
            inside: deserializer.inside()?,
            entries: entries.into_iter(),
            current: None,
        })
    }

    /// The one entry, as a variant of the enum of this name. Null entries beside it do not count:
    /// an object whose type names all the variants has them.
    pub(super) fn variant(self, name: &str) -> Result<Variant<'v>, Error> {
        let entries = self.entries.as_slice();
        let mut present = entries.iter().filter(|(_, value)| !value.is_null());
        let entry = match (entries, present.next(), present.next()) {
            ([entry], ..) | (_, Some(entry), None) => *entry,
            _ => {
                let message = format!(
                    "a variant of {name} is required, which is an object with one attribute that \
                     is not null"
                );
                return Err(Problem::Serde(message).into());
            }
        };
        Ok(Variant {
            name: entry.0,
            content: self.inside.with(entry.1),
        })
    }
}

impl<'v> MapAccess<'v> for Entries<'v> {
    type Error = Error;

    fn next_key_seed<S: DeserializeSeed<'v>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Error> {
        self.current = self.entries.next();
        let Some((name, _)) = self.current else {
            return Ok(None);
        };
        let text = name
            .text()
            .map_err(|problem| Error::from(problem).below(name.step()))?;
        key::read(text, seed).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'v>>(&mut self, seed: S) -> Result<S::Value, Error> {
        let Some((name, value)) = self.current.take() else {
            return Err(Problem::Serde("the value was asked for before its key".to_owned()).into());
        };
        below(|| name.step(), || seed.deserialize(self.inside.with(value)))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.entries.len())
    }
}

/// A variant with content.
pub(super) struct Variant<'v> {
    name: Name<'v>,
    content: ValueDeserializer<'v>,
}

impl<'v> EnumAccess<'v> for Variant<'v> {
    type Error = Error;
    type Variant = Variant<'v>;

    fn variant_seed<S: DeserializeSeed<'v>>(self, seed: S) -> Result<(S::Value, Self), Error> {
        let name = BorrowedStrDeserializer::<Error>::new(self.name.text()?);
        Ok((seed.deserialize(name)?, self))
    }
}

impl<'v> VariantAccess<'v> for Variant<'v> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        let read = || ::serde::Deserialize::deserialize(self.content);
        below(|| self.name.step(), read)
    }

    fn newtype_variant_seed<S: DeserializeSeed<'v>>(self, seed: S) -> Result<S::Value, Error> {
        below(|| self.name.step(), || seed.deserialize(self.content))
    }

    fn tuple_variant<V: Visitor<'v>>(self, length: usize, visitor: V) -> Result<V::Value, Error> {
        let read = || self.content.deserialize_tuple(length, visitor);
        below(|| self.name.step(), read)
    }

    fn struct_variant<V: Visitor<'v>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let read = || self.content.deserialize_struct("", fields, visitor);
        below(|| self.name.step(), read)
    }
}
