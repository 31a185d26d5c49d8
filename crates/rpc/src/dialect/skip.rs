//! Skips a frame that exceeds a limit.

use bytes::{Buf, Bytes, BytesMut};
use tenon_wire::msgpack::{self, Reader, Token};

use super::framing::Framing;
use super::skim::Skimmer;
use super::{Dialect, Frame, Limits, MalformedKind, content_length};
use crate::error::{DialectError, Quote};
use crate::message::Id;

/// A frame that is skipped. It is reported as soon as its id and kind are known.
#[derive(Debug)]
pub(super) struct Skip {
    dialect: Dialect,
    rest: Rest,
    /// The first bytes.
    start: Bytes,
    problem: String,
    is_reported: bool,
    size: u64,
    /// Why the end cannot be found.
    broken: Option<DialectError>,
}

/// Where the frame ends.
#[derive(Debug)]
enum Rest {
    Line(Skimmer),
    Bytes(Skimmer, usize),
    Msgpack(msgpack::Skipper, Head),
}

/// The first bytes of a message in msgpack: its id stands there, before whatever is too long.
#[derive(Debug, Default)]
struct Head(Vec<u8>);

impl Skip {
    /// Begins at the start of a frame, with the error that says which limit it exceeds.
    pub(super) fn start(
        dialect: Dialect,
        limits: &Limits,
        error: DialectError,
        buffer: &mut BytesMut,
    ) -> Result<Skip, DialectError> {
        let (known, rest) = match dialect.framing() {
            Framing::Lines => (limits.frame, Rest::Line(Skimmer::default())),
            Framing::Headers => match content_length::size(buffer) {
                Some((headers, all)) => (headers, Rest::Bytes(Skimmer::default(), all - headers)),
                None => return Err(error),
            },
            Framing::Arrays => {
                let rest = Rest::Msgpack(msgpack::Skipper::default(), Head::default());
                (0, rest)
            }
        };
        let start = Bytes::copy_from_slice(&buffer[..known.min(Quote::KEPT)]);
        if let Rest::Bytes(..) = rest {
            buffer.advance(known);
        }
        Ok(Skip {
            dialect,
            start,
            problem: error.problem,
            is_reported: false,
            size: match rest {
                Rest::Bytes(..) => known as u64,
                Rest::Line(_) | Rest::Msgpack(..) => 0,
            },
            rest,
            broken: None,
        })
    }

    /// Takes what is there of the frame; `true` when that was the last of it.
    pub(super) fn advance(&mut self, buffer: &mut BytesMut) -> Result<bool, DialectError> {
        if let Some(broken) = &self.broken {
            return Err(broken.clone());
        }
        let (taken, has_ended) = match &mut self.rest {
            Rest::Line(skimmer) => {
                let end = memchr::memchr(b'\n', buffer);
                skimmer.skim(&buffer[..end.unwrap_or(buffer.len())]);
                (end.map_or(buffer.len(), |end| end + 1), end.is_some())
            }
            Rest::Bytes(skimmer, left) => {
                let taken = buffer.len().min(*left);
                skimmer.skim(&buffer[..taken]);
                *left -= taken;
                (taken, *left == 0)
            }
            Rest::Msgpack(skipper, head) => {
                match skipper.skip(buffer) {
                    Ok((taken, has_ended)) => {
                        head.add(&buffer[..taken]);
                        (taken, has_ended)
                    }
                    Err(problem) => {
                        head.add(buffer);
                        // The call that waits for it fails first.
                        self.broken = Some(DialectError::new(problem, buffer));
                        (0, false)
                    }
                }
            }
        };
        buffer.advance(taken);
        self.size += taken as u64;
        if buffer.is_empty() {
            // It may have grown as large as the limit.
            *buffer = BytesMut::new();
        }
        Ok(has_ended)
    }

    /// The bytes that were skipped so far.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// Whether its end cannot be found.
    pub(super) fn is_broken(&self) -> bool {
        self.broken.is_some()
    }

    /// The report about it, once.
    pub(super) fn report(&mut self, has_ended: bool) -> Option<Frame> {
        let (id, is_answer, is_settled) = match &self.rest {
            Rest::Line(skimmer) | Rest::Bytes(skimmer, _) => {
                (skimmer.id(), skimmer.is_answer(), skimmer.is_settled())
            }
            Rest::Msgpack(_, head) => head.read(),
        };
        let is_over = has_ended || self.broken.is_some();
        if self.is_reported || !(is_settled || is_over) {
            return None;
        }
        self.is_reported = true;
        let kind = MalformedKind::TooLong { is_answer };
        let content = (self.dialect.envelope().malformed)(id, kind, &self.problem);
        Some(Frame {
            bytes: std::mem::take(&mut self.start),
            content,
        })
    }
}

impl Head {
    /// No more is needed for a type and an id.
    const LENGTH: usize = 16;

    fn add(&mut self, bytes: &[u8]) {
        let missing = Head::LENGTH - self.0.len();
        self.0.extend_from_slice(&bytes[..bytes.len().min(missing)]);
    }

    /// The id, whether it is an answer, and whether more bytes could tell more.
    fn read(&self) -> (Option<Id>, bool, bool) {
        let mut reader = Reader::new(&self.0);
        let mut next = || reader.token();
        match (next(), next(), next()) {
            (Some(Token::Array(4)), Some(Token::Unsigned(kind @ 0..=1)), Some(token)) => {
                let id = match token {
                    Token::Unsigned(id) => u32::try_from(id).ok().map(Id::from),
                    _ => None,
                };
                let is_answer = kind == 1 && id.is_some();
                (id, is_answer, true)
            }
            _ => (None, false, self.0.len() == Head::LENGTH),
        }
    }
}
