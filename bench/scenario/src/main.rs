//! Measures scenarios: how long a plan takes and how that grows, what a run adds to the calls of its
//! provider, and how fast `tenon plan` is there.
//!
//! `scenario [--quick] [--json] [--only TEXT]`. There are three parts, `start`, `plan` and `run`;
//! `--only` keeps those whose name contains the text. `TENON_PROGRAM` is the `tenon` to start.

mod folder;
mod plan;
mod run;
mod start;
mod text;

use std::fmt::Debug;
use std::io;
use std::process::ExitCode;
use std::time::Instant;

use bench_harness::placement::{Placement, place};
use bench_harness::section::{self, Arguments};
use bench_harness::{spinner, table};
use serde_json::json;

use crate::folder::Folder;

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    if words.next().as_deref() == Some(plan::ONE_PLAN) {
        return plan::one(words.next().unwrap_or_default().as_ref());
    }
    section::main(run)
}

fn run(arguments: &Arguments) -> io::Result<()> {
    let start = Instant::now();
    let mut notes = section::prefer();
    let folder = Folder::new()?;
    let spinners = spinner::start()?;
    let mut parts = Vec::new();
    if arguments.wants("start") {
        let rounds = if arguments.quick { 10 } else { 30 };
        let startup = start::run(rounds)?;
        notes.push(format!("start: {rounds} rounds"));
        parts.push(("start", startup.table(), startup.goals(), startup.json()));
    }
    // From here on everything is on one core, and so are providers: the thread that starts them
    // inherits it. The command above had all of them.
    place(Placement::Together, std::process::id(), std::process::id());
    let rounds = if arguments.quick { 3 } else { 11 };
    if arguments.wants("plan") {
        let plans = plan::run(rounds, &folder)?;
        notes.push(format!("plan: {rounds} rounds"));
        parts.push(("plan", plans.table(), plans.goals(), plans.json()));
    }
    if arguments.wants("run") {
        let actions = if arguments.quick { 100 } else { 400 };
        let runs = run::run(rounds, actions, &folder)?;
        notes.push(format!("run: {rounds} rounds of {actions} actions"));
        parts.push(("run", runs.table(), runs.goals(), runs.json()));
    }
    drop(spinners);
    notes.push(format!("{:.0} s in all", start.elapsed().as_secs_f64()));
    let mut measured = serde_json::Map::new();
    let mut goals = Vec::new();
    for (name, table, its_goals, json) in parts {
        if !arguments.json {
            println!("{table}");
        }
        measured.insert(name.to_owned(), json);
        goals.extend(its_goals);
    }
    if arguments.json {
        let document = json!({
            "measured": measured,
            "goals": goals.iter().map(|goal| {
                json!({"goal": goal.text, "measured": goal.measured, "met": goal.met()})
            }).collect::<Vec<_>>(),
            "notes": notes,
        });
        println!("{document:#}");
        return Ok(());
    }
    println!("{}", table::goals_table(&goals));
    for note in notes {
        println!("- {note}");
    }
    Ok(())
}

fn fault(error: impl Debug) -> io::Error {
    io::Error::other(format!("{error:?}"))
}

/// A number, if it was measured.
fn shown(value: Option<f64>) -> String {
    value.map_or("–".to_owned(), table::number)
}

/// A ratio, if both sides were measured. A difference may come to nothing and have none.
fn times(value: Option<f64>) -> String {
    let ratio = value.filter(|ratio| ratio.is_finite());
    ratio.map_or("–".to_owned(), |ratio| table::number(ratio) + "×")
}
