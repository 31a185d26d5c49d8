//! What is in a large JSON value, found when its frame was read: a proxy need not read megabytes again to find a path.

use std::ops::Range;
use std::sync::Arc;

use tenon_wire::json::{JsonError, Scanner};

use super::Payload;

/// The places of the name, without its quotes, and of the value of a member.
pub(crate) type Place = (Range<usize>, Range<usize>);

/// The members of a JSON object.
#[derive(Debug)]
pub(crate) struct Outline {
    /// The object in its frame.
    place: Range<usize>,
    /// Their places in the object; nothing if there are too many.
    members: Option<Vec<Place>>,
    has_line_breaks: bool,
}

impl Outline {
    /// Frames from this size on have one.
    pub(crate) const LEAST: usize = 64 * 1024;

    /// An outline must not take more memory than what it saves: an object may have a million members.
    const MOST: usize = 64;

    /// Takes the object that the scanner is at. Returns its place as well.
    pub(crate) fn of_object(
        scanner: &mut Scanner<'_>,
    ) -> Result<(Range<usize>, Outline), JsonError> {
        let start = scanner.at();
        let within = |place: Range<usize>| place.start - start..place.end - start;
        let mut members = Vec::new();
        let mut count = 0;
        scanner.object(|key, value| {
            count += 1;
            if count <= Outline::MOST {
                members.push((within(key), within(value)));
            }
        })?;
        let place = start..scanner.at();
        let outline = Outline {
            place: place.clone(),
            members: (count <= Outline::MOST).then_some(members),
            // Also if they are before the object.
            has_line_breaks: scanner.has_line_breaks(),
        };
        Ok((place, outline))
    }

    /// Whether it is that of the object at this place of the frame: of two members with one name the last counts.
    pub(crate) fn is_at(&self, place: &Range<usize>) -> bool {
        self.place == *place
    }

    pub(super) fn members(&self) -> Option<&[Place]> {
        self.members.as_deref()
    }
}

impl Payload {
    pub(crate) fn with_outline(mut self, outline: Option<Outline>) -> Payload {
        self.outline = outline.map(Arc::new);
        self
    }

    /// Whether the text has no line breaks. There are none inside strings, if it is valid.
    pub(crate) fn is_one_line(&self) -> bool {
        match &self.outline {
            Some(outline) if !outline.has_line_breaks => true,
            _ => memchr::memchr2(b'\n', b'\r', &self.bytes).is_none(),
        }
    }
}

#[cfg(test)]
mod tests {
    use bytes::{Bytes, BytesMut};

    use crate::dialect::{Decoder, Dialect, Inbound, Limits};
    use crate::message::{Id, Message, Request};
    use crate::payload::Payload;

    fn read(text: &str) -> Payload {
        let mut decoder = Decoder::new(Dialect::JsonRpcLines, Limits::default());
        let mut buffer = BytesMut::from(format!("{text}\n").as_bytes());
        let frame = decoder.decode(&mut buffer).unwrap().unwrap();
        match frame.content {
            Inbound::Message(Message::Request(Request { params, .. })) => params.unwrap(),
            other => panic!("{other:?}"),
        }
    }

    fn large() -> String {
        "x\\n".repeat(40_000)
    }

    #[test]
    fn the_members_of_large_params_are_those_of_a_second_look() {
        let long = large();
        let many: String = (0..100)
            .map(|number| format!(r#""m{number}":1,"#))
            .collect();
        for params in [
            format!(r#"{{"path":"/a","content":"{long}"}}"#),
            format!(r#" {{ "p\u0061th" : "/a", "content":"{long}" , "n":[1, {{}}]}} "#),
            format!(r#"{{{many}"content":"{long}"}}"#),
            format!(r#"{{"content":"{long}é"}}"#),
            format!(r#"["{long}"]"#),
        ] {
            let text = format!(r#"{{"id":1,"method":"m","params":{params},"x":1}}"#);
            let read = read(&text);
            assert_eq!(read.bytes(), params.trim());
            let plain = Payload::from_json(params.trim()).unwrap();
            assert_eq!(read, plain);
            let members = |payload: &Payload| payload.members().map_err(|error| error.to_string());
            assert_eq!(members(&read), members(&plain));
            assert_eq!(read.is_one_line(), plain.is_one_line());
        }
        let twice =
            format!(r#"{{"id":1,"method":"m","params":{{"a":"{long}"}},"params":{{"b":2}}}}"#);
        assert_eq!(read(&twice).members().unwrap()[0].0, "b", "the last counts");
        let other = format!(r#"{{"id":1,"method":"m","params":{{"a":"{long}"}},"params":[2]}}"#);
        assert!(read(&other).members().is_err());
    }

    /// What is written in three pieces is what would be written in one.
    #[test]
    fn a_large_payload_is_written_where_it_belongs() {
        let params = read(&format!(
            r#"{{"id":1,"method":"m","params":{{"a":"{}"}}}}"#,
            large()
        ));
        let message = Message::Request(Request {
            id: Id::from(7),
            method: "m".into(),
            params: Some(params.clone()),
        });
        for dialect in [
            Dialect::JsonRpcLines,
            Dialect::JsonRpcHeaders,
            Dialect::Orchard,
        ] {
            let (mut whole, mut around) = (BytesMut::new(), BytesMut::from(&b"before"[..]));
            dialect.encode(&message, &mut whole).unwrap();
            let left_out = dialect.encode_around(&message, &mut around, 1000).unwrap();
            let is_left_out = dialect == Dialect::JsonRpcLines;
            assert_eq!(left_out.is_some(), is_left_out, "{dialect}");
            let (place, payload) = left_out.unwrap_or((6, Bytes::new()));
            let written = [&around[6..place], &payload, &around[place..]].concat();
            assert_eq!(written, whole, "{dialect}");
        }
        // A line break would end the frame.
        let broken = Payload::from_json(format!("{{\"a\":\n\"{}\"}}", large())).unwrap();
        assert!(!broken.is_one_line());
        let message = Message::Request(Request {
            id: Id::from(7),
            method: "m".into(),
            params: Some(broken),
        });
        let mut out = BytesMut::new();
        let left_out = Dialect::JsonRpcLines.encode_around(&message, &mut out, 1000);
        assert!(left_out.unwrap().is_none());
        assert_eq!(memchr::memchr_iter(b'\n', &out).count(), 1);
    }
}
