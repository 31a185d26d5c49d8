//! Measures the Terraform bridge: how long the provider takes to be there, what it adds to a call of
//! a script, and what warm scripts are worth to an apply of real Terraform.
//!
//! `terraform [--quick] [--json] [--only TEXT]`. There are three parts, `start`, `call` and `apply`;
//! `--only` keeps those whose name contains the text. `PROVIDER_PROGRAM` is the provider to start;
//! Terraform, Deno and Python are looked for in `PATH`, and what needs a missing one is left out.

mod apply;
mod call;
mod configuration;
mod round_trip;
mod tools;

use std::io;
use std::process::ExitCode;
use std::time::Instant;

use bench_harness::placement;
use bench_harness::report::Report;
use bench_harness::section::{self, Arguments};
use bench_harness::spinner;
use bench_terraform::{keeper, start};

use crate::tools::Tools;

/// Milliseconds from the start of the provider to its first answer.
const START: f64 = 5.0;

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    if words.next().is_some_and(|word| word == keeper::ARGUMENT) {
        return keeper::main(words);
    }
    section::main(run)
}

fn run(arguments: &Arguments) -> io::Result<()> {
    let start = Instant::now();
    let mut notes = section::prefer();
    let tools = Tools::find()?;
    notes.extend(tools.notes());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let spinners = spinner::start()?;
    let mut report = Report::default();
    if arguments.wants("start") {
        let rounds = if arguments.quick { 10 } else { 50 };
        runtime
            .block_on(start::run(rounds, &tools.provider, START))?
            .add_to(&mut report);
        notes.push(format!("start: {rounds} rounds"));
    }
    if arguments.wants("call") {
        let (rounds, millis) = if arguments.quick { (3, 50) } else { (11, 100) };
        let calls = runtime.block_on(call::run(rounds, millis, &tools));
        placement::spread();
        calls?.add_to(&mut report);
        notes.push(format!("call: {rounds} rounds of {millis} ms a cell"));
    }
    if arguments.wants("apply") {
        match tools.for_applies() {
            Ok(tools) => {
                let (rounds, resources) = if arguments.quick { (3, 20) } else { (5, 100) };
                apply::run(rounds, resources, &tools)?.add_to(&mut report);
                notes.push(format!("apply: {rounds} rounds of {resources} resources"));
            }
            Err(missing) => notes.push(format!("apply: not measured, {missing}")),
        }
    }
    drop(spinners);
    notes.push(format!("{:.0} s in all", start.elapsed().as_secs_f64()));
    report.print(arguments, notes);
    Ok(())
}
