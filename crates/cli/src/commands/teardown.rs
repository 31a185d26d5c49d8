//! `tenon teardown`.

use super::run::{conclude, read_record, work_options, write_report};
use super::scenario;
use super::signals::Signals;
use crate::args::TeardownArgs;
use crate::exit::Failure;
use crate::output::run::Progress;

pub(crate) async fn run(args: &TeardownArgs) -> Result<(), Failure> {
    let signals = Signals::watch()?;
    let record = read_record(&args.record)?;
    let file = args.file.as_deref().unwrap_or(&record.path);
    let progress = Progress::new(&args.work);
    let launcher = scenario::launcher(file, progress.log())?;
    let (variables, json) = (&args.variables, args.work.json);
    let plan = scenario::plan_again(&record, file, variables, &launcher, json);
    let plan = signals.interruptible(plan).await?;
    let options = work_options(&args.work, &signals);
    let watch = |event| progress.see(event);
    let report = plan
        .teardown(&args.record, &launcher, &options, &watch)
        .await;
    let mut records = Vec::new();
    let outcome = conclude(report, &args.work, &progress, &mut records);
    write_report(&args.work, &records)?;
    outcome
}
