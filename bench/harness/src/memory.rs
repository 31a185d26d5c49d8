//! Memory that takes a run of its own: a long flood, and a thousand connections that do nothing.

use std::io;
use std::time::Duration;

use bench_harness::watchdog::Watchdog;
use bench_workload::{Bound, Size, Task};

use crate::link::{self, Scratch, Transport};
use crate::raw::Client;
use crate::results::{Cell, Numbers};
use crate::round::{Driver, Running};
use crate::rows::Row;

pub const CONNECTIONS: usize = 1_000;

/// Does the peak depend on how long the flood lasts? Compare with the flood of the rounds.
pub fn long_flood(
    row: &Row,
    scratch: &Scratch,
    millis: u64,
    numbers: &mut Numbers,
) -> io::Result<()> {
    let Running { server, mut driver } = Running::open(row, scratch)?;
    let _watchdog = Watchdog::over(server.pid(), Duration::from_secs(25));
    let task = Task::Events {
        size: Size::Tiny,
        bound: Bound::time(millis),
    };
    if driver.run(task)?.is_some()
        && let Some(kib) = server.peak_kib()
    {
        numbers.add(Cell::PeakLongFlood, kib / 1024.0);
    }
    Ok(())
}

/// What a connection adds to the server once it has made one call and waits. Unix sockets only.
pub fn idle_connections(row: &Row, scratch: &Scratch, numbers: &mut Numbers) -> io::Result<()> {
    if row.transport != Transport::Unix {
        return Ok(());
    }
    let Running {
        server,
        driver: mut first,
    } = Running::open(row, scratch)?;
    let _watchdog = Watchdog::over(server.pid(), Duration::from_secs(25));
    // What the first connection brings into memory is shared by all later ones.
    let mut idle = Vec::new();
    let mut park = |count: usize| -> io::Result<()> {
        match &mut first {
            Driver::Own(client) => client.run(Task::Idle { connections: count }).map(|_| ()),
            Driver::Raw(_) => {
                for _ in 0..count {
                    let mut client =
                        Client::new(link::connect(&scratch.file(&row.slug()))?, row.wire)?;
                    client.one_call()?;
                    idle.push(client);
                }
                Ok(())
            }
        }
    };
    park(1)?;
    let before = server.resident_kib();
    park(CONNECTIONS)?;
    if let (Some(before), Some(after)) = (before, server.resident_kib()) {
        numbers.add(Cell::Idle, (after - before) / CONNECTIONS as f64);
    }
    Ok(())
}
