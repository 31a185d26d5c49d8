//! From bytes to frames.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::BytesMut;
use tokio::io::AsyncReadExt;

use super::{Driver, is_gone};
use crate::buffers;
use crate::connection::Stray;
use crate::dialect::{Decoder, Dialect};
use crate::error::{CloseReason, DialectError, RpcError};
use crate::io::Reader;
use crate::message::Id;
use crate::reply::ReplyTo;

/// By how much a buffer grows at least.
const GROWTH: usize = 64 * 1024;

/// Reading into less than this is not worth a system call.
const LEAST_ROOM: usize = 4 * 1024;

/// Where frames come from.
pub(super) enum Input {
    Open(Reader, Next),
    /// The peer has closed its side, for this reason.
    Ended(CloseReason),
}

/// What must be done to get the next frame.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// Detect the dialect of the peer.
    Detect,
    /// Read more: the inbox holds no whole frame.
    Read,
    /// Decode what is in the inbox: there may be whole frames, for which there was no room.
    Decode,
}

/// The beginning of a frame whose end has not arrived. Empty when the connection is idle.
#[derive(Default)]
pub(super) struct Inbox {
    buffer: BytesMut,
    /// The size of a buffer that has grown too large to be given back as others are.
    grown: Option<usize>,
}

impl Inbox {
    fn put_back(&mut self, buffer: BytesMut) {
        if !buffer.is_empty() {
            self.buffer = buffer;
            return;
        }
        match self.grown.take() {
            Some(size) => buffers::give_large(buffer, size),
            None => buffers::give(buffer),
        }
    }
}

impl Driver {
    /// Reads once, unless there is no room for the requests in it. Tells whether something came.
    pub(super) fn read(&mut self, cx: &mut Context<'_>) -> Result<bool, CloseReason> {
        if self.is_overloaded() {
            return Ok(false);
        }
        let Input::Open(reader, next) = &mut self.input else {
            return Ok(false);
        };
        let mut buffer = std::mem::take(&mut self.inbox.buffer);
        if *next == Next::Decode {
            self.decode(&mut buffer)?;
            self.inbox.put_back(buffer);
            return Ok(true);
        }
        if buffer.is_empty() {
            buffer = buffers::take();
        } else if buffer.capacity() - buffer.len() < LEAST_ROOM {
            let more = buffer.len().max(GROWTH);
            buffers::grow(&mut buffer, more);
            let size = buffer.capacity();
            self.inbox.grown = Some(size).filter(|size| *size > buffers::KEEP);
        }
        let read = pin!(reader.read_buf(&mut buffer)).poll(cx);
        match read {
            Poll::Pending => {
                self.inbox.put_back(buffer);
                return Ok(false);
            }
            Poll::Ready(Ok(1..)) => {
                if *next != Next::Detect || self.detect(&buffer) {
                    self.decode(&mut buffer)?;
                }
                self.inbox.put_back(buffer);
            }
            Poll::Ready(Ok(0)) => self.end_of_input(buffer)?,
            Poll::Ready(Err(error)) if is_gone(&error) => self.end_of_input(buffer)?,
            Poll::Ready(Err(error)) => return Err(CloseReason::Io(Arc::new(error))),
        }
        Ok(true)
    }

    fn end_of_input(&mut self, mut buffer: BytesMut) -> Result<(), CloseReason> {
        if let Input::Open(_, Next::Detect) = self.input {
            self.detect(&buffer);
        }
        let end = loop {
            let finished = self.decoder.finish(&mut buffer);
            self.show_skipped();
            match finished {
                Ok(Some(frame)) => self.receive(frame)?,
                Ok(None) => break CloseReason::PeerClosed,
                Err(error) => {
                    let end = self.broken(error);
                    if self.shared.options.stray != Stray::Answer {
                        return Err(end);
                    }
                    // It may still read what it asked for before.
                    break end;
                }
            }
        };
        self.input = Input::Ended(end.clone());
        self.shared.fail_calls(end);
        Ok(())
    }

    fn decode(&mut self, buffer: &mut BytesMut) -> Result<(), CloseReason> {
        // Many frames fit into one read, and each of them may cost more than its bytes.
        while !self.is_overloaded() {
            let decoded = self.decoder.decode(buffer);
            self.show_skipped();
            match decoded {
                Ok(Some(frame)) => self.receive(frame)?,
                Ok(None) => {
                    self.set_next(Next::Read);
                    return Ok(());
                }
                Err(error) => return Err(self.broken(error)),
            }
        }
        self.set_next(Next::Decode);
        Ok(())
    }

    /// Tells the tap how long a frame over the limit was.
    fn show_skipped(&mut self) {
        if let Some(size) = self.decoder.take_skipped()
            && let Some(tap) = &self.shared.options.tap
        {
            tap.skipped(size);
        }
    }

    fn set_next(&mut self, next: Next) {
        if let Input::Open(_, current) = &mut self.input {
            *current = next;
        }
    }

    /// Detects the dialect of the peer; `false` while its bytes do not show it.
    fn detect(&mut self, buffer: &BytesMut) -> bool {
        let options = &self.shared.options;
        let found = Dialect::detect(buffer, options.detect).or_else(|| {
            (buffer.len() > GROWTH)
                .then(|| options.detect.first().copied())
                .flatten()
        });
        let Some(dialect) = found else {
            return false;
        };
        self.decoder = Decoder::new(dialect, options.limits);
        self.shared.outbox.set_dialect(dialect);
        self.set_next(Next::Read);
        true
    }

    /// The stream cannot be decoded any further. The peer is sent an error, if its dialect has errors
    /// without a call.
    fn broken(&mut self, mut error: DialectError) -> CloseReason {
        error.quote = self.shared.evidence.redacted(error.quote);
        if self.shared.options.stray == Stray::Answer {
            let rpc_error = RpcError::invalid_request(error.to_string());
            self.reply(ReplyTo::new(Id::Null, None), Err(rpc_error));
        }
        self.shared.evidence.keep_stray(error.quote.clone());
        CloseReason::BrokenStream(Arc::new(error))
    }
}
