//! What was decided in a session about files and commands, to compare it with what the agent does.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;
use tenon_protocols::acp::{PermissionKind, ToolKind};

use crate::facts::{Commands, Facts, Key};

/// As many files and commands as are remembered. The oldest are forgotten: what an agent was allowed it does soon.
const REMEMBERED: usize = 4096;
/// How many bytes their names may have together, each counted twice.
const KEPT: usize = 8 << 20;

/// What was decided about a tool call, by the policy or by the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Ruling {
    /// It may be done.
    Allowed,
    /// It must not be done.
    Rejected,
}

impl Ruling {
    /// What an answer means, if it means something.
    pub fn of(kind: &PermissionKind) -> Option<Ruling> {
        match kind {
            PermissionKind::AllowOnce | PermissionKind::AllowAlways => Some(Ruling::Allowed),
            PermissionKind::RejectOnce | PermissionKind::RejectAlways => Some(Ruling::Rejected),
            _ => None,
        }
    }
}

/// What a decision is about. A permission for one of these is none for another: the file `/w/x` is not the command `/w/x`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Name {
    /// A file that is changed.
    File(PathBuf),
    /// A file that is read: reading it says nothing about writing it.
    Read(PathBuf),
    /// A command, and the folders that are stated for it: in another folder it is another one.
    Command(Key, Arc<BTreeSet<PathBuf>>),
    /// A command as clients run it that join its words.
    Joined(String, Arc<BTreeSet<PathBuf>>),
}

impl Name {
    fn into_read(self) -> Name {
        match self {
            Name::File(path) => Name::Read(path),
            other => other,
        }
    }

    fn is_file(&self) -> bool {
        matches!(self, Name::File(_) | Name::Read(_))
    }

    /// About as many bytes as it takes.
    fn bytes(&self) -> usize {
        let of_path = |path: &PathBuf| path.as_os_str().len();
        match self {
            Name::File(path) | Name::Read(path) => of_path(path),
            Name::Command(Key::Words(words), folders) => words
                .iter()
                .map(String::len)
                .chain(folders.iter().map(of_path))
                .sum(),
            Name::Command(Key::Line(line), folders) | Name::Joined(line, folders) => {
                line.len() + folders.iter().map(of_path).sum::<usize>()
            }
        }
    }
}

/// What was decided in a session.
#[derive(Debug, Default)]
pub(super) struct Rulings {
    by_name: HashMap<Name, Ruling>,
    order: VecDeque<Name>,
    /// The bytes of the names.
    kept: usize,
    /// Kinds of tools that the user has allowed for the whole session: agents do not ask again.
    always: HashSet<ToolKind>,
}

impl Rulings {
    /// Remembers a decision about a tool call.
    pub(super) fn decide(&mut self, facts: &Facts, ruling: Ruling, is_always: bool) {
        if is_always && ruling == Ruling::Allowed && is_of_its_kind(facts) {
            self.always.extend(facts.kind.clone());
        }
        let is_reading = !changes(facts);
        for name in names(facts) {
            let name = if is_reading { name.into_read() } else { name };
            // Of a command that is too long only the beginning is known.
            if ruling == Ruling::Allowed && facts.is_incomplete && !name.is_file() {
                continue;
            }
            let bytes = name.bytes();
            if self.by_name.insert(name.clone(), ruling).is_none() {
                self.kept += 2 * bytes;
                self.order.push_back(name);
            }
            while (self.order.len() > REMEMBERED || self.kept > KEPT)
                && let Some(oldest) = self.order.pop_front()
            {
                self.kept = self.kept.saturating_sub(2 * oldest.bytes());
                self.by_name.remove(&oldest);
            }
        }
    }

    /// What was decided about what these facts say, if anything was. What they do not say cannot have been allowed.
    pub(super) fn about(&self, facts: &Facts) -> Option<Ruling> {
        let is_reading = !changes(facts);
        let ruling = |name: Name| {
            let exact = self.by_name.get(&name);
            let of_reading = { self.by_name.get(&name.into_read()) }.filter(|_| is_reading);
            of_reading.or(exact).copied()
        };
        let found: Vec<Option<Ruling>> = names(facts).map(ruling).collect();
        match () {
            () if found.contains(&Some(Ruling::Rejected)) => Some(Ruling::Rejected),
            () if facts.is_incomplete || found.contains(&None) => None,
            () => (!found.is_empty()).then_some(Ruling::Allowed),
        }
    }

    /// Whether the user has allowed everything of this kind. That was said about another call, so it does not count
    /// where a rule wants the user to be asked.
    pub(super) fn is_always(&self, facts: &Facts) -> bool {
        { facts.kind.as_ref() }.is_some_and(|kind| self.always.contains(kind))
    }
}

/// Whether a call shows what its kind says. The agent chooses the kind: an "always" that was given for a change of a file is
/// not one for commands, nor the other way round.
fn is_of_its_kind(facts: &Facts) -> bool {
    let runs = !facts.commands.is_empty();
    match facts.kind {
        Some(ToolKind::Execute) => !facts.has_diff && (runs || facts.paths.is_empty()),
        _ => !runs,
    }
}

/// Whether everything that is done was known when it was decided.
pub(super) fn covers(decided: &Facts, done: &Facts) -> bool {
    let decided: HashSet<Name> = names(decided).collect();
    names(done).all(|name| decided.contains(&name))
}

/// Whether a tool call changes something. What it states counts more than its kind, which the agent chooses.
pub(crate) fn changes(facts: &Facts) -> bool {
    let is_harmless = matches!(
        facts.kind,
        Some(
            ToolKind::Read
                | ToolKind::Search
                | ToolKind::Think
                | ToolKind::Fetch
                | ToolKind::SwitchMode
        )
    );
    !is_harmless || facts.has_diff || !facts.commands.is_empty()
}

/// The files and the commands, each in one spelling.
fn names(facts: &Facts) -> impl Iterator<Item = Name> {
    let folders = Arc::new(facts.folders.clone());
    let of_joined = folders.clone();
    let files = facts.paths.iter().cloned().map(Name::File);
    let commands = facts.commands.iter();
    let commands = commands.map(move |line| Name::Command(Commands::key(line), folders.clone()));
    let joined = facts.joined.iter();
    let joined = joined.map(move |line| Name::Joined(line.clone(), of_joined.clone()));
    files.chain(commands).chain(joined)
}
