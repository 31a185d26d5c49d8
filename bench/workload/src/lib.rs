//! What is measured: the echo call, its three sizes, and the tasks that a client is given.
//!
//! The raw client in the harness and each library's own client run the same tasks and answer with
//! the same numbers, so that a row of the table means the same for every driver. A library's own
//! client is a process of its own; [`driver::follow`] is its whole main loop.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

pub mod document;
pub mod driver;
pub mod place;

/// The parameters of the call, and its result: every server sends back what it got.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Echo {
    pub a: i64,
    pub b: i64,
    pub s: String,
}

/// The parameters of the calls that make a server send events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Many {
    pub count: u64,
}

/// Events for each call of a stream: enough for the wait between two calls not to be seen.
pub const STREAM: Many = Many { count: 2_000 };

/// How long the string in [`Echo`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Size {
    Tiny,
    Kib,
    Mib,
}

impl Size {
    pub fn text(self) -> String {
        match self {
            Size::Tiny => "hello".to_owned(),
            Size::Kib => "k".repeat(1 << 10),
            Size::Mib => "m".repeat(1 << 20),
        }
    }

    pub fn echo(self) -> Echo {
        Echo {
            a: 1,
            b: 2,
            s: self.text(),
        }
    }
}

/// One thing a client does between two looks at the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "task", rename_all = "lowercase")]
pub enum Task {
    /// One call after the other.
    Sequential { size: Size, bound: Bound },
    /// A constant number of calls in flight.
    Window {
        size: Size,
        window: usize,
        bound: Bound,
    },
    /// Messages without an answer, then one call as a fence behind them.
    Events { size: Size, bound: Bound },
    /// Tiny messages without an answer from the server, [`STREAM`] of them for each call.
    Stream { bound: Bound },
    /// This many further connections, one call on each, all left open.
    Idle { connections: usize },
}

/// Every loop ends by count or by time, whichever comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bound {
    pub calls: u64,
    pub millis: u64,
}

impl Bound {
    /// More calls than any run makes; ids of the raw client stay within eight digits below it.
    const MANY: u64 = 50_000_000;

    pub fn time(millis: u64) -> Self {
        Bound {
            calls: Self::MANY,
            millis,
        }
    }

    pub fn calls(calls: u64) -> Self {
        Bound {
            calls,
            millis: 20_000,
        }
    }

    /// A fifth of it, to run before the measured part: first touches of memory are not the subject.
    pub fn warm_up(self) -> Self {
        Bound {
            calls: self.calls.div_ceil(5),
            millis: self.millis.div_ceil(5),
        }
    }

    pub fn deadline(self) -> Instant {
        Instant::now() + Duration::from_millis(self.millis)
    }
}

/// What a task took. The percentiles are there for sequential calls only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    pub count: u64,
    pub seconds: f64,
    pub p50_micros: Option<f64>,
    pub p99_micros: Option<f64>,
}

impl Measured {
    pub fn rate(count: u64, elapsed: Duration) -> Self {
        Measured {
            count,
            seconds: elapsed.as_secs_f64(),
            ..Measured::default()
        }
    }

    /// From the time of each call. An empty slice has no percentiles.
    pub fn latency(samples: &mut [Duration], elapsed: Duration) -> Self {
        samples.sort_unstable();
        let at = |share: f64| {
            let index = (samples.len() as f64 * share) as usize;
            samples
                .get(index.min(samples.len().saturating_sub(1)))
                .map(|d| d.as_secs_f64() * 1e6)
        };
        Measured {
            p50_micros: at(0.50),
            p99_micros: at(0.99),
            ..Measured::rate(samples.len() as u64, elapsed)
        }
    }

    /// What a cell shows: the median time of a call, or else the rate.
    pub fn value(&self) -> f64 {
        self.p50_micros.unwrap_or_else(|| self.per_second())
    }

    pub fn per_second(&self) -> f64 {
        self.count as f64 / self.seconds
    }
}

/// A client's answer to a task, one JSON line on the control socket.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    Done(Measured),
    /// The library has no such thing; the cell stays empty.
    Unsupported,
    Failed(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_come_from_the_sorted_samples() {
        let mut samples: Vec<_> = (1..=100).rev().map(Duration::from_micros).collect();
        let measured = Measured::latency(&mut samples, Duration::from_secs(1));
        assert_eq!(measured.count, 100);
        assert!((measured.p50_micros.unwrap() - 51.0).abs() < 1e-6);
        assert!((measured.p99_micros.unwrap() - 100.0).abs() < 1e-6);
    }

    #[test]
    fn no_samples_give_no_percentiles() {
        let measured = Measured::latency(&mut [], Duration::from_secs(1));
        assert_eq!(measured.p50_micros, None);
    }
}
