//! A state of 10 MB through `tenon state serve` and a storage plugin, beside a copy of as many bytes through a socket
//! and a pipe.

pub mod copy;
mod http;

use std::fs;
use std::io;
use std::time::{Duration, Instant};

use bench_harness::goal::{Bar, Goal};
use bench_harness::numbers::{self, Numbers};
use bench_harness::report::Report;
use bench_harness::section::fault;
use bench_harness::table::{line, shown, times};
use bench_terraform::cores::Cores;
use bench_terraform::terraform;
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use crate::tools::{self, Tools};

/// How many times the copy a write and a read of the state may take.
const TIMES: f64 = 3.0;

/// The bytes of the state.
const BYTES: usize = 10_000_000;

/// No start, read or write takes so long.
const PATIENCE: Duration = Duration::from_secs(60);

/// Something that keeps a state.
pub trait Store {
    /// # Errors
    /// The state is not kept.
    fn write(&mut self, state: &[u8]) -> io::Result<()>;

    /// Replaces what is in the buffer.
    ///
    /// # Errors
    /// The state is not there.
    fn read(&mut self, state: &mut Vec<u8>) -> io::Result<()>;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Copy,
    Rust,
    Python,
}

impl Way {
    fn name(self) -> &'static str {
        match self {
            Way::Copy => "copy through a socket and a pipe",
            Way::Rust => "`tenon state serve`, plugin in Rust, in memory",
            Way::Python => "`tenon state serve`, `store.py`, files in memory",
        }
    }

    /// Starts it, for this state; the folder is for files of the plugin.
    fn open(self, tools: &Tools, folder: &TempDir, state: &[u8]) -> io::Result<Box<dyn Store>> {
        Ok(match self {
            Way::Copy => Box::new(copy::Copied::start()?),
            Way::Rust => {
                let plugin = [tools.plugin.clone().into_os_string()];
                Box::new(http::Served::start(tools, &plugin, state)?)
            }
            Way::Python => {
                let python = tools.python().ok_or_else(|| fault("there is no Python"))?;
                let plugin = [
                    python.as_os_str().to_owned(),
                    folder.path().join("store.py").into_os_string(),
                    folder.path().join("states").into_os_string(),
                ];
                Box::new(http::Served::start(tools, &plugin, state)?)
            }
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Write,
    Read,
    Both,
}

impl Step {
    const ALL: [Step; 3] = [Step::Write, Step::Read, Step::Both];

    fn name(self) -> &'static str {
        match self {
            Step::Write => "write ms",
            Step::Read => "read ms",
            Step::Both => "both ms",
        }
    }
}

struct Row {
    way: Way,
    /// Milliseconds.
    numbers: Numbers<(Cores, Step)>,
}

pub struct States {
    rows: Vec<Row>,
}

pub fn run(rounds: usize, repeated: usize, tools: &Tools) -> io::Result<States> {
    let folder = terraform::folder_in_memory()?;
    let mut ways = vec![Way::Copy, Way::Rust];
    if tools.python().is_some() {
        for name in ["store.py", "seasonings.py", "msgpack_lite.py"] {
            fs::copy(tools::examples().join(name), folder.path().join(name))?;
        }
        ways.push(Way::Python);
    }
    let row = |way| Row {
        way,
        numbers: Numbers::default(),
    };
    let mut rows: Vec<Row> = ways.into_iter().map(row).collect();
    let state = state();
    for round in 0..rounds {
        eprintln!("states, round {} of {rounds}", round + 1);
        for cores in Cores::BOTH {
            cores.take();
            for row in &mut rows {
                let mut store = row.way.open(tools, &folder, &state)?;
                let measured = measure(&mut *store, &state, repeated)
                    .map_err(|error| fault(format!("{}: {error}", row.way.name())))?;
                row.numbers.round = round;
                for (step, milliseconds) in Step::ALL.into_iter().zip(measured) {
                    row.numbers.add((cores, step), milliseconds);
                }
            }
        }
    }
    Ok(States { rows })
}

/// The state: JSON as Terraform writes it, so many bytes of it.
fn state() -> Vec<u8> {
    let resource = r#"    {"mode": "managed", "type": "notes_note", "name": "thing", "instances": []},
"#;
    let mut state = b"{\"version\": 4, \"resources\": [\n".to_vec();
    while state.len() < BYTES {
        state.extend_from_slice(resource.as_bytes());
    }
    state.truncate(BYTES);
    state
}

/// The median milliseconds of a write, of a read, and of one after the other.
fn measure(store: &mut dyn Store, state: &[u8], repeated: usize) -> io::Result<[f64; 3]> {
    let mut read = Vec::new();
    let (mut writes, mut reads, mut both) = (Vec::new(), Vec::new(), Vec::new());
    // The first time finds all buffers empty.
    for time in 0..=repeated {
        let start = Instant::now();
        store.write(state)?;
        let written = start.elapsed();
        store.read(&mut read)?;
        let all = start.elapsed();
        if read != state {
            return Err(fault("the state came back as another one"));
        }
        if time > 0 {
            let milliseconds = |taken: Duration| taken.as_secs_f64() * 1e3;
            writes.push(milliseconds(written));
            reads.push(milliseconds(all - written));
            both.push(milliseconds(all));
        }
    }
    let median = |values: &[f64]| numbers::median(values).ok_or_else(|| fault("no time"));
    Ok([median(&writes)?, median(&reads)?, median(&both)?])
}

impl States {
    fn row(&self, way: Way) -> Option<&Row> {
        self.rows.iter().find(|row| row.way == way)
    }

    /// How many times what the copy takes.
    fn ratio(&self, row: &Row, cell: (Cores, Step)) -> Option<f64> {
        row.numbers.ratio(&self.row(Way::Copy)?.numbers, cell)
    }

    pub fn add_to(&self, report: &mut Report) {
        report.add("state", self.table(), self.json());
        report.goals(Cores::BOTH.map(|cores| Goal {
            text: format!(
                "state of 10 MB, {}: a write and a read take at most {TIMES}× the copy",
                cores.name()
            ),
            measured: { self.row(Way::Rust) }.and_then(|row| self.ratio(row, (cores, Step::Both))),
            apart: None,
            bar: Bar::AtMost(TIMES),
            unit: "×",
        }));
    }

    fn table(&self) -> String {
        let mut text = String::from(
            "A state of 10 MB, written and read: through loopback TCP, a process, and the pipes of another one.\n\n",
        );
        let headings = [
            "way",
            "cores",
            Step::Write.name(),
            Step::Read.name(),
            Step::Both.name(),
            "× copy",
        ];
        text += &line(headings.map(str::to_owned));
        text += &line(headings.map(|_| "---".to_owned()));
        for cores in Cores::BOTH {
            for row in &self.rows {
                let taken = Step::ALL.map(|step| shown(row.numbers.median((cores, step))));
                let names = [row.way.name(), cores.name()].map(str::to_owned);
                let ratio = times(self.ratio(row, (cores, Step::Both)));
                text += &line(names.into_iter().chain(taken).chain([ratio]));
            }
        }
        text
    }

    fn json(&self) -> Json {
        let cell = |row: &Row, cores: Cores, step: Step| {
            json!({
                "way": row.way.name(),
                "cores": cores.name(),
                "step": step.name(),
                "milliseconds": row.numbers.median((cores, step)),
                "times_copy": self.ratio(row, (cores, step)),
                "rounds": row.numbers.all((cores, step)),
            })
        };
        let mut cells = Vec::new();
        for row in &self.rows {
            for cores in Cores::BOTH {
                cells.extend(Step::ALL.map(|step| cell(row, cores, step)));
            }
        }
        cells.into()
    }
}
