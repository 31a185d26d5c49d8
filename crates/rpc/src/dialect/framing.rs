//! Where a frame ends, whatever it says.

use bytes::{Bytes, BytesMut};
use tenon_wire::msgpack;

use super::{Limits, arrays, content_length, lines};
use crate::error::DialectError;
use crate::payload::Payload;

/// How frames are delimited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// One on each line.
    Lines,
    /// Each behind a `Content-Length` header.
    Headers,
    /// One msgpack array after the other.
    Arrays,
}

/// How far a frame that has not all arrived has been looked at.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// Bytes of a line that hold no newline.
    line: usize,
    array: msgpack::Scanner,
}

impl Framing {
    /// Takes the next frame out of `buffer`, if it has all arrived.
    pub(super) fn cut(
        self,
        buffer: &mut BytesMut,
        progress: &mut Progress,
        limits: &Limits,
    ) -> Result<Option<Bytes>, DialectError> {
        match self {
            Framing::Lines => lines::cut(buffer, &mut progress.line, limits),
            Framing::Headers => content_length::cut(buffer, limits),
            Framing::Arrays => arrays::cut(buffer, &mut progress.array, limits),
        }
    }

    /// Completes the frame that was written from `start` on.
    pub(super) fn finish(self, start: usize, out: &mut BytesMut) {
        match self {
            Framing::Lines => lines::finish(start, out),
            Framing::Headers => content_length::finish(start, out),
            Framing::Arrays => {}
        }
    }

    /// Whether a payload can be written separately from the frame around it.
    pub(super) fn may_leave_out(self, payload: &Payload) -> bool {
        match self {
            Framing::Lines => payload.is_one_line(),
            // The length of the frame comes first.
            Framing::Headers => false,
            Framing::Arrays => true,
        }
    }

    /// What ends a last frame whose end is missing, where frames can do without it.
    pub(super) fn missing_end(self) -> Option<&'static [u8]> {
        match self {
            Framing::Lines => Some(b"\n"),
            Framing::Headers | Framing::Arrays => None,
        }
    }

    /// The message in a frame as it was written.
    pub(crate) fn body(self, frame: &[u8]) -> Option<&[u8]> {
        match self {
            Framing::Lines => Some(frame.trim_ascii_end()),
            Framing::Headers => content_length::body(frame),
            Framing::Arrays => Some(frame),
        }
    }
}
