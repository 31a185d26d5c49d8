//! What stands between the client and the agent.

use std::env;
use std::io;
use std::path::Path;

use bench_harness::child::{Program, Programs};
use bench_harness::numbers::{self, Numbers};
use bench_harness::section::{Arguments, fault};
use tempfile::TempDir;

use crate::cell::{Amounts, BYTES, Cell, SESSIONS};
use crate::client::Client;
use crate::{agent, relay};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Direct,
    Relay,
    Library,
    Command,
    Recorded,
    Conductor,
}

pub struct Row {
    pub way: Way,
    pub name: &'static str,
    /// What comes before the agent's command line.
    before: Program,
    pub numbers: Numbers<Cell>,
}

pub struct Rows {
    pub rows: Vec<Row>,
    agent: Program,
    /// The folder of the sessions, in memory.
    folder: TempDir,
}

impl Rows {
    /// All rows whose programs are there, and notes about the others.
    pub fn find(arguments: &Arguments) -> io::Result<(Rows, Vec<String>)> {
        let folder = tempfile::tempdir_in("/dev/shm")?;
        std::fs::write(folder.path().join("notes.txt"), "one line\n")?;
        let programs = Programs::beside_this_one()?;
        let record = folder.path().join("record.jsonl");
        let tenon = |options: &[&str]| {
            let tenon = env::var("TENON_PROGRAM").ok()?;
            let program = Program { words: vec![tenon] };
            let guard = program.with(&["acp", "guard", "--no-summary"]);
            Some(guard.with(options))
        };
        let conductor = || {
            let conductor = env::var("CONDUCTOR_PROGRAM").ok()?;
            Some(Program {
                words: vec![conductor, "agent".to_owned()],
            })
        };
        let rows = [
            (Way::Direct, "nothing", Some(Program { words: Vec::new() })),
            (
                Way::Relay,
                "relay of bytes (the limit)",
                Some(programs.named(&["acp", relay::ARGUMENT])),
            ),
            (
                Way::Library,
                "guard as a library",
                Some(programs.named(&["acp-guard"])),
            ),
            (Way::Command, "`tenon acp guard`", tenon(&[])),
            (
                Way::Recorded,
                "`tenon acp guard --record`",
                tenon(&["--record", &record.to_string_lossy()]),
            ),
            (Way::Conductor, "conductor 5.0", conductor()),
        ];
        let mut notes = Vec::new();
        let mut found = Vec::new();
        for (way, name, before) in rows {
            let is_compared_with = matches!(way, Way::Direct | Way::Relay);
            match before {
                _ if !is_compared_with && !arguments.wants(name) => {}
                None => notes.push(format!("{name}: not measured, there is no such program")),
                Some(before) => found.push(Row {
                    way,
                    name,
                    before,
                    numbers: Numbers::default(),
                }),
            }
        }
        let agent = programs.named(&["acp", agent::ARGUMENT]);
        let rows = Rows {
            rows: found,
            agent,
            folder,
        };
        Ok((rows, notes))
    }

    /// Measures everything once on each row.
    pub fn measure(&mut self, round: usize, amounts: &Amounts) -> io::Result<()> {
        let count = self.rows.len();
        // So that none always follows the same one.
        for number in 0..count {
            let row = &mut self.rows[(number + round) % count];
            row.numbers.round = round;
            let measured = row.measure(&self.agent, self.folder.path(), amounts);
            measured.map_err(|error| fault(format!("{}: {error}", row.name)))?;
        }
        Ok(())
    }
}

impl Row {
    fn measure(&mut self, agent: &Program, folder: &Path, amounts: &Amounts) -> io::Result<()> {
        let mut client = Client::start(&self.program(agent, false), folder)?;
        // Not measured: the first messages find everything cold.
        client.calls(amounts.each / 10)?;
        let call = client.calls(amounts.each)?;
        self.numbers.add(Cell::Call, call);
        client.updates(amounts.each / 10)?;
        let update = client.updates(amounts.each)?;
        self.numbers.add(Cell::Update, update);
        let read = client.reads(amounts.reads)?;
        self.numbers.add(Cell::Read, read);
        let chunks = client.stream(amounts.chunks)?;
        self.numbers.add(Cell::Chunks, rate(amounts.chunks, chunks));
        for (cell, is_stored) in [(Cell::Write, false), (Cell::Stored, true)] {
            let mut writes = Vec::new();
            for _ in 0..amounts.writes {
                writes.push(client.write(BYTES, is_stored)?);
            }
            let write = numbers::median(&writes).ok_or_else(|| fault("no file was written"))?;
            self.numbers.add(cell, write);
        }
        drop(client);

        let mut client = Client::start(&self.program(agent, true), folder)?;
        for _ in 1..SESSIONS {
            client.open(folder)?;
            client.stream(10)?;
        }
        let memory = client.child.resident_kib().map(|kib| kib / 1024.0);
        if let Some(memory) = memory.filter(|_| self.way != Way::Direct) {
            self.numbers.add(Cell::Sessions, memory);
        }
        let joined = client.stream(amounts.chunks)?;
        self.numbers.add(Cell::Joined, rate(amounts.chunks, joined));
        Ok(())
    }

    /// The command line, with or without the limits of rates: these are for people, and calls one after the other
    /// reach them immediately.
    fn program(&self, agent: &Program, has_rates: bool) -> Program {
        let agent: Vec<&str> = agent.words.iter().map(String::as_str).collect();
        match self.way {
            Way::Direct => Program {
                words: agent.iter().map(|word| (*word).to_owned()).collect(),
            },
            Way::Relay => self.before.with(&agent),
            Way::Library => {
                let rates = if has_rates { "rates" } else { "no-rates" };
                self.before.with(&[rates]).with(&agent)
            }
            Way::Command | Way::Recorded => {
                let options: &[&str] = if has_rates {
                    &[]
                } else {
                    &["--without", "rates"]
                };
                self.before.with(options).with(&["--"]).with(&agent)
            }
            // It takes command lines as one word each.
            Way::Conductor => self.before.with(&[&agent.join(" ")]),
        }
    }
}

fn rate(count: usize, seconds: f64) -> f64 {
    count as f64 / seconds / 1e3
}
