//! An event for many peers, encoded once for each dialect among them.

use std::sync::OnceLock;

use bytes::{Bytes, BytesMut};
use tenon_wire::transcode::ExtName;

use crate::dialect::Dialect;
use crate::message::{Event, Message, Text};
use crate::payload::{Payload, PayloadError};

/// An event that goes to many peers with [`Peer::offer`](crate::Peer::offer). If their dialects have
/// different formats, their connections have the same [`ext_names`](crate::Options::ext_names).
#[derive(Debug)]
pub struct Prepared {
    event: Event,
    frames: [OnceLock<Result<Bytes, PayloadError>>; Dialect::ALL.len()],
}

/// Why an event was not queued.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Refused {
    /// The peer reads too slowly: its queue is full.
    #[error("the queue of the peer is full")]
    Full,
    /// The connection has ended.
    #[error("the connection has ended")]
    Closed,
    /// The peer's dialect cannot express it.
    #[error("the event could not be encoded: {0}")]
    Unsendable(#[source] PayloadError),
}

impl Prepared {
    /// An event with params that are already encoded.
    pub fn new(method: impl Into<Text>, params: Option<Payload>) -> Prepared {
        let method = method.into();
        Prepared {
            event: Event { method, params },
            frames: [const { OnceLock::new() }; Dialect::ALL.len()],
        }
    }

    /// About how many bytes it takes.
    pub fn size(&self) -> usize {
        let params = self.event.params.as_ref();
        self.event.method.len() + params.map_or(0, |params| params.bytes().len())
    }

    pub(crate) fn event(&self) -> &Event {
        &self.event
    }

    /// The event as one dialect writes it, with the ext names of the first peer that has it.
    pub(crate) fn frame(
        &self,
        dialect: Dialect,
        ext_names: &[ExtName],
    ) -> Result<&Bytes, PayloadError> {
        let frame = &self.frames[dialect as usize];
        let frame = frame.get_or_init(|| self.encode(dialect, ext_names));
        frame.as_ref().map_err(Clone::clone)
    }

    fn encode(&self, dialect: Dialect, ext_names: &[ExtName]) -> Result<Bytes, PayloadError> {
        let params = self.event.params.as_ref();
        let params = params.map(|params| params.to_format_with(dialect.format(), ext_names));
        let event = Event {
            method: self.event.method.clone(),
            params: params.transpose()?,
        };
        /// Room for the envelope, or a header, as well.
        const ENVELOPE: usize = 64;
        let mut frame = BytesMut::with_capacity(self.size() + ENVELOPE);
        dialect.encode(&Message::Event(event), &mut frame)?;
        Ok(frame.freeze())
    }
}
