//! Undoing a run: what its record says undoes each action, in the opposite order.
//!
//! The record decides, not the scenario file, which may have changed or be gone. The file is asked
//! only for what a record does not hold: secrets, if there is no key, and everything about
//! teardowns in records of the first format.

mod providers;
mod undone;
mod unsealing;
mod work;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Instant;

use crate::event::{Event, Watch};
use crate::hint::Advice;
use crate::planning::declarations::DeclarationId;
use crate::planning::evaluation::Evaluation;
use crate::planning::plan::Plan;
use crate::providers::launcher::Launcher;
use crate::records::item::Item;
use crate::records::journal::{Journal, JournalError};
use crate::records::kept::Sealer;
use crate::records::known::KnownOutputs;
use crate::records::record::{FORMAT, InProgress, Record};
use crate::records::secret_names::check_secret_names;
use crate::records::undo::ProviderRecord;
use crate::run::engine;
use crate::run::memory;
use crate::run::slots::{NotStarted, Slots};
use crate::run::undoer::{Stage, Undoer};
use crate::run::{MissingSecrets, RunError, RunOptions, RunReport, configs, warn_of_folder};

use providers::{at_home, declaration, not_started, schemas};
use undone::{mark_undone, warn_of_repetition};
use unsealing::{PlanSecrets, Unsealing};
use work::TeardownWork;

/// A run that is to be undone. Its record is locked.
#[derive(Debug)]
pub struct Teardown {
    journal: Journal,
    record: Record,
}

/// The plan of the scenario file, for what the record does not hold.
#[derive(Debug)]
pub enum FilePlan<'a> {
    /// The record holds everything.
    NotNeeded,
    /// The file can be planned.
    Found(&'a Plan),
    /// It cannot, for this reason.
    Missing(String),
}

impl Teardown {
    /// Opens the record of a run. If its journal is damaged or missing, `salvage` continues with what
    /// is still known.
    ///
    /// # Errors
    /// It cannot be read, is in use, or its journal is damaged or missing.
    pub fn open(path: &Path, salvage: bool) -> Result<Teardown, JournalError> {
        let (journal, record) = Journal::open(path, salvage)?;
        Ok(Teardown { journal, record })
    }

    /// The record, with everything that its journal has.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Whether the record is of the first format and says nothing about teardowns.
    pub fn is_old(&self) -> bool {
        self.record.format != FORMAT
    }

    /// Whether the record holds all that is needed, with the key and what is given again.
    ///
    /// # Errors
    /// The key does not fit.
    pub fn is_complete(&self, options: &RunOptions) -> Result<bool, RunError> {
        let unsealing = Unsealing {
            record: &self.record,
            given: &options.given,
            sealer: &self.record.sealer(options.key.as_ref())?,
            plan: None,
            has_file: false,
            advice: Advice::default(),
            schemas: &BTreeMap::new(),
        };
        let items = Item::all(&self.record);
        Ok(!self.is_old() && unsealing.missing(&items).is_empty())
    }

    /// Undoes it, the last action first. What may or may not have been done is undone as well.
    ///
    /// # Errors
    /// It could not begin, or the record could not be kept. An action that fails is not an error here.
    pub async fn run(
        self,
        file: FilePlan<'_>,
        is_partial: bool,
        launcher: &Launcher,
        options: &RunOptions,
        watch: Watch<'_>,
    ) -> Result<RunReport, RunError> {
        let started = Instant::now();
        let Teardown {
            mut journal,
            mut record,
        } = self;
        let original = record.clone();
        let sealer = original.sealer(options.key.as_ref())?;
        options.given.learn(&original, &launcher.secrets);
        let plan = match file {
            FilePlan::Found(plan) => {
                match recalled(plan, &mut record, &sealer, launcher, options) {
                    Ok(plan) => Some(plan),
                    // A record that has everything but some secrets does not depend on the file.
                    Err(_) if original.format == FORMAT => None,
                    Err(problem) => return Err(problem),
                }
            }
            _ => None,
        };
        check_secret_names(&record, &options.given).map_err(RunError::Invalid)?;
        mark_undone(&options.undone, &mut record, &mut journal)?;
        let items = Item::all(&record);
        let needed: BTreeSet<usize> = items
            .iter()
            .filter_map(|item| item.provider(&record))
            .collect();
        let needed: Vec<(usize, ProviderRecord)> = { needed.into_iter() }
            .map(|index| (index, at_home(&record.providers[index], &options.given)))
            .collect();
        let schemas = schemas(&needed, launcher).await;
        let schemas = schemas.map_err(|failures| not_started(failures, &record, watch))?;
        // It may only lack variables, which the error asks for.
        let has_file = record.files_that_differ().is_empty();
        let unsealing = Unsealing {
            record: &record,
            given: &options.given,
            sealer: &sealer,
            plan: plan.as_ref(),
            has_file: plan.is_some() || has_file,
            advice: launcher.advice,
            schemas: &schemas,
        };
        let missing = unsealing.missing(&items);
        if !missing.is_empty() && !is_partial {
            let reason = match &file {
                FilePlan::Missing(reason) if !has_file => Some(reason.clone()),
                _ => None,
            };
            let needed = missing.into_iter().map(|one| (one.whose, one.names));
            return Err(RunError::Secrets(MissingSecrets {
                needed: needed.collect(),
                reason,
                has_key: record.key.is_some(),
            }));
        }
        let prepared = unsealing.prepare(&items, &launcher.secrets);
        let mut configs = Vec::new();
        for (index, provider) in &needed {
            let Some(schema) = schemas.get(index) else {
                continue;
            };
            if schema.version != provider.version {
                let message = format!(
                    "the provider {:?} has the version {:?}, the run used {:?}",
                    provider.label(),
                    schema.version,
                    provider.version
                );
                watch(Event::Warning { message });
            }
            let is_used = prepared.iter().any(|one| one.uses(*index));
            if let (true, Ok(config)) = (is_used, unsealing.config(*index)) {
                launcher.secrets.learn(&config);
                let declaration = declaration(provider, schema, &record);
                configs.push((DeclarationId(*index), declaration, config));
            }
        }
        watch(Event::Started {
            scenario: record.scenario.clone(),
            run: record.id.clone(),
            actions: items.iter().filter(|item| item.is_wanted).count(),
            done: 0,
            record: Some(journal.record().display().to_string()),
        });
        warn_of_folder(journal.record(), launcher.advice, watch);
        warn_of_repetition(&items, &record, watch);
        let slots = Slots::start(launcher, configs, &options.interrupt, watch).await;
        let slots = slots.map_err(|problem| match problem {
            NotStarted::Failed(failures) => not_started(failures, &record, watch),
            NotStarted::Interrupted => RunError::Interrupted,
        })?;
        record.in_progress = Some(InProgress::Teardown);
        journal.go_on(&record)?;
        let mut schedule = TeardownWork::schedule(&record, &items);
        let mut work = TeardownWork {
            items,
            prepared,
            record,
            journal,
            secrets: &launcher.secrets,
            advice: launcher.advice,
            watch,
            worst: None,
        };
        let engine = engine::Engine {
            slots: &slots,
            jobs: options.jobs.max(1),
            interrupt: &options.interrupt,
            grace: options.grace,
            watch,
            has_cut_off: Cell::default(),
        };
        let ended = engine.run(&mut schedule, &mut work).await;
        let ended = engine::end(slots, ended, &mut work.worst, watch).await?;
        work.finish(started, ended)
    }
}

/// What the scenario file adds to the record. A record of the first format gets from it what undoes its
/// actions.
fn recalled<'a>(
    plan: &'a Plan,
    record: &mut Record,
    sealer: &'a Sealer<'a>,
    launcher: &'a Launcher,
    options: &'a RunOptions,
) -> Result<PlanSecrets<'a>, RunError> {
    let mut evaluation = Evaluation::new(&plan.graph, &plan.variables, false);
    let secrets = KnownOutputs {
        sealer,
        secrets: &options.given.secrets,
    };
    let done = memory::recall(plan, record, &secrets, &[], &mut evaluation);
    let done = done.map_err(RunError::Invalid)?;
    let returned = done.iter().filter_map(|id| evaluation.get(*id));
    returned.for_each(|value| launcher.secrets.learn(value));
    let values = plan.variables.values();
    values.for_each(|value| launcher.secrets.learn(value));
    if record.format != FORMAT {
        let configs = configs(plan, &BTreeSet::new(), &evaluation);
        let configs = configs.map_err(RunError::Invalid)?;
        let mut undoer = Undoer::new(plan, sealer.clone(), &launcher.secrets);
        undoer.keep_providers(record, &configs, &evaluation);
        memory::add_new_nodes(plan, record);
        memory::adopt(plan, record, &undoer, &evaluation, Stage::Over);
    }
    Ok(PlanSecrets::new(plan, evaluation))
}
