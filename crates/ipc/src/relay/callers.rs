//! The clients whose calls a plugin is handling: they get its events and its calls.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::session::Session;

/// The calls that run, in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Callers(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    running: BTreeMap<u64, Session>,
    last: u64,
}

/// A call that runs, until this is dropped.
pub(super) struct Running<'a> {
    callers: &'a Callers,
    number: u64,
}

impl Callers {
    fn table(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn enter(&self, session: Session) -> Running<'_> {
        let mut table = self.table();
        table.last += 1;
        let number = table.last;
        table.running.insert(number, session);
        Running {
            callers: self,
            number,
        }
    }

    /// All clients with a running call, each once.
    pub(super) fn all(&self) -> Vec<Session> {
        let table = self.table();
        let callers = table.running.values();
        let sessions = callers.map(|session| (session.number(), session.clone()));
        sessions.collect::<BTreeMap<_, _>>().into_values().collect()
    }

    /// The client that has waited longest.
    pub(super) fn first(&self) -> Option<Session> {
        self.table().running.values().next().cloned()
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.callers.table().running.remove(&self.number);
    }
}
