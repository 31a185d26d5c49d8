//! Which client holds which lock, as far as this server knows.
//!
//! Clients choose an id for their lock, storages another one; this table maps the first to the second.
//! For a storage without locks it is the only place where they are kept.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::path::StatePath;

#[derive(Default)]
pub(crate) struct Locks(Mutex<HashMap<StatePath, Held>>);

/// The locks that clients of a server hold, at any time.
#[derive(Clone)]
pub struct HeldLocks(pub(crate) Arc<Locks>);

impl HeldLocks {
    /// The locks that are held now: the state and the id that the client chose.
    pub fn now(&self) -> Vec<(StatePath, String)> {
        self.0.all()
    }
}

/// A lock that a client of this server holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Held {
    /// The id that the client chose.
    pub(crate) client: String,
    /// The id that the storage chose; `None` if the storage has no locks.
    pub(crate) storage: Option<String>,
    /// What the client said about itself, as JSON.
    pub(crate) info: String,
}

/// How the id of a client compares with the lock that is held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Holder {
    /// No client of this server holds a lock.
    Unknown,
    /// This client holds it; the id is the storage's.
    Same(Option<String>),
    Other(Held),
}

impl Locks {
    /// Notes a lock that the storage has granted. Returns the lock of another client that has not released
    /// its own.
    pub(crate) fn granted(&self, path: &StatePath, held: Held) -> Option<Held> {
        let client = held.client.clone();
        let before = self.table().insert(path.clone(), held);
        before.filter(|before| before.client != client)
    }

    /// Takes a lock that is kept here alone; the holder if another client has it.
    pub(crate) fn take(&self, path: &StatePath, held: Held) -> Result<(), Held> {
        let mut table = self.table();
        match table.get(path) {
            Some(other) if other.client != held.client => Err(other.clone()),
            _ => {
                table.insert(path.clone(), held);
                Ok(())
            }
        }
    }

    pub(crate) fn holder(&self, path: &StatePath, client: &str) -> Holder {
        match self.table().get(path) {
            None => Holder::Unknown,
            Some(held) if held.client == client => Holder::Same(held.storage.clone()),
            Some(held) => Holder::Other(held.clone()),
        }
    }

    /// Forgets the lock of this client.
    pub(crate) fn released(&self, path: &StatePath, client: &str) {
        let mut table = self.table();
        if table.get(path).is_some_and(|held| held.client == client) {
            table.remove(path);
        }
    }

    /// The client that holds the lock.
    pub(crate) fn client(&self, path: &StatePath) -> Option<String> {
        self.table().get(path).map(|held| held.client.clone())
    }

    /// The locks that are held, by path.
    pub(crate) fn all(&self) -> Vec<(StatePath, String)> {
        let mut all: Vec<_> = self
            .table()
            .iter()
            .map(|(path, held)| (path.clone(), held.client.clone()))
            .collect();
        all.sort_by(|a, b| a.0.as_str().cmp(b.0.as_str()));
        all
    }

    fn table(&self) -> MutexGuard<'_, HashMap<StatePath, Held>> {
        // Every change is one step, so the table is whole even after a panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
