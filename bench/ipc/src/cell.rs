//! The cells of the table.

use bench_harness::results::{self, Column};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cell {
    Sequential,
    SequentialP99,
    SequentialApart,
    Window,
    WindowApart,
    ToServer,
    ToClient,
    /// Deliveries, with one client and with [`MANY`] of them.
    BroadcastToOne,
    BroadcastToMany,
    Idle,
}

/// The clients of the larger broadcast.
pub const MANY: usize = 100;

impl Column for Cell {
    const ALL: &[Cell] = &[
        Cell::Sequential,
        Cell::SequentialP99,
        Cell::SequentialApart,
        Cell::Window,
        Cell::WindowApart,
        Cell::ToServer,
        Cell::ToClient,
        Cell::BroadcastToOne,
        Cell::BroadcastToMany,
        Cell::Idle,
    ];

    fn apart(self) -> Option<Cell> {
        match self {
            Cell::Sequential => Some(Cell::SequentialApart),
            Cell::Window => Some(Cell::WindowApart),
            _ => None,
        }
    }

    fn heading(self) -> (&'static str, f64) {
        match self {
            Cell::Sequential => ("seq p50 µs", 1.0),
            Cell::SequentialP99 => ("seq p99 µs", 1.0),
            Cell::SequentialApart => ("seq p50 µs, two cores", 1.0),
            Cell::Window => ("64 in flight k/s", 1e-3),
            Cell::WindowApart => ("64 in flight k/s, two cores", 1e-3),
            Cell::ToServer => ("events to the server k/s", 1e-3),
            Cell::ToClient => ("events to a client k/s", 1e-3),
            Cell::BroadcastToOne => ("broadcast to 1: deliveries k/s", 1e-3),
            Cell::BroadcastToMany => ("broadcast to 100: deliveries k/s", 1e-3),
            Cell::Idle => ("idle connection KiB", 1.0),
        }
    }
}

pub type Results = results::Results<Cell>;
