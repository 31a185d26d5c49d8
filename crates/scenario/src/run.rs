//! A run: every action of a plan, in order, with a journal.
//!
//! [`run`] and [`resume`] start it. The loop ([`engine`]) asks the [`schedule`] which actions may go
//! next, the `work` what each is given, and the [`slots`] to hand it to its provider. [`memory`]
//! connects a plan with a record, `resumption` decides how a run continues, and [`undoer`] works out
//! what undoes each action.

pub(crate) mod engine;
mod error;
pub(crate) mod memory;
mod options;
mod report;
mod resumption;
pub(crate) mod schedule;
mod selection;
pub(crate) mod slots;
pub(crate) mod task;
mod undeclared;
pub(crate) mod undoer;
mod work;

use std::cell::Cell;
use std::collections::{BTreeSet, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use tenon_hcl::Diagnostic;
use tenon_host::own_file;

use crate::event::{Event, RunStatus, Status, Watch};
use crate::hint::{Advice, Hint};
use crate::planning::attributes::config;
use crate::planning::declarations::{Configured, DeclarationId};
use crate::planning::evaluation::Evaluation;
use crate::planning::graph::NodeId;
use crate::planning::plan::Plan;
use crate::providers::failure::ProviderFailure;
use crate::providers::launcher::Launcher;
use crate::reading::load::ScenarioFile;
use crate::records::budget::Budget;
use crate::records::disk::folder_of;
use crate::records::journal::Journal;
use crate::records::known::KnownOutputs;
use crate::records::record::{self, InProgress, Record};
use crate::records::{storage, time};
pub use error::{MissingSecrets, NotRepeated, RunError, UnknownOutcome};
pub use options::RunOptions;
pub use report::{AssertOutcome, RunReport};
use slots::{NotStarted, Slots};
use undoer::{Stage, Undoer};
use work::RunWork;

/// Runs a plan.
///
/// # Errors
/// It could not begin, or the record could not be written. An action that fails is not an error
/// here.
pub async fn run(
    plan: &Plan,
    file: &ScenarioFile,
    launcher: &Launcher,
    options: &RunOptions,
    watch: Watch<'_>,
) -> Result<RunReport, RunError> {
    let record = memory::new_record(plan, file, options.key.as_ref())?;
    let run = Run {
        plan,
        launcher,
        options,
        watch,
        started: Instant::now(),
    };
    run.go(record, None).await
}

/// Resumes a run that was cut off or failed.
///
/// # Errors
/// As [`run`]; or the outcome of some action is unknown.
pub async fn resume(
    plan: &Plan,
    path: &Path,
    launcher: &Launcher,
    options: &RunOptions,
    watch: Watch<'_>,
) -> Result<RunReport, RunError> {
    let started = Instant::now();
    let options = &RunOptions {
        redo: selection::redone(&plan.graph, &options.redo).map_err(RunError::Invalid)?,
        ..options.clone()
    };
    let (journal, record) = resumption::reopen(plan, path, options)?;
    let run = Run {
        plan,
        launcher,
        options,
        watch,
        started,
    };
    run.go(record, Some(journal)).await
}

/// A run that is about to begin.
struct Run<'a> {
    plan: &'a Plan,
    launcher: &'a Launcher,
    options: &'a RunOptions,
    watch: Watch<'a>,
    started: Instant,
}

impl<'a> Run<'a> {
    async fn go(&self, record: Record, journal: Option<Journal>) -> Result<RunReport, RunError> {
        let (plan, options, watch) = (self.plan, self.options, self.watch);
        let chosen = selection::chosen(&plan.graph, &options.targets).map_err(RunError::Invalid)?;
        let (mut work, configs) = self.begin(record, journal, &chosen)?;
        let slots = Slots::start(self.launcher, configs, &options.interrupt, watch).await;
        let slots = match slots {
            Ok(slots) => slots,
            Err(problem) => return Err(self.not_started(work, problem)?),
        };
        let engine = engine::Engine {
            slots: &slots,
            jobs: options.jobs.max(1),
            interrupt: &options.interrupt,
            grace: options.grace,
            watch,
            has_cut_off: Cell::default(),
        };
        let mut schedule = selection::schedule(&plan.graph, &chosen);
        let ended = engine.run(&mut schedule, &mut work).await;
        let mut ended = engine::end(slots, ended, &mut work.worst, watch).await?;
        work.record
            .provider_errors
            .append(&mut ended.provider_errors);
        work.tell_outputs(&chosen);
        work.settle_all()?;
        let status = work.status(ended.is_interrupted);
        if status == RunStatus::Succeeded {
            work.record.forget_secrets();
        }
        let (path, record) = self.finish(work.record, status, work.journal)?;
        Ok(RunReport {
            status,
            record,
            path,
            worst: work.worst,
            asserts: work.asserts,
        })
    }

    /// Finds out what is done already, and writes the record. Nothing is done yet.
    fn begin(
        &self,
        mut record: Record,
        journal: Option<Journal>,
        chosen: &[NodeId],
    ) -> Result<(RunWork<'a>, Vec<Configured>), RunError> {
        let (plan, launcher, options) = (self.plan, self.launcher, self.options);
        let mut evaluation = Evaluation::new(&plan.graph, &plan.variables, false);
        let sealer = record.sealer(options.key.as_ref())?;
        let secrets = KnownOutputs {
            sealer: &sealer,
            secrets: &options.given.secrets,
        };
        let done = memory::recall(plan, &record, &secrets, &options.redo, &mut evaluation);
        let done = done.map_err(RunError::Invalid)?;
        resumption::check(plan, &record, &done, &evaluation, options)?;
        memory::keep_variables(plan, &mut record, &sealer);
        let values = plan.variables.values();
        values.for_each(|value| launcher.secrets.learn(value));
        options.given.learn(&record, &launcher.secrets);
        // What earlier actions returned goes into texts of later ones.
        let returned = done.iter().filter_map(|id| evaluation.get(*id));
        returned.for_each(|value| launcher.secrets.learn(value));
        let needed = selection::needed(&plan.graph, chosen, &done);
        let mut configs = configs(plan, &needed, &evaluation).map_err(RunError::Invalid)?;
        record.status = RunStatus::Running;
        record.environment = launcher.environment.recorded();
        record.in_progress = Some(InProgress::Run);
        record.redo.clone_from(&options.redo);
        // What went wrong in the run that is resumed is not what goes wrong in this one.
        record.failed_asserts.clear();
        record.provider_errors.clear();
        memory::add_new_nodes(plan, &mut record);
        let removed = resumption::drop_removed(plan, &mut record, launcher.advice);
        let mut undoer = Undoer::new(plan, sealer, &launcher.secrets);
        undoer.keep_providers(&mut record, &configs, &evaluation);
        if record.format != record::FORMAT {
            memory::adopt(plan, &mut record, &undoer, &evaluation, Stage::Ended);
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
        let path = journal.as_ref().map(Journal::record);
        let is_action = |id: &&NodeId| plan.declaration(**id).is_some();
        (self.watch)(Event::Started {
            scenario: record.scenario.clone(),
            run: record.id.clone(),
            actions: chosen.iter().filter(is_action).count(),
            done: done.len(),
            record: path.map(|path| path.display().to_string()),
        });
        if let Some(path) = path {
            warn_of_folder(path, launcher.advice, self.watch);
        }
        for message in removed {
            (self.watch)(Event::Warning { message });
        }
        let work = RunWork {
            plan,
            budget: path.map(|_| Budget::new(&record, storage::LIMIT)),
            evaluation,
            done,
            journal,
            secrets: &launcher.secrets,
            advice: launcher.advice,
            watch: self.watch,
            worst: None,
            has_failed: false,
            asserts: Vec::new(),
            redo_maybe: options.redo_maybe,
            repeated: HashSet::new(),
            warned: HashSet::new(),
            places: memory::places(plan, &record),
            record,
            undoer,
        };
        Ok((work, configs))
    }

    /// Closes the record of a run whose providers could not be started, and returns the error.
    fn not_started(&self, work: RunWork<'_>, problem: NotStarted) -> io::Result<RunError> {
        let (status, failures) = match problem {
            NotStarted::Failed(failures) => (RunStatus::Failed, failures),
            NotStarted::Interrupted => (RunStatus::Interrupted, Vec::new()),
        };
        let mut record = work.record;
        record.provider_errors = tell_failures(&failures, self.watch);
        let (_, record) = self.finish(record, status, work.journal)?;
        Ok(match status {
            RunStatus::Interrupted => RunError::Interrupted,
            _ => RunError::Providers(failures, Box::new(record)),
        })
    }

    /// Writes the record for the last time.
    fn finish(
        &self,
        mut record: Record,
        status: RunStatus,
        journal: Option<Journal>,
    ) -> io::Result<(Option<PathBuf>, Record)> {
        record.status = status;
        record.finished_at = Some(time::now());
        let path = journal.map(|journal| journal.finish(&mut record));
        let path = path.transpose()?;
        let count = |status| {
            let nodes = record.nodes.iter();
            nodes.filter(|node| node.status == status).count()
        };
        (self.watch)(Event::Finished {
            run: record.id.clone(),
            status,
            duration_ms: self.started.elapsed().as_millis() as u64,
            succeeded: count(Status::Succeeded),
            failed: count(Status::Failed),
            skipped: count(Status::Skipped),
            maybe: count(Status::Maybe),
            record: path.as_ref().map(|path| path.display().to_string()),
        });
        Ok((path, record))
    }
}

/// The configurations of the providers that these actions need, and of those that undo something.
pub(crate) fn configs(
    plan: &Plan,
    needed: &BTreeSet<DeclarationId>,
    evaluation: &Evaluation<'_>,
) -> Result<Vec<Configured>, Vec<Diagnostic>> {
    let mut configs = Vec::new();
    let mut problems = Vec::new();
    for (id, declaration) in plan.declarations.iter() {
        if needed.contains(&id) || plan.needed.is_undoing(id) {
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

/// Reports what went wrong with providers, and returns the messages.
pub(crate) fn tell_failures(failures: &[ProviderFailure], watch: Watch<'_>) -> Vec<String> {
    let messages = failures.iter().map(|failure| failure.message.clone());
    let messages: Vec<String> = messages.collect();
    for message in messages.clone() {
        watch(Event::ProviderFailed { message });
    }
    messages
}

/// Warns if other users can remove or replace the record.
pub(crate) fn warn_of_folder(record: &Path, advice: Advice, watch: Watch<'_>) {
    let folder = folder_of(record);
    if let Some(risk) = own_file::folder_risk(folder) {
        let message = format!(
            "the record is not safe from other users in {}: {risk}; or {}",
            folder.display(),
            advice.on(&Hint::ChooseRecordFolder)
        );
        watch(Event::Warning { message });
    }
}
