//! The table and the goals.

use bench_harness::goal::{Bar, Goal};
use bench_harness::report::Report;
use bench_harness::table::{line, shown};
use bench_harness::wire::Wire;
use serde_json::{Value, json};

use crate::measure::Cell;
use crate::rows::{Kind, Language, Row, Rows};

/// The part of the raw echo's round trips that a plugin has to make.
const RAW: f64 = 0.7;

/// How many times the round trips of the official MCP SDK.
const OFFICIAL: f64 = 3.0;

/// How many times the start of an empty program.
const START: f64 = 1.2;

impl Rows {
    fn row(&self, language: Language, kind: Kind, wire: Wire) -> Option<&Row> {
        let mut rows = self.rows.iter();
        rows.find(|row| row.language == language && row.kind == kind && row.wire == wire)
    }

    /// How many times the limit: of starts the empty program, of round trips the raw echo with the same framing.
    fn times_limit(&self, row: &Row, cell: Cell) -> Option<f64> {
        let limit = match (cell, row.wire) {
            (Cell::Start, _) => self.row(row.language, Kind::Empty, Wire::Own),
            (_, Wire::Headers) => self.row(row.language, Kind::Raw, Wire::Headers),
            _ => self.row(row.language, Kind::Raw, Wire::Lines),
        };
        row.numbers.ratio(&limit?.numbers, cell)
    }

    fn times_official(&self, language: Language, cell: Cell) -> Option<f64> {
        let ours = self.row(language, Kind::Ours, Wire::Mcp)?;
        let theirs = self.row(language, Kind::Official, Wire::Mcp)?;
        ours.numbers.ratio(&theirs.numbers, cell)
    }

    pub fn add_to(&self, report: &mut Report) {
        report.add("sdk", self.table(), self.json());
        for language in Language::ALL {
            let name = language.name();
            let framings = [(Wire::Lines, "lines"), (Wire::Headers, "headers")];
            let framings = framings.into_iter().filter(|_| language.has_runtime());
            for (wire, framing) in framings {
                let ours = self.row(language, Kind::Ours, wire);
                report.goals([Goal {
                    text: format!("{name}, {framing}, one at a time: at least {RAW}× the raw echo"),
                    measured: ours.and_then(|row| self.times_limit(row, Cell::Sequential)),
                    apart: None,
                    bar: Bar::AtLeast(RAW),
                    unit: "×",
                }]);
            }
            for cell in [Cell::Sequential, Cell::InFlight] {
                let how = match cell {
                    Cell::InFlight => "32 in flight",
                    _ => "one at a time",
                };
                report.goals([Goal {
                    text: format!("{name}, MCP, {how}: at least {OFFICIAL}× the official SDK"),
                    measured: self.times_official(language, cell),
                    apart: None,
                    bar: Bar::AtLeast(OFFICIAL),
                    unit: "×",
                }]);
            }
            if !language.has_runtime() {
                continue;
            }
            let ours = self.row(language, Kind::Ours, Wire::Lines);
            report.goals([Goal {
                text: format!("{name}, start: at most {START}× an empty program"),
                measured: ours.and_then(|row| self.times_limit(row, Cell::Start)),
                apart: None,
                bar: Bar::AtMost(START),
                unit: "×",
            }]);
        }
    }

    fn table(&self) -> String {
        let mut text = String::from(
            "In brackets: × an empty program for starts, × the raw echo with the same framing for round trips.\n\n",
        );
        let headings = Cell::ALL.map(|cell| cell.heading().to_owned());
        text += &line(["".to_owned(), "".to_owned()].into_iter().chain(headings));
        text += &line((0..Cell::ALL.len() + 2).map(|_| "---".to_owned()));
        for row in &self.rows {
            let cells = Cell::ALL.map(|cell| match row.numbers.median(cell) {
                None => "–".to_owned(),
                value => format!("{} ({})", shown(value), shown(self.times_limit(row, cell))),
            });
            let names = [row.language.name(), row.name].map(str::to_owned);
            text += &line(names.into_iter().chain(cells));
        }
        text
    }

    fn json(&self) -> Value {
        let rows = self.rows.iter().map(|row| {
            let cells = Cell::ALL.map(|cell| {
                json!({
                    "cell": cell.heading(),
                    "median": row.numbers.median(cell),
                    "times_limit": self.times_limit(row, cell),
                    "rounds": row.numbers.all(cell),
                })
            });
            json!({ "language": row.language.name(), "name": row.name, "cells": cells })
        });
        rows.collect()
    }
}
