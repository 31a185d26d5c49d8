//! `tenon teardown`.

use tenon_scenario::Suite;

use super::report::Report;
use super::run::{conclude, read_record, work_options};
use super::scenario;
use super::signals::Signals;
use crate::args::TeardownArgs;
use crate::exit::Failure;
use crate::output::run::Progress;

pub(crate) async fn run(args: &TeardownArgs) -> Result<(), Failure> {
    let signals = Signals::watch()?;
    let mut report = Report::begin(args.work.junit.as_deref(), &args.record)?;
    let outcome = tear_down(args, &signals, &mut report).await;
    report.finish(outcome)
}

async fn tear_down(
    args: &TeardownArgs,
    signals: &Signals,
    report: &mut Report,
) -> Result<(), Failure> {
    let record = signals.interruptible(read_record(&args.record)).await?;
    let file = args.file.as_deref().unwrap_or(&record.path);
    let progress = Progress::new(&args.work);
    let launcher = scenario::launcher(file, progress.log())?;
    let (variables, json) = (&args.variables, args.work.json);
    let plan = scenario::plan_again(&record, file, variables, &launcher, json);
    let plan = signals.interruptible(plan).await.map_err(|refusal| {
        report.add(Suite::NotDone {
            name: record.scenario.clone(),
            error: refusal.text(),
        });
        refusal.tell(json)
    })?;
    let options = work_options(&args.work, signals);
    let watch = |event| progress.see(event);
    let outcome = plan.teardown(&args.record, &launcher, &options, &watch);
    let outcome = outcome.await;
    let suite = |record, _| Suite::Teardown(Box::new(record));
    conclude(
        outcome,
        &record.scenario,
        &args.work,
        &progress,
        report,
        suite,
    )
}
