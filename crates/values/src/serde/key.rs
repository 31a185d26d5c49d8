//! The keys of maps, which are texts in a value and may be more in a type.

use ::serde::de::value::BorrowedStrDeserializer;
use ::serde::de::{DeserializeSeed, Deserializer, Visitor};
use ::serde::forward_to_deserialize_any;
use ::serde::ser::{Impossible, Serialize, Serializer};
use smol_str::{SmolStr, ToSmolStr};

use crate::error::{Error, Problem};

/// Makes a text of a key.
pub(super) struct KeySerializer;

fn no_key<T>() -> Result<T, Error> {
    let message = "a key must be a string, an integer, a bool or a variant without content";
    Err(Problem::Serde(message.to_owned()).into())
}

macro_rules! texts {
    ($($method:ident $type:ty;)*) => {$(
        fn $method(self, value: $type) -> Result<SmolStr, Error> {
            Ok(value.to_smolstr())
        }
    )*};
}

macro_rules! no_keys {
    ($($method:ident($($argument:ty),*) -> $result:ident;)*) => {$(
        fn $method(self $(, _: $argument)*) -> Result<Self::$result, Error> {
            no_key()
        }
    )*};
}

impl Serializer for KeySerializer {
    type Ok = SmolStr;
    type Error = Error;
    type SerializeSeq = Impossible<SmolStr, Error>;
    type SerializeTuple = Impossible<SmolStr, Error>;
    type SerializeTupleStruct = Impossible<SmolStr, Error>;
    type SerializeTupleVariant = Impossible<SmolStr, Error>;
    type SerializeMap = Impossible<SmolStr, Error>;
    type SerializeStruct = Impossible<SmolStr, Error>;
    type SerializeStructVariant = Impossible<SmolStr, Error>;

    texts! {
        serialize_bool bool;
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
        serialize_char char;
        serialize_str &str;
    }

    no_keys! {
        serialize_f32(f32) -> Ok;
        serialize_f64(f64) -> Ok;
        serialize_bytes(&[u8]) -> Ok;
        serialize_none() -> Ok;
        serialize_unit() -> Ok;
        serialize_unit_struct(&'static str) -> Ok;
        serialize_seq(Option<usize>) -> SerializeSeq;
        serialize_tuple(usize) -> SerializeTuple;
        serialize_tuple_struct(&'static str, usize) -> SerializeTupleStruct;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> SerializeTupleVariant;
        serialize_map(Option<usize>) -> SerializeMap;
        serialize_struct(&'static str, usize) -> SerializeStruct;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> SerializeStructVariant;
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<SmolStr, Error> {
        Ok(SmolStr::new_static(variant))
    }

    fn serialize_some<T: Serialize + ?Sized>(self, _: &T) -> Result<SmolStr, Error> {
        no_key()
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<SmolStr, Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<SmolStr, Error> {
        no_key()
    }
}

/// Reads a key, or the name of a variant, from its text.
struct KeyDeserializer<'v>(&'v str);

/// What the seed makes of the key.
pub(super) fn read<'v, S: DeserializeSeed<'v>>(key: &'v str, seed: S) -> Result<S::Value, Error> {
    seed.deserialize(KeyDeserializer(key))
}

macro_rules! parsed {
    ($($method:ident $visit:ident $type:ident;)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            match self.0.parse::<$type>() {
                Ok(value) => visitor.$visit(value),
                Err(_) => {
                    let message = format!("the key {:?} does not fit into {}", self.0, stringify!($type));
                    Err(Problem::Serde(message).into())
                }
            }
        }
    )*};
}

impl<'de> Deserializer<'de> for KeyDeserializer<'de> {
    type Error = Error;

    parsed! {
        deserialize_bool visit_bool bool;
        deserialize_i8 visit_i8 i8;
        deserialize_i16 visit_i16 i16;
        deserialize_i32 visit_i32 i32;
        deserialize_i64 visit_i64 i64;
        deserialize_i128 visit_i128 i128;
        deserialize_u8 visit_u8 u8;
        deserialize_u16 visit_u16 u16;
        deserialize_u32 visit_u32 u32;
        deserialize_u64 visit_u64 u64;
        deserialize_u128 visit_u128 u128;
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_borrowed_str(self.0)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_enum(BorrowedStrDeserializer::new(self.0))
    }

    forward_to_deserialize_any! {
        f32 f64 char str string bytes byte_buf option unit unit_struct seq tuple tuple_struct map
        struct identifier ignored_any
    }
}
