//! The tables and the goals.

use bench_harness::goal::{Bar, Goal};
use bench_harness::numbers;
use bench_harness::report::Report;
use bench_harness::table::{line, shown, times};
use serde_json::{Value, json};

use crate::cell::Cell;
use crate::rows::{Row, Rows, Way};

/// Microseconds that a message may take longer.
const ADDED: f64 = 30.0;

/// Thousands of chunks in a second.
const CHUNKS: f64 = 100.0;

/// How many times the relay a large file may take.
const WRITE: f64 = 2.0;

/// MiB with 100 sessions.
const MEMORY: f64 = 20.0;

impl Rows {
    fn row(&self, way: Way) -> Option<&Row> {
        self.rows.iter().find(|row| row.way == way)
    }

    /// The row that is judged: the command, or the library in its place.
    fn judged(&self) -> Option<&Row> {
        self.row(Way::Command).or_else(|| self.row(Way::Library))
    }

    /// How many microseconds one message takes longer than without anything between, as the median over the rounds.
    fn added(&self, row: &Row, cell: Cell) -> Option<f64> {
        let direct = self.row(Way::Direct)?.numbers.all(cell);
        let there = row.numbers.all(cell);
        let added: Vec<f64> = { there.iter().zip(&direct) }
            .map(|(there, direct)| (there - direct) / 2.0)
            .collect();
        numbers::median(&added)
    }

    /// How many times the relay.
    fn ratio(&self, row: &Row, cell: Cell) -> Option<f64> {
        row.numbers.ratio(&self.row(Way::Relay)?.numbers, cell)
    }

    pub fn add_to(&self, report: &mut Report) {
        report.add("acp", self.table(), self.json());
        let judged = self.judged();
        let goal = |text: &str, measured, bar, unit| Goal {
            text: text.to_owned(),
            measured,
            apart: None,
            bar,
            unit,
        };
        let added = Cell::ROUND_TRIPS.map(|cell| {
            let what = match cell {
                Cell::Call => "a call or its answer",
                Cell::Update => "an event or an update",
                _ => "a call for a file or its answer",
            };
            let text = format!("{what} takes at most {ADDED} µs longer");
            let measured = judged.and_then(|row| self.added(row, cell));
            goal(&text, measured, Bar::AtMost(ADDED), " µs")
        });
        report.goals(added);
        let value = |cell| judged.and_then(|row| row.numbers.median(cell));
        for (cell, how) in [(Cell::Chunks, "one by one"), (Cell::Joined, "joined")] {
            let text = format!("at least 100,000 chunks a second, {how}");
            report.goals([goal(&text, value(cell), Bar::AtLeast(CHUNKS), " k/s")]);
        }
        let ratio = |cell| judged.and_then(|row| self.ratio(row, cell));
        report.goals([
            goal(
                "a file of 10 MiB takes at most 2× the relay",
                ratio(Cell::Write),
                Bar::AtMost(WRITE),
                "×",
            ),
            goal(
                "the same, with a client that stores the file",
                ratio(Cell::Stored),
                Bar::AtMost(WRITE),
                "×",
            ),
            goal(
                "100 sessions in at most 20 MiB",
                value(Cell::Sessions),
                Bar::AtMost(MEMORY),
                " MiB",
            ),
        ]);
    }

    fn table(&self) -> String {
        let mut text = String::from(
            "Client, what is between and agent on one core. In brackets: how many µs one message takes longer than with \
             nothing between; for chunks and files, how many times the relay.\n\n",
        );
        let headings = std::iter::once("between").chain(Cell::ALL.map(Cell::heading));
        text += &line(headings.clone().map(str::to_owned));
        text += &line(headings.map(|_| "---".to_owned()));
        for row in &self.rows {
            let cells = Cell::ALL.map(|cell| {
                let value = shown(row.numbers.median(cell));
                let beside = match cell {
                    _ if row.way == Way::Direct || cell == Cell::Sessions => return value,
                    cell if Cell::ROUND_TRIPS.contains(&cell) => {
                        format!("+{}", shown(self.added(row, cell)))
                    }
                    cell => times(self.ratio(row, cell)),
                };
                format!("{value} ({beside})")
            });
            text += &line(std::iter::once(row.name.to_owned()).chain(cells));
        }
        text
    }

    fn json(&self) -> Value {
        let cell = |row: &Row, cell: Cell| {
            json!({
                "between": row.name,
                "cell": cell.heading(),
                "median": row.numbers.median(cell),
                "added_per_message": Cell::ROUND_TRIPS.contains(&cell).then(|| self.added(row, cell)),
                "times_relay": self.ratio(row, cell),
                "rounds": row.numbers.all(cell),
            })
        };
        let rows = self.rows.iter();
        rows.flat_map(|row| Cell::ALL.map(|each| cell(row, each)))
            .collect()
    }
}
