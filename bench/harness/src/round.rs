//! One round over all rows: fresh servers, every cell once, their memory in between.

use std::collections::BTreeSet;
use std::io;
use std::time::Duration;

use bench_harness::child::Child;
use bench_harness::placement::{Placement, place, spread};
use bench_harness::watchdog::Watchdog;
use bench_workload::{Bound, Measured, Size, Task};

use crate::control::{OwnClient, Target};
use crate::link::{self, Link, Scratch, Transport};
use crate::raw::Client;
use crate::results::{Cell, Numbers, Results};
use crate::rows::Row;

/// A cell that takes longer than this is given up.
const PATIENCE: Duration = Duration::from_secs(25);

/// Where the client end of a row is.
pub enum Driver {
    Raw(Box<Client>),
    Own(OwnClient),
}

impl Driver {
    fn pid(&self) -> u32 {
        match self {
            Driver::Raw(_) => std::process::id(),
            Driver::Own(client) => client.pid(),
        }
    }

    pub fn run(&mut self, task: Task) -> io::Result<Option<Measured>> {
        match self {
            Driver::Raw(client) => client.run(task).map(Some),
            Driver::Own(client) => client.run(task),
        }
    }
}

/// A row at work: its server, and a client that is connected to it.
pub struct Running {
    pub server: Child,
    pub driver: Driver,
}

impl Running {
    /// Starts a row's server and connects to it.
    pub fn open(row: &Row, scratch: &Scratch) -> io::Result<Running> {
        spread();
        let socket = scratch.file(&row.slug());
        let (server, driver) = match (&row.client, row.transport) {
            (None, Transport::Pipe) => {
                let (server, link) = link::over_pipes(&row.server)?;
                let driver = greet(&server, link, row)?;
                (server, driver)
            }
            (None, Transport::Unix) => {
                let server = link::on_socket(&row.server, &socket)?;
                let driver = greet(&server, link::connect(&socket)?, row)?;
                (server, driver)
            }
            (Some(client), Transport::Unix) => {
                let server = link::on_socket(&row.server, &socket)?;
                let client = OwnClient::start(client, Target::Socket(&socket), scratch)?;
                (server, Driver::Own(client))
            }
            (Some(client), Transport::Pipe) => {
                let (from_server, to_client) = io::pipe()?;
                let (from_client, to_server) = io::pipe()?;
                let mut command = row.server.command();
                let server = Child::start(command.stdin(from_client).stdout(to_client))?;
                // The command still holds the server's ends; with them open no side would see the
                // end of the other.
                drop(command);
                let target = Target::Pipes(from_server.into(), to_server.into());
                (
                    server,
                    Driver::Own(OwnClient::start(client, target, scratch)?),
                )
            }
        };
        Ok(Running { server, driver })
    }

    /// Runs the task on those cores and adds what it gives to the numbers.
    fn measure(
        &mut self,
        cell: Cell,
        placement: Placement,
        task: Task,
        numbers: &mut Numbers,
    ) -> io::Result<()> {
        place(placement, self.driver.pid(), self.server.pid());
        let before = self.server.cpu();
        let watchdog = Watchdog::over(self.server.pid(), PATIENCE);
        let outcome = self.driver.run(task);
        let late = watchdog.has_bitten();
        drop(watchdog);
        let measured = outcome.map_err(|error| {
            let why = if late {
                format!("gave up after {PATIENCE:?}")
            } else {
                error.to_string()
            };
            io::Error::new(error.kind(), format!("{cell:?}: {why}"))
        })?;
        let Some(measured) = measured else {
            return Ok(());
        };
        match (measured.p50_micros, measured.p99_micros) {
            (Some(p50), Some(p99)) => {
                numbers.add(cell, p50);
                if cell == Cell::TinySequential {
                    numbers.add(Cell::TinySequentialP99, p99);
                }
            }
            _ => numbers.add(cell, measured.per_second()),
        }
        if cell == Cell::Tiny64
            && let (Some(before), Some(after)) = (before, self.server.cpu())
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
        if let (Some(peak), Some(kib)) = (peak, self.server.peak_kib()) {
            numbers.add(peak, kib / 1024.0);
        }
        Ok(())
    }
}

fn greet(server: &Child, link: Link, row: &Row) -> io::Result<Driver> {
    let _watchdog = Watchdog::over(server.pid(), PATIENCE);
    Ok(Driver::Raw(Box::new(Client::new(link, row.wire)?)))
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
        faults.insert(format!("{} ({}): {error}", row.name, row.transport.name()));
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
            if let Err(error) = pair.measure(cell, placement, task, numbers) {
                report(row, error);
                running[index] = None;
            }
        }
    }
}
