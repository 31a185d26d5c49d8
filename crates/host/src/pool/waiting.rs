//! A call that waits for a process, and when another one is started for it.

use std::hash::Hash;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::Pool;
use super::table::{Place, Unwanted};
use crate::error::PluginError;

/// A call that waits for a process.
pub(super) struct Waiting<'a, K: Clone + Eq + Hash, T> {
    pool: &'a Pool<K, T>,
    key: &'a K,
    /// How many calls a process takes at a time, if that is known before one is started.
    capacity: Option<NonZeroUsize>,
    arrived: Instant,
    /// How many starts had failed when the call came.
    failures: usize,
}

/// What a call does for which no process has room.
pub(super) enum Next<T> {
    /// It starts one, which has been counted already; others may have to go for it. The start is
    /// given up when the token is cancelled.
    Start(CancellationToken, Unwanted<T>),
    /// It waits for a change, or until this time.
    Wait(Option<Instant>),
    Fail(Arc<PluginError>),
}

/// Whether another process should be started.
enum Want {
    /// Now, or at this time.
    Process(Option<Instant>),
    Nothing,
    Failure(Arc<PluginError>),
}

impl<'a, K: Clone + Eq + Hash, T> Waiting<'a, K, T> {
    pub(super) fn new(
        pool: &'a Pool<K, T>,
        key: &'a K,
        capacity: Option<NonZeroUsize>,
    ) -> Waiting<'a, K, T> {
        let mut table = pool.table();
        let place = table.place(key);
        place.waiting += 1;
        let failures = place.failures;
        drop(table);
        Waiting {
            pool,
            key,
            capacity,
            arrived: Instant::now(),
            failures,
        }
    }

    pub(super) fn next(&self) -> Next<T> {
        let limits = &self.pool.0.limits;
        // Decided and counted in one go, or two calls would start what one of them needs.
        let mut table = self.pool.table();
        match self.want(table.place(self.key), limits.patience) {
            Want::Failure(error) => Next::Fail(error),
            Want::Nothing => Next::Wait(None),
            Want::Process(when) => {
                if let Some(later) = when.filter(|when| *when > Instant::now()) {
                    return Next::Wait(Some(later));
                }
                let (has_room, evicted) = table.reserve(Some(self.key), limits.processes);
                if !has_room {
                    return Next::Wait(None);
                }
                table.place(self.key).starting += 1;
                Next::Start(table.starts.clone(), evicted)
            }
        }
    }

    fn want(&self, place: &Place<T>, patience: Duration) -> Want {
        if place.has_nobody() {
            return match &place.last_failure {
                // Each of a hundred calls would wait for a start of its own that fails as well.
                Some(failure) if place.failures > self.failures => Want::Failure(failure.clone()),
                _ => Want::Process(None),
            };
        }
        let learned = place.learned;
        match self.capacity.or(learned.map(|learned| learned.capacity)) {
            // The process that is being started will say how many calls it takes.
            None => Want::Nothing,
            Some(capacity) if place.starting * capacity.get() >= place.waiting => Want::Nothing,
            // At most twice as many in one go. On a busy machine all calls wait for long, and starting a
            // process for each of them would make it busier.
            Some(_) if learned.is_some() && place.starting >= place.running() => Want::Nothing,
            Some(_) => Want::Process(Some(match learned {
                // No call could be served before the first process was ready.
                Some(learned) => self.arrived.max(learned.at) + patience.max(learned.took),
                None => self.arrived + patience,
            })),
        }
    }
}

impl<K: Clone + Eq + Hash, T> Drop for Waiting<'_, K, T> {
    fn drop(&mut self) {
        self.pool.table().place(self.key).waiting -= 1;
    }
}
