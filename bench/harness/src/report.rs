//! The table of counts, and everything as JSON.

use bench_harness::goal::Goal;
use bench_harness::table::{line, number};
use serde_json::{Value, json};

use crate::cell::Results;
use crate::counts::Counts;

pub fn counts_table(counts: &[Counts]) -> String {
    let mut text = String::from(
        "| per request | syscalls, sequential | syscalls at 64 | allocations at 64 | instructions at 64 | \
         instructions, sequential |\n|---|---|---|---|---|---|\n",
    );
    let shown = |value: Option<f64>| value.map_or("–".to_owned(), number);
    for counts in counts {
        text += &line([
            counts.row.title(),
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
    let goals: Vec<Value> = goals.iter().map(Goal::json).collect();
    json!({"rows": results.json(), "counts": counts, "goals": goals, "notes": notes})
}
