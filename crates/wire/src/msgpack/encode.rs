//! From the types of serde to msgpack.

use serde::ser::{self, Serialize};

use super::{CodecError, packed, write};

/// Appends a value to `out` as msgpack, in the shortest form there is. Structs are maps; a variant is
/// its name, or a map of its name to its content.
///
/// # Errors
/// The value cannot be expressed in msgpack. `out` may then end with a part of it.
pub fn encode<T: Serialize + ?Sized>(value: &T, out: &mut Vec<u8>) -> Result<(), CodecError> {
    value.serialize(&mut Encoder {
        out,
        is_verbatim: false,
    })
}

struct Encoder<'a> {
    out: &'a mut Vec<u8>,
    /// Whether the next bytes are a [`Packed`](super::Packed).
    is_verbatim: bool,
}

/// Writes the head of a container.
type Head = fn(&mut Vec<u8>, usize);

/// A container that is being written.
struct Container<'a, 'b> {
    encoder: &'a mut Encoder<'b>,
    head: Head,
    /// Where its head and its elements start.
    start: usize,
    elements: usize,
    /// How many elements the head says there are.
    declared: usize,
    written: usize,
}

impl<'b> Encoder<'b> {
    /// `length` is a guess if it is not known yet.
    #[inline]
    fn container(&mut self, head: Head, length: Option<usize>) -> Container<'_, 'b> {
        let (start, declared) = (self.out.len(), length.unwrap_or_default());
        head(self.out, declared);
        Container {
            head,
            start,
            elements: self.out.len(),
            declared,
            written: 0,
            encoder: self,
        }
    }

    fn array(&mut self, length: Option<usize>) -> Container<'_, 'b> {
        self.container(write::array, length)
    }

    fn map(&mut self, length: Option<usize>) -> Container<'_, 'b> {
        self.container(write::map, length)
    }

    fn variant(&mut self, name: &str) {
        write::map(self.out, 1);
        write::str(self.out, name.as_bytes());
    }
}

impl Container<'_, '_> {
    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), CodecError> {
        self.written += 1;
        value.serialize(&mut *self.encoder)
    }

    fn field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), CodecError> {
        write::str(self.encoder.out, name.as_bytes());
        self.element(value)
    }

    /// Sets the head right if it was a guess.
    #[inline]
    fn finish(self) -> Result<(), CodecError> {
        if self.written != self.declared {
            let mut head = Vec::new();
            (self.head)(&mut head, self.written);
            let wrong = self.start..self.elements;
            self.encoder.out.splice(wrong, head);
        }
        Ok(())
    }
}

impl<'a, 'b> ser::Serializer for &'a mut Encoder<'b> {
    type Ok = ();
    type Error = CodecError;
    type SerializeSeq = Container<'a, 'b>;
    type SerializeTuple = Container<'a, 'b>;
    type SerializeTupleStruct = Container<'a, 'b>;
    type SerializeTupleVariant = Container<'a, 'b>;
    type SerializeMap = Container<'a, 'b>;
    type SerializeStruct = Container<'a, 'b>;
    type SerializeStructVariant = Container<'a, 'b>;

    #[inline]
    fn serialize_bool(self, value: bool) -> Result<(), CodecError> {
        write::bool(self.out, value);
        Ok(())
    }

    #[inline]
    fn serialize_i8(self, number: i8) -> Result<(), CodecError> {
        self.serialize_i64(number.into())
    }

    #[inline]
    fn serialize_i16(self, number: i16) -> Result<(), CodecError> {
        self.serialize_i64(number.into())
    }

    #[inline]
    fn serialize_i32(self, number: i32) -> Result<(), CodecError> {
        self.serialize_i64(number.into())
    }

    #[inline]
    fn serialize_i64(self, number: i64) -> Result<(), CodecError> {
        write::signed(self.out, number);
        Ok(())
    }

    #[inline]
    fn serialize_u8(self, number: u8) -> Result<(), CodecError> {
        self.serialize_u64(number.into())
    }

    #[inline]
    fn serialize_u16(self, number: u16) -> Result<(), CodecError> {
        self.serialize_u64(number.into())
    }

    #[inline]
    fn serialize_u32(self, number: u32) -> Result<(), CodecError> {
        self.serialize_u64(number.into())
    }

    #[inline]
    fn serialize_u64(self, number: u64) -> Result<(), CodecError> {
        write::unsigned(self.out, number);
        Ok(())
    }

    #[inline]
    fn serialize_f32(self, number: f32) -> Result<(), CodecError> {
        write::float32(self.out, number);
        Ok(())
    }

    #[inline]
    fn serialize_f64(self, number: f64) -> Result<(), CodecError> {
        write::float(self.out, number);
        Ok(())
    }

    #[inline]
    fn serialize_char(self, character: char) -> Result<(), CodecError> {
        self.serialize_str(character.encode_utf8(&mut [0; 4]))
    }

    #[inline]
    fn serialize_str(self, text: &str) -> Result<(), CodecError> {
        write::str(self.out, text.as_bytes());
        Ok(())
    }

    #[inline]
    fn serialize_bytes(self, bytes: &[u8]) -> Result<(), CodecError> {
        match std::mem::take(&mut self.is_verbatim) {
            true => self.out.extend_from_slice(bytes),
            false => write::bin(self.out, bytes),
        }
        Ok(())
    }

    #[inline]
    fn serialize_none(self) -> Result<(), CodecError> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), CodecError> {
        value.serialize(self)
    }

    #[inline]
    fn serialize_unit(self) -> Result<(), CodecError> {
        write::nil(self.out);
        Ok(())
    }

    #[inline]
    fn serialize_unit_struct(self, _: &'static str) -> Result<(), CodecError> {
        write::array(self.out, 0);
        Ok(())
    }

    #[inline]
    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<(), CodecError> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<(), CodecError> {
        self.is_verbatim = name == packed::NAME;
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), CodecError> {
        self.variant(variant);
        value.serialize(self)
    }

    #[inline]
    fn serialize_seq(self, length: Option<usize>) -> Result<Container<'a, 'b>, CodecError> {
        Ok(self.array(length))
    }

    #[inline]
    fn serialize_tuple(self, length: usize) -> Result<Container<'a, 'b>, CodecError> {
        Ok(self.array(Some(length)))
    }

    #[inline]
    fn serialize_tuple_struct(
        self,
        _: &'static str,
        length: usize,
    ) -> Result<Container<'a, 'b>, CodecError> {
        Ok(self.array(Some(length)))
    }

    #[inline]
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<Container<'a, 'b>, CodecError> {
        self.variant(variant);
        Ok(self.array(Some(length)))
    }

    #[inline]
    fn serialize_map(self, length: Option<usize>) -> Result<Container<'a, 'b>, CodecError> {
        Ok(self.map(length))
    }

    #[inline]
    fn serialize_struct(
        self,
        _: &'static str,
        length: usize,
    ) -> Result<Container<'a, 'b>, CodecError> {
        Ok(self.map(Some(length)))
    }

    #[inline]
    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<Container<'a, 'b>, CodecError> {
        self.variant(variant);
        Ok(self.map(Some(length)))
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}

/// The traits of serde for containers differ in the names of their functions alone.
macro_rules! containers {
    ($($container:ident: $function:ident($($name:ident: $kind:ty)?) => $write:ident;)+) => {$(
        impl ser::$container for Container<'_, '_> {
            type Ok = ();
            type Error = CodecError;

            fn $function<T: Serialize + ?Sized>(
                &mut self,
                $($name: $kind,)?
                value: &T,
            ) -> Result<(), CodecError> {
                self.$write($($name,)? value)
            }

            fn end(self) -> Result<(), CodecError> {
                self.finish()
            }
        }
    )+};
}

containers! {
    SerializeSeq: serialize_element() => element;
    SerializeTuple: serialize_element() => element;
    SerializeTupleStruct: serialize_field() => element;
    SerializeTupleVariant: serialize_field() => element;
    SerializeStruct: serialize_field(name: &'static str) => field;
    SerializeStructVariant: serialize_field(name: &'static str) => field;
}

impl ser::SerializeMap for Container<'_, '_> {
    type Ok = ();
    type Error = CodecError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), CodecError> {
        key.serialize(&mut *self.encoder)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), CodecError> {
        self.element(value)
    }

    fn end(self) -> Result<(), CodecError> {
        self.finish()
    }
}
