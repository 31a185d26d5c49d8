//! The cells of the table.

use bench_harness::results::{self, Column};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cell {
    TinySequential,
    TinySequentialP99,
    TinyApart,
    Tiny64,
    Tiny64Apart,
    Tiny1024,
    TinyEvents,
    Cpu64,
    KibSequential,
    Kib64,
    KibEvents,
    MibSequential,
    Mib16,
    MibEvents,
    PeakTiny,
    PeakFlood,
    PeakLongFlood,
    PeakMib,
    Idle,
}

impl Column for Cell {
    const ALL: &[Cell] = &[
        Cell::TinySequential,
        Cell::TinySequentialP99,
        Cell::TinyApart,
        Cell::Tiny64,
        Cell::Tiny64Apart,
        Cell::Tiny1024,
        Cell::TinyEvents,
        Cell::Cpu64,
        Cell::KibSequential,
        Cell::Kib64,
        Cell::KibEvents,
        Cell::MibSequential,
        Cell::Mib16,
        Cell::MibEvents,
        Cell::PeakTiny,
        Cell::PeakFlood,
        Cell::PeakLongFlood,
        Cell::PeakMib,
        Cell::Idle,
    ];

    fn apart(self) -> Option<Cell> {
        match self {
            Cell::TinySequential => Some(Cell::TinyApart),
            Cell::Tiny64 => Some(Cell::Tiny64Apart),
            _ => None,
        }
    }

    fn heading(self) -> (&'static str, f64) {
        match self {
            Cell::TinySequential => ("seq p50 µs", 1.0),
            Cell::TinySequentialP99 => ("seq p99 µs", 1.0),
            Cell::TinyApart => ("seq p50 µs, two cores", 1.0),
            Cell::Tiny64 => ("64 in flight k/s", 1e-3),
            Cell::Tiny64Apart => ("64 in flight k/s, two cores", 1e-3),
            Cell::Tiny1024 => ("1024 in flight k/s", 1e-3),
            Cell::TinyEvents => ("events k/s", 1e-3),
            Cell::Cpu64 => ("server CPU µs/req at 64", 1.0),
            Cell::KibSequential => ("1 KiB seq p50 µs", 1.0),
            Cell::Kib64 => ("1 KiB 64 in flight k/s", 1e-3),
            Cell::KibEvents => ("1 KiB events k/s", 1e-3),
            Cell::MibSequential => ("1 MiB seq p50 ms", 1e-3),
            Cell::Mib16 => ("1 MiB 16 in flight MiB/s", 1.0),
            Cell::MibEvents => ("1 MiB events MiB/s", 1.0),
            Cell::PeakTiny => ("peak RSS MB: tiny calls", 1.0),
            Cell::PeakFlood => ("flood of events", 1.0),
            Cell::PeakLongFlood => ("flood ten times as long", 1.0),
            Cell::PeakMib => ("1 MiB", 1.0),
            Cell::Idle => ("idle connection KiB", 1.0),
        }
    }
}

pub type Results = results::Results<Cell>;
pub type Numbers = bench_harness::numbers::Numbers<Cell>;
