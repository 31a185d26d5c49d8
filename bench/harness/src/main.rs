//! Measures RPC engines against each other and against the bare transport.
//!
//! `engine [--quick] [--json] [--only TEXT]
//! [--against FOLDER]`: one interleaved run in rounds, each a pass over all
//! rows. `--only` keeps the rows whose name contains the text, beside the limit and the floors.
//! `--against FOLDER` measures our programs in that folder as well, in turn with ours (`bench/compare`).

mod cell;
mod counts;
mod counts_report;
mod goals;
mod memory;
mod round;
mod rows;

use std::io;
use std::process::ExitCode;

use bench_harness::child::Programs;
use bench_harness::report::Report;
use bench_harness::rounds::{Plan, Rounds};
use bench_harness::row::Row;
use bench_harness::section::{self, Arguments};

use cell::Cell;

fn main() -> ExitCode {
    section::main(run)
}

fn run(arguments: &Arguments) -> io::Result<()> {
    let rows = rows::rows(&Programs::beside_this_one()?);
    let mut rounds = Rounds::new(rows, arguments, Plan::new(arguments, 20, 40))?;
    rounds.run(
        |rounds, number| {
            let cells = round::cells(rounds.plan.millis);
            rounds.cells(&cells, number * 5, round::add);
        },
        Cell::Idle,
        |rounds, number| {
            let millis = rounds.plan.millis * 10;
            if number == 0 {
                rounds.each(Cell::PeakLongFlood, 0, |row, scratch| {
                    memory::long_flood(row, scratch, millis)
                });
            }
        },
    )?;
    let results = &rounds.results;
    let counted: Vec<&Row> = { results.rows.iter() }
        .map(|(row, _)| row)
        .filter(|row| rows::is_counted(row))
        .collect();
    eprintln!("counts");
    let counts = counts::count(&counted, &rounds.scratch, arguments.quick);
    let mut report = Report::default();
    let explanation =
        "Medians; in brackets times the limit of the same transport, paired within the rounds.";
    report.add(
        "rows",
        format!("{explanation}\n\n{}", results.table()),
        results.json(),
    );
    if !counts.is_empty() {
        let json = counts_report::json(&counts);
        report.add("counts", counts_report::table(&counts), json);
    }
    report.compare(arguments, results);
    report.goals(goals::goals(results, &counts));
    report.print(arguments, rounds.notes());
    Ok(())
}
