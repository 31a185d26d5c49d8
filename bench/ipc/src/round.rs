//! One round over all rows.

use std::io;

use bench_harness::link::{self, Scratch};
use bench_harness::placement::{Placement, place, spread};
use bench_harness::raw::Audience;
use bench_harness::rounds::Rounds;
use bench_harness::row::Row;
use bench_harness::running::watched;
use bench_harness::wire::Wire;
use bench_workload::{Bound, Size, Task};

use crate::cell::{Cell, MANY};

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

/// One round: the cells with one client, then the broadcasts.
pub fn round(rounds: &mut Rounds<Cell>, number: usize) {
    let bound = Bound::time(rounds.plan.millis);
    rounds.cells(&cells(bound), number, |done, numbers| {
        if done.cell == Cell::Sequential
            && let Some(p99) = done.measured.p99_micros
        {
            numbers.add(Cell::SequentialP99, p99);
        }
    });
    // The servers of the other cells have ended: a broadcast would go to their clients too.
    for (cell, clients) in [(Cell::BroadcastToOne, 1), (Cell::BroadcastToMany, MANY)] {
        rounds.each(cell, number, |row, scratch| match row.wire {
            Wire::Own => Ok(None),
            _ => broadcast(row, scratch, clients, bound).map(Some),
        });
    }
}

/// How many deliveries a second. All clients are raw ones, whatever the library's own are.
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
