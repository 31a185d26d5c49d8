//! Measures servers on local sockets: calls, events both ways, broadcasts, idle connections.
//!
//! `ipc [--quick] [--json] [--only TEXT] [--against FOLDER]`: one interleaved run in rounds, each a pass over all rows.
//! `--only` keeps the rows whose name contains the text, beside the limit. `NODE_MODULES_HERE` is the
//! folder with vscode-jsonrpc, which is left out without it.

mod cell;
mod goals;
mod round;
mod rows;

use std::io;
use std::process::ExitCode;

use bench_harness::child::Programs;
use bench_harness::report::Report;
use bench_harness::rounds::{Plan, Rounds};
use bench_harness::section::{self, Arguments};

use cell::Cell;

fn main() -> ExitCode {
    section::main(run)
}

fn run(arguments: &Arguments) -> io::Result<()> {
    let mut rows = rows::built(&Programs::beside_this_one()?);
    let vscode = rows::vscode().map(|row| rows.insert(1, row));
    let mut rounds = Rounds::new(rows, arguments, Plan::new(arguments, 30, 60))?;
    if let Err(missing) = vscode {
        rounds.note(format!("skipped: {}, {missing}", rows::VSCODE));
    }
    rounds.run(round::round, Cell::Idle, |_, _| {})?;
    let results = &rounds.results;
    let mut report = Report::default();
    let explanation = "Medians; in brackets times the limit, paired within the rounds.";
    report.add(
        "rows",
        format!("{explanation}\n\n{}", results.table()),
        results.json(),
    );
    report.compare(arguments, results);
    report.goals(goals::goals(results));
    report.print(arguments, rounds.notes());
    Ok(())
}
