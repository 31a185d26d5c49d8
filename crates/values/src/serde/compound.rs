//! From sequences, maps and structs to tuples and objects.

use ::serde::Serialize;
use ::serde::ser::{
    SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant,
};
use smol_str::SmolStr;

use crate::error::{Error, Problem};
use crate::path::Step;
use crate::serde::key::KeySerializer;
use crate::serde::object;
use crate::serde::serializer::{ValueSerializer, tagged};
use crate::value::Value;

/// A type may say any length; this much room is made before there is something to put there.
const ROOM: usize = 64;

/// A tuple to be.
pub(super) struct Elements {
    inside: ValueSerializer,
    values: Vec<Value>,
    variant: Option<&'static str>,
}

/// An object to be.
pub(super) struct Entries {
    inside: ValueSerializer,
    entries: Vec<(SmolStr, Value)>,
    /// The key that was given and waits for its value.
    key: Option<SmolStr>,
    variant: Option<&'static str>,
}

/// The serializer for what is in a sequence or struct, which a variant puts one level further in.
fn inside(
    serializer: ValueSerializer,
    variant: Option<&'static str>,
) -> Result<ValueSerializer, Error> {
    match variant {
        None => serializer.inside(),
        Some(variant) => { serializer.inside()?.inside() }
            .map_err(|error| error.below(Step::Attribute(variant.into()))),
    }
}

/// The error from inside the variant, if there is one.
fn below(error: Error, step: Step, variant: Option<&'static str>) -> Error {
    let error = error.below(step);
    match variant {
        None => error,
        Some(variant) => error.below(Step::Attribute(variant.into())),
    }
}

fn finished(value: Value, variant: Option<&'static str>) -> Value {
    match variant {
        None => value,
        Some(variant) => tagged(variant, value),
    }
}

impl Elements {
    pub(super) fn new(
        serializer: ValueSerializer,
        length: Option<usize>,
        variant: Option<&'static str>,
    ) -> Result<Elements, Error> {
        Ok(Elements {
            inside: inside(serializer, variant)?,
            values: Vec::with_capacity(length.unwrap_or(0).min(ROOM)),
            variant,
        })
    }

    fn add<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        let step = Step::Index(self.values.len());
        let value = value
            .serialize(self.inside)
            .map_err(|error| below(error, step, self.variant))?;
        self.values.push(value);
        Ok(())
    }

    fn finish(self) -> Result<Value, Error> {
        Ok(finished(Value::tuple(self.values), self.variant))
    }
}

impl Entries {
    pub(super) fn new(
        serializer: ValueSerializer,
        length: Option<usize>,
        variant: Option<&'static str>,
    ) -> Result<Entries, Error> {
        Ok(Entries {
            inside: inside(serializer, variant)?,
            entries: Vec::with_capacity(length.unwrap_or(0).min(ROOM)),
            key: None,
            variant,
        })
    }

    fn add<T: Serialize + ?Sized>(&mut self, name: SmolStr, value: &T) -> Result<(), Error> {
        let value = value
            .serialize(self.inside)
            .map_err(|error| below(error, Step::Attribute(name.clone()), self.variant))?;
        self.entries.push((name, value));
        Ok(())
    }

    fn finish(self) -> Result<Value, Error> {
        match object(self.entries) {
            Ok(value) => Ok(finished(value, self.variant)),
            Err(problem) => {
                let variant = self.variant.map(|name| Step::Attribute(name.into()));
                Err({ variant.into_iter() }.fold(problem.into(), Error::below))
            }
        }
    }
}

impl SerializeMap for Entries {
    type Ok = Value;
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        self.key = Some(key.serialize(KeySerializer)?);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        let key = { self.key.take() }
            .ok_or_else(|| Problem::Serde("the map has a value without a key".to_owned()))?;
        self.add(key, value)
    }

    fn end(self) -> Result<Value, Error> {
        self.finish()
    }
}

macro_rules! sequences {
    ($($name:ident $method:ident;)*) => {$(
        impl $name for Elements {
            type Ok = Value;
            type Error = Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
                self.add(value)
            }

            fn end(self) -> Result<Value, Error> {
                self.finish()
            }
        }
    )*};
}

sequences! {
    SerializeSeq serialize_element;
    SerializeTuple serialize_element;
    SerializeTupleStruct serialize_field;
    SerializeTupleVariant serialize_field;
}

macro_rules! structs {
    ($($name:ident;)*) => {$(
        impl $name for Entries {
            type Ok = Value;
            type Error = Error;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<(), Error> {
                self.add(SmolStr::new_static(name), value)
            }

            fn end(self) -> Result<Value, Error> {
                self.finish()
            }
        }
    )*};
}

structs! {
    SerializeStruct;
    SerializeStructVariant;
}
