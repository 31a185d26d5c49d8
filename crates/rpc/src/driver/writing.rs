//! From queued frames to bytes on their way.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::BytesMut;
use tokio::io::AsyncWrite;
use tokio::time::Sleep;

use super::{Driver, is_gone};
use crate::buffers;
use crate::error::CloseReason;

/// How long a peer that no longer reads may still have something to say.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Is done when a peer that no longer reads has had its time.
pub(super) fn last_words() -> Pin<Box<Sleep>> {
    Box::pin(tokio::time::sleep(LAST_WORDS))
}

/// What is being written.
#[derive(Default)]
pub(super) struct Outgoing {
    pub(super) frames: BytesMut,
    written: usize,
    units: usize,
    unflushed: bool,
}

impl Driver {
    /// Writes what is queued, in as few writes as the peer takes it. Tells whether something was
    /// written, and whether more could be.
    pub(super) fn write(&mut self, cx: &mut Context<'_>) -> io::Result<(bool, bool)> {
        let mut has_written = false;
        let outbox = &self.shared.outbox;
        let outgoing = &mut self.outgoing;
        loop {
            if outgoing.frames.is_empty() {
                let Some((frames, units)) = outbox.take() else {
                    break;
                };
                (outgoing.frames, outgoing.units, outgoing.written) = (frames, units, 0);
            }
            let rest = &outgoing.frames[outgoing.written..];
            let written = match self.last_words {
                None => Pin::new(&mut self.writer).poll_write(cx, rest),
                // Nobody reads it any more, and nobody should wait for room because of that.
                Some(_) => Poll::Ready(Ok(rest.len())),
            };
            let count = match written {
                Poll::Pending => return Ok((has_written, false)),
                Poll::Ready(Ok(0)) => return Err(io::ErrorKind::WriteZero.into()),
                Poll::Ready(Ok(count)) => count,
                Poll::Ready(Err(error)) if is_gone(&error) => {
                    // What it said before it went is still to be read.
                    self.shared.pending().refuse(&CloseReason::PeerClosed);
                    self.last_words = Some(last_words());
                    rest.len()
                }
                Poll::Ready(Err(error)) => return Err(error),
            };
            has_written = true;
            outgoing.written += count;
            outgoing.unflushed = true;
            if outgoing.written == outgoing.frames.len() {
                outbox.written(std::mem::take(&mut outgoing.units));
                buffers::give(std::mem::take(&mut outgoing.frames));
            }
        }
        if outgoing.unflushed && self.last_words.is_none() {
            match Pin::new(&mut self.writer).poll_flush(cx) {
                Poll::Ready(Ok(())) => outgoing.unflushed = false,
                Poll::Ready(Err(error)) if is_gone(&error) => {}
                Poll::Ready(Err(error)) => return Err(error),
                Poll::Pending => {}
            }
        }
        Ok((has_written, true))
    }
}
