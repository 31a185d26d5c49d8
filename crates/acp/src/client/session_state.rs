//! What is known about a session: its updates that wait, its turn, and what the user has allowed.

use std::collections::{BTreeSet, HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tenon_protocols::acp::{PermissionParams, SessionUpdate, ToolKind};
use tenon_rpc::Peer;
use tenon_rpc::calls::Hold;
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::session::About;
use super::terminals::Terminals;
use crate::facts::Facts;
use crate::paths::Roots;
use crate::turns;
use crate::turns::changes;

/// Updates that wait to be read, by number and by bytes. Beyond that the agent is not read during a turn, and the
/// oldest are dropped outside of one.
const WAITING: usize = 4096;
const WAITING_BYTES: usize = 32 * 1024 * 1024;
/// Permissions that are remembered. Beyond that, all are forgotten, and files and commands are asked for again.
const GRANTS: usize = 4096;

/// One session.
#[derive(Debug)]
pub(super) struct State {
    pub(super) id: String,
    pub(super) roots: Arc<Roots>,
    pub(super) folders: Vec<PathBuf>,
    pub(super) terminals: Terminals,
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
    /// Withdraws the questions of the turn.
    questions: CancellationToken,
    pub(super) about: About,
    calls: turns::Session,
    granted: Granted,
}

/// What the user has allowed, and therefore files and terminals may do.
#[derive(Debug, Default)]
struct Granted {
    paths: BTreeSet<PathBuf>,
    /// Files that may be read, and not more.
    read: BTreeSet<PathBuf>,
    /// Command lines, each with the folders that were stated for it.
    commands: HashSet<(String, BTreeSet<PathBuf>)>,
    /// Allowed always.
    kinds: HashSet<ToolKind>,
}

impl Inner {
    /// Questions that are asked from now on belong to another turn, or to none. Those that were withdrawn stay so.
    fn renew_questions(&mut self) {
        if self.questions.is_cancelled() {
            self.questions = CancellationToken::new();
        }
    }
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
                questions: CancellationToken::new(),
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
        inner.renew_questions();
        true
    }

    pub(super) fn end(&self) {
        let mut inner = self.inner();
        inner.is_streaming = false;
        inner.hold = None;
        inner.cancelled_at = None;
        inner.renew_questions();
    }

    /// The turn was cancelled: its open questions are answered with `cancelled`, and so are those that follow in it.
    pub(super) fn withdraw_questions(&self) {
        self.inner().questions.cancel();
    }

    /// Is cancelled when the questions of the turn are withdrawn.
    pub(super) fn questions(&self) -> CancellationToken {
        self.inner().questions.clone()
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
        if granted.paths.len() + granted.read.len() + granted.commands.len() > GRANTS {
            granted.paths.clear();
            granted.read.clear();
            granted.commands.clear();
        }
        let paths = match changes(facts) {
            true => &mut granted.paths,
            false => &mut granted.read,
        };
        paths.extend(facts.paths.iter().cloned());
        granted.commands.extend(commands(facts));
        if is_always && let Some(kind) = &facts.kind {
            granted.kinds.insert(kind.clone());
        }
    }

    /// Whether the user has allowed all of this.
    pub(super) fn is_granted(&self, facts: &Facts) -> bool {
        let granted = &self.inner().granted;
        let may_use = |path: &PathBuf| {
            granted.paths.contains(path) || !changes(facts) && granted.read.contains(path)
        };
        let is_listed = !(facts.paths.is_empty() && facts.commands.is_empty())
            && facts.paths.iter().all(may_use)
            && commands(facts).all(|command| granted.commands.contains(&command));
        let is_always = facts
            .kind
            .as_ref()
            .is_some_and(|kind| granted.kinds.contains(kind));
        is_always || is_listed
    }

    /// A command that was allowed once is run once. A file may be written in several steps.
    pub(super) fn use_grant(&self, facts: &Facts) {
        let granted = &mut self.inner().granted;
        for command in commands(facts) {
            granted.commands.remove(&command);
        }
    }
}

/// In another folder a command is another one.
fn commands(facts: &Facts) -> impl Iterator<Item = (String, BTreeSet<PathBuf>)> {
    { facts.commands.iter() }.map(|line| (line.clone(), facts.folders.clone()))
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
