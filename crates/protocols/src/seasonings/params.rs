//! The params of a call, written member by member.

use serde::Serialize;
use tenon_rpc::{Format, Payload};
use tenon_values::{Error, Problem, Step, Value};
use tenon_wire::msgpack::{self, write};

use super::value::{Shape, encode_into};

/// Params that are being written. They are sent as an array of one map.
#[derive(Clone, Debug, Default)]
pub struct Params {
    members: Vec<u8>,
    count: usize,
}

impl Params {
    /// No params.
    pub fn new() -> Params {
        Params::default()
    }

    fn key(&mut self, name: &str) {
        write::str(&mut self.members, name.as_bytes());
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
        encode_into(value, shape, &mut self.members)
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
        write::array(&mut self.members, values.len());
        for (index, value) in values.iter().enumerate() {
            encode_into(value, shape, &mut self.members).map_err(|error| {
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
        write::map(&mut self.members, inner.count);
        self.members.extend_from_slice(&inner.members);
        self
    }

    /// With a list of other params under this name.
    #[must_use]
    pub fn maps(mut self, name: &str, list: Vec<Params>) -> Params {
        self.key(name);
        write::array(&mut self.members, list.len());
        for inner in list {
            write::map(&mut self.members, inner.count);
            self.members.extend_from_slice(&inner.members);
        }
        self
    }

    /// With anything that serde can write.
    ///
    /// # Errors
    /// It has no form in msgpack.
    pub fn member<T: Serialize + ?Sized>(mut self, name: &str, value: &T) -> Result<Params, Error> {
        self.key(name);
        msgpack::encode(value, &mut self.members)
            .map_err(|error| Error::from(Problem::Serde(error.to_string())))?;
        Ok(self)
    }

    /// With a text.
    #[must_use]
    pub fn text(mut self, name: &str, text: &str) -> Params {
        self.key(name);
        write::str(&mut self.members, text.as_bytes());
        self
    }

    /// With binary data, if there is any.
    #[must_use]
    pub fn binary(mut self, name: &str, bytes: Option<&[u8]>) -> Params {
        if let Some(bytes) = bytes {
            self.key(name);
            write::bin(&mut self.members, bytes);
        }
        self
    }

    /// The same members as the answer to a call: a map without an array around it.
    pub fn into_answer(self) -> Payload {
        Payload::new(Format::Msgpack, self.into_map())
    }

    /// With a value that is msgpack already.
    #[must_use]
    pub(super) fn packed(mut self, name: &str, packed: &[u8]) -> Params {
        self.key(name);
        self.members.extend_from_slice(packed);
        self
    }

    /// The map alone.
    pub(super) fn into_map(self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.members.len() + 5);
        write::map(&mut bytes, self.count);
        bytes.extend_from_slice(&self.members);
        bytes
    }

    /// The params as they are sent.
    pub fn into_payload(self) -> Payload {
        let mut bytes = Vec::with_capacity(self.members.len() + 6);
        write::array(&mut bytes, 1);
        write::map(&mut bytes, self.count);
        bytes.extend_from_slice(&self.members);
        Payload::new(Format::Msgpack, bytes)
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
