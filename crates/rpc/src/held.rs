//! Peers that are temporarily not read.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::shared::Shared;

/// Whether reading stops because what was read cannot be passed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Held {
    Not,
    /// Unless we wait for an answer of the peer. Requests that arrive meanwhile are refused.
    UnlessAsked,
    /// In any case.
    Entirely,
}

/// The state of one connection.
pub(crate) struct HeldCell(AtomicU8);

impl HeldCell {
    /// In the order of their numbers.
    const ALL: [Held; 3] = [Held::Not, Held::UnlessAsked, Held::Entirely];

    pub(crate) fn new() -> HeldCell {
        HeldCell(AtomicU8::new(Held::Not as u8))
    }

    pub(crate) fn get(&self) -> Held {
        HeldCell::ALL[usize::from(self.0.load(Ordering::Acquire))]
    }
}

/// A peer that is not read, until this is dropped.
pub struct Hold(Arc<Shared>);

impl Hold {
    pub(crate) fn new(shared: Arc<Shared>) -> Hold {
        let hold = Hold(shared);
        hold.unless_asked();
        hold
    }

    /// Reads on while calls of ours wait for an answer of the peer, and refuses requests instead.
    /// This is how a hold begins.
    pub fn unless_asked(&self) {
        self.set(Held::UnlessAsked);
    }

    /// Reads nothing at all.
    pub fn entirely(&self) {
        self.set(Held::Entirely);
    }

    fn set(&self, held: Held) {
        self.0.held.0.store(held as u8, Ordering::Release);
        self.0.outbox.wake();
    }
}

impl fmt::Debug for Hold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hold")
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.set(Held::Not);
    }
}
