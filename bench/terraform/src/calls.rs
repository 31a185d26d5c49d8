//! What a provider adds to a call: through gRPC beside the bare plugin over its pipes, with the same
//! values.

use std::io;
use std::time::{Duration, Instant};

use bench_harness::goal::{Bar, Goal};
use bench_harness::numbers::{self, Numbers};
use bench_harness::report::Report;
use bench_harness::section::fault;
use bench_harness::table::{line, shown};
use serde_json::{Value as Json, json};

use crate::cores::Cores;

/// No cell takes so long.
const PATIENCE: Duration = Duration::from_secs(60);

/// Calls before the clock runs: JavaScript is compiled when it has run a few hundred times.
const WARM_UP: usize = 500;

/// How a plugin is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Pipes,
    Plain,
    Encrypted,
}

impl Way {
    pub const ALL: [Way; 3] = [Way::Pipes, Way::Plain, Way::Encrypted];

    pub fn name(self) -> &'static str {
        match self {
            Way::Pipes => "bare, over its pipes",
            Way::Plain => "through the provider, plain",
            Way::Encrypted => "through the provider, mTLS",
        }
    }
}

/// What tables and goals say of the calls.
pub struct Subject {
    /// The heading of the column with the names of what is called.
    pub heading: &'static str,
    /// The sentence above the table.
    pub about: &'static str,
    /// As in "the bridge with mTLS adds at most 300 µs".
    pub provider: &'static str,
    /// Microseconds that it may add to a call.
    pub bar: f64,
}

struct Row {
    /// What is called, by the language it is written in.
    language: &'static str,
    way: Way,
    /// The median of a round's calls, in microseconds.
    microseconds: Numbers<Cores>,
}

pub struct Calls {
    subject: Subject,
    rows: Vec<Row>,
}

/// Measures each row in each round, once with everything on one core and once on all. `measure` gives the
/// microseconds of a call.
///
/// # Errors
/// A call fails or takes too long.
pub async fn run(
    rounds: usize,
    subject: Subject,
    rows: impl IntoIterator<Item = (&'static str, Way)>,
    measure: impl AsyncFn(&'static str, Way) -> io::Result<f64>,
) -> io::Result<Calls> {
    let row = |(language, way)| Row {
        language,
        way,
        microseconds: Numbers::default(),
    };
    let mut rows: Vec<Row> = rows.into_iter().map(row).collect();
    for round in 0..rounds {
        eprintln!("calls, round {} of {rounds}", round + 1);
        for cores in Cores::BOTH {
            cores.take();
            for row in &mut rows {
                let measured = measure(row.language, row.way);
                let measured = tokio::time::timeout(PATIENCE, measured).await;
                let microseconds = measured.map_err(|_| {
                    let (language, way) = (row.language, row.way.name());
                    fault(format!("{language} {way}: no end after {PATIENCE:?}"))
                })??;
                row.microseconds.round = round;
                row.microseconds.add(cores, microseconds);
            }
        }
    }
    Ok(Calls { subject, rows })
}

/// Makes the same call again and again, and gives its median in microseconds.
///
/// # Errors
/// A call fails.
pub async fn median(
    mut call: impl AsyncFnMut() -> io::Result<()>,
    each: Duration,
) -> io::Result<f64> {
    for _ in 0..WARM_UP {
        call().await?;
    }
    let mut taken = Vec::new();
    let start = Instant::now();
    while start.elapsed() < each {
        let begun = Instant::now();
        call().await?;
        taken.push(begun.elapsed().as_secs_f64() * 1e6);
    }
    numbers::median(&taken).ok_or_else(|| fault("no call was made"))
}

impl Calls {
    /// What a row takes beyond the bare call of the same script, in the same rounds.
    fn beyond(&self, row: &Row, cores: Cores) -> Option<f64> {
        let is_bare = |other: &&Row| other.way == Way::Pipes && other.language == row.language;
        let bare = self.rows.iter().find(is_bare)?;
        let pairs = row.microseconds.all(cores).into_iter();
        let pairs = pairs.zip(bare.microseconds.all(cores));
        let beyond: Vec<f64> = pairs.map(|(bridged, bare)| bridged - bare).collect();
        numbers::median(&beyond).filter(|_| row.way != Way::Pipes)
    }

    pub fn add_to(&self, report: &mut Report) {
        report.add(
            "call",
            self.table(),
            self.rows.iter().map(|row| self.row_json(row)).collect(),
        );
        report.goals(Cores::BOTH.into_iter().filter_map(|cores| self.goal(cores)));
    }

    /// Judged by the script where it is most.
    fn goal(&self, cores: Cores) -> Option<Goal> {
        let encrypted = self.rows.iter().filter(|row| row.way == Way::Encrypted);
        let all = encrypted.filter_map(|row| Some((row.language, self.beyond(row, cores)?)));
        let (language, most) = all.max_by(|left, right| left.1.total_cmp(&right.1))?;
        let cores = cores.name();
        Some(Goal {
            text: format!(
                "call: {} with mTLS adds at most {} µs, {cores}; most with {language}",
                self.subject.provider, self.subject.bar
            ),
            measured: Some(most),
            apart: None,
            bar: Bar::AtMost(self.subject.bar),
            unit: " µs",
        })
    }

    fn table(&self) -> String {
        let mut text = format!(
            "One call after the other, microseconds: {}\n\n",
            self.subject.about
        );
        let headings = [
            self.subject.heading,
            "called",
            "one core",
            "beyond bare",
            "all cores",
            "beyond bare",
        ];
        text += &line(headings.map(str::to_owned));
        text += &line(headings.map(|_| "---".to_owned()));
        for row in &self.rows {
            let names = [row.language, row.way.name()].map(str::to_owned);
            let cells = Cores::BOTH.into_iter().flat_map(|cores| {
                let taken = row.microseconds.median(cores);
                [shown(taken), shown(self.beyond(row, cores))]
            });
            text += &line(names.into_iter().chain(cells));
        }
        text
    }

    fn row_json(&self, row: &Row) -> Json {
        let cores = Cores::BOTH.map(|cores| {
            json!({
                "cores": cores.name(),
                "microseconds": row.microseconds.median(cores),
                "beyond_bare": self.beyond(row, cores),
                "rounds": row.microseconds.all(cores),
            })
        });
        json!({self.subject.heading: row.language, "called": row.way.name(), "cells": cores})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_compared_with_the_bare_call_of_its_own_script() {
        let row = |language, way, microseconds| {
            let mut row = Row {
                language,
                way,
                microseconds: Numbers::default(),
            };
            row.microseconds.add(Cores::One, microseconds);
            row
        };
        let calls = Calls {
            subject: Subject {
                heading: "script",
                about: "",
                provider: "the bridge",
                bar: 300.0,
            },
            rows: vec![
                row("Rust", Way::Pipes, 10.0),
                row("Rust", Way::Encrypted, 110.0),
                row("Deno", Way::Pipes, 50.0),
                row("Deno", Way::Encrypted, 400.0),
            ],
        };
        let beyond = |index: usize| calls.beyond(&calls.rows[index], Cores::One);
        assert_eq!(
            [0, 1, 2, 3].map(beyond),
            [None, Some(100.0), None, Some(350.0)]
        );
        let goal = calls.goal(Cores::One).unwrap();
        assert_eq!((goal.measured, goal.met()), (Some(350.0), Some(false)));
        assert!(goal.text.ends_with("most with Deno"), "{}", goal.text);
        assert!(calls.goal(Cores::All).is_none());
    }
}
