//! A run: every action of a plan, in order, with a journal.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

use tenon_hcl::{Diagnostic, Style};
use tenon_protocols::orchard::Json;
use tenon_values::{Type, Value};
use tokio_util::sync::CancellationToken;

use crate::declarations::{Declaration, DeclarationId};
use crate::engine::{Engine, Outcome, Slots, Task, Turn, Work};
use crate::evaluation::{Evaluation, Here};
use crate::event::{Event, RunStatus, Status, Watch};
use crate::graph::{Instance, ModuleId, Node, NodeId, NodeKind};
use crate::journal::{Entry, Journal, JournalError};
use crate::load::ScenarioFile;
use crate::masked::Masked;
use crate::plan::{Plan, action_attributes, config};
use crate::provider::{FailureKind, Launcher, ProviderFailure};
use crate::record::{self, NodeRecord, Record};
use crate::schedule::Schedule;
use crate::secrets::Secrets;
use crate::settings::Settings;

/// How a run goes about it.
#[derive(Clone)]
pub struct RunOptions {
    /// How many actions run at once.
    pub jobs: usize,
    /// Where the record goes; `None` keeps none.
    pub record_folder: Option<PathBuf>,
    /// Only these actions or components, and what they need. All if there are none.
    pub targets: Vec<String>,
    /// How long running actions have after an interrupt.
    pub grace: Duration,
    /// Run actions again of which nobody knows whether they were done.
    pub redo_maybe: bool,
    /// Set by Ctrl-C.
    pub interrupt: CancellationToken,
}

impl Default for RunOptions {
    fn default() -> RunOptions {
        RunOptions {
            jobs: std::thread::available_parallelism().map_or(1, usize::from),
            record_folder: Some(PathBuf::new()),
            targets: Vec::new(),
            grace: Duration::from_secs(10),
            redo_maybe: false,
            interrupt: CancellationToken::new(),
        }
    }
}

/// What came of a run.
#[derive(Debug)]
pub struct RunReport {
    /// How it went.
    pub status: RunStatus,
    /// Everything about it.
    pub record: Record,
    /// Where that was written.
    pub path: Option<PathBuf>,
    /// The worst that providers did, if anything.
    pub worst: Option<FailureKind>,
}

/// Why there was no run, or none to its end.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The scenario, or how it is to be run, is wrong.
    #[error("the scenario is not right")]
    Invalid(Vec<Diagnostic>),
    /// Providers could not be started and configured. Nothing was done.
    #[error("{}", .0.iter().map(|failure| failure.message.as_str()).collect::<Vec<_>>().join("\n"))]
    Providers(Vec<ProviderFailure>),
    /// The record cannot be kept.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The journal cannot be written any more. Everything was stopped.
    #[error("the journal could not be written, so everything was stopped: {0}")]
    Disk(#[from] io::Error),
    /// Of some actions nobody knows whether they were done.
    #[error(
        "nobody knows whether these were done:\n  {}\n\
         look, then run them again with --redo-maybe, or take everything back with `tenon teardown`",
        .0.join("\n  ")
    )]
    Maybe(Vec<String>),
}

impl Plan {
    /// Runs it.
    ///
    /// # Errors
    /// It could not begin, or not be told about. That an action failed is no error here.
    pub async fn run(
        &self,
        file: &ScenarioFile,
        launcher: &Launcher,
        options: &RunOptions,
        watch: Watch<'_>,
    ) -> Result<RunReport, RunError> {
        let record = self.new_record(file);
        self.go(record, None, launcher, options, watch).await
    }

    /// Goes on with a run that was cut off or failed.
    ///
    /// # Errors
    /// As [`Plan::run`]; or nobody knows of some action whether it was done.
    pub async fn resume(
        &self,
        path: &Path,
        launcher: &Launcher,
        options: &RunOptions,
        watch: Watch<'_>,
    ) -> Result<RunReport, RunError> {
        let (journal, record) = Journal::open(path)?;
        let maybe = record
            .nodes
            .iter()
            .filter(|node| node.status == Status::Maybe);
        let maybe: Vec<String> = maybe.map(|node| node.address.clone()).collect();
        if !maybe.is_empty() && !options.redo_maybe {
            return Err(RunError::Maybe(maybe));
        }
        self.go(record, Some(journal), launcher, options, watch)
            .await
    }

    async fn go(
        &self,
        mut record: Record,
        journal: Option<Journal>,
        launcher: &Launcher,
        options: &RunOptions,
        watch: Watch<'_>,
    ) -> Result<RunReport, RunError> {
        let started = Instant::now();
        let chosen = self.chosen(&options.targets).map_err(RunError::Invalid)?;
        let mut evaluation = Evaluation::new(&self.graph, &self.variables, false);
        let done = self
            .recall(&record, &mut evaluation)
            .map_err(RunError::Invalid)?;
        self.variables
            .values()
            .for_each(|value| launcher.secrets.learn(value));
        let needed = self.needed(&chosen, &done);
        let configs = self
            .configs(&needed, &evaluation)
            .map_err(RunError::Invalid)?;
        record.status = RunStatus::Running;
        self.add_new_nodes(&mut record);
        let journal = match (journal, &options.record_folder) {
            (Some(journal), _) => Some(journal),
            (None, Some(folder)) => Some(Journal::begin(&record, folder)?),
            (None, None) => None,
        };
        let actions = chosen
            .iter()
            .filter(|id| self.declaration(**id).is_some())
            .count();
        watch(Event::Started {
            scenario: record.scenario.clone(),
            run: record.id.clone(),
            actions,
            done: done.len(),
            record: journal
                .as_ref()
                .map(|journal| journal.record().display().to_string()),
        });
        let slots = Slots::start(launcher, configs, watch).await;
        let slots = match slots {
            Ok(slots) => slots,
            Err(failures) => {
                record.status = RunStatus::Failed;
                record.finished_at = Some(record::now());
                close(journal, &record)?;
                return Err(RunError::Providers(failures));
            }
        };
        let mut work = Running {
            plan: self,
            evaluation,
            done,
            journal,
            secrets: &launcher.secrets,
            watch,
            worst: None,
            places: self.places(&record),
            record,
        };
        let engine = Engine {
            slots: &slots,
            jobs: options.jobs.max(1),
            interrupt: &options.interrupt,
            grace: options.grace,
            watch,
        };
        let mut schedule = self.schedule(&chosen);
        let ended = engine.run(&mut schedule, &mut work).await;
        slots.stop().await;
        let ended = ended?;
        let is_good = work.tell_outputs(&chosen);
        work.finish(started, ended.is_interrupted, is_good)
    }

    fn new_record(&self, file: &ScenarioFile) -> Record {
        let secret = self.secret_variables();
        let masked = |(name, value): (&String, &Value)| {
            let value = match secret.contains(name.as_str()) {
                true => value.sensitive(),
                false => value.clone(),
            };
            Some((name.clone(), Masked::of(&value).ok()?))
        };
        Record {
            scenario: self.scenario.name().to_owned(),
            path: record::absolute(&file.path),
            id: record::new_id(),
            status: RunStatus::Running,
            started_at: record::now(),
            finished_at: None,
            variables: self.variables.iter().filter_map(masked).collect(),
            nodes: Vec::new(),
            outputs: BTreeMap::new(),
            files: record::digests(file),
        }
    }

    /// Variables that go into a configuration which its provider calls sensitive are secrets, too,
    /// whether the scenario says so or not.
    fn secret_variables(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        for (_, declaration) in self.declarations.iter() {
            for attribute in &declaration.config {
                let schema = declaration.schema.config.get(attribute.name.text());
                if !schema.is_some_and(|schema| schema.sensitive) {
                    continue;
                }
                for (reference, _) in attribute.value.references() {
                    if let ("var", Some(name)) = (reference.root, reference.steps.first()) {
                        names.insert((*name).to_owned());
                    }
                }
            }
        }
        names
    }

    /// Actions that the record does not have yet.
    pub(crate) fn add_new_nodes(&self, record: &mut Record) {
        let known: BTreeSet<String> = { record.nodes.iter() }
            .map(|node| node.address.clone())
            .collect();
        for (id, node) in self.graph.actions() {
            if !known.contains(&*node.address) {
                let provider = self.declaration(id).map(Declaration::label);
                let node = NodeRecord::new(&node.address, provider.unwrap_or_default());
                record.nodes.push(node);
            }
        }
    }

    /// Where each action stands in a record.
    pub(crate) fn places(&self, record: &Record) -> HashMap<NodeId, usize> {
        let numbered = record.nodes.iter().enumerate();
        let known: HashMap<&str, usize> = numbered
            .map(|(place, node)| (node.address.as_str(), place))
            .collect();
        let place = |(id, node): (NodeId, &Node)| Some((id, *known.get(&*node.address)?));
        self.graph.actions().filter_map(place).collect()
    }

    /// What a record says is done, with what it brought.
    pub(crate) fn recall(
        &self,
        record: &Record,
        evaluation: &mut Evaluation<'_>,
    ) -> Result<BTreeSet<NodeId>, Vec<Diagnostic>> {
        let known: BTreeMap<&str, &NodeRecord> = { record.nodes.iter() }
            .map(|node| (node.address.as_str(), node))
            .collect();
        let mut done = BTreeSet::new();
        let mut problems = Vec::new();
        for id in &self.graph.order {
            let node = self.graph.node(*id);
            let NodeKind::Action { .. } = node.kind else {
                // What only gathers is gathered again when its turn comes.
                if let Ok(value) = evaluation.gathered(*id) {
                    evaluation.set(*id, value);
                }
                continue;
            };
            let Some(known) = known.get(&*node.address) else {
                continue;
            };
            if known.status != Status::Succeeded {
                continue;
            }
            match self.recalled_outputs(*id, known) {
                Ok(value) => {
                    evaluation.set(*id, value);
                    done.insert(*id);
                }
                Err(error) => {
                    let summary = format!(
                        "what {} brought does not fit its provider any more: {error}",
                        node.address
                    );
                    problems.push(Diagnostic::error(summary).at(node.place.clone()));
                }
            }
        }
        match problems.is_empty() {
            true => Ok(done),
            false => Err(problems),
        }
    }

    fn recalled_outputs(
        &self,
        id: NodeId,
        known: &NodeRecord,
    ) -> Result<Value, tenon_values::Error> {
        match (&known.outputs, self.output_type(id)) {
            (Some(outputs), Some(ty)) => outputs.read(&ty),
            _ => Ok(Value::object::<&str>([])),
        }
    }

    /// The type of what an action brings, if it brings anything.
    pub(crate) fn output_type(&self, id: NodeId) -> Option<Type> {
        let NodeKind::Action { declaration, .. } = self.graph.node(id).kind else {
            return None;
        };
        let schema = self
            .declarations
            .schema(declaration, self.graph.action(id)?)?;
        schema.outputs.as_ref().map(|outputs| outputs.ty.clone())
    }

    /// The configurations of the providers that these actions need.
    pub(crate) fn configs(
        &self,
        needed: &BTreeSet<DeclarationId>,
        evaluation: &Evaluation<'_>,
    ) -> Result<Vec<(DeclarationId, Declaration, Value)>, Vec<Diagnostic>> {
        let mut configs = Vec::new();
        let mut problems = Vec::new();
        for (id, declaration) in self.declarations.iter() {
            if needed.contains(&id) {
                match config(declaration, evaluation) {
                    Ok(value) => configs.push((id, declaration.clone(), value)),
                    Err(errors) => problems.extend(errors),
                }
            }
        }
        match problems.is_empty() {
            true => Ok(configs),
            false => Err(problems),
        }
    }

    fn needed(&self, chosen: &[NodeId], done: &BTreeSet<NodeId>) -> BTreeSet<DeclarationId> {
        chosen
            .iter()
            .filter(|id| !done.contains(id))
            .filter_map(|id| match self.graph.node(*id).kind {
                NodeKind::Action { declaration, .. } => Some(declaration),
                _ => None,
            })
            .collect()
    }

    /// The nodes that targets name, and all that they need; everything without targets.
    fn chosen(&self, targets: &[String]) -> Result<Vec<NodeId>, Vec<Diagnostic>> {
        if targets.is_empty() {
            return Ok(self.graph.order.clone());
        }
        let mut wanted = vec![false; self.graph.nodes.len()];
        let mut left = Vec::new();
        let mut problems = Vec::new();
        for target in targets {
            let found: Vec<NodeId> = (0..self.graph.nodes.len())
                .map(NodeId)
                .filter(|id| *self.graph.node(*id).address == **target)
                .collect();
            if found.is_empty() {
                let addresses = self.graph.nodes.iter().map(|node| &*node.address);
                let mut diagnostic = Diagnostic::error(format!("there is no {target:?} to target"));
                diagnostic.help = tenon_hcl::did_you_mean(target, addresses);
                problems.push(diagnostic);
            }
            left.extend(found);
        }
        while let Some(id) = left.pop() {
            if !std::mem::replace(&mut wanted[id.0], true) {
                let dependencies = &self.graph.node(id).dependencies;
                left.extend(dependencies.iter().map(|(before, _)| *before));
            }
        }
        match problems.is_empty() {
            true => Ok({ self.graph.order.iter() }
                .filter(|id| wanted[id.0])
                .copied()
                .collect()),
            false => Err(problems),
        }
    }

    fn schedule(&self, chosen: &[NodeId]) -> Schedule {
        let dependencies: Vec<Vec<usize>> = { self.graph.nodes.iter() }
            .map(|node| node.dependencies.iter().map(|(id, _)| id.0).collect())
            .collect();
        let order: Vec<usize> = chosen.iter().map(|id| id.0).collect();
        Schedule::new(&dependencies, &order)
    }
}

fn close(journal: Option<Journal>, record: &Record) -> io::Result<Option<PathBuf>> {
    journal.map(|journal| journal.finish(record)).transpose()
}

/// A run at work.
struct Running<'a> {
    plan: &'a Plan,
    evaluation: Evaluation<'a>,
    /// What was done before this run.
    done: BTreeSet<NodeId>,
    record: Record,
    journal: Option<Journal>,
    secrets: &'a Secrets,
    watch: Watch<'a>,
    worst: Option<FailureKind>,
    /// Where each action stands in the record.
    places: HashMap<NodeId, usize>,
}

impl Running<'_> {
    fn task(&self, id: NodeId, instance: &Instance, declaration: DeclarationId) -> Turn {
        let graph = &self.plan.graph;
        let here = Here {
            module: graph.node(id).module,
            instance,
            itself: None,
        };
        let Some(action) = graph.action(id) else {
            return Turn::Done;
        };
        let Some(schema) = self.plan.declarations.schema(declaration, action) else {
            return Turn::Done;
        };
        let settings = Settings::of(action, &self.evaluation, here);
        let attributes =
            action_attributes(action, &action.attributes, schema, &self.evaluation, here);
        let (settings, attributes) = match (settings, attributes) {
            (Ok(settings), Ok(attributes)) => (settings, attributes),
            (Err(problems), _) | (_, Err(problems)) => return Turn::Failed(rendered(&problems)),
        };
        self.secrets.learn(&attributes);
        match Json::of_attributes(&attributes.unmark_deep().0) {
            Ok(attributes) => Turn::Task(Task {
                address: Rc::from(&*graph.node(id).address),
                declaration,
                action: action.kind.text().to_owned(),
                attributes,
                settings,
            }),
            Err(error) => Turn::Failed(unsendable(&error)),
        }
    }

    fn node_record(&mut self, id: NodeId) -> Option<&mut NodeRecord> {
        let place = self.places.get(&id)?;
        self.record.nodes.get_mut(*place)
    }

    /// What came back, as a value of the type that the schema says.
    fn outputs(&self, id: NodeId, json: &Json) -> Result<Value, ProviderFailure> {
        let Some(ty) = self.plan.output_type(id) else {
            return Ok(Value::object::<&str>([]));
        };
        let value = json.value_of(&ty).map_err(|error| {
            let provider = self.plan.declaration(id).map(Declaration::label);
            let message = format!(
                "the provider {:?} has a fault: the outputs do not fit its own schema: {error}",
                provider.unwrap_or_default()
            );
            ProviderFailure {
                kind: FailureKind::BrokeProtocol,
                message: self.secrets.hide(&message),
                answered: None,
            }
        })?;
        let NodeKind::Action { declaration, .. } = self.plan.graph.node(id).kind else {
            return Ok(value);
        };
        let action = self.plan.graph.action(id);
        let schema = action.and_then(|action| self.plan.declarations.schema(declaration, action));
        let is_sensitive = schema
            .and_then(|schema| schema.outputs.as_ref())
            .is_some_and(|outputs| outputs.sensitive);
        Ok(match is_sensitive {
            true => value.sensitive(),
            false => value,
        })
    }

    /// Evaluates the outputs that can be, and looks at their asserts. Whether all are good.
    fn tell_outputs(&mut self, chosen: &[NodeId]) -> bool {
        let mut is_good = true;
        let graph = &self.plan.graph;
        let chosen: BTreeSet<NodeId> = chosen.iter().copied().collect();
        for output in graph.outputs() {
            // What it needs may have failed, or was not asked for.
            let is_known = |id: &NodeId| chosen.contains(id) && self.evaluation.get(*id).is_some();
            if !graph.needs(&output.value).iter().all(is_known) {
                continue;
            }
            let here = Here::module(ModuleId::ROOT);
            let value = match self.evaluation.value(&output.value, here) {
                Ok(value) if output.is_sensitive => value.sensitive(),
                Ok(value) => value,
                Err(problems) => {
                    is_good = false;
                    self.assert_failed(output.name.text(), rendered(&problems));
                    continue;
                }
            };
            let Ok(masked) = Masked::of(&value) else {
                // It depends on a secret of a run before this one.
                continue;
            };
            (self.watch)(Event::Output {
                name: output.name.text().to_owned(),
                value: masked.json(),
                sensitive: !masked.sensitive.is_empty(),
            });
            self.record
                .outputs
                .insert(output.name.text().to_owned(), masked);
            let itself = Value::object([("value", value)]);
            for assert in &output.asserts {
                let here = Here {
                    itself: Some(&itself),
                    ..here
                };
                let condition = self
                    .evaluation
                    .value_as(&Type::Bool, &assert.condition, here);
                let message = match condition {
                    Ok(condition) if condition.unmark().0.as_bool() == Some(true) => continue,
                    Ok(_) => match &assert.message {
                        Some(message) => self.message(message, here),
                        None => format!("this is not true: {}", assert.condition.place().text()),
                    },
                    Err(problems) => rendered(&problems),
                };
                is_good = false;
                self.assert_failed(output.name.text(), message);
            }
        }
        is_good
    }

    fn message(&self, message: &tenon_hcl::Expression, here: Here<'_>) -> String {
        match self.evaluation.value_as(&Type::String, message, here) {
            Ok(value) => match value.as_str() {
                Some(text) if !value.is_sensitive() => text.to_owned(),
                _ => crate::secrets::MASK.to_owned(),
            },
            Err(problems) => rendered(&problems),
        }
    }

    fn assert_failed(&self, output: &str, message: String) {
        (self.watch)(Event::AssertFailed {
            output: output.to_owned(),
            message: self.secrets.hide(&message),
        });
    }

    fn finish(
        mut self,
        started: Instant,
        is_interrupted: bool,
        is_good: bool,
    ) -> Result<RunReport, RunError> {
        let count = |status| {
            let nodes = self.record.nodes.iter();
            nodes.filter(|node| node.status == status).count()
        };
        let (succeeded, failed) = (count(Status::Succeeded), count(Status::Failed));
        let (skipped, maybe) = (count(Status::Skipped), count(Status::Maybe));
        self.record.status = match is_good && failed + skipped + maybe == 0 {
            _ if is_interrupted => RunStatus::Interrupted,
            true => RunStatus::Succeeded,
            false => RunStatus::Failed,
        };
        self.record.finished_at = Some(record::now());
        let path = close(self.journal.take(), &self.record)?;
        (self.watch)(Event::Finished {
            run: self.record.id.clone(),
            status: self.record.status,
            duration_ms: started.elapsed().as_millis() as u64,
            succeeded,
            failed,
            skipped,
            maybe,
            record: path.as_ref().map(|path| path.display().to_string()),
        });
        Ok(RunReport {
            status: self.record.status,
            record: self.record,
            path,
            worst: self.worst,
        })
    }
}

impl Work for Running<'_> {
    fn declaration(&self, id: NodeId) -> Option<DeclarationId> {
        match self.plan.graph.node(id).kind {
            NodeKind::Action { declaration, .. } if !self.done.contains(&id) => Some(declaration),
            _ => None,
        }
    }

    fn turn(&mut self, id: NodeId) -> Turn {
        match &self.plan.graph.node(id).kind {
            NodeKind::Action {
                instance,
                declaration,
                ..
            } if !self.done.contains(&id) => self.task(id, instance, *declaration),
            NodeKind::Action { .. } => Turn::Done,
            _ => match self.evaluation.gathered(id) {
                Ok(value) => {
                    self.evaluation.set(id, value);
                    Turn::Done
                }
                Err(problems) => Turn::Failed(rendered(&problems)),
            },
        }
    }

    fn begun(&mut self, id: NodeId, task: &Task) -> io::Result<()> {
        let at = record::now();
        if let Some(node) = self.node_record(id) {
            node.status = Status::Maybe;
            node.started_at = Some(at.clone());
            node.error = None;
        }
        (self.watch)(Event::ActionStarted {
            action: task.address.to_string(),
            provider: self.plan.declarations.get(task.declaration).label(),
        });
        let entry = Entry::Begin {
            action: task.address.to_string(),
            at,
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
        let result = outcome.result.and_then(|json| self.outputs(id, &json));
        let duration_ms = outcome.duration.as_millis() as u64;
        let (status, outputs, error) = match result {
            Ok(value) => {
                self.secrets.learn(&value);
                let masked = Masked::of(&value).ok();
                self.evaluation.set(id, value);
                (Status::Succeeded, masked, None)
            }
            Err(failure) => {
                self.worst = self.worst.max(Some(failure.kind));
                // One that took too long, or whose provider went away, may have done its work.
                let status = match failure.kind {
                    FailureKind::Answered => Status::Failed,
                    _ => Status::Maybe,
                };
                (status, None, Some(failure.message))
            }
        };
        let event = Event::ActionFinished {
            action: self.plan.graph.node(id).address.to_string(),
            status,
            duration_ms,
            outputs: outputs.as_ref().map(Masked::json),
            error: error.clone(),
        };
        let attempts = (outcome.attempts > 1).then_some(outcome.attempts);
        if let Some(node) = self.node_record(id) {
            node.status = status;
            node.duration_ms = Some(duration_ms);
            node.attempts = attempts;
            node.outputs = outputs;
            node.error = error;
            let entry = Entry::End {
                node: Box::new(node.clone()),
            };
            if let Some(journal) = &mut self.journal {
                journal.note(&entry)?;
            }
        }
        (self.watch)(event);
        Ok(status == Status::Succeeded)
    }

    fn failed(&mut self, id: NodeId, error: String) {
        let error = self.secrets.hide(&error);
        if let Some(node) = self.node_record(id) {
            node.status = Status::Failed;
            node.error = Some(error.clone());
        }
        (self.watch)(Event::ActionFinished {
            action: self.plan.graph.node(id).address.to_string(),
            status: Status::Failed,
            duration_ms: 0,
            outputs: None,
            error: Some(error),
        });
    }

    fn skipped(&mut self, id: NodeId, because: NodeId) {
        let error = format!("{} failed", self.plan.graph.node(because).address);
        let Some(node) = self.node_record(id) else {
            // One that only gathers is nothing to tell about.
            return;
        };
        node.status = Status::Skipped;
        node.error = Some(error.clone());
        (self.watch)(Event::ActionFinished {
            action: self.plan.graph.node(id).address.to_string(),
            status: Status::Skipped,
            duration_ms: 0,
            outputs: None,
            error: Some(error),
        });
    }
}

/// Problems that came up only during a run, as one text.
pub(crate) fn rendered(problems: &[Diagnostic]) -> String {
    let rendered = problems.iter().map(|problem| problem.render(Style::Plain));
    rendered.collect::<Vec<_>>().join("\n")
}

/// An attribute that is still unknown when it is needed: a secret of a run before this one, which
/// no record keeps.
pub(crate) fn unsendable(error: &tenon_values::Error) -> String {
    format!(
        "{error}\n  a secret that an earlier run had is not kept in its record: \
         give it again with --var, or run the action that brings it again"
    )
}
