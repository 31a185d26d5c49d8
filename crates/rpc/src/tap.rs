//! Sees every frame both ways, at the boundary of the dialect.

use bytes::Bytes;
use tenon_wire::transcode::ExtName;

use crate::dialect::{Dialect, Inbound};
use crate::message::{Message, Response};

/// Which way a frame goes, seen from this side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// From the peer to us.
    In,
    /// From us to the peer.
    Out,
}

/// A frame on its way.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// Which way it goes.
    pub direction: Direction,
    /// How it is written.
    pub dialect: Dialect,
    /// Its exact bytes. Those of outgoing frames include what separates frames.
    pub bytes: &'a [u8],
    /// What it says.
    pub content: Content<'a>,
    /// [`Options::ext_names`](crate::Options::ext_names) of the connection.
    pub ext_names: &'static [ExtName],
}

/// What a frame says.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Content<'a> {
    /// It came in.
    Inbound(&'a Inbound),
    /// It goes out.
    Outbound(&'a Message),
    /// The answers to a batch go out.
    Answers(&'a [Response]),
    /// A batch of calls and events goes out.
    Calls(&'a [Message]),
}

/// Sees every frame both ways, for logging, recording and inspecting. It costs nothing where it is not
/// used.
///
/// It is called by the connection's task, with no lock held: an incoming frame is shown before it is
/// handled, an outgoing one before its first byte is written, each direction in order. Frames that
/// are queued when the connection ends are shown as well, although they never went out.
///
/// A tap cannot change anything, and must not block for longer than it takes to write to a file:
/// the connection, and everything else on its thread, waits. A tap that may block has to pass frames to
/// a thread of its own.
pub trait Tap: Send + Sync + 'static {
    /// Called for each frame.
    fn see(&self, seen: Seen<'_>);

    /// Called when an incoming frame over the limit has ended ([`Oversized::Skip`](crate::options::Oversized::Skip)), with its
    /// size in bytes. The frame itself is seen before or after that, as malformed and with its first bytes alone.
    fn skipped(&self, size: u64) {
        let _unused = size;
    }

    /// Whether it wants to see the frames of a direction. Those that go out are kept for it, as copies, until they are
    /// shown.
    fn watches(&self, direction: Direction) -> bool {
        let _both = direction;
        true
    }
}

/// A frame that was queued, kept until it is shown.
pub(crate) struct Sent {
    pub(crate) dialect: Dialect,
    pub(crate) bytes: Bytes,
    pub(crate) said: Said,
}

/// What a frame says that goes out.
pub(crate) enum Said {
    Message(Message),
    Answers(Vec<Response>),
    Calls(Vec<Message>),
}

impl Sent {
    pub(crate) fn seen(&self, ext_names: &'static [ExtName]) -> Seen<'_> {
        Seen {
            direction: Direction::Out,
            dialect: self.dialect,
            bytes: &self.bytes,
            content: match &self.said {
                Said::Message(message) => Content::Outbound(message),
                Said::Answers(responses) => Content::Answers(responses),
                Said::Calls(messages) => Content::Calls(messages),
            },
            ext_names,
        }
    }
}

impl<F: Fn(Seen<'_>) + Send + Sync + 'static> Tap for F {
    fn see(&self, seen: Seen<'_>) {
        self(seen);
    }
}
