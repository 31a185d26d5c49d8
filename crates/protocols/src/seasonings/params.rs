//! The params of a call, written member by member.

use bytes::Bytes;
use serde::Serialize;
use tenon_rpc::{Format, Payload};
use tenon_values::{Error, Problem, Step, Value};
use tenon_wire::msgpack::{self, write};

use super::value::{Shape, encode_into};

/// Params that are being written. They are sent as an array of one map.
#[derive(Clone, Debug)]
pub struct Params {
    /// Room for the heads of the array and the map, then the members. The members may be large, and are not
    /// copied when their number is known.
    bytes: Vec<u8>,
    count: usize,
}

/// The longest heads.
const HEADS: usize = 6;

impl Default for Params {
    fn default() -> Params {
        Params {
            bytes: vec![0; HEADS],
            count: 0,
        }
    }
}

impl Params {
    /// No params.
    pub fn new() -> Params {
        Params::default()
    }

    fn key(&mut self, name: &str) {
        write::str(&mut self.bytes, name.as_bytes());
        self.count += 1;
    }

    /// With a value, by its type or schema.
    ///
    /// # Errors
    /// It does not fit, or something in it is marked.
    pub fn value<'a>(
        mut self,
        name: &str,
        value: &Value,
        shape: impl Into<Shape<'a>>,
    ) -> Result<Params, Error> {
        self.key(name);
        encode_into(value, shape, &mut self.bytes)
            .map_err(|error| error.below(Step::Attribute(name.into())))?;
        Ok(self)
    }

    /// With a list of values of one type, each written by it.
    ///
    /// # Errors
    /// As for [`value`](Params::value).
    pub fn values<'a>(
        mut self,
        name: &str,
        values: &[Value],
        shape: impl Into<Shape<'a>>,
    ) -> Result<Params, Error> {
        let shape = shape.into();
        self.key(name);
        write::array(&mut self.bytes, values.len());
        for (index, value) in values.iter().enumerate() {
            encode_into(value, shape, &mut self.bytes).map_err(|error| {
                error
                    .below(Step::Index(index))
                    .below(Step::Attribute(name.into()))
            })?;
        }
        Ok(self)
    }

    /// With other params under this name.
    #[must_use]
    pub fn map(mut self, name: &str, inner: Params) -> Params {
        self.key(name);
        write::map(&mut self.bytes, inner.count);
        self.bytes.extend_from_slice(&inner.bytes[HEADS..]);
        self
    }

    /// With a list of other params under this name.
    #[must_use]
    pub fn maps(mut self, name: &str, list: Vec<Params>) -> Params {
        self.key(name);
        write::array(&mut self.bytes, list.len());
        for inner in list {
            write::map(&mut self.bytes, inner.count);
            self.bytes.extend_from_slice(&inner.bytes[HEADS..]);
        }
        self
    }

    /// With anything that serde can write.
    ///
    /// # Errors
    /// It has no form in msgpack.
    pub fn member<T: Serialize + ?Sized>(mut self, name: &str, value: &T) -> Result<Params, Error> {
        self.key(name);
        msgpack::encode(value, &mut self.bytes)
            .map_err(|error| Error::from(Problem::Serde(error.to_string())))?;
        Ok(self)
    }

    /// With a text.
    #[must_use]
    pub fn text(mut self, name: &str, text: &str) -> Params {
        self.key(name);
        write::str(&mut self.bytes, text.as_bytes());
        self
    }

    /// With binary data, if there is any.
    #[must_use]
    pub fn binary(mut self, name: &str, bytes: Option<&[u8]>) -> Params {
        if let Some(bytes) = bytes {
            self.key(name);
            write::bin(&mut self.bytes, bytes);
        }
        self
    }

    /// The same members as the answer to a call: a map without an array around it.
    pub fn into_answer(self) -> Payload {
        let count = self.count;
        self.finish(|head| write::map(head, count))
    }

    /// With a value that is msgpack already.
    #[must_use]
    pub(super) fn packed(mut self, name: &str, packed: &[u8]) -> Params {
        self.key(name);
        self.bytes.extend_from_slice(packed);
        self
    }

    /// The params as they are sent.
    pub fn into_payload(self) -> Payload {
        let count = self.count;
        self.finish(|head| {
            write::array(head, 1);
            write::map(head, count);
        })
    }

    /// Puts the heads that `write` writes before the members.
    fn finish(mut self, write: impl FnOnce(&mut &mut [u8])) -> Payload {
        let mut heads = [0; HEADS];
        let mut rest = &mut heads[..];
        write(&mut rest);
        let start = rest.len();
        self.bytes[start..HEADS].copy_from_slice(&heads[..HEADS - start]);
        Payload::new(Format::Msgpack, Bytes::from(self.bytes).slice(start..))
    }
}

#[cfg(test)]
mod tests {
    use tenon_values::Type;

    use super::*;

    #[test]
    fn params_are_one_map_in_an_array() {
        let params = Params::new()
            .text("type", "t")
            .value("a", &Value::unknown(Type::String), &Type::String)
            .unwrap()
            .binary("private", Some(b"p"))
            .binary("other", None);
        let expected = b"\x91\x83\xa4type\xa1t\xa1a\xd4\x00\x00\xa7private\xc4\x01p";
        assert_eq!(params.clone().into_answer().bytes(), &expected[1..]);
        assert_eq!(params.into_payload().bytes(), &expected[..]);
        assert_eq!(Params::new().into_payload().bytes(), &b"\x91\x80"[..]);
    }
}
