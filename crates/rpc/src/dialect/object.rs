//! The members of a JSON message, found in place: look at which are there, then decide.

use std::ops::Range;

use bytes::{BufMut, Bytes, BytesMut};
use tenon_wire::json::{self, JsonError, Scanner};

use crate::message::{Id, Text};
use crate::payload::{Format, Outline, Payload, PayloadError};

/// Where the members of one message are.
#[derive(Default)]
pub(super) struct Members {
    pub(super) jsonrpc: Option<Range<usize>>,
    pub(super) id: Option<Range<usize>>,
    pub(super) method: Option<Range<usize>>,
    pub(super) params: Option<Range<usize>>,
    pub(super) result: Option<Range<usize>>,
    pub(super) error: Option<Range<usize>>,
    /// What is in the params or the result of a large message.
    pub(super) outline: Option<Outline>,
}

impl Members {
    /// Finds the members in the object that the scanner is at. The last of duplicates wins, and
    /// unknown members are skipped.
    pub(super) fn find(frame: &[u8], scanner: &mut Scanner<'_>) -> Result<Members, JsonError> {
        let mut found = Members::default();
        if frame.len() >= Outline::LEAST {
            return found.find_large(frame, scanner).map(|()| found);
        }
        scanner.object(|key, value| found.put(&frame[key], value))?;
        Ok(found)
    }

    /// The same, with an outline of the params or the result.
    fn find_large(&mut self, frame: &[u8], scanner: &mut Scanner<'_>) -> Result<(), JsonError> {
        scanner.object_with(|scanner, key| {
            let key = &frame[key];
            let value = match (key, scanner.peek()) {
                (b"params" | b"result", Some(b'{')) => {
                    let (place, outline) = Outline::of_object(scanner)?;
                    self.outline = Some(outline);
                    place
                }
                _ => scanner.value()?,
            };
            self.put(key, value);
            Ok(())
        })
    }

    fn put(&mut self, key: &[u8], value: Range<usize>) {
        if let Some(place) = self.place(key) {
            *place = Some(value);
        } else if key.contains(&b'\\')
            && let Some(name) = json::unescape(key)
            && let Some(place) = self.place(name.as_bytes())
        {
            *place = Some(value);
        }
    }

    /// Whether there is anything that only an answer has.
    pub(super) fn is_answer(&self) -> bool {
        self.result.is_some() || self.error.is_some()
    }

    fn place(&mut self, name: &[u8]) -> Option<&mut Option<Range<usize>>> {
        match name {
            b"jsonrpc" => Some(&mut self.jsonrpc),
            b"id" => Some(&mut self.id),
            b"method" => Some(&mut self.method),
            b"params" => Some(&mut self.params),
            b"result" => Some(&mut self.result),
            b"error" => Some(&mut self.error),
            _ => None,
        }
    }
}

/// Hands out the names, free of escapes, and the places of the members of an object.
pub(crate) fn members(
    frame: &[u8],
    scanner: &mut Scanner<'_>,
    mut member: impl FnMut(&[u8], Range<usize>),
) -> Result<(), JsonError> {
    scanner.object(|key, value| {
        let key = &frame[key];
        if !key.contains(&b'\\') {
            member(key, value);
        } else if let Some(name) = json::unescape(key) {
            member(name.as_bytes(), value);
        }
    })
}

/// The payload at `place`.
pub(super) fn payload(frame: &Bytes, place: Range<usize>) -> Payload {
    Payload::new(Format::Json, frame.slice(place))
}

/// The same, with what is known of its content.
pub(super) fn outlined(frame: &Bytes, place: Range<usize>, outline: Option<Outline>) -> Payload {
    let outline = outline.filter(|outline| outline.is_at(&place));
    payload(frame, place).with_outline(outline)
}

/// The payload at `place`, where absent and `null` mean the same.
pub(super) fn optional_payload(
    frame: &Bytes,
    place: Option<Range<usize>>,
    outline: Option<Outline>,
) -> Option<Payload> {
    let place = place?;
    (&frame[place.clone()] != b"null").then(|| outlined(frame, place, outline))
}

/// Checks that what the scanner has walked over is UTF-8, which most text is by being ASCII.
pub(super) fn check_utf8(walked: &[u8], scanner: &Scanner<'_>) -> Result<(), JsonError> {
    match scanner.is_ascii() {
        true => Ok(()),
        false => json::check_utf8(walked),
    }
}

/// The text of the string at `place`, if there is a string, and it is UTF-8.
pub(super) fn text(frame: &Bytes, place: Range<usize>) -> Option<Text> {
    let [b'"', inner @ .., b'"'] = &frame[place.clone()] else {
        return None;
    };
    if inner.contains(&b'\\') {
        return json::unescape(inner).map(Text::from);
    }
    Text::from_utf8(frame.slice(place.start + 1..place.end - 1))
}

/// The id at `place`, if what is there can be an id.
pub(super) fn id(frame: &Bytes, place: Range<usize>) -> Option<Id> {
    let bytes = &frame[place.clone()];
    match bytes.first()? {
        b'n' => Some(Id::Null),
        b'"' => text(frame, place).map(Id::Text),
        b'-' | b'0'..=b'9' => match integer(bytes) {
            Some(number) => Some(Id::Number(number)),
            None => Text::from_utf8(frame.slice(place)).map(Id::Verbatim),
        },
        _ => None,
    }
}

/// The number that `bytes` write, if it is an integer that is written back the same.
fn integer(bytes: &[u8]) -> Option<i64> {
    /// So many digits always fit.
    const SHORT: usize = 18;
    if bytes.len() <= SHORT && bytes.iter().all(u8::is_ascii_digit) {
        return Some(
            bytes
                .iter()
                .fold(0, |n, &digit| n * 10 + i64::from(digit - b'0')),
        );
    }
    let text = std::str::from_utf8(bytes).ok()?;
    text.parse().ok().filter(|_| text != "-0")
}

/// Writes an id.
pub(super) fn write_id(out: &mut BytesMut, id: &Id) {
    match id {
        Id::Null => out.put_slice(b"null"),
        Id::Number(number) => out.put_slice(itoa::Buffer::new().format(*number).as_bytes()),
        Id::Text(text) => json::write_string(out, text),
        Id::Verbatim(number) => out.put_slice(number.as_bytes()),
    }
}

/// Writes a payload, which must be JSON.
pub(super) fn write_payload(out: &mut BytesMut, payload: &Payload) -> Result<(), PayloadError> {
    check_format(payload)?;
    out.put_slice(payload.bytes());
    Ok(())
}

/// A payload has to be JSON.
pub(super) fn check_format(payload: &Payload) -> Result<(), PayloadError> {
    match payload.format() {
        Format::Json => Ok(()),
        Format::Msgpack => Err(PayloadError::new(
            "the payload is msgpack, the dialect is JSON",
        )),
    }
}
