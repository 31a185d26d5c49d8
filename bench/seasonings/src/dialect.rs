//! msgpack-rpc beside JSON-RPC, in the same engine with the same handlers.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bench_harness::child::Program;
use bench_harness::goal::{Bar, Goal};
use bench_harness::link::{Scratch, Transport};
use bench_harness::numbers::{self, Numbers};
use bench_harness::placement::{Placement, place};
use bench_harness::report::Report;
use bench_harness::row::{Kind, Row};
use bench_harness::running::Running;
use bench_harness::section::fault;
use bench_harness::table::{line, shown, times};
use bench_harness::wire::Wire;
use bench_workload::document::{Resource, resources};
use bench_workload::{Bound, Size, Task};
use serde::Serialize;
use serde_json::{Value as Json, json};
use tenon_host::{Plugin, PluginCommand, Start};
use tenon_rpc::{Dialect, Format, Payload, Peer, Router};
use tokio::runtime::Runtime;

use crate::tools::Tools;

/// How many times as many small calls as in JSON-RPC.
const SMALL: f64 = 1.5;

/// How many times as fast with a large value.
const LARGE: f64 = 2.0;

/// Small calls in flight.
const WINDOW: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Cell {
    /// Thousands of calls per second, [`WINDOW`] in flight.
    Small,
    /// Microseconds of a call, one after the other.
    SmallSequential,
    /// Milliseconds of a call with the document.
    Large,
}

impl Cell {
    const ALL: [Cell; 3] = [Cell::Small, Cell::SmallSequential, Cell::Large];

    fn heading(self) -> &'static str {
        match self {
            Cell::Small => "small, 64 in flight k/s",
            Cell::SmallSequential => "small, sequential µs",
            Cell::Large => "500 KB value, sequential ms",
        }
    }
}

struct Contender {
    name: &'static str,
    dialect: Dialect,
    wire: Wire,
    /// The server's word for it.
    word: &'static str,
    /// The params of the large call.
    document: Payload,
    numbers: Numbers<Cell>,
}

#[derive(Serialize)]
struct Document {
    resources: Vec<Resource>,
}

pub struct Dialects {
    json: Contender,
    msgpack: Contender,
}

pub fn run(rounds: usize, millis: u64, tools: &Tools, runtime: &Runtime) -> io::Result<Dialects> {
    let document = Document {
        resources: resources(),
    };
    let contender = |name, dialect, wire, word, format| -> io::Result<Contender> {
        Ok(Contender {
            name,
            dialect,
            wire,
            word,
            document: Payload::encode(format, &document).map_err(fault)?,
            numbers: Numbers::default(),
        })
    };
    let (lines, msgpack) = (Dialect::JsonRpcLines, Dialect::MsgpackRpc);
    let mut dialects = Dialects {
        json: contender("JSON-RPC", lines, Wire::Lines, "lines", Format::Json)?,
        msgpack: contender(
            "msgpack-rpc",
            msgpack,
            Wire::Msgpack,
            "msgpack",
            Format::Msgpack,
        )?,
    };
    let scratch = Scratch::new()?;
    let each = Duration::from_millis(millis);
    for round in 0..rounds {
        eprintln!("dialects, round {} of {rounds}", round + 1);
        let mut turn = [&mut dialects.json, &mut dialects.msgpack];
        // So that neither always follows the other.
        turn.rotate_left(round % 2);
        for contender in turn {
            contender.numbers.round = round;
            contender.small(&tools.dialect_server, &scratch, millis)?;
            let large = contender.large(&tools.dialect_server, runtime, each)?;
            contender.numbers.add(Cell::Large, large);
        }
    }
    Ok(dialects)
}

impl Contender {
    fn small(&mut self, server: &Path, scratch: &Scratch, millis: u64) -> io::Result<()> {
        let words = [&*server.to_string_lossy(), self.word, "pipe"].map(str::to_owned);
        let row = Row {
            name: self.name,
            transport: Transport::Pipe,
            kind: Kind::Ours,
            wire: self.wire,
            server: Program {
                words: words.to_vec(),
            },
            client: None,
        };
        let mut running = Running::open(&row, scratch)?;
        let (size, bound) = (Size::Tiny, Bound::time(millis));
        let window = Task::Window {
            size,
            window: WINDOW,
            bound,
        };
        for (cell, task, factor) in [
            (Cell::SmallSequential, Task::Sequential { size, bound }, 1.0),
            (Cell::Small, window, 1e-3),
        ] {
            let measured = running.run(Placement::Together, task)?;
            let measured = measured.ok_or_else(|| fault("the raw client refuses a task"))?;
            self.numbers.add(cell, measured.value() * factor);
        }
        Ok(())
    }

    /// The median milliseconds of a call with the document, encoded once: what is measured is the server, and the
    /// engine between.
    fn large(&self, server: &Path, runtime: &Runtime, each: Duration) -> io::Result<f64> {
        place(Placement::Together, std::process::id(), std::process::id());
        runtime.block_on(async {
            let command = PluginCommand::new(server).arg(self.word);
            let router = Arc::new(Router::new(()));
            let first = |peer: Peer| {
                let document = self.document.clone();
                async move { peer.call_raw("document", Some(document)).await }
            };
            let started = Plugin::start(&command, Start::new(self.dialect), router, first).await;
            let (plugin, answer) = started.map_err(fault)?;
            if answer != self.document {
                return Err(fault("the document came back as another one"));
            }
            let peer = plugin.peer();
            let (mut taken, start) = (Vec::new(), Instant::now());
            while start.elapsed() < each {
                let begun = Instant::now();
                let answer = peer.call_raw("document", Some(self.document.clone()));
                answer.await.map_err(fault)?;
                taken.push(begun.elapsed().as_secs_f64() * 1e3);
            }
            drop(plugin);
            numbers::median(&taken).ok_or_else(|| fault("no call was made"))
        })
    }
}

impl Dialects {
    /// How many times as fast msgpack-rpc is.
    fn ratio(&self, cell: Cell) -> Option<f64> {
        let (json, msgpack) = (&self.json.numbers, &self.msgpack.numbers);
        match cell {
            // A rate.
            Cell::Small => msgpack.ratio(json, cell),
            Cell::SmallSequential | Cell::Large => json.ratio(msgpack, cell),
        }
    }

    pub fn add_to(&self, report: &mut Report) {
        report.add("dialect", self.table(), self.json());
        let goal = |what: &str, cell, bar| Goal {
            text: format!("dialect: {what}, msgpack-rpc at least {bar}× as fast as JSON-RPC"),
            measured: self.ratio(cell),
            apart: None,
            bar: Bar::AtLeast(bar),
            unit: "×",
        };
        report.goals([
            goal("small calls, 64 in flight", Cell::Small, SMALL),
            goal("a value of 500 KB", Cell::Large, LARGE),
        ]);
    }

    fn table(&self) -> String {
        let mut text = format!(
            "The same handlers on one core: small params, and a value of {} bytes in JSON and {} in msgpack. \
             Beside it how many times as fast msgpack-rpc is.\n\n",
            self.json.document.bytes().len(),
            self.msgpack.document.bytes().len(),
        );
        let headings = ["", self.json.name, self.msgpack.name, "× as fast"];
        text += &line(headings.map(str::to_owned));
        text += &line(headings.map(|_| "---".to_owned()));
        for cell in Cell::ALL {
            let shown = |contender: &Contender| shown(contender.numbers.median(cell));
            text += &line([
                cell.heading().to_owned(),
                shown(&self.json),
                shown(&self.msgpack),
                times(self.ratio(cell)),
            ]);
        }
        text
    }

    fn json(&self) -> Json {
        let cells = Cell::ALL.map(|cell| {
            json!({
                "cell": cell.heading(),
                "json_rpc": self.json.numbers.median(cell),
                "msgpack_rpc": self.msgpack.numbers.median(cell),
                "times_as_fast": self.ratio(cell),
                "json_rpc_rounds": self.json.numbers.all(cell),
                "msgpack_rpc_rounds": self.msgpack.numbers.all(cell),
            })
        });
        json!(cells)
    }
}
