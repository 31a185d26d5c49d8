//! The sessions of a connection.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use tenon_protocols::acp::SessionUpdate;
use tenon_rpc::Peer;
use tokio::sync::watch;

use super::session_state::{State, Waiting};
use super::setup::Setup;
use crate::quirks::Quirks;

/// Updates for sessions that are not known yet.
const EARLY_SESSIONS: usize = 16;
const EARLY_UPDATES: usize = 256;
/// What the handlers of a connection share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) setup: Setup,
    /// Known when the agent has answered `initialize`.
    pub(super) quirks: OnceLock<Quirks>,
    sessions: Mutex<Sessions>,
    /// Sent when a session becomes known, or no longer may.
    changed: watch::Sender<()>,
    last_id: AtomicU64,
    /// Terminals of all sessions.
    pub(super) terminals: Arc<AtomicU64>,
}

#[derive(Debug, Default)]
struct Sessions {
    open: HashMap<String, Arc<State>>,
    /// Updates that came before the answer that names their session.
    early: HashMap<String, Early>,
    /// Calls of `session/new` that were not answered yet.
    opening: usize,
}

#[derive(Debug, Default)]
struct Early {
    updates: Vec<(SessionUpdate, usize)>,
    /// How many were not kept.
    missed: u64,
}

impl Shared {
    pub(super) fn new(setup: Setup) -> Shared {
        Shared {
            setup,
            quirks: OnceLock::new(),
            sessions: Mutex::default(),
            changed: watch::Sender::new(()),
            last_id: AtomicU64::new(0),
            terminals: Arc::default(),
        }
    }

    fn sessions(&self) -> MutexGuard<'_, Sessions> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A number that was not used before.
    pub(super) fn next_id(&self) -> u64 {
        self.last_id.fetch_add(1, Ordering::Relaxed)
    }

    /// A session is being opened: until this is dropped, its updates may come first.
    pub(super) fn opening(self: &Arc<Shared>) -> Opening {
        self.sessions().opening += 1;
        Opening(self.clone())
    }

    /// Makes a session known. Updates that came before it are the first in its queue.
    pub(super) fn add(&self, session: &Arc<State>) {
        let mut sessions = self.sessions();
        let early = sessions.early.remove(&session.id);
        if let Some(early) = early {
            for (update, size) in early.updates {
                session.push(update, size, None);
            }
            session.inner().missed += early.missed;
        }
        sessions.open.insert(session.id.clone(), session.clone());
        drop(sessions);
        self.changed.send_replace(());
    }

    /// The agent waits for something in every session until this is dropped: which one it is about is not known.
    pub(super) fn waiting(&self) -> Vec<Waiting> {
        let sessions = self.sessions();
        sessions.open.values().map(State::waiting).collect()
    }

    pub(super) fn forget(&self, id: &str) -> Option<Arc<State>> {
        self.sessions().open.remove(id)
    }

    pub(super) fn take_sessions(&self) -> Vec<Arc<State>> {
        let open = std::mem::take(&mut self.sessions().open);
        open.into_values().collect()
    }

    /// The session of a call of the agent. The call may come together with the answer that names its session.
    pub(super) async fn find_soon(&self, id: &str) -> Option<Arc<State>> {
        let mut changed = self.changed.subscribe();
        loop {
            {
                let sessions = self.sessions();
                if let Some(session) = sessions.open.get(id) {
                    return Some(session.clone());
                }
                if sessions.opening == 0 {
                    return None;
                }
            }
            changed.changed().await.ok()?;
        }
    }

    /// An update of the agent, which takes this many bytes.
    pub(super) fn update(&self, id: String, update: SessionUpdate, size: usize, peer: &Peer) {
        let mut sessions = self.sessions();
        if let Some(session) = sessions.open.get(&id) {
            session.push(update, size, Some(peer));
            return;
        }
        let has_room = sessions.early.len() < EARLY_SESSIONS || sessions.early.contains_key(&id);
        if sessions.opening == 0 || !has_room {
            tracing::warn!(session = ?id, "an update for an unknown session was dropped");
            return;
        }
        let early = sessions.early.entry(id).or_default();
        match early.updates.len() < EARLY_UPDATES {
            true => early.updates.push((update, size)),
            false => early.missed += 1,
        }
    }
}

/// A call that may make a session known.
#[derive(Debug)]
pub(super) struct Opening(Arc<Shared>);

impl Drop for Opening {
    fn drop(&mut self) {
        let mut sessions = self.0.sessions();
        sessions.opening -= 1;
        if sessions.opening == 0 {
            sessions.early.clear();
        }
        drop(sessions);
        self.0.changed.send_replace(());
    }
}
