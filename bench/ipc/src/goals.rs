//! The goals, each with what this run says about it.

use bench_harness::goal::{Bar, Goal};
use bench_harness::link::Transport::Unix;
use bench_harness::row::LIMIT;
use bench_harness::table::number;

use crate::cell::{Cell, MANY, Results};
use crate::rows::{BOTH_ENDS, SERVER, VSCODE};

/// The Go server of ipc-jsonrpc with a raw client like ours, 64 in flight, calls a second. Measured
/// elsewhere, where the limit of the socket was [`LIMIT_THERE`]; client and server were left to the
/// scheduler there, which gave each a core.
const GO: f64 = 43.8e3;
const LIMIT_THERE: f64 = 1_325e3;

/// As many times as the peers.
const AHEAD: f64 = 5.0;

pub fn goals(results: &Results) -> Vec<Goal> {
    let against = |cell, rows, bar| results.against(Unix, cell, rows, bar);
    let ours = results.row(SERVER, Unix);
    let times_go = |cell| Some(ours?.median(cell)? / GO);
    let times_limit = |cell| ours?.ratio(results.row(LIMIT, Unix)?, cell);
    let go = number(GO * 1e-3);
    vec![
        against(Cell::Sequential, (BOTH_ENDS, LIMIT), Bar::AtMost(2.0)),
        against(Cell::Window, (BOTH_ENDS, VSCODE), Bar::AtLeast(AHEAD)),
        Goal {
            text: format!(
                "64 in flight: {SERVER} at least {AHEAD}× the Go server's {go} k/s, measured elsewhere"
            ),
            measured: times_go(Cell::Window),
            apart: times_go(Cell::WindowApart),
            bar: Bar::AtLeast(AHEAD),
            unit: "×",
        },
        Goal {
            text: format!(
                "64 in flight, two cores: {SERVER} at least {AHEAD}× the Go server's {go} k/s times \
                 the limit here by the limit there ({} k/s)",
                number(LIMIT_THERE * 1e-3)
            ),
            measured: times_limit(Cell::WindowApart).map(times_go_scaled),
            apart: None,
            bar: Bar::AtLeast(AHEAD),
            unit: "×",
        },
        Goal {
            text: "idle connection at 1,000: at most 3 KiB".to_owned(),
            measured: ours.and_then(|ours| ours.median(Cell::Idle)),
            apart: None,
            bar: Bar::AtMost(3.0),
            unit: " KiB",
        },
        Goal {
            text: format!(
                "{SERVER}: deliveries of a broadcast to {MANY} clients at least {AHEAD}× those to one"
            ),
            measured: ours
                .and_then(|ours| ours.ratio_within(Cell::BroadcastToMany, Cell::BroadcastToOne)),
            apart: None,
            bar: Bar::AtLeast(AHEAD),
            unit: "×",
        },
    ]
}

/// From a multiple of the limit here to one of what the Go server would do here, if it were as far
/// from the limit as it was there.
fn times_go_scaled(times_limit: f64) -> f64 {
    times_limit / (GO / LIMIT_THERE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_the_limit_of_there_both_comparisons_agree() {
        let ours = 300e3;
        let scaled = times_go_scaled(ours / LIMIT_THERE);
        assert!((scaled - ours / GO).abs() < 1e-9, "{scaled}");
    }
}
