//! Measures tenon-values: beside rmpv and rmp-serde on one document, and with ever more elements.
//!
//! `values [--quick] [--json] [--only TEXT]`. `--only` keeps the rows whose name contains the text,
//! beside those that goals are set against.

mod contest;
mod document;
mod growth;
mod shapes;

use std::io;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use bench_harness::placement::{Placement, place};
use bench_harness::report::Report;
use bench_harness::section::{self, Arguments};
use bench_harness::spinner;

fn main() -> ExitCode {
    section::main(run)
}

fn run(arguments: &Arguments) -> io::Result<()> {
    let start = Instant::now();
    let mut notes = section::prefer();
    let spinners = spinner::start()?;
    place(Placement::Together, std::process::id(), std::process::id());
    let (rounds, millis) = if arguments.quick { (5, 20) } else { (21, 40) };
    let contest = contest::run(arguments, rounds, Duration::from_millis(millis))?;
    notes.push(format!(
        "the document: {rounds} rounds of {millis} ms a cell"
    ));
    let (rounds, millis) = if arguments.quick { (3, 5) } else { (7, 20) };
    let growth = growth::run(arguments, rounds, Duration::from_millis(millis))?;
    notes.push(format!(
        "the elements: {rounds} rounds of {millis} ms a cell"
    ));
    drop(spinners);
    notes.push(format!("{:.0} s in all", start.elapsed().as_secs_f64()));
    let mut report = Report::default();
    report.add("document", contest.tables(), contest.json());
    report.add("elements", growth.table(), growth.json());
    report.goals(contest.goals());
    report.goals(growth.goals());
    report.print(arguments, notes);
    Ok(())
}

/// How many seconds the task takes, once it has run once.
fn seconds(task: &mut dyn FnMut(), at_least: Duration) -> f64 {
    task();
    let start = Instant::now();
    let mut passes = 0u32;
    loop {
        task();
        passes += 1;
        let elapsed = start.elapsed();
        if elapsed >= at_least {
            return elapsed.as_secs_f64() / f64::from(passes);
        }
    }
}
