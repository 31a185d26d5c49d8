//! `tenon run`.

use std::path::Path;
use std::sync::Arc;

use tenon_scenario::{Plan, Record, RunError, RunOptions, RunReport, RunStatus, Scenario, junit};

use super::scenario;
use super::signals::Signals;
use crate::args::{RunArgs, WorkArgs};
use crate::exit::{Code, Failure};
use crate::output;
use crate::output::run::Progress;

pub(crate) async fn run(args: &RunArgs) -> Result<(), Failure> {
    let signals = Signals::watch()?;
    let mut records = Vec::new();
    let outcome = match &args.resume {
        Some(record) => resume(args, record, &signals, &mut records).await,
        None => run_chosen(args, &signals, &mut records).await,
    };
    write_report(&args.work, &records)?;
    outcome
}

async fn run_chosen(
    args: &RunArgs,
    signals: &Signals,
    records: &mut Vec<Record>,
) -> Result<(), Failure> {
    let path = args.file.as_deref().unwrap_or(Path::new(""));
    let file = scenario::open(path, args.work.json)?;
    let chosen = match args.tags.is_empty() {
        true => vec![scenario::choose(&file, args.scenario.scenario.as_deref())?],
        false => with_tags(&file.scenarios, &args.tags)?,
    };
    let mut first = Ok(());
    for scenario in chosen {
        let progress = Progress::new(&args.work);
        let launcher = scenario::launcher(path, progress.log())?;
        let variables = &args.scenario.variables;
        let plan = scenario::plan(&scenario, variables, None, &launcher, args.work.json);
        let plan = signals.interruptible(plan).await?;
        let watch = |event| progress.see(event);
        let options = options(args, signals);
        let report = plan.run(&file, &launcher, &options, &watch).await;
        let outcome = conclude(report, &args.work, &progress, records);
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

fn with_tags(scenarios: &[Scenario], tags: &[String]) -> Result<Vec<Arc<Scenario>>, Failure> {
    let has_one = |scenario: &&Scenario| scenario.tags.iter().any(|tag| tags.contains(tag));
    let found: Vec<_> = { scenarios.iter().filter(has_one) }
        .cloned()
        .map(Arc::new)
        .collect();
    match found.is_empty() {
        true => Err(Failure::usage(format!(
            "no scenario has the tag {}",
            tags.join(" or ")
        ))),
        false => Ok(found),
    }
}

async fn resume(
    args: &RunArgs,
    path: &Path,
    signals: &Signals,
    records: &mut Vec<Record>,
) -> Result<(), Failure> {
    let record = read_record(path)?;
    let file = args.file.as_deref().unwrap_or(&record.path);
    let progress = Progress::new(&args.work);
    let launcher = scenario::launcher(file, progress.log())?;
    let (variables, json) = (&args.scenario.variables, args.work.json);
    let plan = scenario::plan_again(&record, file, variables, &launcher, json);
    let plan = signals.interruptible(plan).await?;
    let watch = |event| progress.see(event);
    let options = options(args, signals);
    let report = plan.resume(path, &launcher, &options, &watch).await;
    conclude(report, &args.work, &progress, records)
}

pub(crate) fn read_record(path: &Path) -> Result<Record, Failure> {
    Record::read(path).map_err(|error| {
        Failure::usage(format!(
            "{} is no record that can be read: {error}\n  \
             records are called orchard_<scenario>_run_<id>.json",
            path.display()
        ))
    })
}

fn options(args: &RunArgs, signals: &Signals) -> RunOptions {
    RunOptions {
        targets: args.targets.clone(),
        record_folder: (!args.no_record).then(|| args.record_dir.clone()),
        redo_maybe: args.redo_maybe,
        redo: args.redo.clone(),
        ..work_options(&args.work, signals)
    }
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

/// Tells how it ended, and with what exit code.
pub(crate) fn conclude(
    report: Result<RunReport, RunError>,
    work: &WorkArgs,
    progress: &Progress,
    records: &mut Vec<Record>,
) -> Result<(), Failure> {
    progress.finish();
    let report = match report {
        Ok(report) => report,
        Err(RunError::Invalid(problems)) => return Err(scenario::wrong(&problems, work.json)),
        Err(RunError::Providers(failures, record)) => {
            records.push(*record);
            let worst = failures.iter().map(|failure| failure.kind).max();
            return Err(Failure::told(scenario::code(worst)));
        }
        Err(error @ RunError::Disk(_)) => return Err(Failure::new(Code::Failed, error)),
        Err(RunError::Interrupted) => return Err(Failure::interrupted()),
        Err(error) => return Err(Failure::usage(error)),
    };
    records.push(report.record);
    match (report.status, report.worst) {
        (RunStatus::Succeeded, None) => Ok(()),
        (RunStatus::Interrupted, _) => Err(Failure::told(Code::Interrupted)),
        (_, worst) => Err(Failure::told(scenario::code(worst))),
    }
}

/// The report for CI, of all runs together.
pub(crate) fn write_report(work: &WorkArgs, records: &[Record]) -> Result<(), Failure> {
    let Some(path) = &work.junit else {
        return Ok(());
    };
    std::fs::write(path, junit(records))
        .map_err(|error| Failure::new(Code::Failed, format!("{}: {error}", path.display())))
}

/// What was run may not be what is in the files now.
pub(crate) fn warn_of_changes(record: &Record, plan: &Plan, file: &tenon_scenario::ScenarioFile) {
    for changed in record.changed_files(file) {
        let name = plan.scenario.name();
        output::talk(format_args!(
            "warning: {} has changed since this run of {name}",
            changed.display()
        ));
    }
}
