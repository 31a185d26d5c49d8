//! From queued frames to bytes on their way.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::AsyncWrite;
use tokio::time::Sleep;

use super::{Driver, is_gone};
use crate::buffers;
use crate::error::CloseReason;
use crate::outbox::Taken;

/// Where written frames go.
pub(super) enum Output {
    Open,
    /// The output has been closed.
    Finished,
    /// The peer does not read any more. Frames are dropped, so that no sender waits for room, and what
    /// the peer sent before is read until this future completes.
    Draining(Pin<Box<Sleep>>),
}

/// How long a peer that no longer reads may still send.
pub(super) fn patience() -> Pin<Box<Sleep>> {
    const LIMIT: Duration = Duration::from_secs(1);
    Box::pin(tokio::time::sleep(LIMIT))
}

/// What is being written.
#[derive(Default)]
pub(super) struct Outgoing {
    taken: Taken,
    written: usize,
    is_unflushed: bool,
}

impl Outgoing {
    pub(super) fn is_empty(&self) -> bool {
        self.taken.bytes.is_empty()
    }

    /// How many frames are being written, and their bytes.
    pub(super) fn depth(&self) -> (usize, usize) {
        (self.taken.frames, self.taken.bytes.len() - self.written)
    }
}

impl Driver {
    /// Writes what is queued, in as few writes as the peer takes it. Tells whether something was
    /// written, and whether more could be.
    pub(super) fn write(&mut self, cx: &mut Context<'_>) -> io::Result<(bool, bool)> {
        let mut has_written = false;
        let outbox = &self.shared.outbox;
        let outgoing = &mut self.outgoing;
        // Also what cannot be written yet, so that copies of it do not pile up.
        self.shared.show_sent();
        loop {
            if outgoing.is_empty() {
                let Some(taken) = outbox.take() else {
                    break;
                };
                (outgoing.taken, outgoing.written) = (taken, 0);
                // Before it is written, or a crash in between would leave it unseen.
                self.shared.show_sent();
            }
            let rest = &outgoing.taken.bytes[outgoing.written..];
            let written = match self.output {
                Output::Draining(_) => Poll::Ready(Ok(rest.len())),
                Output::Open | Output::Finished => Pin::new(&mut self.writer).poll_write(cx, rest),
            };
            let count = match written {
                Poll::Pending => return Ok((has_written, false)),
                Poll::Ready(Ok(0)) => return Err(io::ErrorKind::WriteZero.into()),
                Poll::Ready(Ok(count)) => count,
                Poll::Ready(Err(error)) if is_gone(&error) => {
                    self.shared.refuse_calls(CloseReason::PeerClosed);
                    self.output = Output::Draining(patience());
                    rest.len()
                }
                Poll::Ready(Err(error)) => return Err(error),
            };
            has_written = true;
            outgoing.written += count;
            outgoing.is_unflushed = true;
            if outgoing.written == outgoing.taken.bytes.len() {
                let taken = std::mem::take(&mut outgoing.taken);
                outgoing.written = 0;
                outbox.written(taken.units);
                buffers::give(taken.bytes);
            }
        }
        if outgoing.is_unflushed && !matches!(self.output, Output::Draining(_)) {
            match Pin::new(&mut self.writer).poll_flush(cx) {
                Poll::Ready(Ok(())) => outgoing.is_unflushed = false,
                Poll::Ready(Err(error)) if is_gone(&error) => {}
                Poll::Ready(Err(error)) => return Err(error),
                Poll::Pending => {}
            }
        }
        Ok((has_written, true))
    }

    /// Closes the output.
    pub(super) fn finish_output(&mut self, cx: &mut Context<'_>) {
        if matches!(self.output, Output::Open)
            && Pin::new(&mut self.writer).poll_shutdown(cx).is_ready()
        {
            self.output = Output::Finished;
        }
    }
}
