//! From the types of serde to JSON, as the same text that `serde_json` writes.
//!
//! `serde_json` looks at the bytes of a string one by one to find those that need an escape, which is
//! most of the work for a message with a long text. Here strings are written many bytes at a time,
//! and all other values by `serde_json`.

use std::fmt::Display;

use serde::ser::{self, Serialize, SerializeMap, SerializeStruct};
use serde_json::Error;

use super::string::write_string;

/// Appends a value to `out` as JSON: the same text as that of `serde_json::to_writer`.
///
/// # Errors
/// The value cannot be expressed in JSON, such as a map with keys that are not strings. `out` may then
/// end with a part of it.
pub fn encode<T: Serialize + ?Sized>(value: &T, out: &mut Vec<u8>) -> Result<(), Error> {
    value.serialize(Encoder { out })
}

struct Encoder<'a> {
    out: &'a mut Vec<u8>,
}

/// A container that is being written.
struct Container<'a> {
    out: &'a mut Vec<u8>,
    /// What comes before the next element: the opening bracket, later a comma.
    before: u8,
    closing: &'static [u8],
    /// The name of a struct that is not a container, but a value of `serde_json`'s own.
    own: Option<&'static str>,
}

impl<'a> Encoder<'a> {
    /// For what has no strings.
    #[inline]
    fn serde_json(self) -> serde_json::Serializer<&'a mut Vec<u8>> {
        serde_json::Serializer::new(self.out)
    }

    #[inline]
    fn container(self, opening: u8, closing: &'static [u8]) -> Container<'a> {
        Container {
            out: self.out,
            before: opening,
            closing,
            own: None,
        }
    }

    #[inline]
    fn variant(&mut self, name: &str) {
        self.out.push(b'{');
        write_string(self.out, name);
        self.out.push(b':');
    }
}

impl Container<'_> {
    #[inline]
    fn next(&mut self) {
        self.out.push(self.before);
        self.before = b',';
    }

    #[inline]
    fn value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        value.serialize(Encoder {
            out: &mut *self.out,
        })
    }

    #[inline]
    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.next();
        self.value(value)
    }

    #[inline]
    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Error> {
        if let Some(own) = self.own {
            let mut serializer = serde_json::Serializer::new(&mut *self.out);
            let mut own = ser::Serializer::serialize_struct(&mut serializer, own, 1)?;
            own.serialize_field(name, value)?;
            return SerializeStruct::end(own);
        }
        self.next();
        write_string(self.out, name);
        self.out.push(b':');
        self.value(value)
    }

    #[inline]
    fn finish(self) -> Result<(), Error> {
        if self.own.is_none() {
            if self.before != b',' {
                self.out.push(self.before);
            }
            self.out.extend_from_slice(self.closing);
        }
        Ok(())
    }
}

/// Values that `serde_json` writes.
macro_rules! scalars {
    ($($function:ident: $kind:ty;)+) => {$(
        #[inline]
        fn $function(self, value: $kind) -> Result<(), Error> {
            self.serde_json().$function(value)
        }
    )+};
}

impl<'a> ser::Serializer for Encoder<'a> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Container<'a>;
    type SerializeTuple = Container<'a>;
    type SerializeTupleStruct = Container<'a>;
    type SerializeTupleVariant = Container<'a>;
    type SerializeMap = Container<'a>;
    type SerializeStruct = Container<'a>;
    type SerializeStructVariant = Container<'a>;

    scalars! {
        serialize_bool: bool;
        serialize_i8: i8;
        serialize_i16: i16;
        serialize_i32: i32;
        serialize_i64: i64;
        serialize_i128: i128;
        serialize_u8: u8;
        serialize_u16: u16;
        serialize_u32: u32;
        serialize_u64: u64;
        serialize_u128: u128;
        serialize_f32: f32;
        serialize_f64: f64;
        serialize_char: char;
        serialize_bytes: &[u8];
        serialize_unit_struct: &'static str;
    }

    #[inline]
    fn serialize_str(self, text: &str) -> Result<(), Error> {
        write_string(self.out, text);
        Ok(())
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<(), Error> {
        self.serde_json().collect_str(value)
    }

    #[inline]
    fn serialize_none(self) -> Result<(), Error> {
        self.serialize_unit()
    }

    #[inline]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    #[inline]
    fn serialize_unit(self) -> Result<(), Error> {
        self.serde_json().serialize_unit()
    }

    #[inline]
    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<(), Error> {
        self.serialize_str(variant)
    }

    #[inline]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        mut self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        self.variant(variant);
        encode(value, self.out)?;
        self.out.push(b'}');
        Ok(())
    }

    #[inline]
    fn serialize_seq(self, _: Option<usize>) -> Result<Container<'a>, Error> {
        Ok(self.container(b'[', b"]"))
    }

    #[inline]
    fn serialize_tuple(self, _: usize) -> Result<Container<'a>, Error> {
        Ok(self.container(b'[', b"]"))
    }

    #[inline]
    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Container<'a>, Error> {
        Ok(self.container(b'[', b"]"))
    }

    fn serialize_tuple_variant(
        mut self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Container<'a>, Error> {
        self.variant(variant);
        Ok(self.container(b'[', b"]}"))
    }

    #[inline]
    fn serialize_map(self, _: Option<usize>) -> Result<Container<'a>, Error> {
        Ok(self.container(b'{', b"}"))
    }

    #[inline]
    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Container<'a>, Error> {
        /// How the names of raw values and, with a feature, of numbers begin.
        const OWN: &str = "$serde_json::private::";
        Ok(Container {
            own: name.starts_with(OWN).then_some(name),
            ..self.container(b'{', b"}")
        })
    }

    fn serialize_struct_variant(
        mut self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Container<'a>, Error> {
        self.variant(variant);
        Ok(self.container(b'{', b"}}"))
    }
}

/// The traits of serde for containers differ in the names of their functions alone.
macro_rules! containers {
    ($($container:ident: $function:ident($($name:ident: $kind:ty)?) => $write:ident;)+) => {$(
        impl ser::$container for Container<'_> {
            type Ok = ();
            type Error = Error;

            #[inline]
            fn $function<T: Serialize + ?Sized>(
                &mut self,
                $($name: $kind,)?
                value: &T,
            ) -> Result<(), Error> {
                self.$write($($name,)? value)
            }

            #[inline]
            fn end(self) -> Result<(), Error> {
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

impl SerializeMap for Container<'_> {
    type Ok = ();
    type Error = Error;

    /// Which types can be keys, and how they are written, is left to `serde_json`: it writes an object
    /// of its own, of which only `{"key"` is used.
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        let start = self.out.len();
        let mut serializer = serde_json::Serializer::new(&mut *self.out);
        let mut object = ser::Serializer::serialize_map(&mut serializer, None)?;
        object.serialize_key(key)?;
        self.out[start] = self.before;
        self.before = b',';
        Ok(())
    }

    #[inline]
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.out.push(b':');
        self.value(value)
    }

    #[inline]
    fn end(self) -> Result<(), Error> {
        self.finish()
    }
}
