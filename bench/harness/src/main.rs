//! Measures RPC engines against each other and against the bare transport.
//!
//! `engine [--quick] [--json] [--only TEXT]`: one interleaved run in rounds, each a pass over all
//! rows. `--only` keeps the rows whose name contains the text, beside the limit and the floors.

mod child;
mod control;
mod counts;
mod goals;
mod link;
mod memory;
mod msgpack;
mod os;
mod placement;
mod raw;
mod report;
mod results;
mod round;
mod rows;
mod spinner;
mod watchdog;
mod wire;

use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use rustix::process::{Resource, Rlimit, getrlimit, setpriority_process, setrlimit};
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
    quick: bool,
    json: bool,
    only: Option<String>,
}

impl Plan {
    fn read(mut words: impl Iterator<Item = String>) -> Result<Plan, String> {
        let mut plan = Plan {
            rounds: 11,
            memory_rounds: 3,
            millis: 40,
            quick: false,
            json: false,
            only: None,
        };
        while let Some(word) = words.next() {
            match word.as_str() {
                "--quick" => {
                    (plan.rounds, plan.memory_rounds, plan.millis) = (3, 1, 20);
                    plan.quick = true;
                }
                "--json" => plan.json = true,
                "--only" => {
                    plan.only = Some(words.next().ok_or("--only needs a part of a row's name")?)
                }
                other => {
                    return Err(format!(
                        "unknown argument {other}; known: --quick --json --only TEXT"
                    ));
                }
            }
        }
        Ok(plan)
    }
}

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1).peekable();
    if words.peek().map(String::as_str) == Some(spinner::ARGUMENT) {
        let core = words.nth(1).and_then(|core| core.parse().ok()).unwrap_or(0);
        return if spinner::run(core).is_ok() {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        };
    }
    match Plan::read(words)
        .map_err(io::Error::other)
        .and_then(|plan| run(&plan))
    {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(plan: &Plan) -> io::Result<()> {
    let start = Instant::now();
    let scratch = Scratch::new()?;
    clean_up_on_signals(&scratch)?;
    raise_file_limit();
    let mut notes = Vec::new();
    if setpriority_process(None, -10).is_err() {
        notes.push("ran at ordinary priority: nice -10 is not permitted".to_owned());
    }
    let program = std::env::current_exe()?;
    let (rows, missing) = rows::rows(program.parent().unwrap_or(Path::new(".")));
    notes.extend(
        missing
            .iter()
            .map(|name| format!("skipped, not built or not installed: {name}")),
    );
    let wanted = |row: &Row| {
        row.kind == Kind::Floor
            || plan
                .only
                .as_ref()
                .is_none_or(|text| row.name.contains(text))
    };
    let mut results = Results {
        rows: rows
            .into_iter()
            .filter(wanted)
            .map(|row| (row, Numbers::default()))
            .collect(),
    };
    let spinners = spinner::start()?;
    let mut faults = BTreeSet::new();
    measure(plan, &scratch, &mut results, &mut faults);
    placement::spread();
    drop(spinners);
    let counted: Vec<&Row> = results
        .rows
        .iter()
        .map(|(row, _)| row)
        .filter(|row| row.counted)
        .collect();
    eprintln!("counts");
    let counts = counts::count(&counted, &scratch, plan.quick);
    notes.extend(faults);
    notes.push(format!(
        "{} rounds of {} ms a cell, {:.0} s in all",
        plan.rounds,
        plan.millis,
        start.elapsed().as_secs_f64()
    ));
    let goals = goals::goals(&results, &counts);
    if plan.json {
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
    println!("{}", report::goals_table(&goals));
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
