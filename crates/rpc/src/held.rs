//! Whether a peer is read.

use std::sync::atomic::{AtomicU8, Ordering};

/// Whether reading stops because what was read cannot be passed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Held {
    Not,
    /// Unless an answer to a call of ours may come, for which its handler waits. Requests are
    /// refused then.
    UnlessAsked,
    /// Whatever may come.
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

    pub(crate) fn set(&self, held: Held) {
        self.0.store(held as u8, Ordering::Release);
    }
}
