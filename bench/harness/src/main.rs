//! Measures RPC engines against each other and against the bare transport.
//!
//! `engine [--quick] [--json] [--only TEXT]`: one interleaved run in rounds, each a pass over all
//! rows. `--only` keeps the rows whose name contains the text, beside the limit and the floors.

mod control;
mod counts;
mod goals;
mod link;
mod memory;
mod msgpack;
mod raw;
mod report;
mod results;
mod round;
mod rows;
mod wire;

use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use bench_harness::section::{self, Arguments};
use bench_harness::{placement, spinner, table};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use link::Scratch;
use results::{Numbers, Results};
use rows::{Kind, Row};

struct Plan {
    rounds: usize,
    memory_rounds: usize,
    /// How long a cell is measured.
    millis: u64,
}

impl Plan {
    fn new(quick: bool) -> Plan {
        let (rounds, memory_rounds, millis) = if quick { (3, 1, 20) } else { (11, 3, 40) };
        Plan {
            rounds,
            memory_rounds,
            millis,
        }
    }
}

fn main() -> ExitCode {
    section::main(run)
}

fn run(arguments: &Arguments) -> io::Result<()> {
    let start = Instant::now();
    let plan = Plan::new(arguments.quick);
    let scratch = Scratch::new()?;
    clean_up_on_signals(&scratch)?;
    raise_file_limit();
    let mut notes = section::prefer();
    let program = std::env::current_exe()?;
    let (rows, missing) = rows::rows(program.parent().unwrap_or(Path::new(".")));
    notes.extend(
        missing
            .iter()
            .map(|name| format!("skipped, not built or not installed: {name}")),
    );
    let wanted = |row: &Row| row.kind == Kind::Floor || arguments.wants(row.name);
    let mut results = Results {
        rows: rows
            .into_iter()
            .filter(wanted)
            .map(|row| (row, Numbers::default()))
            .collect(),
    };
    let spinners = spinner::start()?;
    let mut faults = BTreeSet::new();
    measure(&plan, &scratch, &mut results, &mut faults);
    placement::spread();
    drop(spinners);
    let counted: Vec<&Row> = results
        .rows
        .iter()
        .map(|(row, _)| row)
        .filter(|row| row.counted)
        .collect();
    eprintln!("counts");
    let counts = counts::count(&counted, &scratch, arguments.quick);
    notes.extend(faults);
    notes.push(format!(
        "{} rounds of {} ms a cell, {:.0} s in all",
        plan.rounds,
        plan.millis,
        start.elapsed().as_secs_f64()
    ));
    let goals = goals::goals(&results, &counts);
    if arguments.json {
        println!("{:#}", report::document(&results, &counts, &goals, &notes));
        return Ok(());
    }
    println!(
        "Medians; in brackets times the limit of the same transport, paired within the rounds.\n"
    );
    println!("{}", report::table(&results));
    if !counts.is_empty() {
        println!("{}", report::counts_table(&counts));
    }
    println!("{}", table::goals_table(&goals));
    for note in notes {
        println!("- {note}");
    }
    Ok(())
}

fn measure(plan: &Plan, scratch: &Scratch, results: &mut Results, faults: &mut BTreeSet<String>) {
    for number in 0..plan.rounds {
        eprintln!("round {} of {}", number + 1, plan.rounds);
        results
            .rows
            .iter_mut()
            .for_each(|(_, numbers)| numbers.round = number);
        // Each round begins with another row, so that none always follows the same neighbour.
        round::round(results, scratch, plan.millis, number * 5, faults);
    }
    for number in 0..plan.memory_rounds {
        eprintln!("memory, round {} of {}", number + 1, plan.memory_rounds);
        for (row, numbers) in &mut results.rows {
            numbers.round = number;
            let mut note = |what: &str, outcome: io::Result<()>| {
                if let Err(error) = outcome {
                    faults.insert(format!(
                        "{} ({}), {what}: {error}",
                        row.name,
                        row.transport.name()
                    ));
                }
            };
            note(
                "idle connections",
                memory::idle_connections(row, scratch, numbers),
            );
            if number == 0 {
                note(
                    "long flood",
                    memory::long_flood(row, scratch, plan.millis * 10, numbers),
                );
            }
        }
    }
}

/// Children die with this process; the directory has to be removed by hand.
fn clean_up_on_signals(scratch: &Scratch) -> io::Result<()> {
    let folder = scratch.0.clone();
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            let _ = std::fs::remove_dir_all(folder);
            std::process::exit(128 + signal);
        }
    });
    Ok(())
}

/// A thousand connections are two thousand descriptors here and a thousand in the server.
fn raise_file_limit() {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    let _ = setrlimit(
        Resource::Nofile,
        Rlimit {
            current: maximum,
            maximum,
        },
    );
}
