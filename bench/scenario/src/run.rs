//! What a run adds to the calls it makes: dependent actions, one after the other, beside a bare loop
//! of the same calls to the same provider.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bench_harness::goal::{Bar, Goal};
use bench_harness::numbers::Numbers;
use bench_harness::section::fault;
use bench_harness::table::{line, shown, times};
use serde_json::{Value as Json, json};
use tenon_host::{Plugin, PluginCommand, Start};
use tenon_protocols::Protocol;
use tenon_protocols::orchard::{
    Configure, ConfigureParams, Describe, Empty, Execute, ExecuteParams, Json as Attributes,
};
use tenon_rpc::Router;
use tenon_scenario::{Event, Launcher, Plan, RunOptions, RunStatus, ScenarioFile, load};

use crate::folder::Folder;
use crate::{plan, text};

/// How many times the bare call an action may take, without the disk's part.
const BAR: f64 = 2.0;

/// What goes to disk for one action: a line that it begins and one that it is over.
const JOURNAL_BYTES: usize = 350;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Measure {
    /// Microseconds from the first action's begin to the last one's end, for each.
    Action,
    /// Milliseconds for everything, the provider's start and end included.
    Whole,
}

/// What is done as often as there are actions.
enum Task {
    /// Only the calls.
    Calls,
    /// A run with its record in this folder, or without one.
    Run(Option<PathBuf>),
    /// Only what the journal asks of the disk.
    Sync(PathBuf),
}

struct Row {
    name: &'static str,
    task: Task,
    numbers: Numbers<Measure>,
}

const BARE: &str = "bare calls of `execute`";
const NO_RECORD: &str = "run without a record";
const IN_MEMORY: &str = "run, journal in memory";
const ON_DISK: &str = "run, journal on disk";
const SYNC: &str = "disk alone: append, fdatasync";

pub struct Runs {
    rows: Vec<Row>,
    actions: usize,
}

pub fn run(rounds: usize, actions: usize, folder: &Folder) -> io::Result<Runs> {
    let provider = Folder::provider()?;
    let path = folder.write("chain.hcl", &text::chain(actions, &provider))?;
    let file = load(&path).map_err(fault)?;
    let scenario = file.scenarios.first().cloned().map(Arc::new);
    let scenario = scenario.ok_or_else(|| fault("no scenario in it"))?;
    let plan = plan::planned(&scenario, &plan::schemas(&scenario))?;
    let mut tasks = vec![
        (BARE, Task::Calls),
        (NO_RECORD, Task::Run(None)),
        (ON_DISK, Task::Run(Some(folder.on_disk.clone()))),
        (SYNC, Task::Sync(folder.on_disk.join("synced"))),
    ];
    if let Some(memory) = &folder.in_memory {
        tasks.insert(2, (IN_MEMORY, Task::Run(Some(memory.clone()))));
    }
    let mut rows: Vec<Row> = { tasks.into_iter() }
        .map(|(name, task)| Row {
            name,
            task,
            numbers: Numbers::default(),
        })
        .collect();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let attributes = plan
        .attributes
        .values()
        .next()
        .map(Attributes::of_attributes);
    let attributes = attributes.ok_or_else(|| fault("the plan has no actions"))?;
    let bench = Bench {
        provider,
        file,
        attributes: attributes.map_err(fault)?,
        plan,
        actions,
    };
    for round in 0..rounds {
        eprintln!("runs, round {} of {rounds}", round + 1);
        for row in &mut rows {
            row.numbers.round = round;
            let start = Instant::now();
            let taken = match &row.task {
                Task::Calls => runtime.block_on(bench.calls())?,
                Task::Run(folder) => runtime.block_on(bench.run(folder.as_deref()))?,
                Task::Sync(path) => bench.syncs(path)?,
            };
            let each = taken.as_secs_f64() * 1e6 / actions as f64;
            row.numbers.add(Measure::Action, each);
            let whole = start.elapsed().as_secs_f64() * 1e3;
            row.numbers.add(Measure::Whole, whole);
        }
    }
    Ok(Runs { rows, actions })
}

struct Bench {
    provider: PathBuf,
    file: ScenarioFile,
    plan: Plan,
    /// What the first action is given; the others are given as much.
    attributes: Attributes,
    actions: usize,
}

impl Bench {
    async fn calls(&self) -> io::Result<Duration> {
        let mut start = Start::new(Protocol::Orchard.dialect());
        start.options = Protocol::Orchard.host_options();
        let command = PluginCommand::new(&self.provider);
        let router = Arc::new(Router::new(()));
        let describe = |peer: tenon_rpc::Peer| async move { peer.call(Describe, Empty {}).await };
        let (plugin, _) = Plugin::start(&command, start, router, describe)
            .await
            .map_err(fault)?;
        let peer = plugin.peer();
        peer.call(Configure, ConfigureParams::default())
            .await
            .map_err(fault)?;
        let params = ExecuteParams {
            action: "bench_create".to_owned(),
            attrs: self.attributes.clone(),
        };
        let start = Instant::now();
        for _ in 0..self.actions {
            peer.call(Execute, params.clone()).await.map_err(fault)?;
        }
        let taken = start.elapsed();
        plugin
            .stop(|peer| async move { Protocol::Orchard.end(&peer).await })
            .await;
        Ok(taken)
    }

    async fn run(&self, folder: Option<&Path>) -> io::Result<Duration> {
        let launcher = Launcher {
            on_log: Some(Arc::new(|_, line| eprintln!("bench-provider: {line}"))),
            ..Launcher::default()
        };
        let options = RunOptions {
            record_folder: folder.map(Path::to_owned),
            ..RunOptions::default()
        };
        let (first, last) = (Cell::new(None), Cell::new(None));
        let watch = |event: Event| match event {
            Event::ActionStarted { .. } if first.get().is_none() => first.set(Some(Instant::now())),
            Event::ActionFinished { .. } => last.set(Some(Instant::now())),
            _ => {}
        };
        let report = tenon_scenario::run(&self.plan, &self.file, &launcher, &options, &watch);
        let report = report.await.map_err(fault)?;
        if let Some(path) = &report.path {
            std::fs::remove_file(path)?;
        }
        match (first.get(), last.get(), report.status) {
            (Some(first), Some(last), RunStatus::Succeeded) => Ok(last - first),
            (.., status) => Err(fault(format!("the run is {status:?}"))),
        }
    }

    fn syncs(&self, path: &Path) -> io::Result<Duration> {
        let mut file = File::create(path)?;
        let lines = [b'.'; JOURNAL_BYTES];
        let start = Instant::now();
        for _ in 0..self.actions {
            file.write_all(&lines)?;
            file.sync_data()?;
        }
        Ok(start.elapsed())
    }
}

impl Runs {
    fn row(&self, name: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.name == name)
    }

    /// How many times the bare call.
    fn ratio(&self, row: &Row) -> Option<f64> {
        let bare = self.row(BARE)?;
        row.numbers.ratio(&bare.numbers, Measure::Action)
    }

    pub fn table(&self) -> String {
        let mut text = format!(
            "Runs of {} actions that need each other. Microseconds for each, from the begin of the \
             first to the end of the last; milliseconds for the whole, with start and end.\n\n",
            self.actions
        );
        let headings = ["", "µs each", "× bare", "whole ms"];
        text += &line(headings.map(str::to_owned));
        text += &line(headings.map(|_| "---".to_owned()));
        for row in &self.rows {
            text += &line([
                row.name.to_owned(),
                shown(row.numbers.median(Measure::Action)),
                times(self.ratio(row)),
                shown(row.numbers.median(Measure::Whole)),
            ]);
        }
        text
    }

    pub fn goals(&self) -> Vec<Goal> {
        let judged = [NO_RECORD, IN_MEMORY];
        let rows = judged.iter().filter_map(|name| self.row(name));
        rows.map(|row| Goal {
            text: format!("{}: at most {BAR}× {BARE}", row.name),
            measured: self.ratio(row),
            apart: None,
            bar: Bar::AtMost(BAR),
            unit: "×",
        })
        .collect()
    }

    pub fn json(&self) -> Json {
        let rows = self.rows.iter().map(|row| {
            json!({
                "row": row.name,
                "actions": self.actions,
                "microseconds_each": row.numbers.median(Measure::Action),
                "times_bare": self.ratio(row),
                "whole_milliseconds": row.numbers.median(Measure::Whole),
                "rounds": row.numbers.all(Measure::Action),
            })
        });
        Json::from(rows.collect::<Vec<_>>())
    }
}
