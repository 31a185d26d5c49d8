//! One round over all rows: fresh servers, every cell once.

use std::collections::BTreeSet;
use std::io;

use bench_harness::link::{self, Scratch};
use bench_harness::placement::{Placement, place, spread};
use bench_harness::raw::Audience;
use bench_harness::row::Row;
use bench_harness::running::{Running, watched};
use bench_harness::wire::Wire;
use bench_workload::{Bound, Size, Task};

use crate::cell::{Cell, MANY, Numbers, Results};

/// The cells that have one client, in order.
fn cells(bound: Bound) -> [(Cell, Placement, Task); 6] {
    use Placement::{Apart, Together};
    let size = Size::Tiny;
    let sequential = Task::Sequential { size, bound };
    let window = Task::Window {
        size,
        window: 64,
        bound,
    };
    [
        (Cell::Sequential, Together, sequential),
        (Cell::SequentialApart, Apart, sequential),
        (Cell::Window, Together, window),
        (Cell::WindowApart, Apart, window),
        (Cell::ToServer, Together, Task::Events { size, bound }),
        (Cell::ToClient, Together, Task::Stream { bound }),
    ]
}

/// Every row is started afresh, then every cell is measured on one row after the other, so that the
/// values which are compared lie within a second or two of each other.
///
/// A row that fails has no value in the later cells of the round, and its fault is reported.
pub fn round(
    results: &mut Results,
    scratch: &Scratch,
    bound: Bound,
    first: usize,
    faults: &mut BTreeSet<String>,
) {
    let mut report = |row: &Row, error: io::Error| {
        faults.insert(format!("{}: {error}", row.title()));
    };
    let count = results.rows.len();
    let order = || (0..count).map(|index| (index + first) % count);
    let mut running: Vec<Option<Running>> = Vec::new();
    for (row, _) in &results.rows {
        let opened = Running::open(row, scratch).map_err(|error| report(row, error));
        running.push(opened.ok());
    }
    for (cell, placement, task) in cells(bound) {
        for index in order() {
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
    // A client that is not part of a broadcast would be sent it too.
    drop(running);
    for (cell, clients) in [(Cell::BroadcastToOne, 1), (Cell::BroadcastToMany, MANY)] {
        for index in order() {
            let (row, numbers) = &mut results.rows[index];
            if row.wire == Wire::Own {
                continue;
            }
            match broadcast(row, scratch, clients, bound) {
                Ok(rate) => numbers.add(cell, rate),
                Err(error) => report(row, about(cell, &error)),
            }
        }
    }
}

fn measure(
    running: &mut Running,
    cell: Cell,
    placement: Placement,
    task: Task,
    numbers: &mut Numbers,
) -> io::Result<()> {
    let measured = running.run(placement, task);
    let Some(measured) = measured.map_err(|error| about(cell, &error))? else {
        return Ok(());
    };
    numbers.add(cell, measured.value());
    if cell == Cell::Sequential
        && let Some(p99) = measured.p99_micros
    {
        numbers.add(Cell::SequentialP99, p99);
    }
    Ok(())
}

/// How many deliveries a second. Everybody is a raw client, whatever the library's own are.
fn broadcast(row: &Row, scratch: &Scratch, clients: usize, bound: Bound) -> io::Result<f64> {
    spread();
    let socket = scratch.file(&row.slug());
    let server = link::on_socket(&row.server, &socket)?;
    let measured = watched(&server, || {
        let mut audience = Audience::gather(&socket, row.wire, clients)?;
        place(Placement::Together, std::process::id(), server.pid());
        audience.run(bound)
    })?;
    Ok(measured.per_second())
}

fn about(cell: Cell, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{cell:?}: {error}"))
}
