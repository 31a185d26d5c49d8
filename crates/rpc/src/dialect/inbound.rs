//! Frames that arrived, and what they hold.

use bytes::Bytes;

use crate::error::RpcError;
use crate::message::{Id, Message};

/// What a frame holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Inbound {
    /// A message.
    Message(Message),
    /// Several messages in one frame, each valid or malformed. They are answered together, in one
    /// frame, when the last answer is ready.
    Batch(Vec<Inbound>),
    /// A frame that is not a message; the stream is intact.
    Malformed(Box<Malformed>),
}

/// A frame that is not a message.
#[derive(Clone, Debug, PartialEq)]
pub struct Malformed {
    /// The id, if one could be read.
    pub id: Option<Id>,
    /// What the frame was meant to be.
    pub kind: MalformedKind,
    /// The error that answers it.
    pub error: RpcError,
}

/// What a malformed frame was meant to be, as far as it can be determined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MalformedKind {
    /// Not in the dialect's format: usually text that a plugin printed.
    Stray,
    /// An invalid request.
    Request,
    /// An invalid response.
    Response,
    /// An id and nothing else: a response without a result if a call with that id is pending, else
    /// a request without a method. Some JSON-RPC peers leave out a result that is undefined, so
    /// there the call succeeds with null; in Orchard it fails.
    Bare,
    /// A frame over a limit, of which nothing was kept but the id ([`Oversized::Skip`](super::Oversized::Skip)).
    TooLong {
        /// Whether it is an answer.
        is_answer: bool,
    },
}

/// One frame: its bytes, and what they say.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// The bytes without what separates frames (the newline, the headers).
    pub bytes: Bytes,
    /// What they say.
    pub content: Inbound,
}
