//! A row at work: its server, and a client that is connected to it.

use std::io;
use std::time::Duration;

use bench_workload::{Measured, Task};

use crate::child::Child;
use crate::control::{OwnClient, Target};
use crate::link::{self, Link, Scratch, Transport};
use crate::placement::{Placement, place, spread};
use crate::raw::Client;
use crate::row::Row;
use crate::watchdog::Watchdog;

/// A cell that takes longer than this is given up.
const PATIENCE: Duration = Duration::from_secs(25);

/// How many connections are open when the memory of idle ones is looked at.
pub const IDLE: usize = 1_000;

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

    /// Runs the task on those cores; `None` when the library cannot do it.
    pub fn run(&mut self, placement: Placement, task: Task) -> io::Result<Option<Measured>> {
        place(placement, self.driver.pid(), self.server.pid());
        watched(&self.server, || self.driver.run(task))
    }
}

/// Does something with the server, but not forever.
pub fn watched<T>(server: &Child, act: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let watchdog = Watchdog::over(server.pid(), PATIENCE);
    let outcome = act();
    let late = watchdog.has_bitten();
    drop(watchdog);
    outcome.map_err(|error| match late {
        true => io::Error::new(error.kind(), format!("gave up after {PATIENCE:?}")),
        false => error,
    })
}

fn greet(server: &Child, link: Link, row: &Row) -> io::Result<Driver> {
    let client = watched(server, || Client::new(link, row.wire))?;
    Ok(Driver::Raw(Box::new(client)))
}

/// What a connection adds to the server once it has made one call and waits, in KiB. Unix sockets
/// only.
pub fn idle_connection(row: &Row, scratch: &Scratch) -> io::Result<Option<f64>> {
    if row.transport != Transport::Unix {
        return Ok(None);
    }
    let Running { server, mut driver } = Running::open(row, scratch)?;
    let mut idle = Vec::new();
    let mut park = |count: usize| -> io::Result<()> {
        match &mut driver {
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
    watched(&server, || {
        // What the first connection brings into memory is shared by all later ones.
        park(1)?;
        let before = server.resident_kib();
        park(IDLE)?;
        let each = |(before, after): (f64, f64)| (after - before) / IDLE as f64;
        Ok(before.zip(server.resident_kib()).map(each))
    })
}
