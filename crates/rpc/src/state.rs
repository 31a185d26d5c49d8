//! How far the end of a connection has come, and why it ends.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::error::CloseReason;

/// The phases of a connection, in order. There is no way back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    Open,
    /// Finish what runs, then say that nothing more comes, and wait for the peer to end as well.
    Finishing,
    /// Finish what runs, then end.
    Closing,
    /// End immediately: nothing more is read or written.
    Stopped,
    /// The connection is over.
    Ended,
}

impl Phase {
    /// In the order of their numbers.
    const ALL: [Phase; 5] = [
        Phase::Open,
        Phase::Finishing,
        Phase::Closing,
        Phase::Stopped,
        Phase::Ended,
    ];
}

/// The state of one connection, and the only place that keeps the reason for its end.
pub(crate) struct State {
    phase: AtomicU8,
    /// Set as soon as answers can no longer arrive, and for good when the connection ends.
    reason: Mutex<Option<CloseReason>>,
    ended: Notify,
}

impl State {
    pub(crate) fn new() -> State {
        State {
            phase: AtomicU8::new(Phase::Open as u8),
            reason: Mutex::default(),
            ended: Notify::new(),
        }
    }

    pub(crate) fn phase(&self) -> Phase {
        Phase::ALL[usize::from(self.phase.load(Ordering::Acquire))]
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.phase() == Phase::Ended
    }

    /// Moves on to a phase, unless it has passed already.
    pub(crate) fn advance(&self, phase: Phase) {
        self.phase.fetch_max(phase as u8, Ordering::AcqRel);
    }

    fn kept(&self) -> MutexGuard<'_, Option<CloseReason>> {
        self.reason.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers can no longer arrive, although the connection stays open.
    pub(crate) fn lose_answers(&self, reason: CloseReason) {
        self.kept().get_or_insert(reason);
    }

    /// Ends the connection; `false` if it had already ended. [`announce`](State::announce) wakes those
    /// that wait for it.
    pub(crate) fn end(&self, reason: CloseReason) -> bool {
        let mut kept = self.kept();
        if self.has_ended() {
            return false;
        }
        // What ends the connection may say more than what ended the answers.
        *kept = Some(reason);
        self.advance(Phase::Ended);
        true
    }

    pub(crate) fn announce(&self) {
        self.ended.notify_waiters();
    }

    /// Why the connection ended, or a general reason if it is about to.
    pub(crate) fn reason(&self) -> CloseReason {
        self.kept().clone().unwrap_or(CloseReason::ClosedHere)
    }

    /// Waits until the connection is over.
    pub(crate) async fn closed(&self) -> CloseReason {
        let mut ended = std::pin::pin!(self.ended.notified());
        // Listening starts before looking, or an end in between would be missed.
        ended.as_mut().enable();
        if !self.has_ended() {
            ended.await;
        }
        self.reason()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passed_phase_does_not_come_back() {
        let state = State::new();
        state.advance(Phase::Closing);
        state.advance(Phase::Finishing);
        assert_eq!(state.phase(), Phase::Closing);
        assert!(state.end(CloseReason::PeerClosed));
        state.advance(Phase::Stopped);
        assert!(state.has_ended());
    }

    #[test]
    fn the_end_has_the_last_word_about_the_reason() {
        let state = State::new();
        assert!(matches!(state.reason(), CloseReason::ClosedHere));
        state.lose_answers(CloseReason::PeerClosed);
        state.lose_answers(CloseReason::ClosedHere);
        assert!(matches!(state.reason(), CloseReason::PeerClosed));
        assert!(state.end(CloseReason::ClosedHere));
        assert!(!state.end(CloseReason::PeerClosed), "it ends once");
        assert!(matches!(state.reason(), CloseReason::ClosedHere));
    }
}
