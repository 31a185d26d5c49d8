//! The counts as a table and as JSON.

use bench_harness::table::{line, shown};
use serde_json::{Value, json};

use crate::counts::Counts;

pub fn table(counts: &[Counts]) -> String {
    let mut text = String::from(
        "| per request | syscalls, sequential | syscalls at 64 | allocations at 64 | instructions at 64 | \
         instructions, sequential |\n|---|---|---|---|---|---|\n",
    );
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

pub fn json(counts: &[Counts]) -> Value {
    let counts = counts.iter().map(|counts| {
        json!({
            "peer": counts.row.name,
            "transport": counts.row.transport.name(),
            "syscalls_sequential": counts.syscalls_sequential,
            "syscalls_64": counts.syscalls_64,
            "allocations_64": counts.allocations,
            "instructions_64": counts.instructions,
            "instructions_sequential": counts.instructions_sequential,
        })
    });
    counts.collect()
}
