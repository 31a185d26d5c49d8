//! What is measured, how much of it, and how.

use std::io;
use std::process::Stdio;
use std::time::{Duration, Instant};

use bench_harness::child::Child;
use bench_harness::link;
use bench_harness::raw::Client;
use bench_harness::running::watched;
use bench_workload::{Bound, Size, Task};

use crate::rows::{Kind, Row};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cell {
    /// Milliseconds from the start of the process to its first answer; of an empty program, to its end.
    Start,
    /// Thousands of round trips per second, one after the other.
    Sequential,
    /// Thousands per second, with 32 calls in flight.
    InFlight,
}

impl Cell {
    pub const ALL: [Cell; 3] = [Cell::Start, Cell::Sequential, Cell::InFlight];

    pub fn heading(self) -> &'static str {
        match self {
            Cell::Start => "start ms",
            Cell::Sequential => "one at a time k/s",
            Cell::InFlight => "32 in flight k/s",
        }
    }
}

const WINDOW: usize = 32;

/// How much of each is measured in a round.
pub struct Amounts {
    pub starts: usize,
    /// How long calls are made before any is measured: until then the code of Node is not compiled.
    pub warm_up: Bound,
    /// Milliseconds of each kind of calls.
    pub millis: u64,
}

impl Amounts {
    pub const WHOLE: Amounts = Amounts {
        starts: 5,
        warm_up: Bound {
            calls: 20_000,
            millis: 1_500,
        },
        millis: 300,
    };

    pub const QUICK: Amounts = Amounts {
        starts: 3,
        warm_up: Bound {
            calls: 20_000,
            millis: 800,
        },
        millis: 150,
    };
}

impl Row {
    pub fn measure(&mut self, amounts: &Amounts) -> io::Result<()> {
        if self.kind == Kind::Empty {
            return Ok(());
        }
        let (server, link) = link::over_pipes(&self.program)?;
        let (size, window) = (Size::Tiny, WINDOW);
        let mut client = watched(&server, || Client::new(link, self.wire))?;
        let bound = Bound::time(amounts.millis);
        let tasks = [
            (
                None,
                Task::Window {
                    size,
                    window,
                    bound: amounts.warm_up,
                },
            ),
            (Some(Cell::Sequential), Task::Sequential { size, bound }),
            (
                Some(Cell::InFlight),
                Task::Window {
                    size,
                    window,
                    bound,
                },
            ),
        ];
        for (cell, task) in tasks {
            let measured = watched(&server, || client.run(task))?;
            if let Some(cell) = cell {
                let rate = measured.count as f64 / measured.seconds / 1e3;
                self.numbers.add(cell, rate);
            }
        }
        client.close();
        Ok(())
    }

    /// How long a new process takes to its first answer, or an empty one to its end.
    pub fn start(&self) -> io::Result<Duration> {
        let began = Instant::now();
        if self.kind == Kind::Empty {
            let mut command = self.program.command();
            let mut child = Child::start(command.stdin(Stdio::null()))?;
            child.inner.wait()?;
            return Ok(began.elapsed());
        }
        let (server, link) = link::over_pipes(&self.program)?;
        let taken = watched(&server, || {
            let mut client = Client::new(link, self.wire)?;
            client.one_call()?;
            let taken = began.elapsed();
            client.close();
            Ok(taken)
        });
        drop(server);
        taken
    }
}
