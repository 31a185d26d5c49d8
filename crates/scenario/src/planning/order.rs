//! An order in which everything comes after what it depends on.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The order, or a way that leads back to where it began: each of the ways' elements depends on the
/// next, and the last is the first. Where there is a choice, the lower number comes first.
pub(crate) fn order(dependencies: &[Vec<usize>]) -> Result<Vec<usize>, Vec<usize>> {
    let mut waiting: Vec<usize> = vec![0; dependencies.len()];
    let mut dependents: Vec<Vec<usize>> = vec![Vec::new(); dependencies.len()];
    for (id, befores) in dependencies.iter().enumerate() {
        waiting[id] = befores.len();
        for before in befores {
            dependents[*before].push(id);
        }
    }
    let ready = waiting.iter().enumerate().filter(|(_, left)| **left == 0);
    let mut ready: BinaryHeap<Reverse<usize>> = ready.map(|(id, _)| Reverse(id)).collect();
    let mut order = Vec::with_capacity(dependencies.len());
    while let Some(Reverse(id)) = ready.pop() {
        order.push(id);
        for dependent in &dependents[id] {
            waiting[*dependent] -= 1;
            if waiting[*dependent] == 0 {
                ready.push(Reverse(*dependent));
            }
        }
    }
    match order.len() == dependencies.len() {
        true => Ok(order),
        false => Err(way_around(dependencies, &waiting)),
    }
}

/// Every node that is left waits for another one that is left, so following them leads around.
fn way_around(dependencies: &[Vec<usize>], waiting: &[usize]) -> Vec<usize> {
    let mut way: Vec<usize> = Vec::new();
    let mut position = vec![None; dependencies.len()];
    let mut next = waiting.iter().position(|left| *left > 0);
    while let Some(id) = next {
        if let Some(start) = position[id] {
            let mut around = way.split_off(start);
            around.push(id);
            return around;
        }
        position[id] = Some(way.len());
        way.push(id);
        next = dependencies[id]
            .iter()
            .copied()
            .find(|before| waiting[*before] > 0);
    }
    way
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lower_numbers_come_first_where_there_is_a_choice() {
        let dependencies = [vec![], vec![3], vec![], vec![0]];
        assert_eq!(order(&dependencies), Ok(vec![0, 2, 3, 1]));
    }

    #[test]
    fn a_way_around_is_shown_whole() {
        let dependencies = [vec![], vec![0, 2], vec![3], vec![4], vec![2], vec![1]];
        assert_eq!(order(&dependencies), Err(vec![2, 3, 4, 2]));
    }

    #[test]
    fn one_that_waits_for_itself() {
        assert_eq!(order(&[vec![0]]), Err(vec![0, 0]));
    }
}
