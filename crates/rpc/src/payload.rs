//! An encoded value that nobody has decoded yet.

use std::cell::Cell;
use std::fmt;
use std::ops::Range;

use bytes::{Bytes, BytesMut};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::dialect;
use crate::error::Quote;
use tenon_wire::json::{self, MAX_DEPTH, Scanner};
use tenon_wire::transcode;

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
/// It is decoded once, into the type that wants it. What passes through (a proxy, a tap, a
/// recorder) sees the exact bytes, so nothing is lost that a value tree could not hold.
#[derive(Clone, PartialEq, Eq)]
pub struct Payload {
    format: Format,
    bytes: Bytes,
}

/// What an array of at most one element holds.
pub(crate) enum Elements {
    None,
    One(Payload),
    /// More than one element, or no array.
    Other,
}

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

    /// Small payloads stand one after the other in one buffer, which is used again once they are
    /// gone: no allocation for each answer.
    static ENCODED: Cell<BytesMut> = Cell::new(BytesMut::new());
}

impl Payload {
    /// Bytes that are already encoded. They are trusted: wrong ones make a wrong frame.
    pub fn new(format: Format, bytes: impl Into<Bytes>) -> Payload {
        Payload {
            format,
            bytes: bytes.into(),
        }
    }

    /// JSON text, checked.
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
    /// The value has no form in that format (a map with keys that are no strings in JSON, say).
    pub fn encode<T: Serialize + ?Sized>(
        format: Format,
        value: &T,
    ) -> Result<Payload, PayloadError> {
        let mut scratch = SCRATCH.take();
        scratch.clear();
        let written = match format {
            Format::Json => serde_json::to_writer(&mut scratch, value).map_err(PayloadError::new),
            Format::Msgpack => value
                .serialize(&mut rmp_serde::Serializer::new(&mut scratch).with_struct_map())
                .map_err(PayloadError::new),
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
        written.map(|()| Payload { format, bytes })
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
            Format::Msgpack => {
                rmp_serde::from_slice(&self.bytes).map_err(|error| self.unfit(error))
            }
        }
    }

    /// Decodes a value that may hold secrets.
    ///
    /// # Errors
    /// The value does not fit `T`. The text says where and what was expected, and quotes nothing
    /// of the value.
    pub fn decode_private<T: DeserializeOwned>(&self) -> Result<T, PayloadError> {
        match self.format {
            Format::Json => serde_json::from_slice(&self.bytes)
                .map_err(|error| PayloadError::new(without_value(&error.to_string()))),
            Format::Msgpack => rmp_serde::from_slice(&self.bytes)
                .map_err(|error| PayloadError::new(without_value(&error.to_string()))),
        }
    }

    fn unfit(&self, error: impl fmt::Display) -> PayloadError {
        PayloadError::new(format_args!("{error} in {}", Quote::of(&self.bytes)))
    }

    /// The value that stands for nothing.
    pub fn null(format: Format) -> Payload {
        Payload::new(
            format,
            match format {
                Format::Json => &b"null"[..],
                Format::Msgpack => &b"\xc0"[..],
            },
        )
    }

    /// Whether this is the value that stands for nothing.
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

    /// Looks into an array of at most one element.
    pub(crate) fn elements(&self) -> Elements {
        let only = match self.format {
            Format::Json => {
                let mut places = Vec::new();
                let scanned =
                    Scanner::new(&self.bytes, MAX_DEPTH).array(|place| places.push(place));
                match (scanned, places.pop()) {
                    (Ok(()), None) => return Elements::None,
                    (Ok(()), Some(only)) if places.is_empty() => only,
                    _ => return Elements::Other,
                }
            }
            Format::Msgpack => match &self.bytes[..] {
                [0x90] => return Elements::None,
                [0x91, ..] => 1..self.bytes.len(),
                _ => return Elements::Other,
            },
        };
        Elements::One(Payload::new(self.format, self.bytes.slice(only)))
    }

    /// The member of a JSON object at this path: its bytes, as they stand there. Of members with the
    /// same name the last counts.
    pub fn member(&self, path: &[&str]) -> Option<Payload> {
        let place = self.places(path)?.pop()?;
        Some(Payload::new(self.format, self.bytes.slice(place)))
    }

    /// The same JSON object with another value for the member at this path, if it has one. Every
    /// other byte stays as it is.
    pub fn with_member(&self, path: &[&str], value: &[u8]) -> Option<Payload> {
        let places = self.places(path)?;
        let mut bytes = BytesMut::with_capacity(self.bytes.len() + value.len());
        let mut from = 0;
        // All of them: some readers take the first of members with the same name.
        for place in places {
            bytes.extend_from_slice(&self.bytes[from..place.start]);
            bytes.extend_from_slice(value);
            from = place.end;
        }
        bytes.extend_from_slice(&self.bytes[from..]);
        Some(Payload::new(self.format, bytes))
    }

    /// Where the members at this path are, in the order in which they stand there; `None` if there
    /// are none.
    fn places(&self, path: &[&str]) -> Option<Vec<Range<usize>>> {
        let whole = 0..self.bytes.len();
        let mut places = Vec::from([whole]);
        if self.format != Format::Json {
            return None;
        }
        for name in path {
            let mut found = Vec::new();
            for object in places {
                let bytes = self.bytes.slice(object.clone());
                let mut scanner = Scanner::new(&bytes, MAX_DEPTH);
                let member = |key: &[u8], value: Range<usize>| {
                    if key == name.as_bytes() {
                        found.push(object.start + value.start..object.start + value.end);
                    }
                };
                // What is not an object has no members.
                let _not_an_object = dialect::members(&bytes, &mut scanner, member);
            }
            places = found;
        }
        (!places.is_empty()).then_some(places)
    }

    /// The same value in another format. What JSON has no form for is spelled out, and read back
    /// from that spelling: `{"$binary":"aGk="}`, `{"$ext":[5,"aGk="]}`, `{"$unknown":true}`.
    ///
    /// # Errors
    /// The bytes are not valid in their own format.
    pub fn to_format(&self, format: Format) -> Result<Payload, PayloadError> {
        match (self.format, format) {
            (Format::Msgpack, Format::Json) => transcode::msgpack_to_json(&self.bytes)
                .map(|text| Payload::new(format, text))
                .map_err(PayloadError::new),
            (Format::Json, Format::Msgpack) => transcode::json_to_msgpack(&self.bytes)
                .map(|bytes| Payload::new(format, bytes))
                .map_err(PayloadError::new),
            _ => Ok(self.clone()),
        }
    }
}

impl fmt::Debug for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.format, Quote::of(&self.bytes))
    }
}

/// An error of serde without the value that it quotes: `invalid type: string "hunter2", expected
/// u64` becomes `invalid type: string, expected u64`. What was expected comes from the type that
/// was to be decoded, so the last `, expected ` is the one that ends the value.
fn without_value(error: &str) -> String {
    let quoting = ["invalid type: ", "invalid value: ", "unknown variant "];
    let found = quoting.iter().find(|start| error.starts_with(**start));
    let (Some(start), Some(end)) = (found, error.rfind(", expected ")) else {
        return error.to_owned();
    };
    // `string "..."`, `integer `5``: the kind comes before the value, if there is one.
    let found = error.get(start.len()..end).unwrap_or_default();
    let kind = found.split(['"', '`']).next().unwrap_or_default();
    format!(
        "{}{}",
        format_args!("{start}{kind}").to_string().trim_end(),
        &error[end..]
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_private_value_is_not_quoted() {
        #[derive(Deserialize, Debug)]
        #[serde(rename_all = "snake_case")]
        enum Mode {
            Fast,
        }
        #[derive(Deserialize, Debug)]
        #[expect(dead_code, reason = "only what does not fit is of interest")]
        struct Params {
            port: u16,
            mode: Option<Mode>,
        }
        let rows = [
            (
                r#"{"port":"hunter2"}"#,
                "invalid type: string, expected u16 at line 1 column 17",
            ),
            (
                r#"{"port":"a, expected \"hunter2\""}"#,
                "invalid type: string, expected u16 at line 1 column 33",
            ),
            (
                r#"{"port":4242424}"#,
                "invalid value: integer, expected u16 at line 1 column 15",
            ),
            (
                r#"{"port":1,"mode":"hunter2"}"#,
                "unknown variant, expected `fast` at line 1 column 26",
            ),
            (
                r#"["hunter2"]"#,
                "invalid type: string, expected u16 at line 1 column 10",
            ),
            ("{}", "missing field `port` at line 1 column 2"),
        ];
        for (json, expected) in rows {
            let payload = Payload::new(Format::Json, json);
            let error = payload.decode_private::<Params>().unwrap_err();
            assert_eq!(error.to_string(), expected, "{json}");
            let msgpack = payload.to_format(Format::Msgpack).unwrap();
            let error = msgpack.decode_private::<Params>().unwrap_err().to_string();
            assert!(
                !error.contains("hunter2") && !error.contains("4242424"),
                "{error}"
            );
        }
    }

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
    fn a_member_is_replaced_and_nothing_else() {
        let params = |text: &str| Payload::from_json(text).unwrap();
        let text = r#" { "a" : [1, 2.50] , "m":{"t" :  "x" ,"u":1e2}, "t":7} "#;
        let object = params(text);
        assert_eq!(object.member(&["m", "t"]).unwrap().bytes(), "\"x\"");
        assert_eq!(object.member(&["t"]).unwrap().bytes(), "7");
        let replaced = object.with_member(&["m", "t"], b"99").unwrap();
        assert_eq!(replaced.bytes(), &text.replace("\"x\"", "99"));
        for (text, path) in [("[1]", "t"), ("1", "t"), (r#"{"u":1}"#, "t")] {
            assert!(params(text).member(&[path]).is_none());
            assert!(params(text).with_member(&[path], b"1").is_none());
        }
        let twice = params(r#"{"t":1,"\u0074":2}"#);
        assert_eq!(
            twice.member(&["t"]).unwrap().bytes(),
            "2",
            "the last counts"
        );
        let replaced = twice.with_member(&["t"], b"3").unwrap();
        assert_eq!(replaced.bytes(), r#"{"t":3,"\u0074":3}"#);
    }

    #[test]
    fn what_does_not_fit_is_quoted() {
        let error = Payload::new(Format::Json, &b"{\"a\":1}"[..])
            .decode::<String>()
            .unwrap_err();
        assert!(error.to_string().contains(r#"{\"a\":1}"#), "{error}");
    }
}
