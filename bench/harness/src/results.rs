//! What was measured: the numbers of every row, as a table, as JSON, and beside each other.

use serde_json::{Map, Value, json};

use crate::goal::{Bar, Goal};
use crate::link::Transport;
use crate::numbers::Numbers;
use crate::row::{BEFORE, LIMIT, Row};
use crate::table::{line, number};

/// What is measured of every row: a section's own enum.
pub trait Column: Copy + Ord + 'static {
    /// In the order of the table.
    const ALL: &[Self];

    /// The heading of its column, and what its value is multiplied by there.
    fn heading(self) -> (&'static str, f64);

    /// The cell with the same task and each side on cores of its own.
    fn apart(self) -> Option<Self>;
}

fn headings<C: Column>() -> impl Iterator<Item = &'static str> {
    C::ALL.iter().map(|cell| cell.heading().0)
}

pub struct Results<C> {
    pub rows: Vec<(Row, Numbers<C>)>,
}

impl<C: Column> Results<C> {
    pub fn new(rows: impl IntoIterator<Item = Row>) -> Self {
        let rows = rows.into_iter().map(|row| (row, Numbers::default()));
        Results {
            rows: rows.collect(),
        }
    }

    /// The values that are added from now on belong to this round.
    pub fn begin_round(&mut self, number: usize) {
        for (_, numbers) in &mut self.rows {
            numbers.round = number;
        }
    }

    pub fn row(&self, name: &str, transport: Transport) -> Option<&Numbers<C>> {
        let found = self
            .rows
            .iter()
            .find(|(row, _)| row.name == name && row.transport == transport);
        found.map(|(_, numbers)| numbers)
    }

    /// As a multiple of what the bare transport does in the same run.
    fn times_limit(&self, row: &Row, numbers: &Numbers<C>, cell: C) -> Option<f64> {
        numbers.ratio(self.row(LIMIT, row.transport)?, cell)
    }

    /// A goal in multiples of another row's value.
    pub fn against(
        &self,
        transport: Transport,
        cell: C,
        (ours, theirs): (&str, &str),
        bar: Bar,
    ) -> Goal {
        let ratio = |cell| {
            self.row(ours, transport)?
                .ratio(self.row(theirs, transport)?, cell)
        };
        let (words, times) = match bar {
            Bar::AtMost(times) => ("at most", times),
            Bar::AtLeast(times) => ("at least", times),
        };
        let (heading, place) = (cell.heading().0, transport.name());
        Goal {
            text: format!("{heading}, {place}: {ours} {words} {times}× {theirs}"),
            measured: ratio(cell),
            apart: cell.apart().and_then(ratio),
            bar,
            unit: "×",
        }
    }

    pub fn table(&self) -> String {
        let headings = ["peer", "over"].into_iter().chain(headings::<C>());
        let mut text = line(headings.map(str::to_owned));
        text += &line((0..C::ALL.len() + 2).map(|_| "---".to_owned()));
        for (row, numbers) in &self.rows {
            let cells = C::ALL.iter().map(|&cell| match numbers.median(cell) {
                None => "–".to_owned(),
                Some(value) => {
                    let shown = number(value * cell.heading().1);
                    match self.times_limit(row, numbers, cell) {
                        Some(ratio) => format!("{shown} ({}×)", number(ratio)),
                        None => shown,
                    }
                }
            });
            let names = [row.name, row.transport.name()].map(str::to_owned);
            text += &line(names.into_iter().chain(cells));
        }
        text
    }

    /// Our rows beside those of an older build: now divided by before, paired within the rounds.
    pub fn comparison(&self) -> String {
        let headings = ["now ÷ before", "over"].into_iter().chain(headings::<C>());
        let mut text = line(headings.map(str::to_owned));
        text += &line((0..C::ALL.len() + 2).map(|_| "---".to_owned()));
        for (row, now) in &self.rows {
            let twin = format!("{}{BEFORE}", row.name);
            let Some(before) = self.row(&twin, row.transport) else {
                continue;
            };
            let cells = C::ALL.iter().map(|&cell| {
                let ratio = now.ratio(before, cell);
                ratio.map_or("–".to_owned(), |ratio| format!("{}×", number(ratio)))
            });
            let names = [row.name, row.transport.name()].map(str::to_owned);
            text += &line(names.into_iter().chain(cells));
        }
        text
    }

    /// Every row with every cell, every round included.
    pub fn json(&self) -> Value {
        let rows = self.rows.iter().map(|(row, numbers)| {
            let cells: Map<String, Value> = C::ALL
                .iter()
                .filter_map(|&cell| {
                    let (heading, factor) = cell.heading();
                    let rounds = numbers.all(cell).into_iter();
                    let cell = json!({
                        "median": numbers.median(cell)? * factor,
                        "ratio": self.times_limit(row, numbers, cell),
                        "rounds": rounds.map(|value| value * factor).collect::<Vec<_>>(),
                    });
                    Some((heading.to_owned(), cell))
                })
                .collect();
            json!({"peer": row.name, "transport": row.transport.name(), "cells": cells})
        });
        rows.collect()
    }
}
