//! What the handles and the task of one connection share.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::connection::Options;
use crate::dialect::Dialect;
use crate::error::CloseReason;
use crate::evidence::Evidence;
use crate::held::HeldCell;
use crate::metrics::Depths;
use crate::outbox::Outbox;
use crate::pending::Pending;
use crate::running::Running;
use crate::state::{Phase, State};

/// What the handles and the task of one connection share.
pub(crate) struct Shared {
    pub(crate) options: Options,
    pub(crate) state: State,
    pub(crate) outbox: Outbox,
    pending: Mutex<Pending>,
    pub(crate) running: Running,
    pub(crate) held: HeldCell,
    pub(crate) evidence: Evidence,
}

impl Shared {
    pub(crate) fn new(dialect: Dialect, mut options: Options) -> Shared {
        Shared {
            state: State::new(),
            outbox: Outbox::new(dialect, &options),
            pending: Mutex::new(Pending::new(options.calls)),
            running: Running::default(),
            held: HeldCell::new(),
            evidence: Evidence::new(options.redact.take()),
            options,
        }
    }

    pub(crate) fn pending(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Moves on towards the end, and wakes the connection's task to see to it.
    pub(crate) fn advance(&self, phase: Phase) {
        self.state.advance(phase);
        match phase {
            Phase::Open | Phase::Finishing | Phase::Closing => self.outbox.wake(),
            Phase::Stopped | Phase::Ended => self.outbox.close(),
        }
    }

    /// The peer reads nothing more, so that new calls are refused. Those that wait may still be
    /// answered.
    pub(crate) fn refuse_calls(&self, reason: CloseReason) {
        self.state.lose_answers(reason);
        self.pending().refuse();
    }

    /// No answer can arrive from now on: every call fails.
    pub(crate) fn fail_calls(&self, reason: CloseReason) {
        self.state.lose_answers(reason.clone());
        self.pending().close(&reason);
    }

    /// Ends the connection, and wakes everything that waits for it.
    pub(crate) fn end(&self, reason: CloseReason) {
        if !self.state.end(reason.clone()) {
            return;
        }
        self.pending().close(&reason);
        self.running.abort_all();
        self.outbox.close();
        self.show_sent();
        if let Some(metrics) = &self.options.metrics {
            metrics.depths(&Depths::default());
        }
        self.state.announce();
    }

    /// Shows the tap what has been queued since the last time. Only the connection's task does
    /// this, so that frames are shown in order.
    pub(crate) fn show_sent(&self) {
        if let Some(tap) = &self.options.tap {
            for sent in self.outbox.take_sent() {
                tap.see(sent.seen(self.options.ext_names));
            }
        }
    }
}
