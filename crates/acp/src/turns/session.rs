//! One session.

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::{Path, PathBuf};

use serde_json::Value;
use tenon_protocols::acp::{Raw, SessionUpdate, ToolCallUpdate, ToolContent, ToolStatus};

use super::rulings::{Ruling, Rulings, covers};
use crate::facts::Facts;

/// As many tool calls as are remembered. The oldest are forgotten: a request for permission follows soon.
const TOOL_CALLS: usize = 4096;
/// How many bytes are remembered of all tool calls together. Of these too the oldest are forgotten.
const KEPT: usize = 8 << 20;
/// The most terminals that a session may have at the same time.
pub(crate) const TERMINALS: usize = 256;

/// A session: its folders, its turn, its tool calls and terminals.
#[derive(Debug)]
pub struct Session {
    folders: Vec<PathBuf>,
    state: State,
    /// Prompts that were not answered. More than one only if the agent queues them.
    prompts: usize,
    is_cancelled: bool,
    tool_calls: HashMap<String, Known>,
    order: VecDeque<String>,
    /// The bytes of all tool calls.
    kept: usize,
    terminals: HashSet<String>,
    /// Terminals that the client was asked for and has not created yet.
    begun_terminals: usize,
    rulings: Rulings,
}

/// How far a session is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The call that opens it was not answered yet.
    Opening,
    /// It is open, and is loaded again.
    Reopening,
    Open,
}

/// What is known about a tool call.
#[derive(Debug, Default)]
struct Known {
    facts: Facts,
    /// What was decided, and about what: the agent may say something else later.
    ruling: Option<(Ruling, Facts)>,
    /// What it had done when it was completed: some agents complete a tool call twice, and name its file the second time.
    done: Option<Facts>,
    /// How much of it is counted.
    counted: usize,
}

/// A tool call that the agent has completed.
#[derive(Debug)]
pub struct Completed {
    /// What it did.
    pub facts: Facts,
    /// What was decided about it, if it was asked for.
    pub ruling: Option<Ruling>,
}

impl Session {
    pub(crate) fn open(folders: Vec<PathBuf>) -> Session {
        Session {
            folders,
            state: State::Open,
            prompts: 0,
            is_cancelled: false,
            tool_calls: HashMap::new(),
            order: VecDeque::new(),
            kept: 0,
            terminals: HashSet::new(),
            begun_terminals: 0,
            rulings: Rulings::default(),
        }
    }

    /// The call that opens it was answered. What was said before stays, and so do terminals if it was open.
    pub(super) fn opened(&mut self, folders: Vec<PathBuf>) {
        self.folders = folders;
        self.state = State::Open;
    }

    pub(super) fn opening(folders: Vec<PathBuf>) -> Session {
        Session {
            state: State::Opening,
            ..Session::open(folders)
        }
    }

    /// It is loaded although it is open.
    pub(super) fn reopen(&mut self) {
        self.state = State::Reopening;
    }

    /// It could not be opened. Returns whether it was open before, and stays so.
    pub(super) fn stays_open(&mut self) -> bool {
        let was_open = self.state != State::Opening;
        if was_open {
            self.state = State::Open;
        }
        was_open
    }

    /// The folder that it works in.
    pub fn folder(&self) -> &Path {
        self.folders
            .first()
            .map_or(Path::new("/"), PathBuf::as_path)
    }

    /// All its folders.
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// Whether a turn runs.
    pub fn is_busy(&self) -> bool {
        self.prompts > 0
    }

    /// Whether the turn was cancelled: requests for permission are answered so.
    pub fn is_cancelled(&self) -> bool {
        self.is_cancelled
    }

    /// Whether a call that opens it was not answered yet.
    pub(crate) fn is_loading(&self) -> bool {
        self.state != State::Open
    }

    pub(super) fn begin_turn(&mut self, queues: bool) -> bool {
        let may = !self.is_loading() && (self.prompts == 0 || queues);
        if may {
            self.prompts += 1;
            self.is_cancelled = false;
        }
        may
    }

    pub(super) fn end_turn(&mut self) {
        self.prompts = self.prompts.saturating_sub(1);
        self.is_cancelled &= self.prompts > 0;
    }

    /// Without a turn there is nothing to cancel.
    pub(super) fn cancel(&mut self) {
        self.is_cancelled = self.is_busy();
    }

    /// Takes note of an update. A tool call may be announced twice, or by its first change. Returns the tool call if it
    /// is completed now.
    pub fn note(&mut self, update: &SessionUpdate) -> Option<Completed> {
        let folder = self.folder().to_owned();
        let (id, is_done) = match update {
            SessionUpdate::ToolCall(call) => {
                self.known(&call.tool_call_id).facts.add(call, &folder);
                let content = call.content.as_deref();
                let is_done = is_done(call.status.as_ref(), content, call.raw_output.as_ref());
                (&call.tool_call_id, is_done)
            }
            SessionUpdate::ToolCallUpdate(call) => {
                self.known(&call.tool_call_id)
                    .facts
                    .add_update(call, &folder);
                let content = call.content.as_deref();
                let is_done = is_done(call.status.as_ref(), content, call.raw_output.as_ref());
                (&call.tool_call_id, is_done)
            }
            _ => return None,
        };
        let completed = match is_done {
            true => self.complete(id),
            false => None,
        };
        self.bound(id);
        completed
    }

    fn complete(&mut self, id: &str) -> Option<Completed> {
        let known = self.known(id);
        let facts = match known.done.replace(known.facts.clone()) {
            None => known.facts.clone(),
            Some(done) => known.facts.since(&done)?,
        };
        let ruling = known.ruling.as_ref().and_then(|(ruling, about)| {
            // What was rejected must not be done at all, whatever it is called now.
            let holds = *ruling == Ruling::Rejected || covers(about, &facts);
            holds.then_some(*ruling)
        });
        Some(Completed {
            ruling: ruling.or_else(|| self.rulings.about(&facts)),
            facts,
        })
    }

    /// What is known about a tool call, with what a request for permission says about it: what rules are about.
    pub fn facts_of(&mut self, call: &ToolCallUpdate) -> Facts {
        let folder = self.folder().to_owned();
        let known = self.known(&call.tool_call_id);
        known.facts.add_update(call, &folder);
        let facts = known.facts.clone();
        self.bound(&call.tool_call_id);
        facts
    }

    /// Counts what is kept of a tool call that has changed, and forgets the oldest calls if that is too much.
    fn bound(&mut self, id: &str) {
        let known = self.known(id);
        let done = known.done.as_ref().map_or(0, Facts::bytes);
        let bytes = id.len() * 2 + known.facts.bytes() + done;
        let before = std::mem::replace(&mut known.counted, bytes);
        self.kept = (self.kept + bytes).saturating_sub(before);
        while self.kept > KEPT
            && let Some(oldest) = self.order.pop_front()
        {
            self.forget(&oldest);
        }
    }

    fn forget(&mut self, id: &str) {
        if let Some(known) = self.tool_calls.remove(id) {
            self.kept = self.kept.saturating_sub(known.counted);
        }
    }

    /// What a request for permission says itself, which is what an approval of it covers. What was said before may have
    /// been replaced since, so that it was never shown.
    pub fn stated(&self, call: &ToolCallUpdate) -> Facts {
        let known = self.tool_calls.get(&call.tool_call_id);
        let mut facts = Facts {
            kind: known.and_then(|known| known.facts.kind.clone()),
            ..Facts::default()
        };
        facts.add_update(call, self.folder());
        facts
    }

    /// Takes note of what was decided about a request for permission.
    pub fn decide(&mut self, call: &ToolCallUpdate, ruling: Ruling, is_always: bool) {
        let stated = self.stated(call);
        let known = self.known(&call.tool_call_id);
        let about = match ruling {
            Ruling::Allowed => stated,
            Ruling::Rejected => known.facts.clone(),
        };
        known.ruling = Some((ruling, about.clone()));
        self.rulings.decide(&about, ruling, is_always);
    }

    /// Takes note of what was decided without a request of the agent.
    pub(crate) fn rule(&mut self, facts: &Facts, ruling: Ruling) {
        self.rulings.decide(facts, ruling, false);
    }

    /// What was decided about exactly these files and commands, if it was.
    pub fn ruling(&self, facts: &Facts) -> Option<Ruling> {
        self.rulings.about(facts)
    }

    /// Whether the user has allowed everything of this kind.
    pub fn is_always(&self, facts: &Facts) -> bool {
        self.rulings.is_always(facts)
    }

    fn known(&mut self, id: &str) -> &mut Known {
        if !self.tool_calls.contains_key(id) {
            if self.order.len() == TOOL_CALLS
                && let Some(oldest) = self.order.pop_front()
            {
                self.forget(&oldest);
            }
            self.order.push_back(id.to_owned());
        }
        self.tool_calls.entry(id.to_owned()).or_default()
    }

    /// Whether one more terminal may be created.
    pub(crate) fn has_room_for_terminal(&self) -> bool {
        self.terminals.len() + self.begun_terminals < TERMINALS
    }

    /// A terminal is about to be created, if there is room for it.
    pub(crate) fn begin_terminal(&mut self) -> bool {
        let has_room = self.has_room_for_terminal();
        self.begun_terminals += usize::from(has_room);
        has_room
    }

    /// The call that was begun has its answer.
    pub(crate) fn end_begun_terminal(&mut self) {
        self.begun_terminals = self.begun_terminals.saturating_sub(1);
    }

    /// Takes note of a new terminal. Returns whether the session may have it.
    pub fn add_terminal(&mut self, id: &str) -> bool {
        self.terminals.len() < TERMINALS && self.terminals.insert(id.to_owned())
    }

    /// Whether there is such a terminal.
    pub fn has_terminal(&self, id: &str) -> bool {
        self.terminals.contains(id)
    }

    /// Forgets a terminal that was released.
    pub fn remove_terminal(&mut self, id: &str) {
        self.terminals.remove(id);
    }
}

/// Whether a tool call was done. One that has failed was if it shows how its command ended: a call that was rejected is
/// reported as failed too, and has done nothing.
fn is_done(
    status: Option<&ToolStatus>,
    content: Option<&[ToolContent]>,
    output: Option<&Raw>,
) -> bool {
    match status {
        Some(ToolStatus::Completed) => true,
        Some(ToolStatus::Failed) => {
            let content = content.unwrap_or_default();
            let has_terminal =
                { content.iter() }.any(|item| matches!(item, ToolContent::Terminal(_)));
            has_terminal
                || output
                    .and_then(|output| output.decode().ok())
                    .is_some_and(has_exit)
        }
        _ => false,
    }
}

fn has_exit(output: Value) -> bool {
    let names = ["exit", "exitCode", "exit_code", "exitStatus"];
    let has = |value: &Value| names.iter().any(|name| value[*name].is_number());
    has(&output) || has(&output["metadata"])
}
