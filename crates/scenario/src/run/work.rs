//! A run in progress: what is evaluated, noted and told when the turn of a node comes and when it is
//! over.

mod asserts;
mod outputs;
mod settling;
mod turn;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io;

use tenon_protocols::Secrets;
use tenon_values::Value;

use crate::event::{Event, RunStatus, Status, Watch};
use crate::hint::Advice;
use crate::masked::Masked;
use crate::planning::declarations::DeclarationId;
use crate::planning::evaluation::Evaluation;
use crate::planning::graph::{NodeId, NodeKind};
use crate::planning::plan::Plan;
use crate::providers::failure::FailureKind;
use crate::records::budget::Budget;
use crate::records::journal::{Entry, Journal};
use crate::records::node::{NodeRecord, outputs_owner};
use crate::records::record::Record;
use crate::records::time;
use crate::records::undo::Undo;
use crate::run::engine::Work;
use crate::run::memory::after;
use crate::run::report::AssertOutcome;
use crate::run::task::{Outcome, Task, Turn};
use crate::run::undoer::{Stage, Undoer};

/// A run in progress.
pub(super) struct RunWork<'a> {
    pub(super) plan: &'a Plan,
    pub(super) evaluation: Evaluation<'a>,
    /// What was done before this run.
    pub(super) done: BTreeSet<NodeId>,
    pub(super) record: Record,
    pub(super) journal: Option<Journal>,
    /// The room of the record, if there is one.
    pub(super) budget: Option<Budget>,
    pub(super) secrets: &'a Secrets,
    pub(super) advice: Advice,
    pub(super) watch: Watch<'a>,
    pub(super) worst: Option<FailureKind>,
    /// Something else than an action went wrong.
    pub(super) has_failed: bool,
    /// The outcome of every assert so far.
    pub(super) asserts: Vec<AssertOutcome>,
    /// Warnings that were given: a repeated action would cause the same one each time.
    pub(super) warned: HashSet<String>,
    /// Actions whose outcome is unknown are run again whatever they are given now.
    pub(super) redo_maybe: bool,
    /// What is being repeated because its outcome was unknown.
    pub(super) repeated: HashSet<NodeId>,
    /// The index of each action in the record.
    pub(super) places: HashMap<NodeId, usize>,
    pub(super) undoer: Undoer<'a>,
}

impl RunWork<'_> {
    fn node_record(&mut self, id: NodeId) -> Option<&mut NodeRecord> {
        let place = self.places.get(&id)?;
        self.record.nodes.get_mut(*place)
    }

    /// Makes room in the record for what is known about an action. What there is no room
    /// for is dropped, and the reason is given.
    fn fit(&mut self, id: NodeId) -> Option<String> {
        let place = *self.places.get(&id)?;
        let node = self.record.nodes.get_mut(place)?;
        self.budget.as_mut()?.fit(place, node)
    }

    /// An action is not handed to its provider. If its outcome in the run that is resumed is
    /// unknown, it stays so.
    fn not_run(&mut self, id: NodeId, mut status: Status, mut error: String) {
        if let Some(node) = self.node_record(id) {
            match node.status {
                Status::Maybe => {
                    status = Status::Maybe;
                    error = format!("it was not run again: {error}");
                }
                _ => {
                    node.retire();
                    node.status = status;
                }
            }
            node.error = Some(error.clone());
        }
        (self.watch)(Event::ActionFinished {
            action: self.plan.graph.node(id).address.to_string(),
            status,
            duration_ms: 0,
            outputs: None,
            error: Some(error),
        });
    }

    /// How the run went.
    pub(super) fn status(&self, is_interrupted: bool) -> RunStatus {
        let is_bad = |node: &NodeRecord| {
            matches!(
                node.status,
                Status::Failed | Status::Skipped | Status::Maybe
            )
        };
        // A provider that did not shut down correctly has failed, although its actions have not.
        let has_failed = self.has_failed || self.worst.is_some();
        match has_failed || self.record.nodes.iter().any(is_bad) {
            _ if is_interrupted => RunStatus::Interrupted,
            true => RunStatus::Failed,
            false => RunStatus::Succeeded,
        }
    }
}

fn is_all_known(value: &Value) -> bool {
    value.unmark_deep().0.is_wholly_known()
}

impl Work for RunWork<'_> {
    fn declaration(&self, id: NodeId) -> Option<DeclarationId> {
        match self.plan.graph.node(id).kind {
            NodeKind::Action { declaration, .. } if !self.done.contains(&id) => declaration,
            _ => None,
        }
    }

    fn turn(&mut self, id: NodeId) -> Turn {
        match &self.plan.graph.node(id).kind {
            NodeKind::Action {
                instance,
                declaration: Some(declaration),
                ..
            } if !self.done.contains(&id) => self.task(id, instance, *declaration),
            NodeKind::Action { .. } => Turn::Done,
            _ => self.gather(id),
        }
    }

    fn begun(&mut self, id: NodeId, task: &Task) -> io::Result<()> {
        let at = time::now();
        let mut undo = self.undo(id, Stage::Begun);
        let after = after(&self.plan.graph, id);
        let mut earlier = Vec::new();
        let mut is_repeated = false;
        let is_redone = self.record.redo.iter().any(|one| **one == *task.address);
        if let Some(node) = self.node_record(id) {
            is_repeated = node.status == Status::Maybe
                && task.settings.idempotent
                && !is_redone
                && !node.has_changed(task.digest.as_deref());
            if is_repeated {
                // It is repeated to find out its outcome: both executions are undone as one.
                undo = Undo::of_both(node.undo.take(), undo, &mut node.earlier);
            }
            node.retire();
            earlier = node.earlier.clone();
            node.after = after.clone();
            node.undo = undo.clone();
            node.status = Status::Maybe;
            node.started_at = Some(at.clone());
            node.attributes_sha256.clone_from(&task.digest);
            node.error = None;
        }
        if is_repeated {
            self.repeated.insert(id);
        }
        // There is room: it would not have had its turn otherwise.
        let _none = self.fit(id);
        (self.watch)(Event::ActionStarted {
            action: task.address.to_string(),
            provider: self.plan.declarations.get(task.declaration).label(),
        });
        let entry = Entry::Begin {
            action: task.address.to_string(),
            at,
            attributes_sha256: task.digest.clone(),
            after,
            undo: undo.map(Box::new),
            earlier,
        };
        match &mut self.journal {
            Some(journal) => journal.note(&entry),
            None => Ok(()),
        }
    }

    fn sync(&mut self) -> io::Result<()> {
        match &mut self.journal {
            Some(journal) => journal.sync(&self.record),
            None => Ok(()),
        }
    }

    fn finished(&mut self, id: NodeId, outcome: Outcome) -> io::Result<bool> {
        let result = match outcome.result {
            Ok(json) => self.outputs(id, &json),
            Err(failure) => Err(failure),
        };
        let duration_ms = outcome.duration.as_millis() as u64;
        let mut undo = self.node_record(id).and_then(|node| node.undo.take());
        // If it fails, that says nothing about the execution that it repeats.
        let may_be_done = self.repeated.remove(&id) || outcome.may_be_done;
        let mut sealed = Vec::new();
        let (status, outputs, error) = match result {
            Ok(value) => {
                self.secrets.learn(&value);
                // A provider may return what it was given.
                let value = self.secrets.mark(&value);
                let split = Masked::split(&value).ok();
                let masked = split.map(|(masked, secrets)| {
                    let owner = outputs_owner(self.plan.graph.address(id));
                    sealed = self.undoer.sealer.sealed(&owner, &masked, &secrets);
                    masked
                });
                self.evaluation.set(id, value);
                undo = self.undo(id, Stage::Ended);
                (Status::Succeeded, masked, None)
            }
            Err(failure) => {
                self.worst = self.worst.max(Some(failure.kind));
                let status = Outcome::failed_status(may_be_done);
                (status, None, Some(failure.message))
            }
        };
        // What failed did nothing.
        undo = undo.filter(|_| status != Status::Failed);
        let attempts = (outcome.attempts > 1).then_some(outcome.attempts);
        if let Some(node) = self.node_record(id) {
            node.status = status;
            node.duration_ms = Some(duration_ms);
            node.attempts = attempts;
            (node.outputs, node.sensitive) = match outputs {
                Some(masked) => (Some(masked.value), masked.sensitive),
                None => (None, Vec::new()),
            };
            node.sealed = sealed;
            node.undo = undo;
            node.error = error;
            if status != Status::Maybe {
                node.attributes_sha256 = None;
            }
        }
        let problem = self.fit(id);
        let Some(node) = self.node_record(id) else {
            return Ok(false);
        };
        if let Some(problem) = problem {
            // It is done, but a resumed run could not continue with what it returned.
            node.status = Status::Maybe;
            node.error = Some(problem);
        }
        let status = node.status;
        let event = Event::ActionFinished {
            action: node.address.clone(),
            status,
            duration_ms,
            outputs: node.outputs.clone(),
            error: node.error.clone(),
        };
        let entry = Entry::End {
            node: Box::new(node.clone()),
        };
        if let Some(journal) = &mut self.journal {
            journal.note(&entry)?;
        }
        (self.watch)(event);
        self.settle(id)?;
        Ok(status == Status::Succeeded)
    }

    fn failed(&mut self, id: NodeId, error: String) {
        self.has_failed = true;
        let error = self.secrets.hide(&error);
        self.not_run(id, Status::Failed, error);
    }

    fn skipped(&mut self, id: NodeId, because: NodeId) {
        // What was done before this run is still done.
        if self.done.contains(&id) {
            return;
        }
        // A node that only gathers others is not reported.
        if self.places.contains_key(&id) {
            let error = format!("{} is not done", self.plan.graph.node(because).address);
            self.not_run(id, Status::Skipped, error);
        }
    }
}
