//! The sessions of a connection, and what is known about each.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use tenon_protocols::acp::{PermissionParams, SessionUpdate, ToolKind};
use tenon_rpc::Peer;
use tenon_rpc::calls::Hold;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

use super::quirks::Quirks;
use super::session::About;
use super::setup::Setup;
use super::terminals::Terminals;
use crate::facts::Facts;
use crate::paths::Roots;
use crate::turns;

/// Updates that wait to be read, by number and by bytes. Beyond that the agent is not read during a turn, and the
/// oldest are dropped outside of one.
const WAITING: usize = 4096;
const WAITING_BYTES: usize = 32 * 1024 * 1024;
/// Updates for sessions that are not known yet.
const EARLY_SESSIONS: usize = 16;
const EARLY_UPDATES: usize = 256;
/// Permissions that are remembered. Beyond that, all are forgotten, and files and commands are asked for again.
const GRANTS: usize = 4096;

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
    early: HashMap<String, Vec<(SessionUpdate, usize)>>,
    /// Calls of `session/new` that were not answered yet.
    opening: usize,
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
        for (update, size) in early.into_iter().flatten() {
            session.push(update, size, None);
        }
        sessions.open.insert(session.id.clone(), session.clone());
        drop(sessions);
        self.changed.send_replace(());
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
        if early.len() < EARLY_UPDATES {
            early.push((update, size));
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

/// One session.
#[derive(Debug)]
pub(super) struct State {
    pub(super) id: String,
    pub(super) roots: Arc<Roots>,
    pub(super) folders: Vec<PathBuf>,
    pub(super) terminals: Terminals,
    /// Whether the turn was cancelled: open questions are answered so.
    pub(super) is_cancelled: watch::Sender<bool>,
    /// Something was queued, or the time limits have changed.
    pub(super) changed: Notify,
    inner: Mutex<Inner>,
}

#[derive(Debug)]
pub(super) struct Inner {
    queue: VecDeque<(SessionUpdate, usize)>,
    bytes: usize,
    /// Updates that were dropped because nobody read them.
    pub(super) missed: u64,
    /// Someone reads the updates: a turn, or the loading of the session.
    is_streaming: bool,
    hold: Option<Hold>,
    /// When something happened last.
    pub(super) active: Instant,
    /// What the agent waits for: the user, or the end of a program.
    pub(super) waiting: usize,
    /// When the turn was cancelled.
    pub(super) cancelled_at: Option<Instant>,
    pub(super) about: About,
    calls: turns::Session,
    granted: Granted,
}

/// What the user has allowed, and therefore files and terminals may do.
#[derive(Debug, Default)]
struct Granted {
    paths: BTreeSet<PathBuf>,
    commands: HashSet<String>,
    /// Allowed always.
    kinds: HashSet<ToolKind>,
}

impl State {
    pub(super) fn new(
        id: String,
        roots: Arc<Roots>,
        folders: Vec<PathBuf>,
        terminals: Terminals,
    ) -> State {
        State {
            id,
            roots,
            terminals,
            is_cancelled: watch::Sender::new(false),
            changed: Notify::new(),
            inner: Mutex::new(Inner {
                queue: VecDeque::new(),
                bytes: 0,
                missed: 0,
                is_streaming: false,
                hold: None,
                active: Instant::now(),
                waiting: 0,
                cancelled_at: None,
                about: About::default(),
                calls: turns::Session::open(folders.clone()),
                granted: Granted::default(),
            }),
            folders,
        }
    }

    pub(super) fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn folder(&self) -> &std::path::Path {
        self.folders
            .first()
            .map_or(std::path::Path::new("/"), PathBuf::as_path)
    }

    /// Adds an update. `peer` is not read any more if too many wait.
    pub(super) fn push(&self, update: SessionUpdate, size: usize, peer: Option<&Peer>) {
        let mut inner = self.inner();
        inner.active = Instant::now();
        inner.calls.note(&update);
        inner.about.note(&update);
        inner.queue.push_back((update, size));
        inner.bytes += size;
        if inner.queue.len() > WAITING || inner.bytes > WAITING_BYTES {
            if !inner.is_streaming {
                // What it says about the session is known all the same.
                if let Some((_, size)) = inner.queue.pop_front() {
                    inner.bytes -= size;
                    inner.missed += 1;
                }
            } else if let Some(peer) = peer {
                // Again, because another session may have ended its own.
                let hold = inner.hold.get_or_insert_with(|| peer.hold());
                hold.entirely();
            }
        }
        drop(inner);
        self.changed.notify_one();
    }

    /// The next update, if there is one.
    pub(super) fn pop(&self) -> Option<SessionUpdate> {
        let mut inner = self.inner();
        let (update, size) = inner.queue.pop_front()?;
        inner.bytes -= size;
        if inner.queue.len() <= WAITING / 2 && inner.bytes <= WAITING_BYTES / 2 {
            inner.hold = None;
        }
        Some(update)
    }

    /// Begins to read updates; `false` if someone does already.
    pub(super) fn begin(&self) -> bool {
        let mut inner = self.inner();
        if inner.is_streaming {
            return false;
        }
        inner.is_streaming = true;
        inner.active = Instant::now();
        inner.cancelled_at = None;
        self.is_cancelled.send_replace(false);
        true
    }

    pub(super) fn end(&self) {
        let mut inner = self.inner();
        inner.is_streaming = false;
        inner.hold = None;
        inner.cancelled_at = None;
        self.is_cancelled.send_replace(false);
    }

    pub(super) fn is_streaming(&self) -> bool {
        self.inner().is_streaming
    }

    /// The agent has called: the turn is not silent.
    pub(super) fn touch(&self) {
        self.inner().active = Instant::now();
    }

    /// The agent waits for something until this is dropped, and may be silent.
    pub(super) fn waiting(self: &Arc<State>) -> Waiting {
        self.inner().waiting += 1;
        Waiting(self.clone())
    }

    /// What is known about the tool call of a request for permission.
    pub(super) fn facts_of(&self, request: &PermissionParams) -> Facts {
        self.inner().calls.facts_of(&request.tool_call)
    }

    /// The user has allowed this, once or always.
    pub(super) fn grant(&self, facts: &Facts, is_always: bool) {
        let granted = &mut self.inner().granted;
        if granted.paths.len() + granted.commands.len() > GRANTS {
            granted.paths.clear();
            granted.commands.clear();
        }
        granted.paths.extend(facts.paths.iter().cloned());
        granted.commands.extend(facts.commands.iter().cloned());
        if is_always && let Some(kind) = &facts.kind {
            granted.kinds.insert(kind.clone());
        }
    }

    /// Whether the user has allowed all of this.
    pub(super) fn is_granted(&self, facts: &Facts) -> bool {
        let granted = &self.inner().granted;
        let is_listed = !(facts.paths.is_empty() && facts.commands.is_empty())
            && { facts.paths.iter() }.all(|path| granted.paths.contains(path))
            && { facts.commands.iter() }.all(|command| granted.commands.contains(command));
        let is_always = facts
            .kind
            .as_ref()
            .is_some_and(|kind| granted.kinds.contains(kind));
        is_always || is_listed
    }
}

/// Something that the agent waits for.
#[derive(Debug)]
pub(super) struct Waiting(Arc<State>);

impl Drop for Waiting {
    fn drop(&mut self) {
        let mut inner = self.0.inner();
        inner.waiting -= 1;
        inner.active = Instant::now();
        drop(inner);
        self.0.changed.notify_one();
    }
}
