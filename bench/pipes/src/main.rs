//! Local sockets with ever more calls, bytes and clients: what one of them takes must not grow with their number.
//!
//! `pipes [--quick] [--json] [--only TEXT]`. `PIPES_LOAD` is the program that is measured, and `PIPES_LOAD_WINDOWS` the same
//! for Windows, which runs under Wine. Times under Wine say nothing about Windows; their growth does.

#![cfg(unix)]

use std::collections::BTreeMap;
use std::io;
use std::process::{Command, ExitCode, Stdio};

use bench_harness::goal::{Bar, Goal};
use bench_harness::link::Scratch;
use bench_harness::report::Report;
use bench_harness::section::{self, Arguments, fault};
use bench_harness::table::{line, number, times};
use serde_json::{Value as Json, json};

/// Between the fewest and the most, which are 100 times as many. A quadratic loop would take a hundred.
const BAR: f64 = 5.0;

fn main() -> ExitCode {
    section::main(run)
}

/// What one item takes in microseconds, by how many there were.
type Growth = BTreeMap<u64, f64>;

/// One kind of socket.
struct Row {
    over: &'static str,
    series: BTreeMap<String, Growth>,
}

fn run(arguments: &Arguments) -> io::Result<()> {
    let scratch = Scratch::new()?;
    section::clean_up_on_signals(&scratch)?;
    let mut notes = section::prefer();
    let mut rows = Vec::new();
    let here = scratch.0.join("load").display().to_string();
    for (over, program, name) in [
        ("Unix socket", "PIPES_LOAD", here.as_str()),
        (
            "named pipe under Wine",
            "PIPES_LOAD_WINDOWS",
            "tenon-bench-load",
        ),
    ] {
        match std::env::var(program) {
            Ok(program) if arguments.wants(over) => {
                let series = measure(&program, name)?;
                rows.push(Row { over, series });
            }
            Ok(_) => {}
            Err(_) => notes.push(format!("left out: {over}; {program} is not set")),
        }
    }
    let mut report = Report::default();
    report.add("growth", table(&rows), as_json(&rows));
    report.goals(rows.iter().flat_map(goals));
    report.print(arguments, notes);
    Ok(())
}

/// Runs the program, which ends by itself.
fn measure(program: &str, name: &str) -> io::Result<BTreeMap<String, Growth>> {
    let mut words = program.split(' ');
    let mut command = Command::new(words.next().unwrap_or_default());
    let output = command
        .args(words)
        .arg(name)
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        return Err(fault(format!("{program}: {}", output.status)));
    }
    let mut series: BTreeMap<String, Growth> = BTreeMap::new();
    for text in String::from_utf8_lossy(&output.stdout).lines() {
        let measured: Json = serde_json::from_str(text).map_err(fault)?;
        let (Some(name), Some(count), Some(micros)) = (
            measured["series"].as_str(),
            measured["count"].as_u64(),
            measured["micros"].as_f64(),
        ) else {
            return Err(fault(format!("unexpected line: {text}")));
        };
        series
            .entry(name.to_owned())
            .or_default()
            .insert(count, micros);
    }
    Ok(series)
}

/// How many times as long one item takes among the most as among the fewest.
fn growth(growth: &Growth) -> Option<f64> {
    let (first, last) = (growth.first_key_value()?, growth.last_key_value()?);
    Some(last.1 / first.1)
}

fn table(rows: &[Row]) -> String {
    let head = ["over", "how many", "of which", "µs for one", "× the fewest"];
    let mut text = line(head.map(str::to_owned)) + "|---|---|---|---|---|\n";
    for row in rows {
        for (series, measured) in &row.series {
            let fewest = measured.first_key_value().map(|(_, micros)| *micros);
            for (count, micros) in measured {
                text += &line([
                    row.over.to_owned(),
                    count.to_string(),
                    series.clone(),
                    number(*micros),
                    times(fewest.map(|fewest| micros / fewest)),
                ]);
            }
        }
    }
    text
}

fn goals(row: &Row) -> impl Iterator<Item = Goal> {
    row.series.iter().map(|(series, measured)| Goal {
        text: format!(
            "{}, {series}: one of the most takes at most {BAR}× as long as one of the fewest",
            row.over
        ),
        measured: growth(measured),
        apart: None,
        bar: Bar::AtMost(BAR),
        unit: "×",
    })
}

fn as_json(rows: &[Row]) -> Json {
    { rows.iter() }
        .map(|row| json!({ "over": row.over, "micros": row.series }))
        .collect()
}
