//! `tenon run`.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use tenon_scenario::{Plan, Record, RunError, RunOptions, RunReport, RunStatus, Scenario};
use tokio_util::sync::CancellationToken;

use super::scenario;
use crate::args::{RunArgs, WorkArgs};
use crate::exit::{Code, Failure};
use crate::output::run::Progress;
use crate::output::{self};

pub(crate) async fn run(args: RunArgs) -> Result<(), Failure> {
    if let Some(record) = &args.resume {
        return resume(&args, record).await;
    }
    let path = args.file.as_deref().unwrap_or(Path::new(""));
    let file = scenario::open(path, args.work.json)?;
    let chosen = match args.tags.is_empty() {
        true => vec![scenario::choose(&file, args.scenario.scenario.as_deref())?],
        false => with_tags(&file.scenarios, &args.tags)?,
    };
    let mut worst = Ok(());
    for scenario in chosen {
        let progress = Progress::new(&args.work);
        let launcher = scenario::launcher(path, progress.log())?;
        let variables = &args.scenario.variables;
        let none = BTreeMap::new();
        let plan = scenario::plan(&scenario, variables, &none, &launcher, args.work.json).await?;
        let (options, signals) = options(&args.work, &args)?;
        let watch = |event| progress.see(event);
        let report = plan.run(&file, &launcher, &options, &watch).await;
        drop(signals);
        let outcome = conclude(report, &plan, &args.work, &progress);
        if worst.is_ok() {
            worst = outcome;
        }
    }
    worst
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

async fn resume(args: &RunArgs, path: &Path) -> Result<(), Failure> {
    let record = read_record(path)?;
    let file = args.file.as_deref().unwrap_or(&record.path);
    let opened = scenario::open(file, args.work.json)?;
    let chosen = scenario::choose(&opened, Some(&record.scenario))?;
    warn_of_changes(&record, &opened);
    let progress = Progress::new(&args.work);
    let launcher = scenario::launcher(file, progress.log())?;
    let variables = &args.scenario.variables;
    let plan = scenario::plan(
        &chosen,
        variables,
        &record.variables,
        &launcher,
        args.work.json,
    )
    .await?;
    let (options, signals) = options(&args.work, args)?;
    let watch = |event| progress.see(event);
    let report = plan.resume(path, &launcher, &options, &watch).await;
    drop(signals);
    conclude(report, &plan, &args.work, &progress)
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

/// What was run may not be what is in the files now.
pub(crate) fn warn_of_changes(record: &Record, file: &tenon_scenario::ScenarioFile) {
    for changed in record.changed_files(file) {
        output::talk(format_args!(
            "warning: {} has changed since the run",
            changed.display()
        ));
    }
}

fn options(work: &WorkArgs, args: &RunArgs) -> Result<(RunOptions, Signals), Failure> {
    let (mut options, signals) = work_options(work)?;
    options.targets.clone_from(&args.targets);
    options.record_folder = (!args.no_record).then(|| args.record_dir.clone());
    options.redo_maybe = args.redo_maybe;
    Ok((options, signals))
}

/// What runs and teardowns have in common. The first Ctrl-C or SIGTERM is a request, the second
/// an order.
pub(crate) fn work_options(work: &WorkArgs) -> Result<(RunOptions, Signals), Failure> {
    let interrupt = CancellationToken::new();
    let signals = Signals::watch(interrupt.clone())?;
    let mut options = RunOptions {
        interrupt,
        ..RunOptions::default()
    };
    if let Some(jobs) = work.jobs {
        options.jobs = jobs.get();
    }
    if let Some(grace) = work.grace.0 {
        options.grace = grace;
    }
    Ok((options, signals))
}

/// Watches for signals as long as it lives.
pub(crate) struct Signals(tokio::task::JoinHandle<()>);

impl Signals {
    fn watch(interrupt: CancellationToken) -> Result<Signals, Failure> {
        use tokio::signal::unix::{SignalKind, signal};
        let mut ctrl_c = signal(SignalKind::interrupt()).map_err(Failure::cannot_start)?;
        let mut terminate = signal(SignalKind::terminate()).map_err(Failure::cannot_start)?;
        Ok(Signals(tokio::spawn(async move {
            for turn in 0.. {
                tokio::select! {
                    _ = ctrl_c.recv() => {}
                    _ = terminate.recv() => {}
                }
                if turn > 0 {
                    // The journal is as it should be at any moment, and the guardian ends the
                    // providers.
                    std::process::exit(Code::Interrupted as i32);
                }
                interrupt.cancel();
            }
        })))
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Tells how it ended, and with what exit code.
pub(crate) fn conclude(
    report: Result<RunReport, RunError>,
    plan: &Plan,
    work: &WorkArgs,
    progress: &Progress,
) -> Result<(), Failure> {
    progress.finish();
    let report = match report {
        Ok(report) => report,
        Err(RunError::Invalid(problems)) => return Err(scenario::wrong(&problems, work.json)),
        Err(RunError::Providers(failures)) => return Err(scenario::provider_failures(failures)),
        Err(error @ RunError::Disk(_)) => return Err(Failure::new(Code::Failed, error)),
        Err(error @ (RunError::Journal(_) | RunError::Maybe(_))) => {
            return Err(Failure::usage(error));
        }
    };
    if let Some(path) = &work.junit {
        let text = report.record.to_junit(plan.scenario.name());
        std::fs::write(path, text)
            .map_err(|error| Failure::new(Code::Failed, format!("{}: {error}", path.display())))?;
    }
    match report.status {
        RunStatus::Succeeded => Ok(()),
        RunStatus::Interrupted => Err(Failure::told(Code::Interrupted)),
        _ => Err(Failure::told(scenario::code(report.worst))),
    }
}
