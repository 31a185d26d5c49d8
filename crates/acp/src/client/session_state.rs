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
    /// Updates that were dropped because they were not read.
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
    commands: HashSet<Command>,
    /// Those that may be run again and again.
    repeated: HashSet<Command>,
    /// Kinds of which everything is allowed.
    kinds: HashSet<ToolKind>,
}

impl Granted {
    fn count(&self) -> usize {
        self.paths.len() + self.read.len() + self.commands.len() + self.repeated.len()
    }

    fn covers(&self, facts: &Facts, is_ruled: bool) -> bool {
        let may_use = |path: &PathBuf| {
            self.paths.contains(path) || !changes(facts) && self.read.contains(path)
        };
        let may_run = |command: Command| {
            self.commands.contains(&command) || !is_ruled && self.repeated.contains(&command)
        };
        let is_listed = !(facts.paths.is_empty() && facts.commands.is_empty())
            && facts.paths.iter().all(may_use)
            && commands(facts).all(may_run);
        let is_always = { facts.kind.as_ref() }.is_some_and(|kind| self.kinds.contains(kind));
        is_listed || is_always && !is_ruled
    }
}

type Command = (String, BTreeSet<PathBuf>);

/// How much the user allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grant {
    /// These files, and these commands once.
    Once,
    /// These files and commands as often as the agent wants.
    Always,
    /// Everything of this kind.
    Kind,
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

    /// What is known about the tool call of a request for permission, and what the request says itself. Only that is
    /// shown to the user.
    pub(super) fn facts_of(&self, request: &PermissionParams) -> (Facts, Facts) {
        let calls = &mut self.inner().calls;
        let known = calls.facts_of(&request.tool_call);
        (known, calls.stated(&request.tool_call))
    }

    /// The user has allowed this, once or always.
    pub(super) fn grant(&self, facts: &Facts, grant: Grant) {
        let granted = &mut self.inner().granted;
        if granted.count() > GRANTS {
            let kinds = std::mem::take(&mut granted.kinds);
            *granted = Granted {
                kinds,
                ..Granted::default()
            };
        }
        let paths = match changes(facts) {
            true => &mut granted.paths,
            false => &mut granted.read,
        };
        paths.extend(facts.paths.iter().cloned());
        granted.commands.extend(commands(facts));
        if grant != Grant::Once {
            granted.repeated.extend(commands(facts));
        }
        if grant == Grant::Kind
            && let Some(kind) = &facts.kind
        {
            granted.kinds.insert(kind.clone());
        }
    }

    /// These files are not what the user has seen.
    pub(super) fn withdraw(&self, facts: &Facts) {
        let granted = &mut self.inner().granted;
        granted.paths.retain(|path| !facts.paths.contains(path));
    }

    /// Whether the user has allowed all of this. Where a rule wants the user to be asked, what was allowed always does
    /// not count.
    pub(super) fn is_granted(&self, facts: &Facts, is_ruled: bool) -> bool {
        self.inner().granted.covers(facts, is_ruled)
    }

    /// Whether the user has allowed all of this, which is done now: a command that was allowed once is run once. A file
    /// may be written in several steps.
    pub(super) fn use_grant(&self, facts: &Facts, is_ruled: bool) -> bool {
        let granted = &mut self.inner().granted;
        let is_granted = granted.covers(facts, is_ruled);
        for command in commands(facts).filter(|_| is_granted) {
            granted.commands.remove(&command);
        }
        is_granted
    }
}

/// In another folder a command is another one.
fn commands(facts: &Facts) -> impl Iterator<Item = Command> {
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
