//! The tables, and the same as JSON.

use bench_harness::goal::Goal;
use bench_harness::table::{line, number};
use serde_json::{Map, Value, json};

use crate::counts::Counts;
use crate::results::{Cell, Results};

pub fn table(results: &Results) -> String {
    let mut text = line(
        ["peer", "over"]
            .into_iter()
            .chain(Cell::ALL.map(|cell| cell.heading().0))
            .map(str::to_owned),
    );
    text += &line((0..Cell::ALL.len() + 2).map(|_| "---".to_owned()));
    for (row, numbers) in &results.rows {
        let cells = Cell::ALL.map(|cell| match numbers.median(cell) {
            None => "–".to_owned(),
            Some(value) => {
                let shown = number(value * cell.heading().1);
                match results.ratio(row, numbers, cell) {
                    Some(ratio) => format!("{shown} ({}×)", number(ratio)),
                    None => shown,
                }
            }
        });
        text += &line(
            [row.name.to_owned(), row.transport.name().to_owned()]
                .into_iter()
                .chain(cells),
        );
    }
    text
}

pub fn counts_table(counts: &[Counts]) -> String {
    let mut text = String::from(
        "| per request | syscalls, sequential | syscalls at 64 | allocations at 64 | instructions at 64 | \
         instructions, sequential |\n|---|---|---|---|---|---|\n",
    );
    let shown = |value: Option<f64>| value.map_or("–".to_owned(), number);
    for counts in counts {
        text += &line([
            format!("{} ({})", counts.row.name, counts.row.transport.name()),
            shown(counts.syscalls_sequential),
            shown(counts.syscalls_64),
            shown(counts.allocations),
            shown(counts.instructions),
            shown(counts.instructions_sequential),
        ]);
    }
    text
}

pub fn document(results: &Results, counts: &[Counts], goals: &[Goal], notes: &[String]) -> Value {
    let rows: Vec<Value> = results
        .rows
        .iter()
        .map(|(row, numbers)| {
            let cells: Map<String, Value> = Cell::ALL
                .into_iter()
                .filter_map(|cell| {
                    let (heading, factor) = cell.heading();
                    let cell = json!({
                        "median": numbers.median(cell)? * factor,
                        "ratio": results.ratio(row, numbers, cell),
                        "rounds": numbers.all(cell).iter().map(|value| value * factor).collect::<Vec<_>>(),
                    });
                    Some((heading.to_owned(), cell))
                })
                .collect();
            json!({"peer": row.name, "transport": row.transport.name(), "cells": cells})
        })
        .collect();
    let counts: Vec<Value> = counts
        .iter()
        .map(|counts| {
            json!({
                "peer": counts.row.name,
                "transport": counts.row.transport.name(),
                "syscalls_sequential": counts.syscalls_sequential,
                "syscalls_64": counts.syscalls_64,
                "allocations_64": counts.allocations,
                "instructions_64": counts.instructions,
                "instructions_sequential": counts.instructions_sequential,
            })
        })
        .collect();
    let goals: Vec<Value> = goals
        .iter()
        .map(|goal| json!({"goal": goal.text, "measured": goal.measured, "two_cores": goal.apart, "met": goal.met()}))
        .collect();
    json!({"rows": rows, "counts": counts, "goals": goals, "notes": notes})
}
