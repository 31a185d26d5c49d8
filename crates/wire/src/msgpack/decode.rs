//! From msgpack to the types of serde.

use serde::de::value::{BorrowedStrDeserializer, U32Deserializer};
use serde::de::{self, Deserialize, DeserializeSeed, Error, Unexpected, Visitor};
use serde::forward_to_deserialize_any;

use super::{CodecError, Reader, Token, packed};
use crate::json::MAX_DEPTH;

/// Decodes one msgpack value. Structs are read from maps, or from arrays by position; enums from the
/// name of a variant, or from a map of that name to its content.
///
/// # Errors
/// The bytes are not exactly one msgpack value, it does not fit `T`, or it is nested more than
/// [`MAX_DEPTH`] levels deep.
pub fn decode<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T, CodecError> {
    let mut decoder = Decoder {
        bytes,
        reader: Reader::new(bytes),
        depth: MAX_DEPTH,
    };
    let value = T::deserialize(&mut decoder)?;
    match decoder.left() {
        0 => Ok(value),
        _ => Err(CodecError::new("unexpected bytes after the value")),
    }
}

struct Decoder<'de> {
    bytes: &'de [u8],
    reader: Reader<'de>,
    /// How many more levels of nesting are followed.
    depth: usize,
}

impl<'de> Decoder<'de> {
    #[inline]
    fn token(&mut self) -> Result<Token<'de>, CodecError> {
        self.reader.token().ok_or_else(cut_short)
    }

    /// Takes the next byte if it is `wanted`: a value of one byte.
    #[inline]
    fn take(&mut self, wanted: u8) -> bool {
        let is_there = self.bytes.get(self.reader.position()) == Some(&wanted);
        is_there && self.reader.token().is_some()
    }

    /// How many bytes have not been read.
    #[inline]
    fn left(&self) -> usize {
        self.bytes.len() - self.reader.position()
    }

    /// Hands on what a token begins.
    fn visit<V: Visitor<'de>>(
        &mut self,
        token: Token<'de>,
        visitor: V,
    ) -> Result<V::Value, CodecError> {
        match token {
            Token::Nil => visitor.visit_unit(),
            Token::Bool(value) => visitor.visit_bool(value),
            Token::Unsigned(number) => visitor.visit_u64(number),
            Token::Negative(number) => visitor.visit_i64(number),
            Token::Float(number) => visitor.visit_f64(number),
            Token::Str(bytes) => visit_text(bytes, visitor),
            Token::Bin(bytes) => visitor.visit_borrowed_bytes(bytes),
            Token::Ext(..) => {
                let found = Unexpected::Other("ext value");
                Err(CodecError::invalid_type(found, &visitor))
            }
            Token::Array(count) => self.container(count, &[], |all| visitor.visit_seq(all)),
            Token::Map(count) => self.container(count, &[], |all| visitor.visit_map(all)),
        }
    }

    /// Visits a container of `count` elements. If it is a map, its keys are probably some of `names`, in
    /// their order.
    fn container<T>(
        &mut self,
        count: u32,
        names: &'static [&'static str],
        visit: impl FnOnce(&mut Elements<'_, 'de>) -> Result<T, CodecError>,
    ) -> Result<T, CodecError> {
        let depth = self.depth.checked_sub(1);
        self.depth = depth.ok_or_else(|| CodecError::new("nested too deeply"))?;
        let mut elements = Elements {
            decoder: self,
            left: count,
            names,
        };
        let value = visit(&mut elements)?;
        if elements.left > 0 {
            return Err(too_many(count, count - elements.left));
        }
        self.depth += 1;
        Ok(value)
    }
}

#[cold]
fn cut_short() -> CodecError {
    CodecError::new("cut short, or not msgpack")
}

#[cold]
fn too_many(count: u32, wanted: u32) -> CodecError {
    CodecError::invalid_length(count as usize, &&*format!("{wanted} elements"))
}

#[inline]
fn visit_text<'de, V: Visitor<'de>>(bytes: &'de [u8], visitor: V) -> Result<V::Value, CodecError> {
    match std::str::from_utf8(bytes) {
        Ok(text) => visitor.visit_borrowed_str(text),
        Err(_) => visitor.visit_borrowed_bytes(bytes),
    }
}

impl<'de> de::Deserializer<'de> for &mut Decoder<'de> {
    type Error = CodecError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, CodecError> {
        let token = self.token()?;
        self.visit(token, visitor)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, CodecError> {
        match self.token()? {
            Token::Str(bytes) => visit_text(bytes, visitor),
            other => self.visit(other, visitor),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, CodecError> {
        self.deserialize_str(visitor)
    }

    /// The names of fields and variants.
    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, CodecError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, CodecError> {
        match self.token()? {
            Token::Map(count) => self.container(count, fields, |all| visitor.visit_map(all)),
            other => self.visit(other, visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, CodecError> {
        const NIL: u8 = 0xc0;
        match self.take(NIL) {
            true => visitor.visit_none(),
            false => visitor.visit_some(self),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, CodecError> {
        const EMPTY_ARRAY: u8 = 0x90;
        match self.take(EMPTY_ARRAY) {
            true => visitor.visit_unit(),
            false => self.deserialize_any(visitor),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, CodecError> {
        if name != packed::NAME {
            return visitor.visit_newtype_struct(self);
        }
        let place = self.reader.skip();
        let place = place.ok_or_else(cut_short)?;
        visitor.visit_borrowed_bytes(&self.bytes[place])
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, CodecError> {
        match self.token()? {
            Token::Map(1) => self.container(1, &[], |entry| visitor.visit_enum(entry)),
            Token::Str(name) => {
                let name = std::str::from_utf8(name).map_err(CodecError::new)?;
                visitor.visit_enum(BorrowedStrDeserializer::new(name))
            }
            Token::Unsigned(index) => {
                let index = u32::try_from(index).map_err(CodecError::new)?;
                visitor.visit_enum(U32Deserializer::new(index))
            }
            _ => Err(CodecError::new(
                "expected a variant: its name, or a map of its name to its content",
            )),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, CodecError> {
        match self.reader.skip() {
            Some(_) => visitor.visit_unit(),
            None => Err(cut_short()),
        }
    }

    fn is_human_readable(&self) -> bool {
        false
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char bytes byte_buf unit seq tuple
        tuple_struct map
    }
}

/// What is left of a container: the elements of an array, or the entries of a map.
struct Elements<'a, 'de> {
    decoder: &'a mut Decoder<'de>,
    left: u32,
    /// The names of fields that have not been found yet.
    names: &'static [&'static str],
}

impl<'de> Elements<'_, 'de> {
    fn next<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, CodecError> {
        let Some(left) = self.left.checked_sub(1) else {
            return Ok(None);
        };
        self.left = left;
        seed.deserialize(&mut *self.decoder).map(Some)
    }

    /// Takes the next key if it is the name of a field. Names are compared as bytes, and need no check that
    /// they are UTF-8.
    #[inline]
    fn name(&mut self) -> Option<&'static str> {
        let mut reader = self.decoder.reader.clone();
        let Some(Token::Str(key)) = reader.token() else {
            return None;
        };
        // Usually the first. Fields that are left out are skipped.
        let index = { self.names.iter() }.position(|name| name.as_bytes() == key)?;
        let name = self.names[index];
        self.names = &self.names[index + 1..];
        self.decoder.reader = reader;
        Some(name)
    }

    /// Each takes a byte at least, whatever the head of the container says.
    #[inline]
    fn most(&self) -> usize {
        self.decoder.left().min(self.left as usize)
    }
}

impl<'de> de::SeqAccess<'de> for &mut Elements<'_, 'de> {
    type Error = CodecError;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, CodecError> {
        self.next(seed)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.most())
    }
}

impl<'de> de::MapAccess<'de> for &mut Elements<'_, 'de> {
    type Error = CodecError;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, CodecError> {
        if self.left > 0
            && !self.names.is_empty()
            && let Some(name) = self.name()
        {
            self.left -= 1;
            return seed
                .deserialize(BorrowedStrDeserializer::new(name))
                .map(Some);
        }
        self.next(seed)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<S::Value, CodecError> {
        seed.deserialize(&mut *self.decoder)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.most())
    }
}

impl<'a, 'de> de::EnumAccess<'de> for &'a mut Elements<'_, 'de> {
    type Error = CodecError;
    type Variant = &'a mut Decoder<'de>;

    fn variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<(S::Value, &'a mut Decoder<'de>), CodecError> {
        self.left = 0;
        let name = seed.deserialize(&mut *self.decoder)?;
        Ok((name, self.decoder))
    }
}

/// The content of a variant.
impl<'de> de::VariantAccess<'de> for &mut Decoder<'de> {
    type Error = CodecError;

    fn unit_variant(self) -> Result<(), CodecError> {
        <()>::deserialize(self)
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<S::Value, CodecError> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, CodecError> {
        de::Deserializer::deserialize_any(self, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, CodecError> {
        de::Deserializer::deserialize_any(self, visitor)
    }
}
