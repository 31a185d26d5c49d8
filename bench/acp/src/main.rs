//! Measures what stands between a client and an agent: the guard, a plain relay of bytes, and the conductor of the official
//! SDK.
//!
//! `acp [--quick] [--json] [--only TEXT]`; `--only` keeps the rows whose name contains the text, and those that all are
//! compared with. `TENON_PROGRAM` is our command, without which its rows are left out, and `CONDUCTOR_PROGRAM` the
//! conductor.

mod agent;
mod cell;
mod client;
mod relay;
mod rows;
mod table;

use std::io;
use std::process::ExitCode;
use std::time::Instant;

use bench_harness::placement::{self, Placement, place};
use bench_harness::report::Report;
use bench_harness::section::{self, Arguments};
use bench_harness::spinner;

use crate::cell::Amounts;
use crate::rows::Rows;

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let outcome = match words.next().as_deref() {
        Some(agent::ARGUMENT) => agent::run(),
        Some(relay::ARGUMENT) => relay::run(words),
        _ => return section::main(run),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> io::Result<()> {
    let began = Instant::now();
    let mut notes = section::prefer();
    let (rounds, amounts) = match arguments.quick {
        true => (3, Amounts::QUICK),
        false => (11, Amounts::WHOLE),
    };
    let (mut rows, missing) = Rows::find(arguments)?;
    notes.extend(missing);
    let spinners = spinner::start()?;
    // All processes on one core: what remains is the work that they do.
    let id = std::process::id();
    place(Placement::Together, id, id);
    for round in 0..rounds {
        eprintln!("round {} of {rounds}", round + 1);
        rows.measure(round, &amounts)?;
    }
    placement::spread();
    drop(spinners);
    let mut report = Report::default();
    rows.add_to(&mut report);
    notes.push(format!(
        "{rounds} rounds, {:.0} s in all",
        began.elapsed().as_secs_f64()
    ));
    report.print(arguments, notes);
    Ok(())
}
