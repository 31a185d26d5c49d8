//! Messages: requests, responses and events.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use bytes::Bytes;

use crate::error::RpcError;
use crate::payload::Payload;

/// A message from one peer to the other.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// Is answered with exactly one [`Response`] with the same id.
    Request(Request),
    /// Answers a [`Request`].
    Response(Response),
    /// Is not answered. JSON-RPC calls it a notification.
    Event(Event),
}

impl Message {
    /// The params or the result.
    pub(crate) fn payload(&self) -> Option<&Payload> {
        match self {
            Message::Request(request) => request.params.as_ref(),
            Message::Event(event) => event.params.as_ref(),
            Message::Response(response) => response.result.as_ref().ok(),
        }
    }
}

/// A call that must be answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Chosen by the caller and echoed in the answer.
    pub id: Id,
    /// The name of the method.
    pub method: Text,
    /// The arguments, still encoded; `None` when the caller sent none.
    pub params: Option<Payload>,
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// The id of the request.
    pub id: Id,
    /// The outcome, still encoded. Errors are boxed: they are rare, and large for what moves so
    /// often.
    pub result: Result<Payload, Box<RpcError>>,
}

/// A message that is not answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The name of the event.
    pub method: Text,
    /// The arguments, still encoded; `None` when the sender sent none.
    pub params: Option<Payload>,
}

/// The id of a request.
///
/// `92` and `"92"` are different ids, and they print differently.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Id {
    /// JSON `null`: the call is answered, but the caller cannot match the answer to it.
    Null,
    /// An integer.
    Number(i64),
    /// A string.
    Text(Text),
    /// A JSON number that is not an `i64` (`18446744073709551615`, `1.5`, `-0`, `1e3`), kept as its
    /// text so that it goes back exactly as it came.
    Verbatim(Text),
}

impl Id {
    /// How many bytes of the peer's input it keeps in memory.
    pub(crate) fn size(&self) -> usize {
        match self {
            Id::Null | Id::Number(_) => 0,
            Id::Text(text) | Id::Verbatim(text) => text.len(),
        }
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Id::Null => f.write_str("null"),
            Id::Number(number) => number.fmt(f),
            Id::Text(text) => write!(f, "{:?}", &**text),
            Id::Verbatim(text) => f.write_str(text),
        }
    }
}

impl From<u32> for Id {
    fn from(number: u32) -> Id {
        Id::Number(number.into())
    }
}

impl From<&str> for Id {
    fn from(text: &str) -> Id {
        Id::Text(text.into())
    }
}

/// Text that may be a slice of the frame it arrived in: cloning never copies.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct Text(Bytes);

impl Text {
    /// Text that lives as long as the program.
    pub const fn from_static(text: &'static str) -> Text {
        Text(Bytes::from_static(text.as_bytes()))
    }

    /// Text from bytes, if they are UTF-8.
    #[inline]
    pub fn from_utf8(bytes: Bytes) -> Option<Text> {
        (bytes.is_ascii() || std::str::from_utf8(&bytes).is_ok()).then_some(Text(bytes))
    }

    /// The bytes of the text.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// How many bytes the text has.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text itself.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).expect("all constructors accept only UTF-8")
    }
}

impl Deref for Text {
    type Target = str;
    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Text {
        Text(Bytes::copy_from_slice(text.as_bytes()))
    }
}

impl From<String> for Text {
    fn from(text: String) -> Text {
        Text(Bytes::from(text))
    }
}

impl From<Cow<'_, str>> for Text {
    fn from(text: Cow<'_, str>) -> Text {
        Text::from(text.into_owned())
    }
}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        self.0 == other.as_bytes()
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        self.0 == other.as_bytes()
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn look_alike_ids_print_differently() {
        let shown: Vec<String> = [
            Id::from(92),
            Id::from("92"),
            Id::Verbatim("92.0".into()),
            Id::Null,
        ]
        .iter()
        .map(Id::to_string)
        .collect();
        assert_eq!(shown, ["92", "\"92\"", "92.0", "null"]);
    }

    #[test]
    fn only_utf8_is_text() {
        let text = |bytes: &'static [u8]| Text::from_utf8(Bytes::from_static(bytes));
        assert_eq!(text("é".as_bytes()).expect("UTF-8"), "é");
        assert_eq!(text(b"caf\xe9"), None);
    }
}
