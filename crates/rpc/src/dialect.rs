//! Bytes to messages and back. No input or output happens here.
//!
//! A dialect is a framing (where a frame ends: `framing.rs`) and an envelope (what a frame says:
//! `envelope.rs`). Nothing else depends on which dialect it is.
//!
//! A bad message is an item ([`Inbound::Malformed`]); a bad stream is an error
//! ([`DialectError`](crate::wire::DialectError)), after which nothing that follows can be trusted.

mod arrays;
mod content_length;
mod decoder;
pub(crate) mod embedded;
mod envelope;
mod framing;
mod inbound;
mod json_rpc;
mod limits;
mod lines;
mod msgpack_rpc;
mod object;
mod orchard;
mod skim;
mod skip;

use std::fmt;
use std::str::FromStr;

use bytes::{Bytes, BytesMut};
use tenon_wire::json::{self, Scanner};

use crate::message::{Id, Message, Response};
use crate::payload::{Format, PayloadError};
pub use decoder::Decoder;
use envelope::Envelope;
use framing::Framing;
pub use inbound::{Frame, Inbound, Malformed, MalformedKind};
pub use limits::{Limits, Oversized};
pub(crate) use object::members;

/// How messages are written as bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// JSON-RPC 2.0, one message on each line.
    JsonRpcLines,
    /// JSON-RPC 2.0, each message after a `Content-Length` header, as in the Language Server Protocol.
    JsonRpcHeaders,
    /// msgpack-rpc, each message an array.
    MsgpackRpc,
    /// Orchard's envelope, one message on each line.
    Orchard,
}

impl Dialect {
    /// All of them, in the order of their numbers.
    pub const ALL: [Dialect; 4] = [
        Dialect::JsonRpcLines,
        Dialect::JsonRpcHeaders,
        Dialect::MsgpackRpc,
        Dialect::Orchard,
    ];

    /// The name, as the command line has it.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::JsonRpcLines => "json-rpc",
            Dialect::JsonRpcHeaders => "json-rpc-headers",
            Dialect::MsgpackRpc => "msgpack-rpc",
            Dialect::Orchard => "orchard",
        }
    }

    /// Where a frame ends.
    pub(crate) fn framing(self) -> Framing {
        match self {
            Dialect::JsonRpcLines | Dialect::Orchard => Framing::Lines,
            Dialect::JsonRpcHeaders => Framing::Headers,
            Dialect::MsgpackRpc => Framing::Arrays,
        }
    }

    /// What a frame says.
    pub(crate) fn envelope(self) -> &'static Envelope {
        match self {
            Dialect::JsonRpcLines | Dialect::JsonRpcHeaders => &json_rpc::ENVELOPE,
            Dialect::MsgpackRpc => &msgpack_rpc::ENVELOPE,
            Dialect::Orchard => &orchard::ENVELOPE,
        }
    }

    /// The format of params, results and error data.
    pub fn format(self) -> Format {
        self.envelope().format
    }

    /// Appends one message to `out`.
    ///
    /// # Errors
    /// The dialect cannot express it: the payload has another format, or the id a type that the dialect
    /// does not have. Nothing has been appended then.
    pub fn encode(self, message: &Message, out: &mut BytesMut) -> Result<(), PayloadError> {
        self.frame(out, |out| (self.envelope().write)(message, out))
    }

    /// Like [`encode`](Dialect::encode), but params or a result of at least `large` bytes are not copied: they are
    /// returned with the place in `out` where they have to be written.
    pub(crate) fn encode_around(
        self,
        message: &Message,
        out: &mut BytesMut,
        large: usize,
    ) -> Result<Option<(usize, Bytes)>, PayloadError> {
        let payload = message.payload().filter(|payload| {
            payload.bytes().len() >= large && self.framing().may_leave_out(payload)
        });
        let (Some(payload), Some(write_around)) = (payload, self.envelope().write_around) else {
            return self.encode(message, out).map(|()| None);
        };
        let mut place = 0;
        self.frame(out, |out| {
            place = write_around(message, out)?;
            Ok(())
        })?;
        Ok(Some((place, payload.bytes().clone())))
    }

    /// Appends the answers to a batch as one frame; in a dialect without batches, one by one.
    ///
    /// # Errors
    /// As [`encode`](Dialect::encode).
    pub fn encode_batch(
        self,
        responses: Vec<Response>,
        out: &mut BytesMut,
    ) -> Result<(), PayloadError> {
        let mut messages = responses.into_iter().map(Message::Response);
        if self.has_batches() {
            return self.encode_calls(messages, out);
        }
        let start = out.len();
        let encoded = messages.try_for_each(|message| self.encode(&message, out));
        if encoded.is_err() {
            out.truncate(start);
        }
        encoded
    }

    /// Whether a frame can hold several messages.
    pub fn has_batches(self) -> bool {
        self.envelope().write_batch.is_some()
    }

    /// Appends several messages as one frame.
    ///
    /// # Errors
    /// As [`encode`](Dialect::encode), or the dialect has no batches.
    pub fn encode_calls(
        self,
        messages: impl IntoIterator<Item = Message>,
        out: &mut BytesMut,
    ) -> Result<(), PayloadError> {
        let Some(write_batch) = self.envelope().write_batch else {
            return Err(PayloadError::new(format_args!(
                "{self} does not support batches"
            )));
        };
        self.frame(out, |out| write_batch(&mut messages.into_iter(), out))
    }

    /// Makes a frame of what `write` appends. If that fails, nothing has been appended.
    fn frame(
        self,
        out: &mut BytesMut,
        write: impl FnOnce(&mut BytesMut) -> Result<(), PayloadError>,
    ) -> Result<(), PayloadError> {
        let start = out.len();
        match write(out) {
            Ok(()) => {
                self.framing().finish(start, out);
                Ok(())
            }
            Err(error) => {
                out.truncate(start);
                Err(error)
            }
        }
    }

    /// Which of `candidates` a peer speaks, by the first bytes it sent; `None` while that is not clear.
    /// If the bytes fit none of them it is the first candidate, whose decoder then reports what is
    /// wrong with them.
    pub fn detect(first: &[u8], candidates: &[Dialect]) -> Option<Dialect> {
        let is_candidate = |dialect: &Dialect| candidates.contains(dialect);
        let first = first.trim_ascii_start();
        let guess = match first.first()? {
            0x90..=0x9f | 0xdc | 0xdd => Some(Dialect::MsgpackRpc),
            b'C' | b'c' => Some(Dialect::JsonRpcHeaders),
            b'{' if is_candidate(&Dialect::Orchard) && is_candidate(&Dialect::JsonRpcLines) => {
                // Both are objects on lines; only JSON-RPC says so in each of them.
                let line = &first[..memchr::memchr(b'\n', first)?];
                Some(match memchr::memmem::find(line, b"\"jsonrpc\"") {
                    Some(_) => Dialect::JsonRpcLines,
                    None => Dialect::Orchard,
                })
            }
            b'{' if is_candidate(&Dialect::Orchard) => Some(Dialect::Orchard),
            _ => Some(Dialect::JsonRpcLines),
        };
        guess
            .filter(is_candidate)
            .or_else(|| candidates.first().copied())
    }
}

/// The id in the member `name` of a JSON object, exactly as a request with that id has it.
pub(crate) fn member_id(object: &Bytes, name: &str) -> Option<Id> {
    let mut scanner = Scanner::new(object, json::MAX_DEPTH);
    let mut found = None;
    let look = |key: &[u8], place| {
        if key == name.as_bytes() {
            found = Some(place);
        }
    };
    object::members(object, &mut scanner, look).ok()?;
    object::id(object, found?)
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is not the name of a dialect.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown dialect {0:?}; expected one of {names}", names = Dialect::ALL.map(Dialect::name).join(", "))]
pub struct UnknownDialect(
    /// The name.
    pub String,
);

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(name: &str) -> Result<Dialect, UnknownDialect> {
        Dialect::ALL
            .into_iter()
            .find(|dialect| dialect.name() == name)
            .ok_or_else(|| UnknownDialect(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bytes_tell_the_dialect() {
        let all = &Dialect::ALL;
        let detect = |bytes: &[u8]| Dialect::detect(bytes, all);
        assert_eq!(detect(b""), None);
        assert_eq!(detect(b"\r\n "), None);
        assert_eq!(detect(b"{\"jsonrpc\":\"2.0\""), None);
        assert_eq!(
            detect(b"{\"jsonrpc\":\"2.0\"}\n"),
            Some(Dialect::JsonRpcLines)
        );
        assert_eq!(detect(b"{\"id\":1}\n"), Some(Dialect::Orchard));
        assert_eq!(detect(b"[{"), Some(Dialect::JsonRpcLines));
        assert_eq!(detect(b"Content-Le"), Some(Dialect::JsonRpcHeaders));
        assert_eq!(detect(b"\x94\x00"), Some(Dialect::MsgpackRpc));
        assert_eq!(detect(b"hello"), Some(Dialect::JsonRpcLines));
    }

    #[test]
    fn only_candidates_are_detected() {
        let json = &[Dialect::JsonRpcLines, Dialect::JsonRpcHeaders];
        assert_eq!(
            Dialect::detect(b"\x94", json),
            Some(Dialect::JsonRpcLines),
            "its decoder reports the byte"
        );
        assert_eq!(Dialect::detect(b"{", json), Some(Dialect::JsonRpcLines));
        assert_eq!(
            Dialect::detect(b"{", &[Dialect::Orchard]),
            Some(Dialect::Orchard)
        );
    }

    /// The bytes of a payload are not checked, and a text is always UTF-8.
    #[test]
    fn an_id_that_is_not_utf8_is_not_an_id() {
        let id = |object: &'static [u8]| member_id(&Bytes::from_static(object), "id");
        assert_eq!(id(br#"{"id":"a"}"#), Some(Id::from("a")));
        assert_eq!(id(b"{\"id\":\"\xff\"}"), None);
    }

    #[test]
    fn names_go_both_ways() {
        for dialect in Dialect::ALL {
            assert_eq!(dialect.name().parse(), Ok(dialect));
        }
        let error = "xml".parse::<Dialect>().unwrap_err().to_string();
        assert!(error.contains("msgpack-rpc"), "{error}");
    }
}
