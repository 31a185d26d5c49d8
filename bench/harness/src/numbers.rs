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
}
