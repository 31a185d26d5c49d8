//! Measures plugins in Python, Node and Rust: round trips per second and the time from their start to their first answer, beside a
//! raw echo in the same language, the official MCP SDKs and vscode-jsonrpc. The programs in Rust are beside this one.
//!
//! `sdk [--quick] [--json] [--only TEXT]`; `--only` keeps the rows whose name contains the text, and those that all are compared
//! with. `MCP_PYTHON` is a Python with the MCP SDK, `NODE_MODULES_MCP` and `NODE_MODULES_HERE` are the folders of the libraries
//! for Node.

mod measure;
mod rows;
mod table;

use std::io;
use std::process::ExitCode;
use std::time::Instant;

use bench_harness::placement::{self, Placement, place};
use bench_harness::report::Report;
use bench_harness::section::{self, Arguments};
use bench_harness::spinner;

use crate::measure::Amounts;
use crate::rows::Rows;

fn main() -> ExitCode {
    section::main(run)
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
    // Client and server on one core: what remains is the work that they do.
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
