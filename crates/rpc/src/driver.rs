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

use bytes::BytesMut;
use tokio::io::AsyncWrite;
use tokio::time::Sleep;

use crate::dialect::{Decoder, Dialect};
use crate::error::CloseReason;
use crate::hang_up::{self, HangUp};
use crate::held::Held;
use crate::io::{Io, Reader, Writer};
use crate::outbox::State;
use crate::peer::{Peer, Shared};
use crate::router::Service;

/// Reads before the other tasks of the thread get their turn.
const READS_IN_A_ROW: usize = 16;

pub(crate) struct Driver {
    /// `None` once the peer has closed its side.
    reader: Option<Reader>,
    writer: Writer,
    service: Arc<dyn Service>,
    shared: Arc<Shared>,
    decoder: Decoder,
    detecting: bool,
    /// The beginning of a frame whose end has not arrived. Empty when the connection is idle.
    inbox: BytesMut,
    inbox_is_large: bool,
    outgoing: writing::Outgoing,
    /// Set when writing failed because the peer went away: from then on only its last words are
    /// read.
    last_words: Option<Pin<Box<Sleep>>>,
    /// Tells when the peer has gone altogether; looked at when reading would not show it.
    hang_up: Option<HangUp>,
    has_gone: bool,
    /// Whether the peer has been told that nothing more comes.
    has_finished: bool,
    /// Whether there are whole frames in the inbox, for which there was no room.
    is_cut_short: bool,
    parked: parked::Parked,
    /// Whether the last thing the peer said was an error about no call in particular.
    has_complained: bool,
    /// How the peer's side of the stream ended.
    end: CloseReason,
    reason: CloseReason,
}

impl Driver {
    pub(crate) fn new(
        io: Io,
        dialect: Dialect,
        service: Arc<dyn Service>,
        shared: Arc<Shared>,
    ) -> Driver {
        Driver {
            reader: Some(io.reader),
            writer: io.writer,
            service,
            decoder: Decoder::new(dialect, shared.options.limits),
            detecting: !shared.options.detect.is_empty(),
            inbox: BytesMut::new(),
            inbox_is_large: false,
            outgoing: writing::Outgoing::default(),
            last_words: None,
            hang_up: None,
            has_gone: false,
            has_finished: false,
            is_cut_short: false,
            parked: parked::Parked::default(),
            has_complained: false,
            end: CloseReason::PeerClosed,
            reason: CloseReason::ClosedHere,
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
            let state = shared.outbox.state();
            if state == State::Closed {
                return Poll::Ready(CloseReason::ClosedHere);
            }
            self.start_parked();
            let has_read = match self.read(cx) {
                Ok(has_read) => has_read,
                Err(reason) => {
                    self.handle_last_events();
                    // Tells the peer why, if it still listens.
                    let _best_effort = self.write(cx);
                    return Poll::Ready(reason);
                }
            };
            let (has_written, can_write) = match self.write(cx) {
                Ok(progress) => progress,
                Err(error) => return Poll::Ready(CloseReason::Io(Arc::new(error))),
            };
            if state == State::Finishing && !self.has_finished && self.is_idle() {
                self.has_finished = Pin::new(&mut self.writer).poll_shutdown(cx).is_ready();
            }
            let is_ending = state == State::Closing || self.reader.is_none();
            if is_ending && self.is_idle() {
                return self.shut_down(cx);
            }
            if self.reader.is_none() && self.has_hung_up(cx) {
                self.handle_last_events();
                return Poll::Ready(CloseReason::PeerClosed);
            }
            if self.is_overloaded() && !self.has_gone && self.has_hung_up(cx) {
                // What it sent before it went is still to be read: there may be events.
                self.abandon();
                continue;
            }
            if self.last_words.is_some() && shared.held.get() != Held::Not {
                // It cannot be heard now, and gets its time later.
                self.last_words = Some(writing::last_words());
            }
            if let Some(end) = &mut self.last_words
                && end.as_mut().poll(cx).is_ready()
            {
                self.handle_last_events();
                return Poll::Ready(CloseReason::PeerClosed);
            }
            let is_quiet = !has_read && !has_written;
            if is_quiet && shared.outbox.sleep(cx.waker(), state, can_write) {
                return Poll::Pending;
            }
        }
        // There may be more, but others on this thread want their turn as well.
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    /// Whether everything that was asked for has been answered, and written.
    fn is_idle(&self) -> bool {
        self.parked.is_empty()
            && self.outgoing.frames.is_empty()
            && self.shared.running.count() == 0
            && self.shared.outbox.is_empty()
    }

    /// Whether the peer has gone while we still work for it.
    fn has_hung_up(&mut self, cx: &mut Context<'_>) -> bool {
        if !self.has_gone {
            self.hang_up = self.hang_up.take().or_else(|| hang_up::watch(&self.writer));
            let hang_up = self.hang_up.as_mut();
            self.has_gone = hang_up.is_some_and(|hang_up| hang_up.as_mut().poll(cx).is_ready());
        }
        self.has_gone
    }

    fn shut_down(&mut self, cx: &mut Context<'_>) -> Poll<CloseReason> {
        let reason = match self.reader {
            Some(_) => CloseReason::ClosedHere,
            None => self.end.clone(),
        };
        match Pin::new(&mut self.writer).poll_shutdown(cx) {
            Poll::Ready(_) => Poll::Ready(reason),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl Future for Driver {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        match self.turn(cx) {
            Poll::Ready(reason) => {
                self.reason = reason;
                Poll::Ready(())
            }
            Poll::Pending => Poll::Pending,
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.shared.end(self.reason.clone());
    }
}

/// Whether an error means that the peer is no longer there.
fn is_gone(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset | io::ErrorKind::NotConnected
    )
}
