//! A run at work: what is evaluated, noted and told when the turn of a node comes and when it is
//! over.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io;
use std::rc::Rc;

use tenon_protocols::orchard::Json;
use tenon_values::{Type, Value, convert};

use crate::event::{Event, RunStatus, Status, Watch};
use crate::masked::Masked;
use crate::planning::declarations::{Declaration, DeclarationId};
use crate::planning::evaluation::{Evaluation, Here};
use crate::planning::graph::{Instance, ModuleId, NodeId, NodeKind};
use crate::planning::idempotency::{self, Purpose};
use crate::planning::plan::{Plan, action_attributes};
use crate::planning::settings::Settings;
use crate::providers::provider::{FailureKind, ProviderFailure};
use crate::reading::model::{Assert, Output};
use crate::records::budget::Budget;
use crate::records::journal::{Entry, Journal};
use crate::records::record::{self, CHANGED, FailedAssert, NodeRecord, Record};
use crate::records::undo::{Stage, Undo, Undoer};
use crate::run::engine::{Outcome, Task, Turn, Work};
use crate::run::undeclared::undeclared;
use crate::run::{AssertOutcome, rendered};
use tenon_protocols::Secrets;

/// A run at work.
pub(crate) struct Running<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) evaluation: Evaluation<'a>,
    /// What was done before this run.
    pub(crate) done: BTreeSet<NodeId>,
    pub(crate) record: Record,
    pub(crate) journal: Option<Journal>,
    /// The room of the record, if there is one.
    pub(crate) budget: Option<Budget>,
    pub(crate) secrets: &'a Secrets,
    pub(crate) watch: Watch<'a>,
    pub(crate) worst: Option<FailureKind>,
    /// Something else than an action went wrong.
    pub(crate) has_failed: bool,
    /// What came of every assert so far.
    pub(crate) asserts: Vec<AssertOutcome>,
    /// What has been warned of: an action that is repeated would say the same each time.
    pub(crate) warned: HashSet<String>,
    /// Actions whose outcome is unknown are run again whatever they are given now.
    pub(crate) redo_maybe: bool,
    /// What is being repeated because its outcome was unknown.
    pub(crate) repeated: HashSet<NodeId>,
    /// Where each action stands in the record.
    pub(crate) places: HashMap<NodeId, usize>,
    pub(crate) undoer: Undoer<'a>,
}

impl Running<'_> {
    fn task(&self, id: NodeId, instance: &Instance, declaration: DeclarationId) -> Turn {
        let graph = &self.plan.graph;
        let here = Here {
            module: graph.node(id).module,
            instance,
            itself: None,
        };
        let (Some(action), Some(schema)) = (graph.action(id), self.plan.action_schema(id)) else {
            return Turn::Done;
        };
        if let Some(problem) = self.budget.as_ref().and_then(Budget::is_full) {
            return Turn::Failed(problem);
        }
        let settings = Settings::of(action, &self.evaluation, here);
        let attributes =
            action_attributes(action, &action.attributes, schema, &self.evaluation, here);
        let (mut settings, attributes) = match (settings, attributes) {
            (Ok(settings), Ok(attributes)) => (settings, attributes),
            (Err(problems), _) | (_, Err(problems)) => return Turn::Failed(rendered(&problems)),
        };
        self.secrets.learn(&attributes);
        let address = graph.address(id);
        let key = || idempotency::key(&self.record.id, address, Purpose::Run);
        let sent = idempotency::with_key(&attributes, schema, key);
        settings.idempotent |= schema.idempotent || idempotency::has_key(&sent, schema);
        let digest = idempotency::digest(action.kind.text(), &sent);
        let place = self.places.get(&id);
        if let Some(node) = place.map(|place| &self.record.nodes[*place])
            && !self.redo_maybe
            && !self.record.redo.contains(&node.address)
            // What is not known cannot be sent, which is told below.
            && digest.is_some()
            && node.has_changed(digest.as_deref())
        {
            return Turn::Failed(format!(
                "{CHANGED}\n  check whether it was done; then run it again with --redo-maybe or \
                 --redo ADDRESS, or undo the run with `tenon teardown`"
            ));
        }
        match Json::of_attributes(&sent.unmark_deep().0) {
            Ok(attributes) => Turn::Task(Task {
                address: Rc::from(&*graph.node(id).address),
                declaration,
                action: action.kind.text().to_owned(),
                attributes,
                settings,
                digest,
            }),
            Err(error) if is_all_known(&attributes) => Turn::Failed(error.to_string()),
            Err(error) => Turn::Failed(self.unsendable(id, &error)),
        }
    }

    pub(crate) fn node_record(&mut self, id: NodeId) -> Option<&mut NodeRecord> {
        let place = self.places.get(&id)?;
        self.record.nodes.get_mut(*place)
    }

    /// Sees to it that what is known about an action has room in the record. What there is no room
    /// for is dropped, and the reason is given.
    pub(crate) fn fit(&mut self, id: NodeId) -> Option<String> {
        let place = *self.places.get(&id)?;
        let node = self.record.nodes.get_mut(place)?;
        self.budget.as_mut()?.fit(place, node)
    }

    /// What came back, as a value of the type that the schema says.
    fn outputs(&mut self, id: NodeId, json: &Json) -> Result<Value, ProviderFailure> {
        let nothing = || Type::object::<&str>([]);
        let ty = self.plan.output_type(id).unwrap_or_else(nothing);
        let given = json.value();
        if let Ok(given) = &given {
            self.warn_of_undeclared(id, given, &ty);
        }
        if self.plan.output_type(id).is_none() {
            return Ok(Value::object::<&str>([]));
        }
        let value = given.and_then(|given| convert::convert(&given, &ty));
        let value = value.map_err(|error| {
            let provider = self.plan.declaration(id).map(Declaration::label);
            let message = format!(
                "the provider {:?} has a fault: the outputs do not fit its own schema: {}",
                provider.unwrap_or_default(),
                self.secrets.hide(&error.to_string())
            );
            ProviderFailure {
                kind: FailureKind::BrokeProtocol,
                message,
                answered: None,
            }
        })?;
        let is_sensitive = { self.plan.action_schema(id) }
            .and_then(|schema| schema.outputs.as_ref())
            .is_some_and(|outputs| outputs.sensitive);
        Ok(match is_sensitive {
            true => value.sensitive(),
            false => self.plan.sensitive.mark_outputs(id, value),
        })
    }

    /// Outputs that the schema does not declare are dropped: other actions could not have been
    /// checked against them. That is not done without a word.
    fn warn_of_undeclared(&mut self, id: NodeId, given: &Value, ty: &Type) {
        let undeclared = undeclared(given, ty);
        let (Some(action), false) = (self.plan.graph.action(id), undeclared.is_empty()) else {
            return;
        };
        let provider = self.plan.declaration(id).map(Declaration::label);
        let message = format!(
            "the provider {:?}: its schema does not declare these outputs of {:?}, so they are \
             dropped: {}",
            provider.unwrap_or_default(),
            action.kind.text(),
            self.secrets.hide(&undeclared.join(", "))
        );
        if self.warned.insert(message.clone()) {
            (self.watch)(Event::Warning { message });
        }
    }

    /// Evaluates the outputs that can be, and looks at their asserts.
    pub(crate) fn tell_outputs(&mut self, chosen: &[NodeId]) {
        let plan = self.plan;
        let chosen: BTreeSet<NodeId> = chosen.iter().copied().collect();
        for output in plan.graph.outputs() {
            // What it needs may have failed, or was not asked for.
            let is_known = |id: &NodeId| chosen.contains(id) && self.evaluation.get(*id).is_some();
            if !plan.graph.needs(&output.value).iter().all(is_known) {
                continue;
            }
            let name = output.name.text();
            let value = self
                .evaluation
                .value(&output.value, Here::module(ModuleId::ROOT));
            let value = match value {
                Ok(value) if output.is_sensitive => value.sensitive(),
                Ok(value) => value,
                Err(problems) => {
                    self.assert_failed(name.to_owned(), &rendered(&problems));
                    continue;
                }
            };
            match Masked::of(&value) {
                Ok(masked) => {
                    let fit = self
                        .budget
                        .as_mut()
                        .map(|one| one.fit_output(name, &masked));
                    if let Some(Err(problem)) = fit {
                        self.assert_failed(name.to_owned(), &problem);
                        continue;
                    }
                    (self.watch)(Event::Output {
                        name: name.to_owned(),
                        value: masked.value.clone(),
                        sensitive: !masked.sensitive.is_empty(),
                    });
                    self.record.set_output(name, masked);
                }
                // Only an infinite number is left then.
                Err(error) if is_all_known(&value) => {
                    self.assert_failed(name.to_owned(), &error.to_string());
                    continue;
                }
                // One that needs a secret of a run before this one cannot be told.
                Err(_) => {}
            }
            for outcome in self.check_asserts(ModuleId::ROOT, output, &value) {
                self.assert_checked(name.to_owned(), outcome);
            }
        }
    }

    /// What comes of the asserts of an output: nothing, or what is not true.
    fn check_asserts(
        &self,
        module: ModuleId,
        output: &Output,
        value: &Value,
    ) -> Vec<Result<(), String>> {
        let itself = Value::object([("value", value.clone())]);
        let here = Here {
            itself: Some(&itself),
            ..Here::module(module)
        };
        let check = |assert: &Assert| {
            let condition = self
                .evaluation
                .value_as(&Type::Bool, &assert.condition, here);
            match condition {
                Ok(condition) if condition.unmark().0.as_bool() == Some(true) => Ok(()),
                Ok(_) => Err(match &assert.message {
                    Some(message) => self.message(message, here),
                    None => format!("this is not true: {}", assert.condition.place().text()),
                }),
                Err(problems) => Err(rendered(&problems)),
            }
        };
        output.asserts.iter().map(check).collect()
    }

    fn assert_checked(&mut self, output: String, outcome: Result<(), String>) {
        match outcome {
            Ok(()) => self.asserts.push(AssertOutcome {
                output,
                error: None,
            }),
            Err(message) => self.assert_failed(output, &message),
        }
    }

    fn message(&self, message: &tenon_hcl::Expression, here: Here<'_>) -> String {
        match self.evaluation.value_as(&Type::String, message, here) {
            Ok(value) => match value.as_str() {
                Some(text) if !value.is_sensitive() => text.to_owned(),
                _ => tenon_protocols::MASK.to_owned(),
            },
            Err(problems) => rendered(&problems),
        }
    }

    fn assert_failed(&mut self, output: String, message: &str) {
        self.has_failed = true;
        let message = self.secrets.hide(message);
        self.record.failed_asserts.push(FailedAssert {
            output: output.clone(),
            message: message.clone(),
        });
        self.asserts.push(AssertOutcome {
            output: output.clone(),
            error: Some(message.clone()),
        });
        (self.watch)(Event::AssertFailed { output, message });
    }

    /// What came of something that only gathers, such as a component. Its asserts are looked at.
    fn gather(&mut self, id: NodeId) -> Turn {
        let value = match self.evaluation.gathered(id) {
            Ok(value) => value,
            Err(problems) => return Turn::Failed(rendered(&problems)),
        };
        let plan = self.plan;
        if let NodeKind::Component { inside } = plan.graph.node(id).kind {
            let mut has_failed = false;
            for output in &plan.graph.module(inside).module.outputs {
                let Ok(one) = value.attribute(output.name.text()) else {
                    continue;
                };
                for outcome in self.check_asserts(inside, output, &one) {
                    let name = format!("{}.{}", plan.graph.address(id), output.name);
                    has_failed |= outcome.is_err();
                    self.assert_checked(name, outcome);
                }
            }
            if has_failed {
                return Turn::Failed("an assert failed".into());
            }
        }
        self.evaluation.set(id, value);
        match self.settle(id) {
            Ok(()) => Turn::Done,
            Err(error) => Turn::Failed(error.to_string()),
        }
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
    pub(crate) fn status(&self, is_interrupted: bool) -> RunStatus {
        let is_bad = |node: &NodeRecord| {
            matches!(
                node.status,
                Status::Failed | Status::Skipped | Status::Maybe
            )
        };
        // A provider that did not end as it should has failed, although its actions have not.
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

impl Work for Running<'_> {
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
        let at = record::now();
        let mut undo = self.undo(id, Stage::Begun);
        let after = self.plan.after(id);
        let mut earlier = Vec::new();
        let mut is_repeated = false;
        let is_redone = self.record.redo.iter().any(|one| **one == *task.address);
        if let Some(node) = self.node_record(id) {
            is_repeated = node.status == Status::Maybe
                && task.settings.idempotent
                && !is_redone
                && !node.has_changed(task.digest.as_deref());
            if is_repeated {
                // To repeat it is to find out what came of it: both are undone as one.
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
        self.journal.as_mut().map_or(Ok(()), Journal::sync)
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
                // A provider may well give back what it was given.
                let value = self.secrets.mark(&value);
                let split = Masked::split(&value).ok();
                let masked = split.map(|(masked, secrets)| {
                    let owner = record::outputs_owner(self.plan.graph.address(id));
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
            // It is done, but a resumed run could not go on with what it returned.
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
        // One that only gathers is nothing to tell about.
        if self.places.contains_key(&id) {
            let error = format!("{} is not done", self.plan.graph.node(because).address);
            self.not_run(id, Status::Skipped, error);
        }
    }
}
