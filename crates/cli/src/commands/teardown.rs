//! `tenon teardown`.

use std::path::{Path, PathBuf};

use tenon_scenario::{
    FilePlan, Given, Launcher, Plan, PrepareError, Record, RunError, RunOptions, Suite, Teardown,
};

use super::hints;
use super::record;
use super::report::Report;
use super::run::{conclude, work_options};
use super::scenario::{self, Refusal};
use super::signals::Signals;
use crate::args::TeardownArgs;
use crate::exit::Failure;
use crate::output::run::Progress;

pub(crate) async fn run(args: &TeardownArgs) -> Result<(), Failure> {
    let signals = Signals::watch()?;
    let inputs = || {
        let (file, record) = (args.file.as_deref(), Some(args.record.as_path()));
        record::inputs(file, record, &args.variables, &args.key, &args.secrets)
    };
    let mut report = Report::begin(args.work.junit.as_deref(), &args.record, inputs)?;
    let outcome = tear_down(args, &signals, &mut report).await;
    report.finish(outcome)
}

async fn tear_down(
    args: &TeardownArgs,
    signals: &Signals,
    report: &mut Report,
) -> Result<(), Failure> {
    let json = args.work.json;
    // A file that is not a record has no journal, and gets none.
    signals.interruptible(record::read(&args.record)).await?;
    let teardown = Teardown::open(&args.record, args.salvage);
    let teardown = teardown.map_err(|error| {
        let hint = error.hint();
        Failure::usage(hints::with_hint(error, hint))
    })?;
    let known = teardown.record();
    let refuse = |refusal: Refusal, report: &mut Report| {
        report.add(Suite::NotDone {
            name: known.scenario.clone(),
            error: refusal.text(),
        });
        refusal.print(json)
    };
    let file = args.file.clone().unwrap_or_else(|| known.path.clone());
    let progress = Progress::of_teardown(&args.work);
    let environment = scenario::environment(&args.work.environment, Some(known))?;
    let launcher = scenario::launcher(&file, progress.log(), environment)?;
    let given = signals.interruptible(given(args, known, teardown.is_old()));
    let given = given.await.map_err(|refusal| refuse(refusal, report))?;
    let options = RunOptions {
        key: record::key(&args.key)?,
        given,
        undone: args.undone.clone(),
        ..work_options(&args.work, signals)
    };
    let is_complete = teardown.is_complete(&options);
    let is_complete = is_complete.map_err(|error| Failure::usage(hints::of_run(&error)))?;
    let mut plan = None;
    let mut reason = None;
    if teardown.is_old() {
        let key = options.key.as_ref();
        let again = scenario::plan_again(known, key, &file, &args.variables, &launcher, json);
        let again = signals.interruptible(again).await;
        plan = Some(again.map_err(|refusal| refuse(refusal, report))?);
    } else {
        warn_of_changes(known, json);
        if !is_complete {
            let asked = plan_quietly(known, &file, args, &options, &launcher);
            let asked = async { Ok::<_, Failure>(asked.await) };
            let asked = signals.interruptible(asked).await?;
            reason = asked.map(|found| plan = Some(found)).err();
        }
    }
    let from_file = match (&plan, reason) {
        (Some(plan), _) => FilePlan::Found(plan),
        (None, Some(reason)) => FilePlan::Missing(reason),
        (None, None) => FilePlan::NotNeeded,
    };
    let name = known.scenario.clone();
    let watch = |event| progress.see(event);
    let undone = teardown.run(from_file, args.partial, &launcher, &options, &watch);
    let outcome: Result<_, RunError> = undone.await;
    let suite = |record, _| Suite::Teardown(Box::new(record));
    conclude(outcome, &name, &args.work, &progress, report, suite)
}

/// What is given beside the record.
async fn given(args: &TeardownArgs, known: &Record, is_old: bool) -> Result<Given, Refusal> {
    let json = args.work.json;
    let mut given = Given {
        secrets: record::secrets(&args.secrets)?,
        ..Given::default()
    };
    if is_old {
        // The scenario file decides about everything, variables included.
        return Ok(given);
    }
    let inputs = scenario::inputs(&args.variables);
    let others = given.variables(&inputs, known)?;
    let warning = |name: String| {
        format!("the variable {name:?} has another value in the record, which is used instead")
    };
    record::warn(others.into_iter().map(warning), json);
    if let Some(path) = &args.file {
        let file = scenario::open(path, json).await?;
        let chosen = file.choose(Some(&known.scenario));
        let chosen = chosen.map_err(PrepareError::from)?;
        let required = chosen.required_providers.iter();
        given.sources = required
            .map(|(name, required)| (name.clone(), required.source.clone()))
            .collect();
    }
    Ok(given)
}

/// The record determines what is undone, whatever the files contain.
fn warn_of_changes(known: &Record, json: bool) {
    let warning = |path: PathBuf| {
        let what = match path.exists() {
            true => "has changed since this run",
            false => "no longer exists",
        };
        let path = tenon_text::path(&path);
        format!("{path} {what}; the record decides what is undone")
    };
    record::warn(known.files_that_differ().into_iter().map(warning), json);
}

/// The plan of the scenario file, which may know what the record does not hold; or why there is
/// none.
async fn plan_quietly(
    known: &Record,
    path: &Path,
    args: &TeardownArgs,
    options: &RunOptions,
    launcher: &Launcher,
) -> Result<Plan, String> {
    let inputs = scenario::inputs(&args.variables);
    let key = options.key.as_ref();
    let prepared = tenon_scenario::prepare_again(known, key, path, &inputs, launcher).await;
    let reason = |error: PrepareError| match error.into() {
        Refusal::Invalid(problems) => {
            let first = problems.first().map(ToString::to_string);
            first.unwrap_or_default()
        }
        Refusal::Failed(failure) => failure.message,
    };
    prepared.map(|(_, plan)| plan).map_err(reason)
}
