//! Measures how long a plugin takes from its start to its first answer and to its end: with our whole
//! environment, with the few variables that plugins get by default, and in the sandbox.
//!
//! `host [--quick] [--json] [--only TEXT]`. `TENON_PROGRAM` is the `tenon` whose `echo` is started.

use std::io;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::Instant;

use bench_harness::goal::{Bar, Goal};
use bench_harness::numbers::Numbers;
use bench_harness::placement::{Placement, place};
use bench_harness::report::Report;
use bench_harness::section::{self, Arguments, fault};
use bench_harness::spinner;
use bench_harness::table::{line, shown};
use serde_json::{Value as Json, json};
use tenon_host::{Environment, Permissions, Plugin, PluginCommand, Start};
use tenon_rpc::{Dialect, Router, methods};
use tokio::runtime::Runtime;

methods! {
    /// Adds two numbers.
    pub Add = "add" ((i64, i64)) -> i64;
}

/// How many times the start with the whole environment another start may take.
const BAR: f64 = 1.2;

/// A plugin in Python that answers every call with 3.
const PYTHON: &str = r#"
import json, sys
for line in sys.stdin:
    print(json.dumps({"jsonrpc": "2.0", "id": json.loads(line)["id"], "result": 3}), flush=True)
"#;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    All,
    Few,
    Sandbox,
}

impl Way {
    const EACH: [Way; 3] = [Way::All, Way::Few, Way::Sandbox];

    fn name(self) -> &'static str {
        match self {
            Way::All => "whole environment",
            Way::Few => "few variables (the default)",
            Way::Sandbox => "sandbox, nothing allowed",
        }
    }

    fn apply(self, command: PluginCommand) -> PluginCommand {
        match self {
            Way::All => command.inherit(Environment::All),
            Way::Few => command,
            Way::Sandbox => command.permissions(Permissions::none()),
        }
    }
}

struct Row {
    name: &'static str,
    command: PluginCommand,
    /// Milliseconds.
    numbers: Numbers<Way>,
}

fn main() -> ExitCode {
    section::main(run)
}

fn run(arguments: &Arguments) -> io::Result<()> {
    let began = Instant::now();
    let mut notes = section::prefer();
    let program = std::env::var_os("TENON_PROGRAM")
        .ok_or_else(|| fault("TENON_PROGRAM is not set; bench/run sets it"))?;
    let python = python()?;
    let rows = [
        ("tenon echo", PluginCommand::new(program).arg("echo")),
        ("python3", PluginCommand::new(python).args(["-c", PYTHON])),
    ];
    let rows = rows.into_iter().filter(|(name, _)| arguments.wants(name));
    let mut rows: Vec<Row> = rows
        .map(|(name, command)| Row {
            name,
            command,
            numbers: Numbers::default(),
        })
        .collect();
    let rounds = if arguments.quick { 20 } else { 100 };
    let spinners = spinner::start()?;
    place(Placement::Together, std::process::id(), std::process::id());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    for round in 0..rounds {
        for row in &mut rows {
            row.numbers.round = round;
            for way in Way::EACH {
                let taken = start(&runtime, &way.apply(row.command.clone()))?;
                row.numbers.add(way, taken);
            }
        }
    }
    drop(spinners);
    notes.push(format!("{rounds} rounds, each way in turn in each"));
    notes.push(format!("{:.0} s in all", began.elapsed().as_secs_f64()));
    let mut report = Report::default();
    report.add("plugins", table(&rows), rows.iter().map(measured).collect());
    report.goals(rows.iter().flat_map(goals));
    report.print(arguments, notes);
    Ok(())
}

/// The interpreter itself: the sandbox passes by the shims of version managers, which take longer than
/// what is measured.
fn python() -> io::Result<String> {
    let asked = Command::new("python3")
        .args(["-c", "import sys; print(sys.executable)"])
        .output()?;
    Ok(String::from_utf8_lossy(&asked.stdout).trim().to_owned())
}

/// The milliseconds from a plugin's start over its first answer to its end.
fn start(runtime: &Runtime, command: &PluginCommand) -> io::Result<f64> {
    runtime.block_on(async {
        let began = Instant::now();
        let router = Arc::new(Router::new(()));
        let start = Start::new(Dialect::JsonRpcLines);
        let first = |peer: tenon_rpc::Peer| async move { peer.call(Add, (1, 2)).await };
        let (plugin, sum) = Plugin::start(command, start, router, first)
            .await
            .map_err(fault)?;
        let taken = began.elapsed().as_secs_f64() * 1e3;
        drop(plugin);
        match sum {
            3 => Ok(taken),
            other => Err(fault(format!("1 + 2 = {other}"))),
        }
    })
}

fn table(rows: &[Row]) -> String {
    let mut text = String::from("Milliseconds from the start of a plugin to its first answer.\n\n");
    text += &line(["", "ms", "× whole environment"].map(str::to_owned));
    text += &line(["---", "---", "---"].map(str::to_owned));
    for row in rows {
        for way in Way::EACH {
            text += &line([
                format!("{}: {}", row.name, way.name()),
                shown(row.numbers.median(way)),
                shown(row.numbers.ratio_within(way, Way::All)),
            ]);
        }
    }
    text
}

fn goals(row: &Row) -> Vec<Goal> {
    let goal = |way: Way| Goal {
        text: format!("{}: {}, at most {BAR}×", row.name, way.name()),
        measured: row.numbers.ratio_within(way, Way::All),
        apart: None,
        bar: Bar::AtMost(BAR),
        unit: "×",
    };
    vec![goal(Way::Few), goal(Way::Sandbox)]
}

fn measured(row: &Row) -> Json {
    let ways = Way::EACH.map(|way| {
        json!({
            "way": way.name(),
            "milliseconds": row.numbers.median(way),
            "rounds": row.numbers.all(way),
        })
    });
    json!({ "plugin": row.name, "ways": ways })
}
