//! Sees every frame both ways, at the boundary of the dialect.

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
}

/// What a frame says.
#[derive(Clone, Copy, Debug)]
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

/// Sees every frame both ways: logging, recording, inspecting. A connection without a tap pays
/// nothing for it.
///
/// It is called while the connection works: it must not block, and it cannot change anything.
/// Outgoing frames are shown under the lock of the queue, so a tap must not send.
pub trait Tap: Send + Sync + 'static {
    /// Called for each frame.
    fn see(&self, seen: Seen<'_>);
}

impl<F: Fn(Seen<'_>) + Send + Sync + 'static> Tap for F {
    fn see(&self, seen: Seen<'_>) {
        self(seen);
    }
}
