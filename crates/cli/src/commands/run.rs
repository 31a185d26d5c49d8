//! `tenon run`.

use std::path::{Path, PathBuf};

use tenon_scenario::{
    AssertOutcome, Given, Plan, Record, RunError, RunOptions, RunReport, RunStatus, ScenarioFile,
    Suite,
};

use super::hints;
use super::record;
use super::report::Report;
use super::scenario::{self, Refusal};
use super::signals::Signals;
use crate::args::{RunArgs, WorkArgs};
use crate::exit::{Code, Failure};
use crate::output::diagnostics;
use crate::output::run::Progress;

pub(crate) async fn run(args: &RunArgs) -> Result<(), Failure> {
    let signals = Signals::watch()?;
    let subject = args.file.as_deref().or(args.resume.as_deref());
    let subject = subject.unwrap_or(Path::new(""));
    let inputs = || {
        let (file, record) = (args.file.as_deref(), args.resume.as_deref());
        record::inputs(
            file,
            record,
            &args.scenario.variables,
            &args.key,
            &args.secrets,
        )
    };
    let mut report = Report::begin(args.work.junit.as_deref(), subject, inputs)?;
    let outcome = match &args.resume {
        Some(record) => resume(args, record, &signals, &mut report).await,
        None => run_chosen(args, &signals, &mut report).await,
    };
    report.finish(outcome)
}

/// Runs what is chosen, one after the other, once all of them have been checked.
async fn run_chosen(args: &RunArgs, signals: &Signals, report: &mut Report) -> Result<(), Failure> {
    if !args.secrets.secrets.is_empty() {
        return Err(Failure::usage(
            "--secret is for what a record does not hold, so it needs --resume RECORD\n  \
             give secrets to a new run with --var, --var-file or TENON_VAR_name",
        ));
    }
    let environment = scenario::environment(&args.work.environment, None)?;
    let path = args.file.as_deref().unwrap_or(Path::new(""));
    let progress = Progress::of_run(&args.work);
    let launcher = scenario::launcher(path, progress.log(), environment)?;
    let choice = scenario::choice(&args.scenario, &args.tags);
    let inputs = scenario::inputs(&args.scenario.variables);
    let prepared = async {
        let prepared = tenon_scenario::prepare(path, &choice, &inputs, &launcher).await;
        prepared.map_err(Refusal::from)
    };
    let prepared = signals.interruptible(prepared).await;
    let prepared = prepared.map_err(|refusal| refuse(refusal, path.display(), args, report))?;
    diagnostics(&prepared.file.warnings, args.work.json);
    let options = options(args, signals)?;
    let mut ready = Vec::new();
    let mut first = Ok(());
    for one in prepared.scenarios {
        match one.plan {
            Ok(plan) => {
                warn_of_secrets(&plan, &options, args.work.json);
                ready.push((plan, one.launcher));
            }
            Err(error) => {
                let failure = refuse(error.into(), one.scenario.name(), args, report);
                first = first.and(Err(failure));
            }
        }
    }
    first?;
    let mut first = Ok(());
    for (plan, mut launcher) in ready {
        // Each prints its own lines.
        launcher.on_log = progress.log();
        let watch = |event| progress.see(event);
        let outcome = tenon_scenario::run(&plan, &prepared.file, &launcher, &options, &watch).await;
        let name = plan.scenario.name();
        let outcome = conclude(outcome, name, &args.work, &progress, report, of_run);
        let is_interrupted = matches!(&outcome, Err(failure) if failure.code == Code::Interrupted);
        if first.is_ok() || is_interrupted {
            first = outcome;
        }
        if is_interrupted {
            break;
        }
    }
    first
}

/// Prints why a scenario is not run, also in the report.
fn refuse(refusal: Refusal, name: impl ToString, args: &RunArgs, report: &mut Report) -> Failure {
    report.add(Suite::NotDone {
        name: name.to_string(),
        error: refusal.text(),
    });
    refusal.print(args.work.json)
}

async fn resume(
    args: &RunArgs,
    path: &Path,
    signals: &Signals,
    report: &mut Report,
) -> Result<(), Failure> {
    let record = signals.interruptible(record::read(path)).await?;
    let file = args.file.as_deref().unwrap_or(&record.path);
    let progress = Progress::of_run(&args.work);
    let environment = scenario::environment(&args.work.environment, Some(&record))?;
    let launcher = scenario::launcher(file, progress.log(), environment)?;
    let (variables, json) = (&args.scenario.variables, args.work.json);
    let options = options(args, signals)?;
    let key = options.key.as_ref();
    let plan = scenario::plan_again(&record, key, file, variables, &launcher, json);
    let plan = signals.interruptible(plan).await;
    let plan = plan.map_err(|refusal| refuse(refusal, &record.scenario, args, report))?;
    let watch = |event| progress.see(event);
    warn_of_secrets(&plan, &options, json);
    let outcome = tenon_scenario::resume(&plan, path, &launcher, &options, &watch).await;
    conclude(
        outcome,
        &record.scenario,
        &args.work,
        &progress,
        report,
        of_run,
    )
}

/// Prints before the run what its teardown will need, if the record does not keep it.
fn warn_of_secrets(plan: &Plan, options: &RunOptions, json: bool) {
    if options.record_folder.is_some() && options.key.is_none() {
        diagnostics(&plan.needed_secrets(hints::ADVICE), json);
    }
}

fn options(args: &RunArgs, signals: &Signals) -> Result<RunOptions, Failure> {
    let given = Given {
        secrets: record::secrets(&args.secrets)?,
        ..Given::default()
    };
    Ok(RunOptions {
        key: record::key(&args.key)?,
        given,
        targets: args.targets.clone(),
        record_folder: (!args.no_record).then(|| args.record_dir.clone()),
        redo_maybe: args.redo_maybe,
        redo: args.redo.clone(),
        salvage: args.salvage,
        ..work_options(&args.work, signals)
    })
}

/// What runs and teardowns have in common.
pub(crate) fn work_options(work: &WorkArgs, signals: &Signals) -> RunOptions {
    let defaults = RunOptions::default();
    RunOptions {
        interrupt: signals.interrupt().clone(),
        jobs: work.jobs.map_or(defaults.jobs, usize::from),
        grace: work.grace.0,
        ..defaults
    }
}

/// A run in the report.
fn of_run(record: Record, asserts: Vec<AssertOutcome>) -> Suite {
    Suite::Run {
        record: Box::new(record),
        asserts,
    }
}

/// Prints how it ended, also in the report, and returns the exit code.
pub(crate) fn conclude(
    outcome: Result<RunReport, RunError>,
    name: &str,
    work: &WorkArgs,
    progress: &Progress,
    report: &mut Report,
    suite: fn(Record, Vec<AssertOutcome>) -> Suite,
) -> Result<(), Failure> {
    progress.finish();
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(RunError::Providers(failures, record)) => {
            report.add(suite(*record, Vec::new()));
            let worst = failures.iter().map(|failure| failure.kind).max();
            return Err(Failure::printed(scenario::code(worst)));
        }
        Err(error) => {
            let refusal = match error {
                RunError::Invalid(problems) => Refusal::Invalid(problems),
                RunError::Disk(_) => Failure::new(Code::Failed, error).into(),
                RunError::Interrupted => Failure::interrupted().into(),
                error => Failure::usage(hints::of_run(&error)).into(),
            };
            report.add(Suite::NotDone {
                name: name.to_owned(),
                error: refusal.text(),
            });
            return Err(refusal.print(work.json));
        }
    };
    report.add(suite(outcome.record, outcome.asserts));
    match (outcome.status, outcome.worst) {
        (RunStatus::Succeeded, None) => Ok(()),
        (RunStatus::Interrupted, _) => Err(Failure::printed(Code::Interrupted)),
        (_, worst) => Err(Failure::printed(scenario::code(worst))),
    }
}

/// What was run may not be what is in the files now.
pub(crate) fn warn_of_changes(record: &Record, file: &ScenarioFile, json: bool) {
    let name = &record.scenario;
    let changed = record.changed_files(file).into_iter();
    let warning = |path: PathBuf| {
        let path = tenon_text::path(&path);
        format!("{path} has changed since this run of {name}; its current content is used")
    };
    record::warn(changed.map(warning), json);
}
