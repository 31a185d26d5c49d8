//! Whose calls a plugin is working on: who its events are for, who is asked what it asks, and which
//! call is meant when a client takes one back.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tenon_rpc::{Id, Peer};

use crate::session::Session;

/// The calls that run, in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Callers(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    running: BTreeMap<u64, Caller>,
    /// The numbers of the calls of one client that have the same id, oldest first.
    by_id: HashMap<(u64, Id), Vec<u64>>,
    last: u64,
}

#[derive(Debug)]
struct Caller {
    session: Session,
    id: Id,
    /// The plugin and the id that it knows the call by, once it has been sent.
    sent: Option<(Peer, Id)>,
}

/// A call that runs, until this is dropped.
pub(super) struct Running<'a> {
    callers: &'a Callers,
    number: u64,
}

impl Running<'_> {
    /// Which of all calls it is.
    pub(super) fn number(&self) -> u64 {
        self.number
    }
}

impl Callers {
    fn table(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn enter(&self, session: Session, id: Id) -> Running<'_> {
        let mut table = self.table();
        table.last += 1;
        let number = table.last;
        let key = (session.number(), id.clone());
        table.by_id.entry(key).or_default().push(number);
        let caller = Caller {
            session,
            id,
            sent: None,
        };
        table.running.insert(number, caller);
        Running {
            callers: self,
            number,
        }
    }

    /// A call has gone to the plugin, under this id.
    pub(super) fn sent(&self, number: u64, plugin: &Peer, id: Id) {
        if let Some(caller) = self.table().running.get_mut(&number) {
            caller.sent = Some((plugin.clone(), id));
        }
    }

    /// What the plugin knows a call of this client by; `None` if there is no such call, or the
    /// plugin has not been sent it yet. Of several with the same id the oldest is meant.
    pub(super) fn known_as(&self, session: &Session, id: &Id) -> Option<(Peer, Id)> {
        let table = self.table();
        let numbers = table.by_id.get(&(session.number(), id.clone()))?;
        table.running.get(numbers.first()?)?.sent.clone()
    }

    /// Everybody whose call runs, each once.
    pub(super) fn all(&self) -> Vec<Session> {
        let table = self.table();
        let callers = table.running.values();
        let sessions = callers.map(|caller| (caller.session.number(), caller.session.clone()));
        sessions.collect::<BTreeMap<_, _>>().into_values().collect()
    }

    /// Who has waited longest.
    pub(super) fn first(&self) -> Option<Session> {
        let table = self.table();
        let first = table.running.values().next();
        first.map(|caller| caller.session.clone())
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let mut table = self.callers.table();
        let Some(caller) = table.running.remove(&self.number) else {
            return;
        };
        let key = (caller.session.number(), caller.id);
        if let Some(numbers) = table.by_id.get_mut(&key) {
            numbers.retain(|number| *number != self.number);
            if numbers.is_empty() {
                table.by_id.remove(&key);
            }
        }
    }
}
