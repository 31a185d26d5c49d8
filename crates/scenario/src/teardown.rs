//! Taking a run back: what has a `teardown`, in the opposite order.

use std::cell::Cell;
use std::collections::{BTreeSet, HashMap};
use std::io;
use std::path::Path;
use std::rc::Rc;
use std::time::Instant;

use tenon_protocols::orchard::Json;
use tenon_values::Value;

use crate::declarations::DeclarationId;
use crate::engine::{Engine, Outcome, Task, Turn, Work};
use crate::evaluation::{Evaluation, Here};
use crate::event::{Event, RunStatus, Status, Watch};
use crate::graph::{NodeId, NodeKind};
use crate::journal::{Entry, Journal};
use crate::launcher::Launcher;
use crate::plan::{Plan, action_attributes};
use crate::provider::FailureKind;
use crate::record::{self, Record};
use crate::run::{RunError, RunOptions, RunReport, end, rendered, unsendable};
use crate::settings::Settings;
use crate::slots::{NotStarted, Slots};
use tenon_protocols::Secrets;

impl Plan {
    /// Takes back what a run did, the last first. What may or may not have been done is taken back
    /// as well.
    ///
    /// # Errors
    /// It could not begin, or not be told about. That an action failed is no error here.
    pub async fn teardown(
        &self,
        path: &Path,
        launcher: &Launcher,
        options: &RunOptions,
        watch: Watch<'_>,
    ) -> Result<RunReport, RunError> {
        let started = Instant::now();
        let (journal, record) = Journal::open(path)?;
        let mut evaluation = Evaluation::new(&self.graph, &self.variables, false);
        self.recall(&record, &mut evaluation)
            .map_err(RunError::Invalid)?;
        self.variables
            .values()
            .for_each(|value| launcher.secrets.learn(value));
        let wanted = self.to_take_back(&record);
        let needed: BTreeSet<DeclarationId> = wanted
            .iter()
            .filter_map(|id| match self.graph.node(*id).kind {
                NodeKind::Action { declaration, .. } => declaration,
                _ => None,
            })
            .collect();
        let configs = self
            .configs(&needed, &evaluation)
            .map_err(RunError::Invalid)?;
        watch(Event::Started {
            scenario: record.scenario.clone(),
            run: record.id.clone(),
            actions: wanted.len(),
            done: 0,
            record: Some(path.display().to_string()),
        });
        let slots = Slots::start(launcher, configs, &options.interrupt, watch).await;
        let slots = slots.map_err(|problem| match problem {
            NotStarted::Failed(failures) => {
                for failure in &failures {
                    let message = failure.message.clone();
                    watch(Event::ProviderFailed { message });
                }
                RunError::Providers(failures, Box::new(record.clone()))
            }
            NotStarted::Interrupted => RunError::Interrupted,
        })?;
        let mut work = TakingBack {
            plan: self,
            evaluation,
            wanted,
            places: self.places(&record),
            record,
            journal,
            secrets: &launcher.secrets,
            watch,
            worst: None,
        };
        let engine = Engine {
            slots: &slots,
            jobs: options.jobs.max(1),
            interrupt: &options.interrupt,
            grace: options.grace,
            watch,
            has_cut_off: Cell::default(),
        };
        let ended = engine.run(&mut self.backwards(), &mut work).await;
        let ended = end(slots, ended, &mut work.worst, watch).await?;
        work.finish(started, ended.is_interrupted)
    }

    /// What was done, or may have been, and has not been taken back yet.
    fn to_take_back(&self, record: &Record) -> BTreeSet<NodeId> {
        let places = self.places(record);
        let is_there = |id: NodeId| {
            let node = places.get(&id).map(|place| &record.nodes[*place]);
            node.is_some_and(|node| {
                matches!(node.status, Status::Succeeded | Status::Maybe)
                    && node.teardown != Some(Status::Succeeded)
            })
        };
        let has_teardown = |id: NodeId| {
            let action = self.graph.action(id);
            action.is_some_and(|action| action.teardown.is_some())
        };
        { self.graph.actions() }
            .map(|(id, _)| id)
            .filter(|id| has_teardown(*id) && is_there(*id))
            .collect()
    }
}

struct TakingBack<'a> {
    plan: &'a Plan,
    evaluation: Evaluation<'a>,
    wanted: BTreeSet<NodeId>,
    /// Where each action stands in the record.
    places: HashMap<NodeId, usize>,
    record: Record,
    journal: Journal,
    secrets: &'a Secrets,
    watch: Watch<'a>,
    worst: Option<FailureKind>,
}

impl TakingBack<'_> {
    fn task(&self, id: NodeId) -> Turn {
        let graph = &self.plan.graph;
        let node = graph.node(id);
        let NodeKind::Action {
            instance,
            declaration: Some(declaration),
            ..
        } = &node.kind
        else {
            return Turn::Done;
        };
        let (Some(action), Some(schema)) = (graph.action(id), self.plan.action_schema(id)) else {
            return Turn::Done;
        };
        // Nobody knows what an action brought that was cut off.
        let unknown = || match self.plan.output_type(id) {
            Some(ty) => Value::unknown(ty.without_optional()),
            None => Value::object::<&str>([]),
        };
        let itself = self.evaluation.get(id).cloned().unwrap_or_else(unknown);
        let here = Here {
            module: node.module,
            instance,
            itself: Some(&itself),
        };
        let teardown = action.teardown.as_deref().unwrap_or_default();
        let attributes = action_attributes(action, teardown, schema, &self.evaluation, here);
        let settings = Settings::of(action, &self.evaluation, here);
        let (attributes, settings) = match (attributes, settings) {
            (Ok(attributes), Ok(settings)) => (attributes, settings),
            (Err(problems), _) | (_, Err(problems)) => return Turn::Failed(rendered(&problems)),
        };
        self.secrets.learn(&attributes);
        match Json::of_attributes(&attributes.unmark_deep().0) {
            Ok(attributes) => Turn::Task(Task {
                address: Rc::from(&*node.address),
                declaration: *declaration,
                action: action.kind.text().to_owned(),
                attributes,
                settings,
            }),
            Err(error) if self.evaluation.get(id).is_none() => Turn::Failed(format!(
                "{error}\n  it was cut off, so nobody knows what it brought: \
                 look whether it was done, and take it back by hand"
            )),
            Err(error) => Turn::Failed(unsendable(&error)),
        }
    }

    /// Puts what came of an action into the record.
    fn set(&mut self, id: NodeId, status: Status, error: Option<String>) {
        let place = self.places.get(&id);
        if let Some(node) = place.and_then(|place| self.record.nodes.get_mut(*place)) {
            node.teardown = Some(status);
            node.teardown_error = error;
        }
    }

    fn note(&mut self, id: NodeId, status: Status, error: Option<String>) -> io::Result<()> {
        self.set(id, status, error.clone());
        self.journal.note(&Entry::TeardownEnd {
            action: self.plan.graph.node(id).address.to_string(),
            status,
            error,
        })
    }

    fn tell(&self, id: NodeId, status: Status, duration_ms: u64, error: Option<String>) {
        (self.watch)(Event::ActionFinished {
            action: self.plan.graph.node(id).address.to_string(),
            status,
            duration_ms,
            outputs: None,
            error,
        });
    }

    fn finish(self, started: Instant, is_interrupted: bool) -> Result<RunReport, RunError> {
        let addresses: BTreeSet<&str> = { self.wanted.iter() }
            .map(|id| &*self.plan.graph.node(*id).address)
            .collect();
        let count = |status| {
            let nodes = self.record.nodes.iter();
            nodes
                .filter(|node| addresses.contains(node.address.as_str()))
                .filter(|node| node.teardown == Some(status))
                .count()
        };
        let (succeeded, failed) = (count(Status::Succeeded), count(Status::Failed));
        let (skipped, maybe) = (count(Status::Skipped), count(Status::Maybe));
        // A provider that did not end as it should may have lost what it was to do.
        let status = match succeeded == self.wanted.len() && self.worst.is_none() {
            _ if is_interrupted => RunStatus::Interrupted,
            true => RunStatus::Succeeded,
            false => RunStatus::Failed,
        };
        let path = self.journal.finish(&self.record)?;
        (self.watch)(Event::Finished {
            run: self.record.id.clone(),
            status,
            duration_ms: started.elapsed().as_millis() as u64,
            succeeded,
            failed,
            skipped,
            maybe,
            record: Some(path.display().to_string()),
        });
        Ok(RunReport {
            status,
            record: self.record,
            path: Some(path),
            worst: self.worst,
            asserts: Vec::new(),
        })
    }
}

impl Work for TakingBack<'_> {
    fn declaration(&self, id: NodeId) -> Option<DeclarationId> {
        match self.plan.graph.node(id).kind {
            NodeKind::Action { declaration, .. } if self.wanted.contains(&id) => declaration,
            _ => None,
        }
    }

    fn turn(&mut self, id: NodeId) -> Turn {
        match self.wanted.contains(&id) {
            true => self.task(id),
            false => Turn::Done,
        }
    }

    fn begun(&mut self, id: NodeId, task: &Task) -> io::Result<()> {
        let address = self.plan.graph.node(id).address.to_string();
        self.set(id, Status::Maybe, None);
        (self.watch)(Event::ActionStarted {
            action: address.clone(),
            provider: self.plan.declarations.get(task.declaration).label(),
        });
        self.journal.note(&Entry::TeardownBegin {
            action: address,
            at: record::now(),
        })
    }

    fn sync(&mut self) -> io::Result<()> {
        self.journal.sync()
    }

    fn finished(&mut self, id: NodeId, outcome: Outcome) -> io::Result<bool> {
        let (status, error) = match outcome.result {
            Ok(_) => (Status::Succeeded, None),
            Err(failure) => {
                self.worst = self.worst.max(Some(failure.kind));
                let status = Outcome::status(outcome.was_sent, &failure);
                (status, Some(failure.message))
            }
        };
        self.note(id, status, error.clone())?;
        self.tell(id, status, outcome.duration.as_millis() as u64, error);
        Ok(status == Status::Succeeded)
    }

    fn failed(&mut self, id: NodeId, error: String) {
        let error = self.secrets.hide(&error);
        self.set(id, Status::Failed, Some(error.clone()));
        self.tell(id, Status::Failed, 0, Some(error));
    }

    fn skipped(&mut self, id: NodeId, because: NodeId) {
        if !self.wanted.contains(&id) {
            return;
        }
        let error = format!("{} is still there", self.plan.graph.node(because).address);
        self.set(id, Status::Skipped, Some(error.clone()));
        self.tell(id, Status::Skipped, 0, Some(error));
    }
}
