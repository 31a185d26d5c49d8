//! From any type to a value.

use ::serde::{Serialize, Serializer};

use crate::Number;
use crate::error::Error;
use crate::path::Step;
use crate::serde::compound::{Elements, Entries};
use crate::serde::{DEPTH, NUMBER, TEXT, VALUE, level_below, offer, scalar};
use crate::value::Value;

/// Makes a value of what it is given.
#[derive(Clone, Copy)]
pub(super) struct ValueSerializer {
    /// How many levels may still come.
    depth: usize,
}

impl ValueSerializer {
    pub(super) fn new() -> ValueSerializer {
        ValueSerializer { depth: DEPTH }
    }

    /// The serializer for what is one level further in.
    pub(super) fn inside(self) -> Result<ValueSerializer, Error> {
        let depth = level_below(self.depth)?;
        Ok(ValueSerializer { depth })
    }
}

/// The object with one attribute that a variant with content is.
pub(super) fn tagged(variant: &'static str, content: Value) -> Value {
    Value::object([(variant, content)])
}

macro_rules! integers {
    ($($method:ident $integer:ident;)*) => {$(
        fn $method(self, value: $integer) -> Result<Value, Error> {
            Ok(Value::from(Number::from(value)))
        }
    )*};
}

impl Serializer for ValueSerializer {
    type Ok = Value;
    type Error = Error;
    type SerializeSeq = Elements;
    type SerializeTuple = Elements;
    type SerializeTupleStruct = Elements;
    type SerializeTupleVariant = Elements;
    type SerializeMap = Entries;
    type SerializeStruct = Entries;
    type SerializeStructVariant = Entries;

    integers! {
        serialize_i8 i8;
        serialize_i16 i16;
        serialize_i32 i32;
        serialize_i64 i64;
        serialize_i128 i128;
        serialize_u8 u8;
        serialize_u16 u16;
        serialize_u32 u32;
        serialize_u64 u64;
        serialize_u128 u128;
    }

    fn serialize_bool(self, value: bool) -> Result<Value, Error> {
        Ok(Value::from(value))
    }

    fn serialize_f32(self, value: f32) -> Result<Value, Error> {
        Ok(Value::from(scalar::from_float(value)?))
    }

    fn serialize_f64(self, value: f64) -> Result<Value, Error> {
        Ok(Value::from(scalar::from_float(value)?))
    }

    fn serialize_char(self, value: char) -> Result<Value, Error> {
        Ok(Value::string(value.encode_utf8(&mut [0; 4])))
    }

    fn serialize_str(self, value: &str) -> Result<Value, Error> {
        Ok(Value::string(value))
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<Value, Error> {
        self.inside()?;
        Ok(scalar::from_bytes(value))
    }

    fn serialize_none(self) -> Result<Value, Error> {
        Ok(Value::NULL)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Value, Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<Value, Error> {
        Ok(Value::NULL)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<Value, Error> {
        Ok(Value::NULL)
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<Value, Error> {
        Ok(Value::string(variant))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<Value, Error> {
        match name {
            // With nothing on offer it comes from where serde has kept it, as plain data.
            VALUE | NUMBER | TEXT => match offer::take() {
                Some(value) => Ok(value),
                None => value.serialize(self.inside()?),
            },
            _ => value.serialize(self.inside()?),
        }
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<Value, Error> {
        let content = value
            .serialize(self.inside()?)
            .map_err(|error| error.below(Step::Attribute(variant.into())))?;
        Ok(tagged(variant, content))
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<Elements, Error> {
        Elements::new(self, length, None)
    }

    fn serialize_tuple(self, length: usize) -> Result<Elements, Error> {
        Elements::new(self, Some(length), None)
    }

    fn serialize_tuple_struct(self, _: &'static str, length: usize) -> Result<Elements, Error> {
        Elements::new(self, Some(length), None)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<Elements, Error> {
        Elements::new(self, Some(length), Some(variant))
    }

    fn serialize_map(self, length: Option<usize>) -> Result<Entries, Error> {
        Entries::new(self, length, None)
    }

    fn serialize_struct(self, _: &'static str, length: usize) -> Result<Entries, Error> {
        Entries::new(self, Some(length), None)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<Entries, Error> {
        Entries::new(self, Some(length), Some(variant))
    }
}
