//! What the bridge adds to a call: `ReadResource` over gRPC beside `read` over the script's pipes,
//! with the same values.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use bench_harness::goal::{Bar, Goal};
use bench_harness::numbers::{self, Numbers};
use bench_harness::placement::{self, Placement, place};
use bench_harness::report::Report;
use bench_harness::section::fault;
use bench_harness::table::{line, shown};
use serde_json::{Value as Json, json};

use crate::identity::Identity;
use crate::round_trip::{Way, measure};
use crate::tools::Tools;

/// Microseconds that the bridge may add to a call.
const BAR: f64 = 300.0;

/// No cell takes so long.
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Cores {
    /// Client, provider and script share one, which leaves the work that they do.
    One,
    /// As Terraform runs, with wake-ups across cores.
    All,
}

impl Cores {
    const BOTH: [Cores; 2] = [Cores::One, Cores::All];

    fn name(self) -> &'static str {
        match self {
            Cores::One => "one core",
            Cores::All => "all cores",
        }
    }

    /// Moves the bench. What it starts from now on stays where it is.
    fn take(self) {
        match self {
            Cores::One => place(Placement::Together, std::process::id(), std::process::id()),
            Cores::All => placement::spread(),
        }
    }
}

struct Row {
    /// What the script is written in, and where it is. None for a call that needs no script.
    script: Option<(&'static str, PathBuf)>,
    way: Way,
    /// The median of a round's calls, in microseconds.
    microseconds: Numbers<Cores>,
}

impl Row {
    fn language(&self) -> &'static str {
        self.script.as_ref().map_or("none", |script| script.0)
    }
}

pub struct Calls {
    rows: Vec<Row>,
}

pub async fn run(rounds: usize, millis: u64, tools: &Tools) -> io::Result<Calls> {
    let identity = Identity::new()?;
    let mut scripts: Vec<_> = tools.scripts().into_iter().map(Some).collect();
    scripts.insert(0, None);
    let mut rows = Vec::new();
    for script in &scripts {
        for way in [Way::Pipes, Way::Plain, Way::Encrypted] {
            if script.is_some() || way != Way::Pipes {
                rows.push(Row {
                    script: script.clone(),
                    way,
                    microseconds: Numbers::default(),
                });
            }
        }
    }
    let each = Duration::from_millis(millis);
    for round in 0..rounds {
        eprintln!("calls, round {} of {rounds}", round + 1);
        for cores in Cores::BOTH {
            cores.take();
            for row in &mut rows {
                let script = row.script.as_ref().map(|(_, path)| path.as_path());
                let measured = measure(script, row.way, &identity, tools, each);
                let measured = tokio::time::timeout(PATIENCE, measured).await;
                let microseconds = measured.map_err(|_| {
                    let (language, way) = (row.language(), row.way.name());
                    fault(format!("{language} {way}: no end after {PATIENCE:?}"))
                })??;
                row.microseconds.round = round;
                row.microseconds.add(cores, microseconds);
            }
        }
    }
    Ok(Calls { rows })
}

impl Calls {
    /// What a row takes beyond the bare call of the same script, in the same rounds.
    fn beyond(&self, row: &Row, cores: Cores) -> Option<f64> {
        let is_bare = |other: &&Row| other.way == Way::Pipes && other.language() == row.language();
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
        let all = encrypted.filter_map(|row| Some((row.language(), self.beyond(row, cores)?)));
        let (language, most) = all.max_by(|left, right| left.1.total_cmp(&right.1))?;
        let cores = cores.name();
        Some(Goal {
            text: format!(
                "call: the bridge with mTLS adds at most {BAR} µs, {cores}; most with {language}"
            ),
            measured: Some(most),
            apart: None,
            bar: Bar::AtMost(BAR),
            unit: " µs",
        })
    }

    fn table(&self) -> String {
        let mut text = String::from(
            "One call after the other, microseconds: `read` of a script, and `ReadResource` of the \
             provider that calls it. Without a script it is `GetMetadata`.\n\n",
        );
        let headings = [
            "script",
            "called",
            "one core",
            "beyond bare",
            "all cores",
            "beyond bare",
        ];
        text += &line(headings.map(str::to_owned));
        text += &line(headings.map(|_| "---".to_owned()));
        for row in &self.rows {
            let names = [row.language(), row.way.name()].map(str::to_owned);
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
        json!({"script": row.language(), "called": row.way.name(), "cells": cores})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_compared_with_the_bare_call_of_its_own_script() {
        let row = |language, way, microseconds| {
            let mut row = Row {
                script: Some((language, PathBuf::new())),
                way,
                microseconds: Numbers::default(),
            };
            row.microseconds.add(Cores::One, microseconds);
            row
        };
        let calls = Calls {
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
