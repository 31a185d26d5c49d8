//! How long `tenon` takes to do nothing, beside a program that does nothing, and `tenon plan` of the first scenario, beside
//! what it waits for: its providers' `schema` calls, made at the same time as a plan makes them.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use bench_harness::child::Child;
use bench_harness::goal::{Bar, Goal};
use bench_harness::numbers::Numbers;
use bench_harness::section::fault;
use bench_harness::table::{line, shown};
use bench_harness::watchdog::Watchdog;
use serde_json::{Value as Json, json};

/// Milliseconds that a plan may take beyond the schemas.
const BAR: f64 = 30.0;

/// How many times as long as a program that does nothing the command may take.
const TIMES: f64 = 2.0;

/// The providers that the first scenario requires.
const PROVIDERS: [&str; 2] = ["exec", "sqlite"];

/// Nothing that is started here takes so long.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Task {
    /// What every program takes.
    Least,
    Nothing,
    Schemas,
    Plan,
    /// What a plan takes beyond the schemas of the same round.
    Beyond,
}

impl Task {
    const ALL: [Task; 5] = [
        Task::Least,
        Task::Nothing,
        Task::Schemas,
        Task::Plan,
        Task::Beyond,
    ];

    fn name(self) -> &'static str {
        match self {
            Task::Least => "true",
            Task::Nothing => "tenon --version",
            Task::Schemas => "both schemas in parallel",
            Task::Plan => "tenon plan hello.hcl",
            Task::Beyond => "plan beyond the schemas",
        }
    }
}

pub struct Startup {
    milliseconds: Numbers<Task>,
}

pub fn run(rounds: usize) -> io::Result<Startup> {
    let mut milliseconds = Numbers::default();
    let program = std::env::var_os("TENON_PROGRAM").map(PathBuf::from);
    let program = program.ok_or_else(|| fault("TENON_PROGRAM is not set; bench/run sets it"))?;
    let scenario = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/hello/hello.hcl");
    let tenon = |words: &[&str]| {
        let mut command = Command::new(&program);
        command.args(words);
        command
    };
    eprintln!("start-up, {rounds} rounds");
    for round in 0..rounds {
        milliseconds.round = round;
        let least = finish([Command::new("true")])?;
        let nothing = finish([tenon(&["--version"])])?;
        let schemas = finish(PROVIDERS.map(|name| tenon(&["builtin", name, "schema"])))?;
        let mut plan = tenon(&["plan"]);
        plan.arg(&scenario);
        let plan = finish([plan])?;
        milliseconds.add(Task::Least, least);
        milliseconds.add(Task::Nothing, nothing);
        milliseconds.add(Task::Schemas, schemas);
        milliseconds.add(Task::Plan, plan);
        milliseconds.add(Task::Beyond, plan - schemas);
    }
    Ok(Startup { milliseconds })
}

/// Starts commands at the same time, and gives the milliseconds until all have ended well.
fn finish<const N: usize>(commands: [Command; N]) -> io::Result<f64> {
    let start = Instant::now();
    let mut children = Vec::with_capacity(N);
    for mut command in commands {
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let child = Child::start(&mut command)?;
        let watchdog = Watchdog::over(child.pid(), PATIENCE);
        children.push((watchdog, child, command));
    }
    for (_, child, command) in &mut children {
        let status = child.inner.wait()?;
        if !status.success() {
            let message = format!("{command:?} ended with {status}; run it by hand to see why");
            return Err(io::Error::other(message));
        }
    }
    Ok(start.elapsed().as_secs_f64() * 1e3)
}

impl Startup {
    pub fn table(&self) -> String {
        let mut text = String::from("Start-up of the command, on all cores.\n\n");
        text += &line(["", "ms"].map(str::to_owned));
        text += &line(["---", "---"].map(str::to_owned));
        for task in Task::ALL {
            text += &line([
                task.name().to_owned(),
                shown(self.milliseconds.median(task)),
            ]);
        }
        text
    }

    pub fn goals(&self) -> Vec<Goal> {
        let median = |task| self.milliseconds.median(task);
        let beyond = median(Task::Beyond).map(|milliseconds| Goal {
            text: format!("start: {}, at most {BAR} ms", Task::Beyond.name()),
            measured: Some(milliseconds),
            apart: None,
            bar: Bar::AtMost(BAR),
            unit: " ms",
        });
        let (nothing, least) = (median(Task::Nothing), median(Task::Least));
        let times = nothing.zip(least).map(|(nothing, least)| Goal {
            text: format!("start: {}, at most {TIMES}× `true`", Task::Nothing.name()),
            measured: Some(nothing / least),
            apart: None,
            bar: Bar::AtMost(TIMES),
            unit: "×",
        });
        times.into_iter().chain(beyond).collect()
    }

    pub fn json(&self) -> Json {
        let tasks = Task::ALL.map(|task| {
            json!({
                "task": task.name(),
                "milliseconds": self.milliseconds.median(task),
                "rounds": self.milliseconds.all(task),
            })
        });
        Json::from(tasks.to_vec())
    }
}
