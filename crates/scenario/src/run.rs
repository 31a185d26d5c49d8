//! A run: every action of a plan, in order, with a journal.

pub(crate) mod engine;
pub(crate) mod memory;
pub(crate) mod resume;
pub(crate) mod running;
pub(crate) mod schedule;
pub(crate) mod selection;
pub(crate) mod settling;
pub(crate) mod slots;
pub(crate) mod undeclared;

use std::cell::Cell;
use std::collections::{BTreeSet, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tenon_hcl::{Diagnostic, Style};
use tenon_host::own_file;
use tenon_values::Value;
use tokio_util::sync::CancellationToken;

use crate::event::{Event, RunStatus, Status, Watch};
use crate::planning::declarations::{Declaration, DeclarationId};
use crate::planning::evaluation::Evaluation;
use crate::planning::plan::{Plan, config};
use crate::providers::launcher::Launcher;
use crate::providers::provider::{FailureKind, ProviderFailure};
use crate::reading::load::ScenarioFile;
use crate::records::budget::Budget;
use crate::records::disk::folder_of;
use crate::records::journal::{Journal, JournalError};
use crate::records::kept::Sealer;
use crate::records::known::{Given, KnownOutputs};
use crate::records::record::{self, NodeRecord, Record, Work};
use crate::records::seal::{RecordKey, WrongKey};
use crate::records::undo::{Stage, Undoer};
use crate::run::engine::{Ended, Engine};
use crate::run::running::Running;
use crate::run::slots::{NotStarted, Slots};

/// What is said of an action whose outcome is unknown and that cannot be run again.
const NOT_THERE: &str = "not in the scenario any more, so it is not run again; undo the run with \
     `tenon teardown` to undo it";

/// How a run goes about it.
#[derive(Clone)]
pub struct RunOptions {
    /// How many actions run at once.
    pub jobs: usize,
    /// Where the record goes; `None` keeps none.
    pub record_folder: Option<PathBuf>,
    /// Only these actions or components, and what they need. All if there are none.
    pub targets: Vec<String>,
    /// How long running actions have after an interrupt; as long as they like if there is no limit.
    pub grace: Option<Duration>,
    /// Run actions again whose outcome is unknown. Idempotent ones are run again in any case.
    pub redo_maybe: bool,
    /// Run these again although they are done.
    pub redo: Vec<String>,
    /// Go on with what is still known if the journal is damaged or missing.
    pub salvage: bool,
    /// Actions that were undone by hand, for a teardown.
    pub undone: Vec<String>,
    /// What secrets are encrypted with in the record; without it they are not kept.
    pub key: Option<RecordKey>,
    /// What a record does not hold and a resumed run needs.
    pub given: Given,
    /// Set by Ctrl-C.
    pub interrupt: CancellationToken,
}

impl Default for RunOptions {
    fn default() -> RunOptions {
        RunOptions {
            jobs: std::thread::available_parallelism().map_or(1, usize::from),
            record_folder: Some(PathBuf::new()),
            targets: Vec::new(),
            grace: Some(Duration::from_secs(10)),
            redo_maybe: false,
            redo: Vec::new(),
            salvage: false,
            undone: Vec::new(),
            key: None,
            given: Given::default(),
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
    /// What came of every assert that was looked at, in order.
    pub asserts: Vec<AssertOutcome>,
}

/// What came of an assert.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssertOutcome {
    /// The output it belongs to.
    pub output: String,
    /// What it says, if it is not true.
    pub error: Option<String>,
}

/// Why there was no run, or none to its end.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The scenario, or how it is to be run, is wrong.
    #[error("the scenario is not right")]
    Invalid(Vec<Diagnostic>),
    /// Providers could not be started and configured. Nothing was done.
    #[error("{}", .0.iter().map(|failure| failure.message.as_str()).collect::<Vec<_>>().join("\n"))]
    Providers(Vec<ProviderFailure>, Box<Record>),
    /// The record cannot be kept.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The journal cannot be written any more. Everything was stopped.
    #[error("the journal could not be written, so everything was stopped: {0}")]
    Disk(#[from] io::Error),
    /// It was interrupted before anything was done.
    #[error("interrupted before anything was done")]
    Interrupted,
    /// The secrets of the record cannot be read.
    #[error(transparent)]
    Key(#[from] WrongKey),
    /// Secrets are missing without which the run cannot be undone.
    #[error("{0}")]
    Secrets(String),
    /// What it did was taken back.
    #[error("this run was undone, or part of it; start a new one")]
    TakenBack,
    /// The outcome of some actions is unknown.
    #[error(
        "the outcome of these actions is unknown:\n  {}\n\
         check whether they were done; then run them again with --redo-maybe, or one with \
         --redo ADDRESS, or undo the run with `tenon teardown`",
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
        let record = self.new_record(file, options.key.as_ref())?;
        self.go(record, None, launcher, options, watch).await
    }

    /// Goes on with a run that was cut off or failed.
    ///
    /// # Errors
    /// As [`Plan::run`]; or the outcome of some action is unknown.
    pub async fn resume(
        &self,
        path: &Path,
        launcher: &Launcher,
        options: &RunOptions,
        watch: Watch<'_>,
    ) -> Result<RunReport, RunError> {
        let options = &RunOptions {
            redo: self.redone(&options.redo).map_err(RunError::Invalid)?,
            ..options.clone()
        };
        let (journal, mut record) = Journal::open(path, options.salvage)?;
        record
            .check_secret_names(&options.given)
            .map_err(RunError::Invalid)?;
        if record.key.is_none() {
            let key = options.key.as_ref();
            record.key = key.map(|key| key.check(&record.id)).transpose()?;
        }
        if record.nodes.iter().any(NodeRecord::may_be_undone) {
            return Err(RunError::TakenBack);
        }
        // What a teardown could not undo is still there.
        for node in &mut record.nodes {
            node.teardown = None;
            node.teardown_error = None;
        }
        let repeatable: BTreeSet<&str> = { self.idempotent.iter() }
            .map(|id| self.graph.address(*id))
            .collect();
        let maybe = { record.nodes.iter() }
            .filter(|node| node.status == Status::Maybe && !options.redo.contains(&node.address))
            .filter(|node| !repeatable.contains(node.address.as_str()));
        let known: BTreeSet<&str> = { self.graph.actions() }
            .map(|(_, node)| &*node.address)
            .collect();
        let named = |node: &NodeRecord| match known.contains(node.address.as_str()) {
            true => node.address.clone(),
            false => format!("{} ({NOT_THERE})", node.address),
        };
        let maybe: Vec<String> = maybe.map(named).collect();
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
        let sealer = Sealer::of(&record, options.key.as_ref())?;
        let secrets = KnownOutputs {
            sealer: &sealer,
            secrets: &options.given.secrets,
        };
        let done = self
            .recall(&record, &secrets, &options.redo, &mut evaluation)
            .map_err(RunError::Invalid)?;
        // To repeat an action is to do the same once more, with the same values.
        let mut fixed = done.clone();
        if !options.redo_maybe {
            let places = self.places(&record);
            fixed.extend(self.idempotent.iter().filter(|id| {
                let node = places.get(id).map(|place| &record.nodes[*place]);
                node.is_some_and(|node| {
                    node.status == Status::Maybe && !options.redo.contains(&node.address)
                })
            }));
        }
        self.check_variables(&record, &fixed, &options.redo)
            .map_err(RunError::Invalid)?;
        if !options.redo_maybe {
            let changed = self.changed(&record, &evaluation, &options.redo);
            if !changed.is_empty() {
                return Err(RunError::Maybe(changed));
            }
        }
        self.keep_variables(&mut record, &sealer);
        self.variables
            .values()
            .for_each(|value| launcher.secrets.learn(value));
        options.given.learn(&record, &launcher.secrets);
        // What earlier actions returned goes into texts of later ones.
        let returned = done.iter().filter_map(|id| evaluation.get(*id));
        returned.for_each(|value| launcher.secrets.learn(value));
        let needed = self.needed(&chosen, &done);
        let mut configs = self
            .configs(&needed, &evaluation)
            .map_err(RunError::Invalid)?;
        record.status = RunStatus::Running;
        record.environment = launcher.environment.recorded();
        record.in_progress = Some(Work::Run);
        record.redo.clone_from(&options.redo);
        // What went wrong in the run that is resumed is not what goes wrong in this one.
        record.failed_asserts.clear();
        record.provider_errors.clear();
        self.add_new_nodes(&mut record);
        let unknown_elsewhere = self.drop_removed(&mut record);
        let mut undoer = Undoer::new(self, sealer, &launcher.secrets);
        undoer.keep_providers(&mut record, &configs, &evaluation);
        if record.format != record::FORMAT {
            self.adopt(&mut record, &undoer, &evaluation, Stage::Ended);
        }
        configs.retain(|(id, ..)| needed.contains(id));
        let journal = match (journal, &options.record_folder) {
            (Some(mut journal), _) => {
                journal.go_on(&record)?;
                Some(journal)
            }
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
        warn_of_folder(journal.as_ref(), watch);
        for message in unknown_elsewhere {
            watch(Event::Warning { message });
        }
        let slots = Slots::start(launcher, configs, &options.interrupt, watch).await;
        let slots = match slots {
            Ok(slots) => slots,
            Err(problem) => {
                let (status, failures) = match problem {
                    NotStarted::Failed(failures) => (RunStatus::Failed, failures),
                    NotStarted::Interrupted => (RunStatus::Interrupted, Vec::new()),
                };
                let messages = failures.iter().map(|failure| failure.message.clone());
                record.provider_errors = messages.collect();
                for message in record.provider_errors.clone() {
                    watch(Event::ProviderFailed { message });
                }
                let (_, record) = finish(record, status, journal, started, watch)?;
                return Err(match status {
                    RunStatus::Interrupted => RunError::Interrupted,
                    _ => RunError::Providers(failures, Box::new(record)),
                });
            }
        };
        let budget = journal
            .as_ref()
            .map(|_| Budget::new(&record, record::LIMIT));
        let mut work = Running {
            plan: self,
            budget,
            evaluation,
            done,
            journal,
            secrets: &launcher.secrets,
            watch,
            worst: None,
            has_failed: false,
            asserts: Vec::new(),
            redo_maybe: options.redo_maybe,
            repeated: HashSet::new(),
            warned: HashSet::new(),
            places: self.places(&record),
            record,
            undoer,
        };
        let engine = Engine {
            slots: &slots,
            jobs: options.jobs.max(1),
            interrupt: &options.interrupt,
            grace: options.grace,
            watch,
            has_cut_off: Cell::default(),
        };
        let mut schedule = self.schedule(&chosen);
        let ended = engine.run(&mut schedule, &mut work).await;
        let mut ended = end(slots, ended, &mut work.worst, watch).await?;
        work.record
            .provider_errors
            .append(&mut ended.provider_errors);
        work.tell_outputs(&chosen);
        work.settle_all()?;
        let status = work.status(ended.is_interrupted);
        if status == RunStatus::Succeeded {
            work.record.forget_secrets();
        }
        let (path, record) = finish(work.record, status, work.journal, started, watch)?;
        Ok(RunReport {
            status,
            record,
            path,
            worst: work.worst,
            asserts: work.asserts,
        })
    }

    /// What failed or was left out and is not in the scenario any more is nothing that a run has to
    /// do. What may have been done stays, and is told.
    fn drop_removed(&self, record: &mut Record) -> Vec<String> {
        let known: HashSet<usize> = self.places(record).into_values().collect();
        let mut unknown = Vec::new();
        for (place, node) in record.nodes.iter_mut().enumerate() {
            match node.status {
                _ if known.contains(&place) => {}
                Status::Failed | Status::Skipped => {
                    node.status = Status::Pending;
                    node.error = Some("it is not in the scenario any more".to_owned());
                }
                Status::Maybe => unknown.push(format!(
                    "the outcome of {} is unknown, and it is {NOT_THERE}",
                    node.address
                )),
                _ => {}
            }
        }
        unknown
    }

    /// The configurations of the providers that these actions need, and of those that undo
    /// something.
    pub(crate) fn configs(
        &self,
        needed: &BTreeSet<DeclarationId>,
        evaluation: &Evaluation<'_>,
    ) -> Result<Vec<(DeclarationId, Declaration, Value)>, Vec<Diagnostic>> {
        let mut configs = Vec::new();
        let mut problems = Vec::new();
        for (id, declaration) in self.declarations.iter() {
            if needed.contains(&id) || self.needed.is_undoing(id) {
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
}

/// Ends the providers, and tells who did not end as they should: what such a provider had not
/// written yet may be lost, so the run has failed. Those that are still at work when their time is
/// over are killed.
pub(crate) async fn end(
    slots: Slots,
    mut ended: io::Result<Ended>,
    worst: &mut Option<FailureKind>,
    watch: Watch<'_>,
) -> io::Result<Ended> {
    match &mut ended {
        Ok(ended) if !ended.is_hurried() => {
            for failure in slots.stop().await {
                *worst = (*worst).max(Some(failure.kind));
                let message = failure.message;
                ended.provider_errors.push(message.clone());
                watch(Event::ProviderFailed { message });
            }
        }
        _ => drop(slots),
    }
    ended
}

/// Tells that others can get at the record, if they can.
pub(crate) fn warn_of_folder(journal: Option<&Journal>, watch: Watch<'_>) {
    let Some(folder) = journal.map(|journal| folder_of(journal.record())) else {
        return;
    };
    if let Some(risk) = own_file::folder_risk(folder) {
        let message = format!(
            "the record is not safe from other users in {}: {risk}; or choose another folder with --record-dir",
            folder.display()
        );
        watch(Event::Warning { message });
    }
}

/// Closes the books of a run.
fn finish(
    mut record: Record,
    status: RunStatus,
    journal: Option<Journal>,
    started: Instant,
    watch: Watch<'_>,
) -> io::Result<(Option<PathBuf>, Record)> {
    record.status = status;
    record.finished_at = Some(record::now());
    let path = journal.map(|journal| journal.finish(&mut record));
    let path = path.transpose()?;
    let count = |status| {
        let nodes = record.nodes.iter();
        nodes.filter(|node| node.status == status).count()
    };
    watch(Event::Finished {
        run: record.id.clone(),
        status,
        duration_ms: started.elapsed().as_millis() as u64,
        succeeded: count(Status::Succeeded),
        failed: count(Status::Failed),
        skipped: count(Status::Skipped),
        maybe: count(Status::Maybe),
        record: path.as_ref().map(|path| path.display().to_string()),
    });
    Ok((path, record))
}

/// Problems that came up only during a run, as one text.
pub(crate) fn rendered(problems: &[Diagnostic]) -> String {
    let rendered = problems.iter().map(|problem| problem.render(Style::Plain));
    rendered.collect::<Vec<_>>().join("\n")
}
