//! What was decided in a session about files and commands, to compare it with what the agent does.

use serde::Serialize;
use std::collections::{HashMap, HashSet, VecDeque};
use tenon_protocols::acp::{PermissionKind, ToolKind};

use crate::facts::{Commands, Facts};

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

/// What was decided in a session.
#[derive(Debug, Default)]
pub(super) struct Rulings {
    /// By the path of a file or a command line.
    by_name: HashMap<String, Ruling>,
    order: VecDeque<String>,
    /// The bytes of the names.
    kept: usize,
    /// Kinds of tools that the user has allowed for the whole session: agents do not ask again.
    always: HashSet<ToolKind>,
}

impl Rulings {
    /// Remembers a decision about a tool call.
    pub(super) fn decide(&mut self, facts: &Facts, ruling: Ruling, is_always: bool) {
        if is_always && ruling == Ruling::Allowed {
            self.always.extend(facts.kind.clone());
        }
        let is_reading = !changes(facts);
        for name in names(facts) {
            let name = if is_reading { read(&name) } else { name };
            if self.by_name.insert(name.clone(), ruling).is_none() {
                self.kept += 2 * name.len();
                self.order.push_back(name);
            }
            while (self.order.len() > REMEMBERED || self.kept > KEPT)
                && let Some(oldest) = self.order.pop_front()
            {
                self.kept = self.kept.saturating_sub(2 * oldest.len());
                self.by_name.remove(&oldest);
            }
        }
    }

    /// What was decided about what these facts say, if anything was.
    pub(super) fn about(&self, facts: &Facts) -> Option<Ruling> {
        let is_reading = !changes(facts);
        let ruling = |name: String| {
            let of_reading = { self.by_name.get(&read(&name)) }.filter(|_| is_reading);
            of_reading.or_else(|| self.by_name.get(&name)).copied()
        };
        let found: Vec<Option<Ruling>> = names(facts).map(ruling).collect();
        match () {
            () if found.contains(&Some(Ruling::Rejected)) => Some(Ruling::Rejected),
            () if !found.is_empty() && !found.contains(&None) => Some(Ruling::Allowed),
            () => None,
        }
    }

    /// Whether the user has allowed everything of this kind. That was said about another call, so it does not count
    /// where a rule wants the user to be asked.
    pub(super) fn is_always(&self, facts: &Facts) -> bool {
        { facts.kind.as_ref() }.is_some_and(|kind| self.always.contains(kind))
    }
}

/// The name of a file that is read: reading it says nothing about writing it. No path and no command begins so.
fn read(name: &str) -> String {
    format!("\0{name}")
}

/// Whether everything that is done was known when it was decided.
pub(super) fn covers(decided: &Facts, done: &Facts) -> bool {
    let decided: HashSet<String> = names(decided).collect();
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

/// The files and the commands, each in one spelling. In another folder a command is another one.
fn names(facts: &Facts) -> impl Iterator<Item = String> {
    let paths = facts.paths.iter().map(|path| path.display().to_string());
    let mut folders = String::new();
    for folder in &facts.folders {
        folders += &format!(" in {}", folder.display());
    }
    let commands = { facts.commands.iter() }.map(move |line| Commands::key(line) + &folders);
    paths.chain(commands)
}
