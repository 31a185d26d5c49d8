//! How long it takes to plan a scenario, step by step, and how that grows with its actions.
//!
//! The provider's schema is given, so no process is started. What a step has made is dropped while
//! the clock runs, and the clock is that of the thread: steps are told apart by differences, which a
//! pause for another process would spoil.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::Duration;

use bench_harness::child::Child;
use bench_harness::goal::{Bar, Goal};
use bench_harness::numbers::Numbers;
use bench_harness::section::fault;
use bench_harness::table::{line, shown, times};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value as Json, json};
use tenon_hcl::{Source, parse};
use tenon_protocols::orchard::ProviderSchema;
use tenon_scenario::{Inputs, Plan, Scenario, ScenarioFile, Schemas, load};

use crate::folder::Folder;
use crate::text;

/// The first argument that makes the bench's own program plan one scenario and wait, so that its
/// memory can be looked at.
pub const ONE_PLAN: &str = "one-plan";

const COUNTS: [usize; 2] = [1_000, 10_000];

/// How many times the time for an action may grow from the smaller count to the larger: caches take
/// some, a quadratic loop would take ten.
const GROWTH: f64 = 2.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    /// Text to syntax.
    Parse,
    /// Syntax to a scenario.
    Decode,
    /// Unfold and link.
    Link,
    /// Every attribute against its schema.
    Check,
    /// Everything.
    All,
}

impl Step {
    const ALL: [Step; 5] = [
        Step::Parse,
        Step::Decode,
        Step::Link,
        Step::Check,
        Step::All,
    ];

    fn name(self) -> &'static str {
        match self {
            Step::Parse => "parse",
            Step::Decode => "decode",
            Step::Link => "expand and link",
            Step::Check => "check",
            Step::All => "all of a plan",
        }
    }
}

struct Sample {
    actions: usize,
    path: PathBuf,
    /// The same, with a cycle at the end.
    cyclic: PathBuf,
    bytes: usize,
    /// Microseconds for each action.
    micros: Numbers<Step>,
    /// The most that was resident, in MiB.
    memory: Option<f64>,
}

pub struct Plans {
    samples: [Sample; COUNTS.len()],
}

pub fn run(rounds: usize, folder: &Folder) -> io::Result<Plans> {
    let [small, large] = COUNTS.map(|actions| Sample::new(actions, folder));
    let mut plans = Plans {
        samples: [small?, large?],
    };
    for sample in &mut plans.samples {
        sample.memory = memory(&sample.path)?;
    }
    for round in 0..rounds {
        eprintln!("plans, round {} of {rounds}", round + 1);
        for sample in &mut plans.samples {
            sample.micros.round = round;
            sample.measure()?;
        }
    }
    Ok(plans)
}

impl Sample {
    fn new(actions: usize, folder: &Folder) -> io::Result<Sample> {
        let provider = Folder::provider()?;
        let text = text::wide(actions, &provider);
        let cyclic = text::wide_with_a_cycle(actions, &provider);
        Ok(Sample {
            actions,
            path: folder.write(&format!("wide-{actions}.hcl"), &text)?,
            cyclic: folder.write(&format!("cyclic-{actions}.hcl"), &cyclic)?,
            bytes: text.len(),
            micros: Numbers::default(),
            memory: None,
        })
    }

    fn measure(&mut self) -> io::Result<()> {
        let source = Source::new("bench.hcl", std::fs::read_to_string(&self.path)?);
        // Before the clock runs, so that no step pays for the memory that all of them use again.
        let scenario = scenario(&self.path)?;
        let cyclic = self::scenario(&self.cyclic)?;
        let schemas = schemas(&scenario);
        let parsed = taken(|| parse(&source).map(drop)).map_err(fault)?;
        let loaded = taken(|| load(&self.path).map(drop)).map_err(fault)?;
        let planned = taken(|| match planned(&scenario, &schemas)?.attributes.len() {
            found if found == self.actions => Ok(()),
            found => Err(fault(format!("{found} actions, not {}", self.actions))),
        })?;
        let linked = taken(|| match self::planned(&cyclic, &schemas) {
            Err(error) if error.to_string().contains(text::CYCLE) => Ok(()),
            Err(error) => Err(error),
            Ok(_) => Err(fault("the cycle was not found")),
        })?;
        let mut add = |step, taken: Duration| {
            let micros = taken.as_secs_f64() * 1e6;
            self.micros.add(step, micros / self.actions as f64);
        };
        add(Step::Parse, parsed);
        add(Step::Decode, loaded.saturating_sub(parsed));
        add(Step::Link, linked);
        add(Step::Check, planned.saturating_sub(linked));
        add(Step::All, loaded + planned);
        Ok(())
    }
}

/// The time on a core that a task takes.
fn taken<T, E>(task: impl FnOnce() -> Result<T, E>) -> Result<Duration, E> {
    let start = on_core();
    black_box(task()?);
    Ok(on_core().saturating_sub(start))
}

fn on_core() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    // This clock counts from the thread's start, so it is not negative.
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn scenario(path: &Path) -> io::Result<Arc<Scenario>> {
    let file: ScenarioFile = load(path).map_err(fault)?;
    let scenario = file.scenarios.into_iter().next();
    scenario
        .map(Arc::new)
        .ok_or_else(|| fault("no scenario in it"))
}

/// What the provider offers, without starting it.
pub fn schemas(scenario: &Scenario) -> Schemas {
    let schema = ProviderSchema::try_from(bench_scenario::provider().offer());
    let schema = Arc::new(schema.expect("the provider has a schema"));
    let sources = scenario.required_providers.values();
    let known = sources.map(|required| (required.source.clone(), schema.clone()));
    Schemas {
        known: known.collect(),
        ..Schemas::default()
    }
}

/// A plan with the defaults of all variables.
pub fn planned(scenario: &Arc<Scenario>, schemas: &Schemas) -> io::Result<Plan> {
    let variables = Inputs::default()
        .resolve(scenario, &BTreeMap::new())
        .map_err(fault)?;
    Plan::new(scenario, schemas, variables).map_err(|problems| {
        let first = problems.first().map(|problem| problem.summary.clone());
        io::Error::other(first.unwrap_or_default())
    })
}

/// Plans one scenario and waits until the measurement has ended.
pub fn one(path: &Path) -> ExitCode {
    let plan = scenario(path).and_then(|scenario| planned(&scenario, &schemas(&scenario)));
    match plan {
        Ok(plan) => {
            println!("{}", plan.attributes.len());
            let _end = io::stdin().read(&mut [0]);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The most a process has resident that loads and plans a scenario, in MiB.
fn memory(path: &Path) -> io::Result<Option<f64>> {
    let mut command = Command::new(std::env::current_exe()?);
    command
        .arg(ONE_PLAN)
        .arg(path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = Child::start(&mut command)?;
    let mut answer = [0];
    // It says something once the plan is there, or ends.
    let said = child.inner.stdout.as_mut().map(|out| out.read(&mut answer));
    match said {
        Some(Ok(1)) => Ok(child.peak_kib().map(|kib| kib / 1024.0)),
        _ => Err(fault("the plan whose memory is looked at failed")),
    }
}

impl Plans {
    fn growth(&self, step: Step) -> Option<f64> {
        let [small, large] = &self.samples;
        large.micros.ratio(&small.micros, step)
    }

    pub fn table(&self) -> String {
        let [small, large] = &self.samples;
        let mut text = format!(
            "Plans. Microseconds for each action; the scenarios have {} and {} KB.\n\n",
            small.bytes / 1000,
            large.bytes / 1000
        );
        let headings = ["", "1,000", "10,000", "10,000 / 1,000", "10,000 in ms"];
        text += &line(headings.map(str::to_owned));
        text += &line(headings.map(|_| "---".to_owned()));
        for step in Step::ALL {
            text += &line([
                step.name().to_owned(),
                shown(small.micros.median(step)),
                shown(large.micros.median(step)),
                times(self.growth(step)),
                shown(large.milliseconds(step)),
            ]);
        }
        let each = |sample: &Sample| Some(sample.memory? * 1024.0 / sample.actions as f64);
        text += &line([
            "peak memory, KiB for each action".to_owned(),
            shown(each(small)),
            shown(each(large)),
            times(each(small).and_then(|small| Some(each(large)? / small))),
            "–".to_owned(),
        ]);
        text
    }

    pub fn goals(&self) -> Vec<Goal> {
        let [_, large] = &self.samples;
        vec![
            Goal {
                text: "plan: 10,000 actions in at most 1,000 ms".to_owned(),
                measured: large.milliseconds(Step::All),
                apart: None,
                bar: Bar::AtMost(1_000.0),
                unit: " ms",
            },
            Goal {
                text: format!("plan: an action of 10,000 takes at most {GROWTH}× one of 1,000"),
                measured: self.growth(Step::All),
                apart: None,
                bar: Bar::AtMost(GROWTH),
                unit: "×",
            },
        ]
    }

    pub fn json(&self) -> Json {
        let samples = self.samples.iter().map(|sample| {
            let steps = Step::ALL.map(|step| {
                json!({
                    "step": step.name(),
                    "microseconds_each": sample.micros.median(step),
                    "rounds": sample.micros.all(step),
                })
            });
            json!({
                "actions": sample.actions,
                "bytes": sample.bytes,
                "peak_mib": sample.memory,
                "steps": steps,
            })
        });
        Json::from(samples.collect::<Vec<_>>())
    }
}

impl Sample {
    fn milliseconds(&self, step: Step) -> Option<f64> {
        Some(self.micros.median(step)? * self.actions as f64 / 1e3)
    }
}
