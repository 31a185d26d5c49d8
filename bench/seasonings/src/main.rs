//! Measures plugins around Terraform: packed providers, msgpack-rpc beside JSON-RPC, and state storage.
//!
//! `seasonings [--quick] [--json] [--only TEXT]`. There are five parts, `start`, `call`, `plan`, `dialect` and `state`;
//! `--only` keeps those whose name contains the text. `TENON_PROGRAM`, `PACKED_PROGRAM` and `PROVIDER_PROGRAM` are the
//! programs to start; Terraform, Deno and Python are looked for in `PATH`, and what needs a missing one is left out.

mod call;
mod dialect;
mod packing;
mod plan;
mod state;
mod tools;

use std::io;
use std::process::ExitCode;
use std::time::Instant;

use bench_harness::placement;
use bench_harness::report::Report;
use bench_harness::section::{self, Arguments};
use bench_harness::spinner;
use bench_terraform::{keeper, start};

use crate::packing::{PYTHON, Packed};
use crate::tools::Tools;

/// Milliseconds from the start of a packed provider to its first answer.
const START: f64 = 10.0;

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    match words.next().and_then(|word| word.into_string().ok()) {
        Some(word) if word == keeper::ARGUMENT => keeper::main(words),
        Some(word) if word == state::copy::RELAY => state::copy::main(state::copy::relay),
        Some(word) if word == state::copy::STORE => state::copy::main(state::copy::store),
        _ => section::main(run),
    }
}

fn run(arguments: &Arguments) -> io::Result<()> {
    let began = Instant::now();
    let mut notes = section::prefer();
    let tools = Tools::find()?;
    notes.extend(tools.notes());
    let packed = Packed::new(&tools)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let spinners = spinner::start()?;
    let mut report = Report::default();
    if arguments.wants("start") {
        match packed.plugin(PYTHON) {
            Some(plugin) => {
                let rounds = if arguments.quick { 10 } else { 50 };
                let started = start::run(rounds, &plugin.provider, START);
                runtime.block_on(started)?.add_to(&mut report);
                notes.push(format!("start: {rounds} rounds"));
            }
            None => notes.push("start: not measured, there is no Python".to_owned()),
        }
    }
    if arguments.wants("call") {
        let (rounds, millis) = if arguments.quick { (3, 50) } else { (11, 100) };
        let calls = runtime.block_on(call::run(rounds, millis, &packed));
        placement::spread();
        calls?.add_to(&mut report);
        notes.push(format!("call: {rounds} rounds of {millis} ms a cell"));
    }
    if arguments.wants("plan") {
        let (rounds, resources) = if arguments.quick { (2, 50) } else { (5, 500) };
        match plan::run(rounds, resources, &tools, &packed)? {
            Ok(plans) => {
                plans.add_to(&mut report);
                notes.push(format!("plan: {rounds} rounds of {resources} resources"));
            }
            Err(missing) => notes.push(format!("plan: not measured, {missing}")),
        }
    }
    if arguments.wants("dialect") {
        let (rounds, millis) = if arguments.quick { (3, 40) } else { (11, 100) };
        let dialects = dialect::run(rounds, millis, &tools, &runtime);
        placement::spread();
        dialects?.add_to(&mut report);
        notes.push(format!("dialect: {rounds} rounds of {millis} ms a cell"));
    }
    if arguments.wants("state") {
        let (rounds, times) = if arguments.quick { (3, 3) } else { (11, 5) };
        let states = state::run(rounds, times, &tools);
        placement::spread();
        states?.add_to(&mut report);
        notes.push(format!(
            "state: {rounds} rounds of {times} reads and writes"
        ));
    }
    drop(spinners);
    notes.push(format!("{:.0} s in all", began.elapsed().as_secs_f64()));
    report.print(arguments, notes);
    Ok(())
}
