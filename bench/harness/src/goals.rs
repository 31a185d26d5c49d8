//! The goals, each with what this run says about it.

use bench_harness::goal::{Bar, Goal};
use bench_harness::link::Transport::{self, Pipe, Unix};
use bench_harness::results::Column;
use bench_harness::row::{Kind, Row};
use bench_harness::wire::Wire;

use crate::cell::{Cell, Results};
use crate::counts::Counts;
use crate::rows::names;

/// Against the best of several rows, which is named.
fn against_fastest(
    results: &Results,
    transport: Transport,
    cell: Cell,
    ours: &str,
    (label, among): (&str, impl Fn(&Row) -> bool),
    bar: Bar,
) -> Goal {
    let fastest = results
        .rows
        .iter()
        .filter(|(row, _)| row.transport == transport && row.kind == Kind::Peer && among(row))
        .filter_map(|(row, numbers)| Some((row.name, numbers.median(cell)?)))
        .max_by(|left, right| left.1.total_cmp(&right.1));
    let name = fastest.map_or("none", |(name, _)| name);
    let mut goal = results.against(transport, cell, (ours, name), bar);
    goal.text += &format!(", {label}");
    goal
}

pub fn goals(results: &Results, counts: &[Counts]) -> Vec<Goal> {
    use Bar::{AtLeast, AtMost};
    let mut goals = Vec::new();
    for transport in [Pipe, Unix] {
        let ratio = |cell, rows, bar| results.against(transport, cell, rows, bar);
        let sequential = Cell::TinySequential;
        goals.push(ratio(sequential, (names::READY, names::LIMIT), AtMost(1.5)));
        goals.push(ratio(
            sequential,
            (names::SPAWNED, names::LIMIT),
            AtMost(1.8),
        ));
        goals.push(ratio(
            sequential,
            (names::BOTH_ENDS, names::LIMIT),
            AtMost(2.0),
        ));
        if transport == Unix {
            goals.push(ratio(
                sequential,
                (names::BOTH_ENDS, names::TARPC_BINCODE),
                AtMost(0.5),
            ));
            goals.push(ratio(
                sequential,
                (names::BOTH_ENDS, names::TONIC),
                AtMost(0.15),
            ));
        }
        goals.push(ratio(
            Cell::Tiny64,
            (names::READY, names::TYPED_FLOOR),
            AtLeast(0.8),
        ));
        let rust = ("the fastest Rust library here", |row: &Row| {
            row.wire != Wire::Neovim
        });
        goals.push(against_fastest(
            results,
            transport,
            Cell::Tiny64,
            names::READY,
            rust,
            AtLeast(5.0),
        ));
        if transport == Pipe {
            for incumbent in [names::LSP_SERVER, names::ACP, names::RMCP] {
                goals.push(ratio(
                    Cell::Tiny64,
                    (names::READY, incumbent),
                    AtLeast(15.0),
                ));
            }
        }
        goals.push(ratio(
            Cell::TinyEvents,
            (names::READY, names::RAW_FLOOR),
            AtLeast(0.6),
        ));
        let texts = ("the fastest JSON or msgpack peer here", |row: &Row| {
            row.wire != Wire::Own
        });
        goals.push(against_fastest(
            results,
            transport,
            Cell::TinyEvents,
            names::READY,
            texts,
            AtLeast(2.0),
        ));
        goals.push(ratio(
            Cell::MibSequential,
            (names::RAW, names::LIMIT),
            AtMost(2.0),
        ));
        for cell in [Cell::PeakFlood, Cell::PeakLongFlood] {
            goals.push(Goal {
                text: format!(
                    "peak RSS, {}, {}: at most 6 MB",
                    cell.heading().0,
                    transport.name()
                ),
                measured: results
                    .row(names::READY, transport)
                    .and_then(|row| row.median(cell)),
                apart: None,
                bar: AtMost(6.0),
                unit: " MB",
            });
        }
    }
    goals.push(Goal {
        text: "idle connection at 1,000: at most 3 KiB".to_owned(),
        measured: results
            .row(names::READY, Unix)
            .and_then(|row| row.median(Cell::Idle)),
        apart: None,
        bar: AtMost(3.0),
        unit: " KiB",
    });
    goals.extend(count_goals(counts));
    goals
}

fn count_goals(counts: &[Counts]) -> Vec<Goal> {
    let mut goals = Vec::new();
    for (name, allocations) in [(names::READY, 2.0), (names::SPAWNED, 5.0)] {
        let Some(counts) = counts.iter().find(|counts| counts.row.name == name) else {
            continue;
        };
        let mut goal = |what: &str, measured, bar: f64| {
            let text = format!("{name}: at most {bar} {what}");
            goals.push(Goal {
                text,
                measured,
                apart: None,
                bar: Bar::AtMost(bar),
                unit: "",
            });
        };
        if name == names::READY {
            goal(
                "system calls per sequential request",
                counts.syscalls_sequential,
                3.2,
            );
            goal(
                "system calls per request at 64 in flight",
                counts.syscalls_64,
                0.1,
            );
            goal("instructions per request", counts.instructions, 9_000.0);
        }
        goal("allocations per request", counts.allocations, allocations);
    }
    goals
}
