//! Looking into a payload without decoding it.

use std::collections::HashSet;
use std::ops::Range;

use bytes::BytesMut;
use tenon_wire::json::{self, JsonError, MAX_DEPTH, Scanner};
use tenon_wire::msgpack::{Reader, Token};

use super::outline::Place;
use super::{Format, Payload, PayloadError};
use crate::dialect;
use crate::message::Text;

impl Payload {
    /// The members of a map: names and values, in their order. The values are slices of this payload,
    /// not copies, and are not decoded; escapes in JSON names are decoded.
    ///
    /// ```
    /// use tenon_rpc::{Format, Payload};
    ///
    /// let params = Payload::new(Format::Msgpack, &b"\x82\xa1a\x01\xa1b\xd4\x00\x00"[..]);
    /// let members = params.members()?;
    /// assert_eq!(members[1].0, "b");
    /// assert_eq!(&members[1].1.bytes()[..], b"\xd4\x00\x00");
    /// # Ok::<(), tenon_rpc::PayloadError>(())
    /// ```
    ///
    /// # Errors
    /// The value is not a map, a name is not a string or is a duplicate, or the bytes are not exactly
    /// one value.
    pub fn members(&self) -> Result<Vec<(Text, Payload)>, PayloadError> {
        let members = match self.format {
            Format::Json => self.json_members()?,
            Format::Msgpack => self.msgpack_members()?,
        };
        let mut names = HashSet::with_capacity(members.len());
        let twice = members
            .iter()
            .find(|(name, _)| !names.insert(name.as_bytes()));
        match twice {
            Some((name, _)) => Err(PayloadError::new(format_args!(
                "duplicate key {name:?} in a map"
            ))),
            None => Ok(members),
        }
    }

    fn json_members(&self) -> Result<Vec<(Text, Payload)>, PayloadError> {
        let places = match self.outline.as_ref().and_then(|outline| outline.members()) {
            Some(known) => known.to_vec(),
            None => self.find_members().map_err(PayloadError::new)?,
        };
        let members = places.into_iter().map(|(key, value)| {
            let name = match self.bytes[key.clone()].contains(&b'\\') {
                false => Text::from_utf8(self.bytes.slice(key)),
                true => json::unescape(&self.bytes[key]).map(Text::from),
            };
            let name =
                name.ok_or_else(|| PayloadError::new("a key of the map is not valid Unicode"))?;
            Ok((name, self.slice(value)))
        });
        members.collect()
    }

    /// The places of the names and values of an object.
    fn find_members(&self) -> Result<Vec<Place>, JsonError> {
        json::check_utf8(&self.bytes)?;
        let mut scanner = Scanner::new(&self.bytes, MAX_DEPTH);
        let mut places = Vec::new();
        scanner.object(|key, value| places.push((key, value)))?;
        scanner.end()?;
        Ok(places)
    }

    fn msgpack_members(&self) -> Result<Vec<(Text, Payload)>, PayloadError> {
        let cut_short = || PayloadError::new("cut short, or not msgpack");
        let mut reader = Reader::new(&self.bytes);
        let Token::Map(count) = reader.token().ok_or_else(cut_short)? else {
            return Err(PayloadError::new("expected a map"));
        };
        // The count is what the sender says; it is not allocated from.
        let mut members = Vec::new();
        for _ in 0..count {
            let name = match reader.token().ok_or_else(cut_short)? {
                Token::Str(name) => Text::from_utf8(self.bytes.slice_ref(name))
                    .ok_or_else(|| PayloadError::new("a key of the map is not valid UTF-8"))?,
                _ => return Err(PayloadError::new("a key of the map is not a string")),
            };
            let value = reader.skip().ok_or_else(cut_short)?;
            members.push((name, self.slice(value)));
        }
        match reader.position() == self.bytes.len() {
            true => Ok(members),
            false => Err(PayloadError::new("unexpected bytes after the map")),
        }
    }

    fn slice(&self, place: Range<usize>) -> Payload {
        Payload::new(self.format, self.bytes.slice(place))
    }

    /// Whether the value is an array.
    pub(crate) fn is_array(&self) -> bool {
        match self.format {
            Format::Json => Scanner::new(&self.bytes, 1).peek() == Some(b'['),
            Format::Msgpack => matches!(Reader::new(&self.bytes).token(), Some(Token::Array(_))),
        }
    }

    /// Looks into an array of at most one element.
    pub(crate) fn elements(&self) -> Elements {
        let only = match self.format {
            Format::Json => {
                let mut scanner = Scanner::new(&self.bytes, MAX_DEPTH);
                if !scanner.take(b'[') {
                    return Elements::Other;
                }
                if scanner.take(b']') {
                    return Elements::None;
                }
                match scanner.value() {
                    Ok(only) if scanner.take(b']') => only,
                    _ => return Elements::Other,
                }
            }
            Format::Msgpack => {
                let mut reader = Reader::new(&self.bytes);
                match reader.token() {
                    Some(Token::Array(0)) => return Elements::None,
                    Some(Token::Array(1)) => reader.position()..self.bytes.len(),
                    _ => return Elements::Other,
                }
            }
        };
        Elements::One(self.slice(only))
    }

    /// The member of a JSON object at this path, with its exact bytes. Of members with the same name
    /// the last counts.
    pub fn member(&self, path: &[&str]) -> Option<Payload> {
        let place = self.places(path)?.pop()?;
        Some(self.slice(place))
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

    /// Where the members at this path are, in their order; `None` if there are none.
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
}

/// What an array of at most one element holds.
pub(crate) enum Elements {
    None,
    One(Payload),
    /// More than one element, or not an array.
    Other,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Payload {
        Payload::new(Format::Json, text.to_owned())
    }

    fn msgpack(bytes: &'static [u8]) -> Payload {
        Payload::new(Format::Msgpack, bytes)
    }

    #[test]
    fn a_map_is_split_without_a_copy() {
        let object = json(r#" { "a" : [1, 2.50] ,"p\u0061th\n":{"t":null},"":"x" } "#);
        let map =
            msgpack(b"\xde\x00\x03\xa1a\x92\x01\xcb\0\0\0\0\0\0\0\0\xd9\x05path\n\xd4\0\0\xa0\xc0");
        for (payload, names, values) in [
            (
                &object,
                ["a", "path\n", ""],
                [&b"[1, 2.50]"[..], b"{\"t\":null}", b"\"x\""],
            ),
            (
                &map,
                ["a", "path\n", ""],
                [&b"\x92\x01\xcb\0\0\0\0\0\0\0\0"[..], b"\xd4\0\0", b"\xc0"],
            ),
        ] {
            let members = payload.members().unwrap();
            let whole = payload.bytes().as_ptr_range();
            for ((name, value), (expected_name, expected)) in
                members.iter().zip(names.into_iter().zip(values))
            {
                assert_eq!(*name, expected_name);
                assert_eq!(value.bytes(), expected);
                assert!(whole.contains(&value.bytes().as_ptr()), "it is a slice");
            }
            assert_eq!(members.len(), 3);
        }
        assert_eq!(json(" {} ").members().unwrap(), []);
        assert_eq!(msgpack(b"\x80").members().unwrap(), []);
    }

    #[test]
    fn what_is_not_a_map_of_names_says_so() {
        for (payload, problem) in [
            (json("[1]"), "expected an object"),
            (
                json(r#"{"a":1,"\u0061":2}"#),
                r#"duplicate key "a" in a map"#,
            ),
            (json(r#"{"\ud800":1}"#), "not valid Unicode"),
            (json(r#"{"a":1} x"#), "unexpected text after the value"),
            (json(r#"{"a":"#), "unexpected end"),
            (msgpack(b"\x91\x80"), "expected a map"),
            (
                msgpack(b"\x82\xa1a\x01\xa1a\x02"),
                r#"duplicate key "a" in a map"#,
            ),
            (msgpack(b"\x81\x01\x02"), "not a string"),
            (msgpack(b"\x81\xc4\x01a\x02"), "not a string"),
            (msgpack(b"\x81\xa1\xff\x02"), "not valid UTF-8"),
            (msgpack(b"\x82\xa1a\x01"), "cut short"),
            (msgpack(b"\xdf\xff\xff\xff\xff"), "cut short"),
            (msgpack(b"\x80\x80"), "unexpected bytes"),
        ] {
            let error = payload.members().unwrap_err().to_string();
            assert!(error.contains(problem), "{payload:?}: {error}");
        }
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
}
