//! From queued frames to bytes on their way.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::AsyncWrite;
use tokio::time::Sleep;

use super::{Driver, is_gone};
use crate::buffers;
use crate::error::CloseReason;
use crate::io::Writer;
use crate::outbox::Taken;

/// Where written frames go.
pub(super) enum Output {
    Open,
    /// The output has been closed.
    Finished,
    /// The peer no longer reads. Frames are dropped, so that no sender waits for room, and what
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
    /// How many of the bytes have been written, and how many of the first large payload after them.
    written: usize,
    payload_written: usize,
    is_unflushed: bool,
}

impl Outgoing {
    pub(super) fn is_empty(&self) -> bool {
        self.taken.bytes.is_empty()
    }

    /// How many frames are being written, and their bytes.
    pub(super) fn depth(&self) -> (usize, usize) {
        let written = self.written + self.payload_written;
        (self.taken.frames, self.taken.size() - written)
    }

    /// What comes next: bytes, and a large payload after them.
    fn rest(&self) -> (&[u8], &[u8]) {
        let Taken {
            bytes, payloads, ..
        } = &self.taken;
        match payloads.front() {
            None => (&bytes[self.written..], &[]),
            Some((before, payload)) => (
                &bytes[self.written..*before],
                &payload[self.payload_written..],
            ),
        }
    }

    /// So much of that has been written. Returns whether it was all there is.
    fn advance(&mut self, count: usize) -> bool {
        let (bytes, payload) = self.rest();
        let of_bytes = count.min(bytes.len());
        let of_payload = count - of_bytes;
        if of_payload == payload.len() {
            self.taken.payloads.pop_front();
            self.payload_written = 0;
        } else {
            self.payload_written += of_payload;
        }
        self.written += of_bytes;
        self.written == self.taken.bytes.len() && self.taken.payloads.is_empty()
    }
}

/// Writes the beginning of two pieces.
fn poll_write(
    writer: &mut Writer,
    cx: &mut Context<'_>,
    (first, second): (&[u8], &[u8]),
) -> Poll<io::Result<usize>> {
    let writer = Pin::new(writer);
    match (first, second) {
        (one, []) | ([], one) => writer.poll_write(cx, one),
        (first, second) => {
            let pieces = [first, second].map(IoSlice::new);
            writer.poll_write_vectored(cx, &pieces)
        }
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
                outgoing.taken = taken;
                // Before it is written, or a crash in between would leave it unseen.
                self.shared.show_sent();
            }
            let rest = outgoing.rest();
            let all = rest.0.len() + rest.1.len();
            let written = match self.output {
                Output::Draining(_) => Poll::Ready(Ok(all)),
                Output::Open | Output::Finished => poll_write(&mut self.writer, cx, rest),
            };
            let count = match written {
                Poll::Pending => return Ok((has_written, false)),
                Poll::Ready(Ok(0)) => return Err(io::ErrorKind::WriteZero.into()),
                Poll::Ready(Ok(count)) => count,
                Poll::Ready(Err(error)) if is_gone(&error) => {
                    self.shared.refuse_calls(CloseReason::PeerClosed);
                    self.output = Output::Draining(patience());
                    all
                }
                Poll::Ready(Err(error)) => return Err(error),
            };
            has_written = true;
            outgoing.is_unflushed = true;
            if outgoing.advance(count) {
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
