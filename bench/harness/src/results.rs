//! What was measured: for every row and cell the values of all rounds, and their median.

use std::collections::BTreeMap;

use crate::link::Transport;
use crate::rows::{Row, names};

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

impl Cell {
    pub const ALL: [Cell; 19] = [
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

    /// The cell with the same task and each side on cores of its own.
    pub fn apart(self) -> Option<Cell> {
        match self {
            Cell::TinySequential => Some(Cell::TinyApart),
            Cell::Tiny64 => Some(Cell::Tiny64Apart),
            _ => None,
        }
    }

    /// The heading of its column, and what its value is multiplied by there.
    pub fn heading(self) -> (&'static str, f64) {
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

/// The values of one row, each with the round it was measured in.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    values: BTreeMap<Cell, BTreeMap<usize, f64>>,
    /// The round that values are added to.
    pub round: usize,
}

impl Numbers {
    pub fn add(&mut self, cell: Cell, value: f64) {
        self.values
            .entry(cell)
            .or_default()
            .insert(self.round, value);
    }

    pub fn all(&self, cell: Cell) -> Vec<f64> {
        self.values
            .get(&cell)
            .map_or(Vec::new(), |rounds| rounds.values().copied().collect())
    }

    pub fn median(&self, cell: Cell) -> Option<f64> {
        median(&self.all(cell))
    }

    /// How many times the other's value, as the median over the rounds: within a round both met the
    /// same load, over the run they may not have.
    pub fn ratio(&self, other: &Numbers, cell: Cell) -> Option<f64> {
        let (ours, theirs) = (self.values.get(&cell)?, other.values.get(&cell)?);
        let ratios: Vec<f64> = ours
            .iter()
            .filter_map(|(round, value)| Some(value / theirs.get(round)?))
            .collect();
        median(&ratios)
    }
}

pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    let upper = *sorted.get(middle)?;
    Some(if sorted.len() % 2 == 1 {
        upper
    } else {
        (sorted[middle - 1] + upper) / 2.0
    })
}

pub struct Results {
    pub rows: Vec<(Row, Numbers)>,
}

impl Results {
    pub fn row(&self, name: &str, transport: Transport) -> Option<&Numbers> {
        let found = self
            .rows
            .iter()
            .find(|(row, _)| row.name == name && row.transport == transport);
        found.map(|(_, numbers)| numbers)
    }

    /// As a multiple of what the bare transport does in the same run.
    pub fn ratio(&self, row: &Row, numbers: &Numbers, cell: Cell) -> Option<f64> {
        numbers.ratio(self.row(names::LIMIT, row.transport)?, cell)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_count_is_between_the_middle_two() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }

    #[test]
    fn ratios_pair_the_rounds_that_both_have() {
        let (mut ours, mut theirs) = (Numbers::default(), Numbers::default());
        for (round, value) in [(0, 2.0), (1, 30.0), (2, 4.0)] {
            ours.round = round;
            ours.add(Cell::Tiny64, value);
        }
        for (round, value) in [(0, 1.0), (1, 10.0), (3, 100.0)] {
            theirs.round = round;
            theirs.add(Cell::Tiny64, value);
        }
        assert_eq!(ours.ratio(&theirs, Cell::Tiny64), Some(2.5));
        assert_eq!(ours.ratio(&theirs, Cell::Idle), None);
    }
}
