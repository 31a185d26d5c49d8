//! Which node may go next: a plain table, without any input or output.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Some of a graph's nodes, each of which goes when all that it waits for is done.
#[derive(Debug)]
pub(crate) struct Schedule {
    nodes: Vec<State>,
    /// Those that may go, the lowest rank first.
    ready: BinaryHeap<Reverse<(usize, usize)>>,
    left: usize,
}

#[derive(Clone, Debug)]
struct State {
    /// Its place in the order, if it is part of this schedule.
    rank: Option<usize>,
    waiting: usize,
    dependents: Vec<usize>,
    is_over: bool,
}

impl Schedule {
    /// A schedule of the nodes in `order`; of several that may go, the first in it goes first.
    /// Dependencies that are not in it count as done.
    pub(crate) fn new(dependencies: &[Vec<usize>], order: &[usize]) -> Schedule {
        let nobody = State {
            rank: None,
            waiting: 0,
            dependents: Vec::new(),
            is_over: false,
        };
        let mut nodes = vec![nobody; dependencies.len()];
        for (rank, id) in order.iter().enumerate() {
            nodes[*id].rank = Some(rank);
        }
        for id in order {
            for before in &dependencies[*id] {
                if nodes[*before].rank.is_some() {
                    nodes[*before].dependents.push(*id);
                    nodes[*id].waiting += 1;
                }
            }
        }
        let mut schedule = Schedule {
            nodes,
            ready: BinaryHeap::new(),
            left: order.len(),
        };
        for id in order {
            schedule.offer(*id);
        }
        schedule
    }

    fn offer(&mut self, id: usize) {
        let state = &self.nodes[id];
        if let (0, Some(rank), false) = (state.waiting, state.rank, state.is_over) {
            self.ready.push(Reverse((rank, id)));
        }
    }

    /// The next one that may go.
    pub(crate) fn next(&mut self) -> Option<usize> {
        while let Some(Reverse((_, id))) = self.ready.pop() {
            if !self.nodes[id].is_over {
                return Some(id);
            }
        }
        None
    }

    /// The place of a node in the order.
    pub(crate) fn rank(&self, id: usize) -> usize {
        self.nodes[id].rank.unwrap_or(usize::MAX)
    }

    /// It is done: those that waited for it may go.
    pub(crate) fn done(&mut self, id: usize) {
        if !self.finish(id) {
            return;
        }
        for dependent in self.nodes[id].dependents.clone() {
            self.nodes[dependent].waiting -= 1;
            self.offer(dependent);
        }
    }

    /// It failed, so the nodes that wait for it, directly or not, never go. Returns them in order.
    pub(crate) fn failed(&mut self, id: usize) -> Vec<usize> {
        self.finish(id);
        let mut lost = Vec::new();
        let mut left = vec![id];
        while let Some(next) = left.pop() {
            for dependent in self.nodes[next].dependents.clone() {
                if self.finish(dependent) {
                    lost.push(dependent);
                    left.push(dependent);
                }
            }
        }
        lost.sort_by_key(|id| self.nodes[*id].rank);
        lost
    }

    fn finish(&mut self, id: usize) -> bool {
        let state = &mut self.nodes[id];
        let is_news = state.rank.is_some() && !state.is_over;
        state.is_over = true;
        self.left -= usize::from(is_news);
        is_news
    }

    /// Whether no node is left.
    pub(crate) fn is_over(&self) -> bool {
        self.left == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0 <- 1 <- 3, 2 <- 3, 4
    fn diamond() -> Vec<Vec<usize>> {
        vec![vec![], vec![0], vec![], vec![1, 2], vec![]]
    }

    #[test]
    fn each_goes_when_what_it_needs_is_done() {
        let mut schedule = Schedule::new(&diamond(), &[0, 1, 2, 3, 4]);
        assert_eq!(schedule.next(), Some(0));
        assert_eq!(schedule.next(), Some(2));
        assert_eq!(schedule.next(), Some(4));
        assert_eq!(schedule.next(), None);
        schedule.done(2);
        assert_eq!(schedule.next(), None);
        schedule.done(0);
        assert_eq!(schedule.next(), Some(1));
        schedule.done(4);
        schedule.done(1);
        assert_eq!(schedule.next(), Some(3));
        assert!(!schedule.is_over());
        schedule.done(3);
        assert!(schedule.is_over());
    }

    #[test]
    fn a_failure_stops_what_depends_on_it_and_nothing_else() {
        let mut schedule = Schedule::new(&diamond(), &[0, 1, 2, 3, 4]);
        assert_eq!(schedule.next(), Some(0));
        assert_eq!(schedule.failed(0), [1, 3]);
        assert_eq!(schedule.next(), Some(2));
        schedule.done(2);
        assert_eq!(schedule.next(), Some(4));
        schedule.done(4);
        assert!(schedule.is_over());
    }

    #[test]
    fn what_is_not_part_of_it_counts_as_done() {
        let mut schedule = Schedule::new(&diamond(), &[1, 3]);
        assert_eq!(schedule.next(), Some(1));
        schedule.done(1);
        assert_eq!(schedule.next(), Some(3));
    }
}
