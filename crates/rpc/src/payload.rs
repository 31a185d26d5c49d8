//! An encoded value that has not been decoded yet.

mod members;
mod outline;
mod private;

use std::cell::Cell;
use std::fmt;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tenon_wire::json::{self, MAX_DEPTH};
use tenon_wire::msgpack::{self, Packed};
use tenon_wire::transcode::{self, ExtName};

use crate::error::Quote;
pub(crate) use members::Elements;
pub(crate) use outline::Outline;
use private::unquoted;

/// How the bytes of a [`Payload`] are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// JSON text.
    Json,
    /// MessagePack.
    Msgpack,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Json => "JSON",
            Format::Msgpack => "msgpack",
        })
    }
}

/// An encoded value: a format and the bytes, sliced from the frame without a copy.
///
/// It is decoded once, into the type of its handler. Proxies, taps and recorders see the exact bytes,
/// so nothing is lost that a value tree could not represent.
#[derive(Clone)]
pub struct Payload {
    format: Format,
    bytes: Bytes,
    /// What is known of a large value since its frame was read.
    outline: Option<Arc<Outline>>,
}

impl PartialEq for Payload {
    fn eq(&self, other: &Payload) -> bool {
        (self.format, &self.bytes) == (other.format, &other.bytes)
    }
}

impl Eq for Payload {}

/// A value that could not be encoded or decoded.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{problem}")]
pub struct PayloadError {
    problem: String,
}

impl PayloadError {
    pub(crate) fn new(problem: impl fmt::Display) -> PayloadError {
        PayloadError {
            problem: problem.to_string(),
        }
    }
}

/// Payloads longer than this get a buffer of their own instead of a slice of the shared one,
/// which they would keep alive.
const SHARED_ENCODING: usize = 4 * 1024;

thread_local! {
    /// Where a payload is encoded before its length is known.
    static SCRATCH: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };

    /// Small payloads share one buffer, which is reused once they are dropped: no allocation for each
    /// answer.
    static ENCODED: Cell<BytesMut> = Cell::new(BytesMut::new());
}

impl Payload {
    /// A payload of encoded bytes. They are not checked: invalid bytes make an invalid frame.
    pub fn new(format: Format, bytes: impl Into<Bytes>) -> Payload {
        Payload {
            format,
            bytes: bytes.into(),
            outline: None,
        }
    }

    /// A payload of JSON text, which is checked.
    ///
    /// # Errors
    /// The text is not one JSON value.
    pub fn from_json(text: impl Into<String>) -> Result<Payload, PayloadError> {
        let text = text.into();
        json::check(text.as_bytes(), MAX_DEPTH).map_err(PayloadError::new)?;
        Ok(Payload::new(Format::Json, text))
    }

    /// Encodes a value.
    ///
    /// # Errors
    /// The value cannot be expressed in that format, such as a map with keys that are not strings in
    /// JSON.
    pub fn encode<T: Serialize + ?Sized>(
        format: Format,
        value: &T,
    ) -> Result<Payload, PayloadError> {
        let mut scratch = SCRATCH.take();
        scratch.clear();
        let written = match format {
            Format::Json => json::encode(value, &mut scratch).map_err(PayloadError::new),
            Format::Msgpack => msgpack::encode(value, &mut scratch).map_err(PayloadError::new),
        };
        let bytes = if scratch.len() > SHARED_ENCODING {
            Bytes::from(scratch)
        } else {
            let mut encoded = ENCODED.take();
            if encoded.capacity() < scratch.len() {
                encoded.reserve(SHARED_ENCODING);
            }
            encoded.extend_from_slice(&scratch);
            let bytes = encoded.split().freeze();
            ENCODED.set(encoded);
            SCRATCH.set(scratch);
            bytes
        };
        written.map(|()| Payload::new(format, bytes))
    }

    /// Decodes the value.
    ///
    /// # Errors
    /// The value does not fit `T`; the text says where, and quotes the beginning.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, PayloadError> {
        self.decode_borrowed()
    }

    /// Decodes the value into a type that borrows from this payload.
    ///
    /// # Errors
    /// As [`decode`](Payload::decode).
    pub fn decode_borrowed<'a, T: Deserialize<'a>>(&'a self) -> Result<T, PayloadError> {
        match self.format {
            Format::Json => serde_json::from_slice(&self.bytes).map_err(|error| self.unfit(error)),
            Format::Msgpack => msgpack::decode(&self.bytes).map_err(|error| self.unfit(error)),
        }
    }

    /// Decodes a value that may hold secrets.
    ///
    /// # Errors
    /// The value does not fit `T`. The text says where and what was expected, and quotes nothing
    /// of the value.
    pub fn decode_private<T: DeserializeOwned>(&self) -> Result<T, PayloadError> {
        match self.format {
            Format::Json => serde_json::from_slice(&self.bytes).map_err(unquoted),
            Format::Msgpack => msgpack::decode(&self.bytes).map_err(unquoted),
        }
    }

    fn unfit(&self, error: impl fmt::Display) -> PayloadError {
        PayloadError::new(format_args!("{error} in {}", Quote::of(&self.bytes)))
    }

    /// JSON `null`, msgpack nil.
    pub fn null(format: Format) -> Payload {
        Payload::new(
            format,
            match format {
                Format::Json => &b"null"[..],
                Format::Msgpack => &b"\xc0"[..],
            },
        )
    }

    /// Whether this is JSON `null` or msgpack nil.
    pub fn is_null(&self) -> bool {
        *self == Payload::null(self.format)
    }

    /// How the bytes are encoded.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The encoded bytes.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// Converts the value to another format. Values that JSON cannot express are spelled out, and
    /// read back from that spelling: `{"$binary":"aGk="}`, `{"$ext":[5,"aGk="]}`.
    ///
    /// # Errors
    /// The bytes are not valid in their own format.
    pub fn to_format(&self, format: Format) -> Result<Payload, PayloadError> {
        self.to_format_with(format, &[])
    }

    /// Like [`to_format`](Payload::to_format), with names for the ext types of msgpack:
    /// `{"$unknown":true}`.
    ///
    /// # Errors
    /// As [`to_format`](Payload::to_format).
    pub fn to_format_with(
        &self,
        format: Format,
        names: &[ExtName],
    ) -> Result<Payload, PayloadError> {
        match (self.format, format) {
            (Format::Msgpack, Format::Json) => transcode::msgpack_to_json(&self.bytes, names)
                .map(|text| Payload::new(format, text))
                .map_err(PayloadError::new),
            (Format::Json, Format::Msgpack) => transcode::json_to_msgpack(&self.bytes, names)
                .map(|bytes| Payload::new(format, bytes))
                .map_err(PayloadError::new),
            _ => Ok(self.clone()),
        }
    }
}

/// The payload is msgpack, with the same bytes.
impl From<Packed> for Payload {
    fn from(packed: Packed) -> Payload {
        Payload::new(Format::Msgpack, packed.into_bytes())
    }
}

impl fmt::Debug for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.format, Quote::of(&self.bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structs_are_maps_in_both_formats() {
        #[derive(Serialize, Deserialize, PartialEq, Debug)]
        struct Point {
            x: i64,
        }
        for format in [Format::Json, Format::Msgpack] {
            let payload = Payload::encode(format, &Point { x: -7 }).unwrap();
            assert_eq!(payload.decode::<Point>().unwrap(), Point { x: -7 });
        }
        assert_eq!(
            &Payload::encode(Format::Msgpack, &Point { x: 1 })
                .unwrap()
                .bytes()[..],
            b"\x81\xa1x\x01"
        );
    }

    #[test]
    fn a_failed_encoding_leaves_nothing_in_the_shared_buffer() {
        let unsayable = std::collections::HashMap::from([(vec![1u8], 1)]);
        assert!(Payload::encode(Format::Json, &unsayable).is_err());
        let next = Payload::encode(Format::Json, &1).unwrap();
        assert_eq!(&next.bytes()[..], b"1");
    }

    #[test]
    fn errors_quote_the_value() {
        let error = Payload::new(Format::Json, &b"{\"a\":1}"[..])
            .decode::<String>()
            .unwrap_err();
        assert!(error.to_string().contains(r#"{\"a\":1}"#), "{error}");
    }
}
