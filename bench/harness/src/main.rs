//! Measures RPC engines against each other and against the bare transport.
//!
//! `engine [--quick] [--json] [--only TEXT]`: one interleaved run in rounds, each a pass over all
//! rows. `--only` keeps the rows whose name contains the text, beside the limit and the floors.

mod cell;
mod counts;
mod goals;
mod memory;
mod report;
mod round;
mod rows;

use std::collections::BTreeSet;
use std::io;
use std::process::ExitCode;
use std::time::Instant;

use bench_harness::child::Programs;
use bench_harness::link::Scratch;
use bench_harness::row::{Kind, Row, present};
use bench_harness::section::{self, Arguments};
use bench_harness::{placement, running, spinner, table};

use cell::{Cell, Results};

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
    section::clean_up_on_signals(&scratch)?;
    section::raise_file_limit();
    let mut notes = section::prefer();
    let (rows, missing) = present(rows::rows(&Programs::beside_this_one()?));
    notes.extend(
        missing
            .iter()
            .map(|name| format!("skipped, not built or not installed: {name}")),
    );
    let wanted = |row: &Row| row.kind == Kind::Floor || arguments.wants(row.name);
    let mut results = Results::new(rows.into_iter().filter(wanted));
    let spinners = spinner::start()?;
    let mut faults = BTreeSet::new();
    measure(&plan, &scratch, &mut results, &mut faults);
    placement::spread();
    drop(spinners);
    let counted: Vec<&Row> = results
        .rows
        .iter()
        .map(|(row, _)| row)
        .filter(|row| rows::is_counted(row))
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
    println!("{}", results.table());
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
        results.begin_round(number);
        // Each round begins with another row, so that none always follows the same neighbour.
        round::round(results, scratch, plan.millis, number * 5, faults);
    }
    for number in 0..plan.memory_rounds {
        eprintln!("memory, round {} of {}", number + 1, plan.memory_rounds);
        results.begin_round(number);
        for (row, numbers) in &mut results.rows {
            let mut note = |cell, what: &str, outcome: io::Result<Option<f64>>| match outcome {
                Ok(value) => value.into_iter().for_each(|value| numbers.add(cell, value)),
                Err(error) => {
                    faults.insert(format!("{}, {what}: {error}", row.title()));
                }
            };
            let idle = running::idle_connection(row, scratch);
            note(Cell::Idle, "idle connections", idle);
            if number == 0 {
                let peak = memory::long_flood(row, scratch, plan.millis * 10);
                note(Cell::PeakLongFlood, "long flood", peak);
            }
        }
    }
}
