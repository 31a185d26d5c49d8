//! The cells of one round, and what each gives beside its own value.

use bench_harness::placement::Placement;
use bench_harness::rounds::Done;
use bench_workload::{Bound, Measured, Size, Task};

use crate::cell::{Cell, Numbers};

/// Adds what a cell gives beside its own value: the slowest calls, processor time, memory.
pub fn add(done: &Done<'_, Cell>, numbers: &mut Numbers) {
    let server = &done.running.server;
    if done.cell == Cell::TinySequential
        && let Some(p99) = done.measured.p99_micros
    {
        numbers.add(Cell::TinySequentialP99, p99);
    }
    if done.cell == Cell::Tiny64
        && let (Some(before), Some(after)) = (done.cpu_before, server.cpu())
    {
        let spent = (after - before).as_secs_f64() * 1e6;
        numbers.add(Cell::Cpu64, spent / calls_with_warm_up(&done.measured));
    }
    let peak = match done.cell {
        Cell::Tiny1024 => Some(Cell::PeakTiny),
        Cell::TinyEvents => Some(Cell::PeakFlood),
        Cell::MibEvents => Some(Cell::PeakMib),
        _ => None,
    };
    if let (Some(peak), Some(kib)) = (peak, server.peak_kib()) {
        numbers.add(peak, kib / 1024.0);
    }
}

/// The processor time spans the warm-up too, which is a fifth of the measured time.
fn calls_with_warm_up(measured: &Measured) -> f64 {
    measured.count as f64 * 1.2
}

/// The cells of a round, in order. Tiny ones come first: the peak of memory never goes down again.
pub fn cells(millis: u64) -> [(Cell, Placement, Task); 12] {
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
