//! What a frame says: messages in JSON or msgpack, whatever tells the frames apart.

use bytes::{Bytes, BytesMut};
use tenon_wire::json::JsonError;

use super::{Inbound, Limits, MalformedKind};
use crate::error::Codes;
use crate::message::{Id, Message};
use crate::payload::{Format, PayloadError};

/// How messages stand in their frames. Each module of an envelope has one of these.
#[derive(Debug)]
pub(crate) struct Envelope {
    /// The format of params, results and error data.
    pub(super) format: Format,
    /// Reads one frame.
    pub(super) read: fn(&Bytes, &Limits) -> Inbound,
    /// Reads the object at the start of a text, and gives its length as well: other text may follow.
    /// Absent where messages cannot be found in other text.
    pub(super) read_answer: Option<ReadAnswer>,
    /// Writes one message.
    pub(super) write: fn(&Message, &mut BytesMut) -> Result<(), PayloadError>,
    /// Writes a message without its params or its result, and gives the place where they belong. Absent where that
    /// cannot be done.
    pub(super) write_around: Option<WriteAround>,
    /// Writes several messages as one frame. Absent where that cannot be done.
    pub(super) write_batch: Option<WriteBatch>,
    /// Which forms of error codes it has.
    pub(crate) codes: Codes,
    /// Reports a frame that is not a message, with what is wrong with it.
    pub(super) malformed: fn(Option<Id>, MalformedKind, &str) -> Inbound,
    /// Whether an answer without a result has the result null.
    pub(crate) may_leave_out_result: bool,
}

pub(super) type ReadAnswer = fn(&Bytes, &Limits) -> Result<(usize, Inbound), JsonError>;

type WriteAround = fn(&Message, &mut BytesMut) -> Result<usize, PayloadError>;

type WriteBatch = fn(&mut dyn Iterator<Item = Message>, &mut BytesMut) -> Result<(), PayloadError>;
