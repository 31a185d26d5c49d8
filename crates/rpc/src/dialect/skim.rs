//! Finds the id of a message that is too long to be kept, and whether it is an answer.
//!
//! The call that it answers has to fail, and the id may come after the part that is too long.

use bytes::Bytes;

use super::object;
use crate::message::Id;

/// Reads a JSON message as it arrives, and keeps only its id.
#[derive(Debug, Default)]
pub(super) struct Skimmer {
    place: Place,
    /// How many brackets are open.
    depth: usize,
    in_string: bool,
    is_escaped: bool,
    /// The name of the member being read, or the id if `collects`.
    text: Vec<u8>,
    collects: bool,
    id: Option<Id>,
    has_method: bool,
    has_outcome: bool,
}

/// Where in the message the next byte is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    /// Before the first bracket.
    #[default]
    Before,
    /// At the name of a member.
    Name,
    /// At the value of the member `id`.
    Id,
    /// At the value of another member.
    Value,
    /// Behind the last bracket, or it is not an object.
    After,
}

/// Longer names and ids are not kept.
const LONGEST: usize = 1024;

impl Skimmer {
    /// The next bytes of the message.
    pub(super) fn skim(&mut self, bytes: &[u8]) {
        let mut at = 0;
        while at < bytes.len() && self.place != Place::After {
            if self.in_string {
                at += self.skim_string(&bytes[at..]);
            } else {
                self.skim_byte(bytes[at]);
                at += 1;
            }
        }
    }

    /// Takes bytes of a string, up to its end or the next escape, and tells how many.
    fn skim_string(&mut self, bytes: &[u8]) -> usize {
        if std::mem::take(&mut self.is_escaped) {
            self.collect(&bytes[..1]);
            return 1;
        }
        let plain = memchr::memchr2(b'"', b'\\', bytes).unwrap_or(bytes.len());
        self.collect(&bytes[..plain]);
        match bytes.get(plain) {
            Some(b'"') => {
                self.in_string = false;
                if self.place == Place::Id {
                    self.collect(b"\"");
                }
            }
            Some(_) => {
                self.is_escaped = true;
                self.collect(b"\\");
            }
            None => return plain,
        }
        plain + 1
    }

    fn skim_byte(&mut self, byte: u8) {
        match (self.place, byte) {
            (Place::Before, b'{') => {
                (self.depth, self.place) = (1, Place::Name);
                self.begin();
            }
            (Place::Before, b' ' | b'\t' | b'\r' | b'\n') => {}
            (Place::Before, _) => self.place = Place::After,
            (place, b'"') => {
                self.in_string = true;
                if place == Place::Id {
                    self.collect(b"\"");
                }
            }
            (Place::Name, b':') => self.end_name(),
            (place, b'{' | b'[') => {
                self.depth += 1;
                if place == Place::Id {
                    // No id is an object or an array.
                    (self.place, self.collects) = (Place::Value, false);
                }
            }
            (_, b'}' | b']') => {
                self.depth -= 1;
                if self.depth == 0 {
                    self.end_value();
                    self.place = Place::After;
                }
            }
            (_, b',') if self.depth == 1 => {
                self.end_value();
                self.place = Place::Name;
                self.begin();
            }
            (Place::Id, byte) => self.collect(&[byte]),
            _ => {}
        }
    }

    fn begin(&mut self) {
        self.text.clear();
        self.collects = true;
    }

    fn collect(&mut self, bytes: &[u8]) {
        if self.collects && self.text.len() + bytes.len() <= LONGEST {
            self.text.extend_from_slice(bytes);
        } else {
            self.collects = false;
        }
    }

    fn end_name(&mut self) {
        self.place = Place::Value;
        match &self.text[..] {
            b"id" if self.collects => self.place = Place::Id,
            b"method" => self.has_method = true,
            b"result" | b"error" => self.has_outcome = true,
            _ => {}
        }
        self.begin();
        self.collects = self.place == Place::Id;
    }

    fn end_value(&mut self) {
        if self.place == Place::Id && self.collects {
            let text = Bytes::copy_from_slice(self.text.trim_ascii());
            let is_text = std::str::from_utf8(&text).is_ok();
            self.id = is_text.then(|| object::id(&text, 0..text.len())).flatten();
        }
    }

    /// Whether nothing that follows can tell more.
    pub(super) fn is_settled(&self) -> bool {
        let is_known = self.id.is_some() && (self.has_method || self.has_outcome);
        is_known || self.place == Place::After
    }

    /// The id, if there was one so far.
    pub(super) fn id(&self) -> Option<Id> {
        self.id.clone()
    }

    /// Whether it is an answer, as far as is known.
    pub(super) fn is_answer(&self) -> bool {
        !self.has_method && self.id.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skim(text: &str, size: usize) -> (Option<Id>, bool) {
        let mut skimmer = Skimmer::default();
        for piece in text.as_bytes().chunks(size) {
            skimmer.skim(piece);
        }
        (skimmer.id(), skimmer.is_answer())
    }

    #[test]
    fn the_id_is_found_wherever_it_stands_and_however_it_arrives() {
        for (text, id, is_answer) in [
            (
                r#"{"jsonrpc":"2.0","id":7,"result":"xx"}"#,
                Some(Id::from(7)),
                true,
            ),
            (
                r#"{"result":{"id":1,"a":[{"id":2}]}, "id" : 7 }"#,
                Some(Id::from(7)),
                true,
            ),
            (
                r#"{"result":"\",\"id\":1}","id":"a\"b"}"#,
                Some(Id::from("a\"b")),
                true,
            ),
            (
                r#"{"id":7,"error":{"code":1,"message":"}"}}"#,
                Some(Id::from(7)),
                true,
            ),
            (
                r#"{"params":["]"],"method":"m","id":7}"#,
                Some(Id::from(7)),
                false,
            ),
            (r#"{"method":"m","params":{"id":7}}"#, None, false),
            (r#"{"id":{"id":7},"result":1}"#, None, false),
            (r#"{"id":[7],"result":1}"#, None, false),
            (r#"["id",7]"#, None, false),
            ("xxxxxxx", None, false),
        ] {
            for size in [1, 2, 5, 100] {
                assert_eq!(
                    skim(text, size),
                    (id.clone(), is_answer),
                    "{text} by {size}"
                );
            }
        }
    }

    #[test]
    fn an_answer_is_known_before_its_end() {
        let mut skimmer = Skimmer::default();
        skimmer.skim(br#"{"jsonrpc":"2.0","id":3,"resu"#);
        assert!(!skimmer.is_settled());
        skimmer.skim(br#"lt":"xxxxxxxxxx"#);
        assert!(skimmer.is_settled() && skimmer.is_answer());
        let mut skimmer = Skimmer::default();
        skimmer.skim(b"not JSON");
        assert!(skimmer.is_settled() && !skimmer.is_answer());
    }
}
