//! All clients of a server.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tenon_rpc::{EventKind, Format, Payload, PayloadError, Text, calls::Prepared};
use tokio::sync::Notify;

use crate::session::Session;

/// The clients of a server, to count them and to send to all of them. Cloning it is cheap.
#[derive(Clone, Debug)]
pub struct Clients(Arc<Table>);

#[derive(Debug, Default)]
pub(crate) struct Table {
    sessions: Mutex<HashMap<u64, Session>>,
    /// Notified whenever the last client has disconnected.
    empty: Notify,
}

impl Table {
    fn sessions(&self) -> MutexGuard<'_, HashMap<u64, Session>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn enter(&self, session: Session) {
        self.sessions().insert(session.number(), session);
    }

    pub(crate) fn leave(&self, session: &Session) {
        let mut sessions = self.sessions();
        sessions.remove(&session.number());
        if sessions.is_empty() {
            self.empty.notify_waiters();
        }
    }

    /// Waits until no client is left.
    pub(crate) async fn emptied(&self) {
        loop {
            let empty = self.empty.notified();
            if self.sessions().is_empty() {
                return;
            }
            empty.await;
        }
    }
}

impl From<Arc<Table>> for Clients {
    fn from(table: Arc<Table>) -> Clients {
        Clients(table)
    }
}

impl Clients {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.sessions().len()
    }

    /// All clients, in the order in which they connected.
    pub fn all(&self) -> Vec<Session> {
        let mut sessions: Vec<Session> = self.0.sessions().values().cloned().collect();
        sessions.sort_by_key(Session::number);
        sessions
    }

    /// Sends an event to every client and returns the number of clients. Does not wait:
    /// [`Settings::slow`](crate::Settings::slow) says what happens to clients that read too slowly.
    ///
    /// # Errors
    /// The params cannot be encoded.
    pub fn broadcast<E: EventKind>(
        &self,
        _event: E,
        params: &E::Params,
    ) -> Result<usize, PayloadError> {
        let params = Payload::encode(Format::Json, params)?;
        let params = (!params.is_null()).then_some(params);
        Ok(self.broadcast_raw(Text::from_static(E::NAME), params))
    }

    /// Sends an event by name, with params that are already encoded, to every client.
    pub fn broadcast_raw(&self, method: impl Into<Text>, params: Option<Payload>) -> usize {
        let event = Arc::new(Prepared::new(method, params));
        // Under the lock, so that of two broadcasts all clients see the same one first.
        let sessions = self.0.sessions();
        let is_taken = |session: &&Session| session.offer(&event);
        sessions.values().filter(is_taken).count()
    }
}
