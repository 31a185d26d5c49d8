//! A msgpack value that is kept as its bytes.

use std::fmt;

use bytes::Bytes;
use serde::de::{Deserialize, Deserializer, Visitor};
use serde::ser::{Error, Serialize, Serializer};
use serde_json::value::RawValue;

use super::{CodecError, Reader};
use crate::transcode;

/// The name by which [`encode`](super::encode()) and [`decode`](super::decode()) know a [`Packed`].
pub(super) const NAME: &str = "$tenon_wire::Packed";

/// A msgpack value as its bytes: what `serde_json`'s `RawValue` is for JSON.
///
/// As a field of a type that [`decode`](super::decode()) reads it takes the bytes of its value exactly as
/// they came, ext types and the widths of numbers included, and [`encode`](super::encode()) writes them
/// back verbatim:
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use tenon_wire::msgpack::{Packed, decode, encode};
///
/// #[derive(Deserialize, Serialize)]
/// struct Params {
///     name: String,
///     value: Packed,
/// }
///
/// let bytes = b"\x82\xa4name\xa1a\xa5value\xd4\x00\x00";
/// let params: Params = decode(bytes)?;
/// assert_eq!(params.value.bytes(), &b"\xd4\x00\x00"[..]);
///
/// let mut again = Vec::new();
/// encode(&params, &mut again)?;
/// assert_eq!(again, bytes);
/// # Ok::<(), tenon_wire::msgpack::CodecError>(())
/// ```
///
/// In JSON it is written as the same value, with values that JSON cannot express spelled out as in
/// [`transcode`], ext types by number; its bytes are msgpack there too. Types that serde buffers
/// (`#[serde(flatten)]`, `#[serde(untagged)]`) cannot hold one.
///
/// A field that is missing is an error, a field that is nil is the value nil. For a field that may be
/// missing see [`present`](Packed::present).
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Packed(Bytes);

impl Packed {
    /// Bytes that are already encoded.
    ///
    /// # Errors
    /// They are not exactly one msgpack value.
    pub fn new(bytes: impl Into<Bytes>) -> Result<Packed, CodecError> {
        let bytes = bytes.into();
        match Reader::new(&bytes).skip() {
            Some(place) if place.end == bytes.len() => Ok(Packed(bytes)),
            _ => Err(CodecError::new("not one msgpack value")),
        }
    }

    /// Encodes a value.
    ///
    /// # Errors
    /// As [`encode`](super::encode()).
    pub fn encode<T: Serialize + ?Sized>(value: &T) -> Result<Packed, CodecError> {
        let mut bytes = Vec::new();
        super::encode(value, &mut bytes)?;
        Ok(Packed(bytes.into()))
    }

    /// Decodes the value.
    ///
    /// # Errors
    /// As [`decode`](super::decode()).
    pub fn decode<'a, T: Deserialize<'a>>(&'a self) -> Result<T, CodecError> {
        super::decode(&self.0)
    }

    /// The bytes.
    pub fn bytes(&self) -> &Bytes {
        &self.0
    }

    /// The bytes, without a copy.
    pub fn into_bytes(self) -> Bytes {
        self.0
    }

    /// Whether it is nil.
    pub fn is_nil(&self) -> bool {
        self.0 == [0xc0][..]
    }

    /// Reads a field that may be missing without taking nil for missing, as serde does with an
    /// `Option`: `#[serde(default, deserialize_with = "Packed::present")]`.
    ///
    /// # Errors
    /// Those of the deserializer.
    pub fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Packed>, D::Error> {
        Packed::deserialize(deserializer).map(Some)
    }
}

/// Only its size: the value may be a secret.
impl fmt::Debug for Packed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Packed({} bytes)", self.0.len())
    }
}

impl Serialize for Packed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(NAME, &Inner(&self.0))
    }
}

/// What is inside the newtype: bytes for our own encoder, a value for formats that people read.
struct Inner<'a>(&'a [u8]);

impl Serialize for Inner<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !serializer.is_human_readable() {
            return serializer.serialize_bytes(self.0);
        }
        let json = transcode::msgpack_to_json(self.0, &[]).map_err(S::Error::custom)?;
        let json = RawValue::from_string(json).map_err(S::Error::custom)?;
        json.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Packed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Packed, D::Error> {
        deserializer.deserialize_newtype_struct(NAME, PackedVisitor)
    }
}

struct PackedVisitor;

impl<'de> Visitor<'de> for PackedVisitor {
    type Value = Packed;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any msgpack or JSON value")
    }

    /// Our own decoder, which knows the name.
    fn visit_borrowed_bytes<E: serde::de::Error>(self, bytes: &'de [u8]) -> Result<Packed, E> {
        Ok(Packed(Bytes::copy_from_slice(bytes)))
    }

    /// Any other deserializer; only that of JSON has raw values.
    fn visit_newtype_struct<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<Packed, D::Error> {
        let json = Box::<RawValue>::deserialize(deserializer)?;
        let bytes = transcode::json_to_msgpack(json.get().as_bytes(), &[]);
        let bytes = bytes.map_err(<D::Error as serde::de::Error>::custom)?;
        Ok(Packed(bytes.into()))
    }
}
