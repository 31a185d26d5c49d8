//! The one task of a connection: reads everything that is there, starts the handlers, writes
//! everything that is queued, and sleeps.

mod handling;
mod parked;
mod reading;
mod understanding;
mod unreadable;
mod writing;

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::AsyncWrite;

use crate::dialect::{Decoder, Dialect};
use crate::error::CloseReason;
use crate::hang_up::{self, HangUp};
use crate::held::Held;
use crate::io::{Io, Writer};
use crate::metrics::Depths;
use crate::peer::Peer;
use crate::router::Service;
use crate::shared::Shared;
use crate::state::Phase;
use parked::Parked;
use reading::{Inbox, Input, Next};
use writing::{Outgoing, Output};

/// Reads before the other tasks of the thread get their turn.
const READS_IN_A_ROW: usize = 16;

pub(crate) struct Driver {
    service: Arc<dyn Service>,
    shared: Arc<Shared>,
    input: Input,
    decoder: Decoder,
    inbox: Inbox,
    /// What waits because too many requests are being handled.
    parked: Parked,
    writer: Writer,
    output: Output,
    outgoing: Outgoing,
    presence: Presence,
}

/// Whether the peer is connected. Checked when reading would not show it.
enum Presence {
    Assumed,
    Watched(HangUp),
    /// It has disconnected: no answer is needed.
    Gone,
}

impl Driver {
    pub(crate) fn new(
        io: Io,
        dialect: Dialect,
        service: Arc<dyn Service>,
        shared: Arc<Shared>,
    ) -> Driver {
        let next = match shared.options.detect.is_empty() {
            true => Next::Read,
            false => Next::Detect,
        };
        Driver {
            service,
            input: Input::Open(io.reader, next),
            decoder: Decoder::new(dialect, shared.options.limits),
            inbox: Inbox::default(),
            parked: Parked::default(),
            writer: io.writer,
            output: Output::Open,
            outgoing: Outgoing::default(),
            presence: Presence::Assumed,
            shared,
        }
    }

    fn peer(&self) -> Peer {
        Peer {
            shared: self.shared.clone(),
        }
    }

    /// One turn; `Ready` when the connection is over.
    fn turn(&mut self, cx: &mut Context<'_>) -> Poll<CloseReason> {
        let shared = self.shared.clone();
        shared.outbox.awake();
        for _ in 0..READS_IN_A_ROW {
            let phase = shared.state.phase();
            if phase >= Phase::Stopped {
                return Poll::Ready(CloseReason::ClosedHere);
            }
            self.start_parked();
            let has_read = match self.read(cx) {
                Ok(has_read) => has_read,
                Err(reason) => {
                    self.handle_last_events();
                    // Writes the reason to the peer, if it still reads.
                    let _best_effort = self.write(cx);
                    return Poll::Ready(reason);
                }
            };
            let (has_written, can_write) = match self.write(cx) {
                Ok(progress) => progress,
                Err(error) => return Poll::Ready(CloseReason::Io(Arc::new(error))),
            };
            if phase == Phase::Finishing && self.is_idle() {
                self.finish_output(cx);
            }
            let ended = match &self.input {
                Input::Open(..) => None,
                Input::Ended(reason) => Some(reason.clone()),
            };
            match ended {
                Some(reason) if self.is_idle() => return self.shut_down(cx, reason),
                Some(_) if self.has_hung_up(cx) => {
                    self.handle_last_events();
                    return Poll::Ready(CloseReason::PeerClosed);
                }
                None if phase == Phase::Closing && self.is_idle() => {
                    return self.shut_down(cx, CloseReason::ClosedHere);
                }
                Some(_) | None => {}
            }
            if self.is_overloaded() && !self.has_gone() && self.has_hung_up(cx) {
                // What it sent before it went is still to be read: there may be events.
                self.abandon();
                continue;
            }
            if let Output::Draining(patience) = &mut self.output {
                if shared.held.get() != Held::Not {
                    // It cannot be heard now, and gets its time later.
                    *patience = writing::patience();
                }
                if patience.as_mut().poll(cx).is_ready() {
                    self.handle_last_events();
                    return Poll::Ready(CloseReason::PeerClosed);
                }
            }
            let is_quiet = !has_read && !has_written;
            let is_unchanged = || shared.state.phase() == phase;
            if is_quiet && shared.outbox.sleep(cx.waker(), can_write, is_unchanged) {
                return Poll::Pending;
            }
        }
        // There may be more to do, but other tasks of this thread need their turn.
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    /// Whether everything that was asked for has been answered, and written.
    fn is_idle(&self) -> bool {
        self.parked.is_empty()
            && self.outgoing.is_empty()
            && self.shared.running.count() == 0
            && self.shared.outbox.is_empty()
    }

    fn has_gone(&self) -> bool {
        matches!(self.presence, Presence::Gone)
    }

    /// Whether the peer has disconnected while its requests are handled.
    fn has_hung_up(&mut self, cx: &mut Context<'_>) -> bool {
        if let Presence::Assumed = self.presence
            && let Some(hang_up) = hang_up::watch(&self.writer)
        {
            self.presence = Presence::Watched(hang_up);
        }
        if let Presence::Watched(hang_up) = &mut self.presence
            && hang_up.as_mut().poll(cx).is_ready()
        {
            self.presence = Presence::Gone;
        }
        self.has_gone()
    }

    fn shut_down(&mut self, cx: &mut Context<'_>, reason: CloseReason) -> Poll<CloseReason> {
        match Pin::new(&mut self.writer).poll_shutdown(cx) {
            Poll::Ready(_) => Poll::Ready(reason),
            Poll::Pending => Poll::Pending,
        }
    }

    fn report_depths(&self) {
        if let Some(metrics) = &self.shared.options.metrics {
            let (frames, bytes) = self.shared.outbox.depth();
            let (written_frames, written_bytes) = self.outgoing.depth();
            metrics.depths(&Depths {
                queued_frames: frames + written_frames,
                queued_bytes: bytes + written_bytes,
                running: self.shared.running.count(),
                waiting: self.parked.len(),
                pending: self.shared.pending().len(),
            });
        }
    }
}

impl Future for Driver {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        match self.turn(cx) {
            Poll::Ready(reason) => {
                self.shared.end(reason);
                Poll::Ready(())
            }
            Poll::Pending => {
                self.report_depths();
                Poll::Pending
            }
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // If it has not ended by itself.
        self.shared.end(CloseReason::ClosedHere);
    }
}

/// Whether an error means that the peer is no longer there.
fn is_gone(error: &io::Error) -> bool {
    /// An error of Windows that the standard library has no name for.
    const PIPE_NOT_CONNECTED: i32 = 233;
    matches!(
        error.kind(),
        io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset | io::ErrorKind::NotConnected
    ) || cfg!(windows) && error.raw_os_error() == Some(PIPE_NOT_CONNECTED)
}
