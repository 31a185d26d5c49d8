//! Measures servers on local sockets: calls, events both ways, broadcasts, idle connections.
//!
//! `ipc [--quick] [--json] [--only TEXT]`: one interleaved run in rounds, each a pass over all rows.
//! `--only` keeps the rows whose name contains the text, beside the limit. `NODE_MODULES_HERE` is the
//! folder with vscode-jsonrpc, which is left out without it.

mod cell;
mod goals;
mod round;
mod rows;

use std::collections::BTreeSet;
use std::io;
use std::process::ExitCode;
use std::time::Instant;

use bench_harness::child::Programs;
use bench_harness::goal::Goal;
use bench_harness::link::Scratch;
use bench_harness::row::{Kind, Row, present};
use bench_harness::section::{self, Arguments};
use bench_harness::{placement, running, spinner, table};
use bench_workload::Bound;
use serde_json::{Value, json};

use cell::{Cell, Results};

struct Plan {
    rounds: usize,
    memory_rounds: usize,
    /// How long a cell is measured.
    millis: u64,
}

impl Plan {
    fn new(quick: bool) -> Plan {
        let (rounds, memory_rounds, millis) = if quick { (3, 1, 30) } else { (11, 3, 60) };
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
    let (mut rows, missing) = present(rows::built(&Programs::beside_this_one()?));
    let skipped = missing
        .iter()
        .map(|name| format!("skipped, not built: {name}"));
    notes.extend(skipped);
    match rows::vscode() {
        Ok(row) => rows.insert(1.min(rows.len()), row),
        Err(missing) => notes.push(format!("skipped: {}, {missing}", rows::VSCODE)),
    }
    let wanted = |row: &Row| row.kind == Kind::Floor || arguments.wants(row.name);
    let mut results = Results::new(rows.into_iter().filter(wanted));
    let spinners = spinner::start()?;
    let mut faults = BTreeSet::new();
    measure(&plan, &scratch, &mut results, &mut faults);
    placement::spread();
    drop(spinners);
    notes.extend(faults);
    notes.push(format!(
        "{} rounds of {} ms a cell, {:.0} s in all",
        plan.rounds,
        plan.millis,
        start.elapsed().as_secs_f64()
    ));
    let goals = goals::goals(&results);
    if arguments.json {
        let goals: Vec<Value> = goals.iter().map(Goal::json).collect();
        let document = json!({"rows": results.json(), "goals": goals, "notes": notes});
        println!("{document:#}");
        return Ok(());
    }
    println!("Medians; in brackets times the limit, paired within the rounds.\n");
    println!("{}", results.table());
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
        round::round(results, scratch, Bound::time(plan.millis), number, faults);
    }
    for number in 0..plan.memory_rounds {
        eprintln!("memory, round {} of {}", number + 1, plan.memory_rounds);
        results.begin_round(number);
        for (row, numbers) in &mut results.rows {
            match running::idle_connection(row, scratch) {
                Ok(kib) => kib.into_iter().for_each(|kib| numbers.add(Cell::Idle, kib)),
                Err(error) => {
                    faults.insert(format!("{}, idle connections: {error}", row.title()));
                }
            }
        }
    }
}
