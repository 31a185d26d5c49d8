//! `tenon teardown`.

use super::run::{conclude, read_record, warn_of_changes, work_options};
use super::scenario;
use crate::args::TeardownArgs;
use crate::exit::Failure;
use crate::output::run::Progress;

pub(crate) async fn run(args: TeardownArgs) -> Result<(), Failure> {
    let record = read_record(&args.record)?;
    let file = scenario::open(&record.path, args.work.json)?;
    let chosen = scenario::choose(&file, Some(&record.scenario))?;
    warn_of_changes(&record, &file);
    let progress = Progress::new(&args.work);
    let launcher = scenario::launcher(&record.path, progress.log())?;
    let (variables, json) = (&args.variables, args.work.json);
    let plan = scenario::plan(&chosen, variables, &record.variables, &launcher, json).await?;
    let (options, signals) = work_options(&args.work)?;
    let watch = |event| progress.see(event);
    let report = plan
        .teardown(&args.record, &launcher, &options, &watch)
        .await;
    drop(signals);
    conclude(report, &plan, &args.work, &progress)
}
