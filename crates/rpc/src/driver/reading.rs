//! From bytes to frames.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::BytesMut;

use super::{Driver, is_gone};
use crate::buffers;
use crate::connection::Stray;
use crate::dialect::{Decoder, Dialect};
use crate::error::{CloseReason, DialectError, RpcError};
use crate::message::Id;
use crate::reply::ReplyTo;

/// By how much a buffer grows at least.
const GROWTH: usize = 64 * 1024;

/// Reading into less than this is not worth a system call.
const LEAST_ROOM: usize = 4 * 1024;

impl Driver {
    /// Reads once, unless there is no room for the requests in it. Tells whether something came.
    pub(super) fn read(&mut self, cx: &mut Context<'_>) -> Result<bool, CloseReason> {
        if self.is_overloaded() {
            return Ok(false);
        }
        if self.is_cut_short {
            let mut buffer = std::mem::take(&mut self.inbox);
            self.decode(&mut buffer)?;
            self.put_back(buffer);
            return Ok(true);
        }
        let Some(reader) = &mut self.reader else {
            return Ok(false);
        };
        let mut buffer = std::mem::take(&mut self.inbox);
        if buffer.is_empty() {
            buffer = buffers::take();
        } else if buffer.capacity() - buffer.len() < LEAST_ROOM {
            buffer.reserve(buffer.len().max(GROWTH));
        }
        let read = tokio_util::io::poll_read_buf(Pin::new(reader), cx, &mut buffer);
        self.inbox_is_large |= buffer.len() > buffers::KEEP;
        match read {
            Poll::Pending => {
                self.put_back(buffer);
                return Ok(false);
            }
            Poll::Ready(Ok(1..)) => {
                self.decode(&mut buffer)?;
                self.put_back(buffer);
            }
            Poll::Ready(Ok(0)) => self.end_of_input(buffer)?,
            Poll::Ready(Err(error)) if is_gone(&error) => self.end_of_input(buffer)?,
            Poll::Ready(Err(error)) => return Err(CloseReason::Io(Arc::new(error))),
        }
        Ok(true)
    }

    fn put_back(&mut self, buffer: BytesMut) {
        if !buffer.is_empty() {
            self.inbox = buffer;
        } else if !std::mem::take(&mut self.inbox_is_large) {
            buffers::give(buffer);
        }
    }

    fn end_of_input(&mut self, mut buffer: BytesMut) -> Result<(), CloseReason> {
        self.reader = None;
        if self.detecting {
            self.detect(&buffer);
        }
        loop {
            match self.decoder.finish(&mut buffer) {
                Ok(Some(frame)) => self.receive(frame)?,
                Ok(None) => break,
                Err(error) => {
                    self.end = self.broken(error);
                    if self.shared.options.stray != Stray::Answer {
                        return Err(self.end.clone());
                    }
                    // It may still read what it asked for before.
                    break;
                }
            }
        }
        // No answer can come any more.
        self.shared.pending().close(&self.end);
        Ok(())
    }

    fn decode(&mut self, buffer: &mut BytesMut) -> Result<(), CloseReason> {
        if self.detecting && !self.detect(buffer) {
            return Ok(());
        }
        // Many frames fit into one read, and each of them may cost more than its bytes.
        while !self.is_overloaded() {
            match self.decoder.decode(buffer) {
                Ok(Some(frame)) => self.receive(frame)?,
                Ok(None) => {
                    self.is_cut_short = false;
                    return Ok(());
                }
                Err(error) => return Err(self.broken(error)),
            }
        }
        self.is_cut_short = true;
        Ok(())
    }

    /// Finds out which dialect the peer speaks; `false` while its bytes do not tell.
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
        self.detecting = false;
        self.decoder = Decoder::new(dialect, options.limits);
        self.shared.outbox.set_dialect(dialect);
        true
    }

    /// The stream cannot be trusted any more. The peer is told, where its protocol has answers
    /// without a call.
    fn broken(&mut self, mut error: DialectError) -> CloseReason {
        error.quote = self.shared.redacted(error.quote);
        if self.shared.options.stray == Stray::Answer {
            let rpc_error = RpcError::invalid_request(error.to_string());
            self.reply(ReplyTo::new(Id::Null, None), Err(rpc_error));
        }
        self.shared.keep_stray(error.quote.clone());
        CloseReason::BrokenStream(Arc::new(error))
    }
}
