//! Memory that takes a run of its own: does the peak depend on how long a flood lasts?

use std::io;

use bench_harness::link::Scratch;
use bench_harness::row::Row;
use bench_harness::running::{Running, watched};
use bench_workload::{Bound, Size, Task};

/// The peak of a long flood in MiB; compare with the flood of the rounds.
pub fn long_flood(row: &Row, scratch: &Scratch, millis: u64) -> io::Result<Option<f64>> {
    let Running { server, mut driver } = Running::open(row, scratch)?;
    let task = Task::Events {
        size: Size::Tiny,
        bound: Bound::time(millis),
    };
    let measured = watched(&server, || driver.run(task))?;
    let peak = measured.and_then(|_| server.peak_kib());
    Ok(peak.map(|kib| kib / 1024.0))
}
