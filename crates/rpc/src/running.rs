//! Requests that a spawned handler is working on.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::task::AbortHandle;

use crate::ids::Ids;
use crate::message::Id;
use crate::reply::ReplyTo;
use crate::spread::Spread;

/// The running handlers of a connection.
#[derive(Default)]
pub(crate) struct Running {
    table: Mutex<Table>,
    /// How many there are, to be read without the lock.
    count: AtomicUsize,
    /// How many of them only wait for the peer to read.
    undelivered: AtomicUsize,
}

#[derive(Default)]
struct Table {
    tasks: HashMap<u32, Task, BuildHasherDefault<Spread>>,
    /// Those that can be cancelled.
    ids: Ids<u32>,
    last: u32,
}

struct Task {
    /// Where the answer goes; `None` once it has been taken, to answer.
    reply_to: Option<ReplyTo>,
    abort: Option<AbortHandle>,
}

impl Table {
    /// Takes the right to answer; the call can no longer be cancelled.
    fn claim(&mut self, key: u32) -> Option<ReplyTo> {
        let reply_to = self.tasks.get_mut(&key)?.reply_to.take()?;
        self.ids.remove(reply_to.id(), key);
        Some(reply_to)
    }
}

impl Running {
    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn count(&self) -> usize {
        self.count.load(Ordering::Acquire)
    }

    /// Whether answers wait for the peer to read those before them.
    pub(crate) fn has_undelivered(&self) -> bool {
        self.undelivered.load(Ordering::Acquire) > 0
    }

    /// An answer waits for the peer to read, until this is dropped.
    pub(crate) fn undelivered(&self) -> Undelivered<'_> {
        self.undelivered.fetch_add(1, Ordering::AcqRel);
        Undelivered(self)
    }

    /// Has to be called under the lock after each change.
    fn recount(&self, table: &Table) {
        self.count.store(table.tasks.len(), Ordering::Release);
    }

    /// Enters a handler that is about to be spawned; `reply_to` is `None` for a task that only
    /// waits to deliver an answer, which cannot be cancelled.
    pub(crate) fn enter(&self, reply_to: Option<ReplyTo>) -> u32 {
        let mut table = self.table();
        // At most a few thousand run at the same time, so a number is free long before it comes again.
        table.last = table.last.wrapping_add(1);
        let key = table.last;
        if let Some(reply_to) = &reply_to {
            table.ids.insert(reply_to.id().clone(), key);
        }
        let task = Task {
            reply_to,
            abort: None,
        };
        table.tasks.insert(key, task);
        self.recount(&table);
        key
    }

    /// Remembers how to stop the task. It may have finished in the meantime.
    pub(crate) fn spawned(&self, key: u32, abort: AbortHandle) {
        if let Some(task) = self.table().tasks.get_mut(&key) {
            task.abort = Some(abort);
        }
    }

    /// Takes the right to answer, which exists once, so that there is exactly one answer.
    pub(crate) fn claim(&self, key: u32) -> Option<ReplyTo> {
        self.table().claim(key)
    }

    /// The task is done, its answer queued.
    pub(crate) fn leave(&self, key: u32) {
        let mut table = self.table();
        table.tasks.remove(&key);
        self.recount(&table);
    }

    /// Stops the handler of the request with this id, if one runs. Of several with the same id
    /// the oldest goes.
    pub(crate) fn cancel(&self, id: &Id) -> Option<ReplyTo> {
        let mut table = self.table();
        let key = table.ids.oldest(id)?;
        let reply_to = table.claim(key);
        let task = table.tasks.remove(&key)?;
        self.recount(&table);
        if let Some(abort) = task.abort {
            abort.abort();
        }
        reply_to
    }

    /// Stops everything.
    pub(crate) fn abort_all(&self) {
        let tasks = {
            let mut table = self.table();
            table.ids.clear();
            let tasks = std::mem::take(&mut table.tasks);
            self.recount(&table);
            tasks
        };
        for abort in tasks.into_values().filter_map(|task| task.abort) {
            abort.abort();
        }
    }
}

/// An answer that waits for the peer to read.
pub(crate) struct Undelivered<'a>(&'a Running);

impl Drop for Undelivered<'_> {
    fn drop(&mut self) {
        self.0.undelivered.fetch_sub(1, Ordering::AcqRel);
    }
}
