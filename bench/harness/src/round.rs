//! One round over all rows: fresh servers, every cell once, their memory in between.

use std::collections::BTreeSet;
use std::io;

use bench_harness::link::Scratch;
use bench_harness::placement::Placement;
use bench_harness::row::Row;
use bench_harness::running::Running;
use bench_workload::{Bound, Measured, Size, Task};

use crate::cell::{Cell, Numbers, Results};

/// Measures a cell and adds what it gives to the numbers.
fn measure(
    running: &mut Running,
    cell: Cell,
    placement: Placement,
    task: Task,
    numbers: &mut Numbers,
) -> io::Result<()> {
    let before = running.server.cpu();
    let measured = running
        .run(placement, task)
        .map_err(|error| io::Error::new(error.kind(), format!("{cell:?}: {error}")))?;
    let Some(measured) = measured else {
        return Ok(());
    };
    numbers.add(cell, measured.value());
    if cell == Cell::TinySequential
        && let Some(p99) = measured.p99_micros
    {
        numbers.add(Cell::TinySequentialP99, p99);
    }
    if cell == Cell::Tiny64
        && let (Some(before), Some(after)) = (before, running.server.cpu())
    {
        let spent = (after - before).as_secs_f64() * 1e6;
        numbers.add(Cell::Cpu64, spent / calls_with_warm_up(&measured));
    }
    let peak = match cell {
        Cell::Tiny1024 => Some(Cell::PeakTiny),
        Cell::TinyEvents => Some(Cell::PeakFlood),
        Cell::MibEvents => Some(Cell::PeakMib),
        _ => None,
    };
    if let (Some(peak), Some(kib)) = (peak, running.server.peak_kib()) {
        numbers.add(peak, kib / 1024.0);
    }
    Ok(())
}

/// The processor time spans the warm-up too, which is a fifth of the measured time.
fn calls_with_warm_up(measured: &Measured) -> f64 {
    measured.count as f64 * 1.2
}

/// The cells of a round, in order. Tiny ones come first: the peak of memory never goes down again.
fn cells(millis: u64) -> [(Cell, Placement, Task); 12] {
    use Placement::{Apart, Together};
    use Size::{Kib, Mib, Tiny};
    let bound = Bound::time(millis);
    let sequential = |size| Task::Sequential { size, bound };
    let window = |size, window| Task::Window {
        size,
        window,
        bound,
    };
    let events = |size| Task::Events { size, bound };
    [
        (Cell::TinySequential, Together, sequential(Tiny)),
        (Cell::TinyApart, Apart, sequential(Tiny)),
        (Cell::Tiny64, Together, window(Tiny, 64)),
        (Cell::Tiny64Apart, Apart, window(Tiny, 64)),
        (Cell::Tiny1024, Together, window(Tiny, 1024)),
        (Cell::TinyEvents, Together, events(Tiny)),
        (Cell::KibSequential, Together, sequential(Kib)),
        (Cell::Kib64, Together, window(Kib, 64)),
        (Cell::KibEvents, Together, events(Kib)),
        (Cell::MibSequential, Together, sequential(Mib)),
        (Cell::Mib16, Together, window(Mib, 16)),
        (Cell::MibEvents, Together, events(Mib)),
    ]
}

/// One round: every row is started afresh, then every cell is measured on one row after the other,
/// so that the values of a cell which are compared lie within a second or two of each other.
///
/// A row that fails has no value in the later cells of the round, and its fault is reported.
pub fn round(
    results: &mut Results,
    scratch: &Scratch,
    millis: u64,
    first: usize,
    faults: &mut BTreeSet<String>,
) {
    let count = results.rows.len();
    let mut running: Vec<Option<Running>> = Vec::new();
    let mut report = |row: &Row, error: io::Error| {
        faults.insert(format!("{}: {error}", row.title()));
    };
    for (row, _) in &results.rows {
        let opened = Running::open(row, scratch).map_err(|error| report(row, error));
        running.push(opened.ok());
    }
    for (cell, placement, task) in cells(millis) {
        for index in (0..count).map(|index| (index + first) % count) {
            let (row, numbers) = &mut results.rows[index];
            let Some(pair) = &mut running[index] else {
                continue;
            };
            if let Err(error) = measure(pair, cell, placement, task, numbers) {
                report(row, error);
                running[index] = None;
            }
        }
    }
}
