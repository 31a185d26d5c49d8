//! Requests by the id that their caller chose. A caller may use the same id twice.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};

use crate::message::Id;

/// The requests of one peer by their ids; each has a key of our own. Cancelling an unknown id costs one
/// look-up.
pub(crate) struct Ids<K>(HashMap<Id, Same<K>>);

/// Requests with the same id, oldest first. There is nearly always one, which takes no memory of
/// its own.
struct Same<K> {
    oldest: K,
    others: VecDeque<K>,
}

impl<K> Default for Ids<K> {
    fn default() -> Ids<K> {
        Ids(HashMap::default())
    }
}

impl<K: Copy + PartialEq> Ids<K> {
    pub(crate) fn insert(&mut self, id: Id, key: K) {
        match self.0.entry(id) {
            Entry::Occupied(mut same) => same.get_mut().others.push_back(key),
            Entry::Vacant(vacant) => {
                vacant.insert(Same {
                    oldest: key,
                    others: VecDeque::new(),
                });
            }
        }
    }

    pub(crate) fn remove(&mut self, id: &Id, key: K) {
        let Some(same) = self.0.get_mut(id) else {
            return;
        };
        if same.oldest != key {
            same.others.retain(|other| *other != key);
        } else if let Some(next) = same.others.pop_front() {
            same.oldest = next;
        } else {
            self.0.remove(id);
        }
    }

    /// The oldest request with this id.
    pub(crate) fn oldest(&self, id: &Id) -> Option<K> {
        self.0.get(id).map(|same| same.oldest)
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_with_one_id_the_oldest_is_found() {
        let mut ids = Ids::default();
        for key in 1..=3 {
            ids.insert(Id::from("a"), key);
        }
        ids.insert(Id::from(7), 4);
        assert_eq!(ids.oldest(&Id::from("a")), Some(1));
        ids.remove(&Id::from("a"), 2);
        ids.remove(&Id::from("a"), 1);
        assert_eq!(ids.oldest(&Id::from("a")), Some(3));
        ids.remove(&Id::from("a"), 3);
        assert_eq!(ids.oldest(&Id::from("a")), None);
        assert_eq!(ids.oldest(&Id::from(7)), Some(4));
    }
}
