//! Rounds over all rows of a section that measures servers.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::io;
use std::time::{Duration, Instant};

use bench_workload::{Measured, Task};

use crate::link::Scratch;
use crate::numbers::Numbers;
use crate::placement::{self, Placement};
use crate::results::{Column, Results};
use crate::row::{Kind, Row, present, with_twins};
use crate::running::{Running, idle_connection};
use crate::section::{self, Arguments};
use crate::spinner;

/// How long a section measures.
pub struct Plan {
    pub rounds: usize,
    pub memory_rounds: usize,
    /// How long a cell is measured.
    pub millis: u64,
}

impl Plan {
    pub fn new(arguments: &Arguments, quick_millis: u64, millis: u64) -> Plan {
        let (rounds, memory_rounds, millis) = match arguments.quick {
            true => (3, 1, quick_millis),
            false => (11, 3, millis),
        };
        Plan {
            rounds,
            memory_rounds,
            millis,
        }
    }
}

/// The rows of a section, and what their rounds have given so far.
pub struct Rounds<C> {
    pub results: Results<C>,
    pub scratch: Scratch,
    pub plan: Plan,
    notes: Vec<String>,
    faults: BTreeSet<String>,
    start: Instant,
}

/// One cell of a row that has been measured.
pub struct Done<'a, C> {
    pub running: &'a Running,
    pub cell: C,
    pub measured: Measured,
    /// The processor time of the server before.
    pub cpu_before: Option<Duration>,
}

impl<C: Column + Debug> Rounds<C> {
    /// The wanted rows whose programs exist, and the floors.
    pub fn new(rows: Vec<Row>, arguments: &Arguments, plan: Plan) -> io::Result<Rounds<C>> {
        let start = Instant::now();
        let scratch = Scratch::new()?;
        section::clean_up_on_signals(&scratch)?;
        section::raise_file_limit();
        let mut notes = section::prefer();
        let (rows, missing) = present(with_twins(rows, arguments.against.as_deref()));
        let skipped = |name: &String| format!("skipped, not built or not installed: {name}");
        notes.extend(missing.iter().map(skipped));
        let wanted = |row: &Row| row.kind == Kind::Floor || arguments.wants(row.name);
        Ok(Rounds {
            results: Results::new(rows.into_iter().filter(wanted)),
            scratch,
            plan,
            notes,
            faults: BTreeSet::new(),
            start,
        })
    }

    /// Makes all rounds: `cells` measures the cells of one, `memory` what takes a run of its own.
    pub fn run(
        &mut self,
        mut cells: impl FnMut(&mut Self, usize),
        idle: C,
        mut memory: impl FnMut(&mut Self, usize),
    ) -> io::Result<()> {
        let spinners = spinner::start()?;
        for number in 0..self.plan.rounds {
            eprintln!("round {} of {}", number + 1, self.plan.rounds);
            self.results.begin_round(number);
            cells(self, number);
        }
        for number in 0..self.plan.memory_rounds {
            eprintln!(
                "memory, round {} of {}",
                number + 1,
                self.plan.memory_rounds
            );
            self.results.begin_round(number);
            self.each(idle, 0, idle_connection);
            memory(self, number);
        }
        placement::spread();
        drop(spinners);
        Ok(())
    }

    /// Starts every row afresh, then measures every cell on one row after the other, so that the values
    /// which are compared lie within a second or two of each other. Begins with the row of the number
    /// `first`: with another one in each round, none always follows the same neighbour.
    ///
    /// A row that fails has no value in the later cells of the round, and its fault is reported.
    pub fn cells(
        &mut self,
        cells: &[(C, Placement, Task)],
        first: usize,
        add: impl Fn(&Done<'_, C>, &mut Numbers<C>),
    ) {
        let count = self.results.rows.len();
        let mut running: Vec<Option<Running>> = Vec::new();
        for (row, _) in &self.results.rows {
            let opened = Running::open(row, &self.scratch);
            let opened = opened.map_err(|error| self.faults.insert(fault(row, &error)));
            running.push(opened.ok());
        }
        for &(cell, placement, task) in cells {
            for index in (0..count).map(|index| (index + first) % count) {
                let (row, numbers) = &mut self.results.rows[index];
                let Some(pair) = &mut running[index] else {
                    continue;
                };
                let cpu_before = pair.server.cpu();
                match pair.run(placement, task) {
                    Ok(Some(measured)) => {
                        numbers.add(cell, measured.value());
                        let running = &*pair;
                        let done = Done {
                            running,
                            cell,
                            measured,
                            cpu_before,
                        };
                        add(&done, numbers);
                    }
                    Ok(None) => {}
                    Err(error) => {
                        self.faults.insert(fault(row, &about(cell, &error)));
                        running[index] = None;
                    }
                }
            }
        }
    }

    /// Measures one cell of every row that takes a server of its own; `None` where a row has no value.
    pub fn each(
        &mut self,
        cell: C,
        first: usize,
        measure: impl Fn(&Row, &Scratch) -> io::Result<Option<f64>>,
    ) {
        let count = self.results.rows.len();
        for index in (0..count).map(|index| (index + first) % count) {
            let (row, numbers) = &mut self.results.rows[index];
            match measure(row, &self.scratch) {
                Ok(value) => value.into_iter().for_each(|value| numbers.add(cell, value)),
                Err(error) => {
                    self.faults.insert(fault(row, &about(cell, &error)));
                }
            }
        }
    }

    /// Adds something that is worth knowing about the run.
    pub fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    /// Everything that is worth knowing about the run.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = self.notes.clone();
        notes.extend(self.faults.iter().cloned());
        notes.push(format!(
            "{} rounds of {} ms a cell, {:.0} s in all",
            self.plan.rounds,
            self.plan.millis,
            self.start.elapsed().as_secs_f64()
        ));
        notes
    }
}

fn fault(row: &Row, error: &io::Error) -> String {
    format!("{}: {error}", row.title())
}

fn about<C: Debug>(cell: C, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{cell:?}: {error}"))
}
