//! The values of all rounds, their medians and their ratios.

use std::collections::BTreeMap;

/// The values of one row, each with the round it was measured in.
#[derive(Clone, Debug)]
pub struct Numbers<C> {
    values: BTreeMap<C, BTreeMap<usize, f64>>,
    /// The round that values are added to.
    pub round: usize,
}

impl<C> Default for Numbers<C> {
    fn default() -> Self {
        Numbers {
            values: BTreeMap::new(),
            round: 0,
        }
    }
}

impl<C: Copy + Ord> Numbers<C> {
    pub fn add(&mut self, cell: C, value: f64) {
        self.values
            .entry(cell)
            .or_default()
            .insert(self.round, value);
    }

    pub fn all(&self, cell: C) -> Vec<f64> {
        self.values
            .get(&cell)
            .map_or(Vec::new(), |rounds| rounds.values().copied().collect())
    }

    pub fn median(&self, cell: C) -> Option<f64> {
        median(&self.all(cell))
    }

    /// How many times the other's value, as the median over the rounds: within a round both met the
    /// same load, over the run they may not have.
    pub fn ratio(&self, other: &Numbers<C>, cell: C) -> Option<f64> {
        paired(self.values.get(&cell)?, other.values.get(&cell)?)
    }

    /// How many times the value of another cell of the same row, paired in the same way.
    pub fn ratio_within(&self, cell: C, other: C) -> Option<f64> {
        paired(self.values.get(&cell)?, self.values.get(&other)?)
    }
}

/// The median of the ratios of the rounds that both have.
fn paired(ours: &BTreeMap<usize, f64>, theirs: &BTreeMap<usize, f64>) -> Option<f64> {
    let ratios: Vec<f64> = ours
        .iter()
        .filter_map(|(round, value)| Some(value / theirs.get(round)?))
        .collect();
    median(&ratios)
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
            ours.add("rate", value);
        }
        for (round, value) in [(0, 1.0), (1, 10.0), (3, 100.0)] {
            theirs.round = round;
            theirs.add("rate", value);
        }
        assert_eq!(ours.ratio(&theirs, "rate"), Some(2.5));
        assert_eq!(ours.ratio(&theirs, "size"), None);
    }

    #[test]
    fn cells_of_a_row_are_paired_by_round_too() {
        let mut numbers = Numbers::default();
        for (round, one, hundred) in [(0, 1.0, 5.0), (1, 2.0, 20.0), (2, 10.0, 60.0)] {
            numbers.round = round;
            numbers.add("one", one);
            numbers.add("hundred", hundred);
        }
        numbers.round = 3;
        numbers.add("hundred", 1_000.0);
        assert_eq!(numbers.ratio_within("hundred", "one"), Some(6.0));
    }
}
