//! Measures scenarios: how long a plan takes and how that grows, what a run adds to the calls of its
//! provider, and how fast `tenon plan` is there.
//!
//! `scenario [--quick] [--json] [--only TEXT]`. There are three parts, `start`, `plan` and `run`;
//! `--only` keeps those whose name contains the text. `TENON_PROGRAM` is the `tenon` to start.

mod folder;
mod plan;
mod run;
mod start;
mod text;

use std::io;
use std::process::ExitCode;
use std::time::Instant;

use bench_harness::placement::{Placement, place};
use bench_harness::report::Report;
use bench_harness::section::{self, Arguments};
use bench_harness::spinner;

use crate::folder::Folder;

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    if words.next().as_deref() == Some(plan::ONE_PLAN) {
        return plan::one(words.next().unwrap_or_default().as_ref());
    }
    section::main(run)
}

fn run(arguments: &Arguments) -> io::Result<()> {
    let start = Instant::now();
    let mut notes = section::prefer();
    let folder = Folder::new()?;
    let spinners = spinner::start()?;
    let mut report = Report::default();
    if arguments.wants("start") {
        let rounds = if arguments.quick { 10 } else { 30 };
        let startup = start::run(rounds)?;
        notes.push(format!("start: {rounds} rounds"));
        report.add("start", startup.table(), startup.json());
        report.goals(startup.goals());
    }
    // From here on everything is on one core, and so are providers: the thread that starts them
    // inherits it. The command above had all of them.
    place(Placement::Together, std::process::id(), std::process::id());
    let rounds = if arguments.quick { 3 } else { 11 };
    if arguments.wants("plan") {
        let plans = plan::run(rounds, &folder)?;
        notes.push(format!("plan: {rounds} rounds"));
        report.add("plan", plans.table(), plans.json());
        report.goals(plans.goals());
    }
    if arguments.wants("run") {
        let actions = if arguments.quick { 100 } else { 400 };
        let runs = run::run(rounds, actions, &folder)?;
        notes.push(format!("run: {rounds} rounds of {actions} actions"));
        report.add("run", runs.table(), runs.json());
        report.goals(runs.goals());
    }
    drop(spinners);
    notes.push(format!("{:.0} s in all", start.elapsed().as_secs_f64()));
    report.print(arguments, notes);
    Ok(())
}
