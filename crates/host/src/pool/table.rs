//! The processes and their calls. A plain table: nothing is awaited here.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::Hash;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::Started;
use crate::error::PluginError;
use crate::plugin::Plugin;

pub(super) struct Table<K, T> {
    places: HashMap<K, Place<T>>,
    /// Processes that run or are being started, of all keys and of none.
    pub(super) count: usize,
    /// Cancelled to give up the starts that are under way.
    pub(super) starts: CancellationToken,
    pub(super) is_swept: bool,
    last_id: u64,
}

/// The processes of one key.
pub(super) struct Place<T> {
    slots: Vec<Slot<T>>,
    pub(super) starting: usize,
    /// Calls that wait for a process.
    pub(super) waiting: usize,
    pub(super) learned: Option<Learned>,
    /// How many starts have failed.
    pub(super) failures: usize,
    pub(super) last_failure: Option<Arc<PluginError>>,
}

/// What the first process of a key has said.
#[derive(Clone, Copy)]
pub(super) struct Learned {
    pub(super) capacity: NonZeroUsize,
    pub(super) at: Instant,
    /// How long it took to start.
    pub(super) took: Duration,
}

/// A process.
pub(super) struct Member<T> {
    pub(super) id: u64,
    pub(super) plugin: Plugin,
    pub(super) extra: T,
    capacity: NonZeroUsize,
}

/// A process and its calls.
struct Slot<T> {
    member: Arc<Member<T>>,
    in_flight: usize,
    /// How many calls it has had, with those in flight.
    calls: u64,
    last_used: Instant,
    is_retired: bool,
}

/// A process that has been taken for a call.
pub(super) struct Taken<T> {
    pub(super) member: Arc<Member<T>>,
    /// How many calls the process has had, with this one.
    pub(super) calls: u64,
    /// Whether the process had no other call then.
    pub(super) was_idle: bool,
}

/// Processes to be ended after the lock on the table is released.
pub(super) type Unwanted<T> = Vec<Arc<Member<T>>>;

impl<K, T> Default for Table<K, T> {
    fn default() -> Table<K, T> {
        Table {
            places: HashMap::new(),
            count: 0,
            starts: CancellationToken::new(),
            is_swept: false,
            last_id: 0,
        }
    }
}

impl<T> Default for Place<T> {
    fn default() -> Place<T> {
        Place {
            slots: Vec::new(),
            starting: 0,
            waiting: 0,
            learned: None,
            failures: 0,
            last_failure: None,
        }
    }
}

impl<T> Place<T> {
    /// Whether no process that may have room later runs or is being started.
    pub(super) fn has_nobody(&self) -> bool {
        self.starting == 0 && self.running() == 0
    }

    /// How many processes run.
    pub(super) fn running(&self) -> usize {
        self.slots.iter().filter(|slot| slot.is_usable()).count()
    }
}

impl<T> Slot<T> {
    fn is_usable(&self) -> bool {
        let plugin = &self.member.plugin;
        !self.is_retired && plugin.process().status().is_none() && !plugin.peer().is_closed()
    }

    fn has_room(&self) -> bool {
        self.in_flight < self.member.capacity.get()
    }
}

impl<K: Clone + Eq + Hash, T> Table<K, T> {
    pub(super) fn place(&mut self, key: &K) -> &mut Place<T> {
        self.places.entry(key.clone()).or_default()
    }

    /// Takes a process that has room for a call: the busiest, and among idle ones the one that was
    /// used last, so that those that are not needed stay idle and are ended.
    pub(super) fn take(
        &mut self,
        key: &K,
        fits: impl Fn(&T) -> bool,
    ) -> (Option<Taken<T>>, Unwanted<T>) {
        let dead = self.remove_where(Some(key), |slot| slot.in_flight == 0 && !slot.is_usable());
        let slots = &mut self.place(key).slots;
        slots.sort_by_key(|slot| (Reverse(slot.in_flight), Reverse(slot.last_used)));
        let mut free = { slots.iter_mut() }.filter(|slot| slot.is_usable() && slot.has_room());
        let taken = free.find(|slot| fits(&slot.member.extra)).map(|slot| {
            slot.in_flight += 1;
            slot.calls += 1;
            Taken {
                member: slot.member.clone(),
                calls: slot.calls,
                was_idle: slot.in_flight == 1,
            }
        });
        (taken, dead)
    }

    /// A process that is in no place.
    pub(super) fn alone(&mut self, started: Started<T>) -> Taken<T> {
        Taken {
            member: Arc::new(self.member(started)),
            calls: 1,
            was_idle: true,
        }
    }

    fn member(&mut self, started: Started<T>) -> Member<T> {
        self.last_id += 1;
        Member {
            id: self.last_id,
            plugin: started.plugin,
            extra: started.extra,
            capacity: started.capacity,
        }
    }

    /// How many calls a process has had, and has now.
    pub(super) fn calls(&self, key: &K, id: u64) -> Option<(u64, usize)> {
        let place = self.places.get(key)?;
        let slot = place.slots.iter().find(|slot| slot.member.id == id)?;
        Some((slot.calls, slot.in_flight))
    }

    /// A call is over. Unless its process `is_fit`, it gets no other.
    pub(super) fn give_back(
        &mut self,
        key: &K,
        member: Arc<Member<T>>,
        is_fit: bool,
    ) -> Unwanted<T> {
        let id = member.id;
        // Here, while the table still has another: dropping the last one kills the process.
        drop(member);
        let mut slots = self.place(key).slots.iter_mut();
        if let Some(slot) = slots.find(|slot| slot.member.id == id) {
            slot.in_flight -= 1;
            slot.last_used = Instant::now();
            slot.is_retired |= !is_fit;
        }
        self.remove_where(Some(key), |slot| slot.in_flight == 0 && !slot.is_usable())
    }

    /// Counts one process more, of this key if there is one. If there are `limit` already the one
    /// that has been idle longest goes, unless a call waits for just that one.
    pub(super) fn reserve(&mut self, key: Option<&K>, limit: usize) -> (bool, Unwanted<T>) {
        let mut evicted = Vec::new();
        if self.count >= limit {
            let is_free = |found: &K, place: &Place<T>| place.waiting == 0 || key == Some(found);
            let places = { self.places.iter() }.filter(|(found, place)| is_free(found, place));
            let slots = places.flat_map(|(_, place)| &place.slots);
            let idle = slots.filter(|slot| slot.in_flight == 0);
            let longest = idle.min_by_key(|slot| slot.last_used);
            let Some(id) = longest.map(|slot| slot.member.id) else {
                return (false, evicted);
            };
            evicted = self.remove_where(None, |slot| slot.member.id == id);
        }
        self.count += 1;
        (true, evicted)
    }

    /// A start is over: it succeeded, failed or was given up. Tells what to say to the call that
    /// caused it.
    pub(super) fn finish_start(
        &mut self,
        key: &K,
        started: Option<Result<Started<T>, PluginError>>,
        is_current: bool,
        began: Instant,
    ) -> (Option<Result<(), Arc<PluginError>>>, Unwanted<T>) {
        self.place(key).starting -= 1;
        match started {
            Some(Ok(started)) => {
                let (capacity, now) = (started.capacity, Instant::now());
                let member = Arc::new(self.member(started));
                if !is_current {
                    self.count -= 1;
                    return (None, vec![member]);
                }
                let place = self.place(key);
                place.learned.get_or_insert(Learned {
                    capacity,
                    at: now,
                    took: now - began,
                });
                place.slots.push(Slot {
                    member,
                    in_flight: 0,
                    calls: 0,
                    last_used: now,
                    is_retired: false,
                });
                (Some(Ok(())), Vec::new())
            }
            Some(Err(error)) if is_current => {
                self.count -= 1;
                let error = Arc::new(error);
                let place = self.place(key);
                place.failures += 1;
                place.last_failure = Some(error.clone());
                (Some(Err(error)), Vec::new())
            }
            Some(Err(_)) | None => {
                self.count -= 1;
                (None, Vec::new())
            }
        }
    }

    /// Takes out what has been idle for so long, or has ended while it was.
    pub(super) fn take_idle(&mut self, idle: Duration) -> Unwanted<T> {
        self.remove_where(None, |slot| {
            slot.in_flight == 0 && (slot.last_used.elapsed() >= idle || !slot.is_usable())
        })
    }

    pub(super) fn abandon_starts(&mut self) {
        std::mem::take(&mut self.starts).cancel();
    }

    /// Takes out all idle processes, and sees to it that the others get no other call.
    pub(super) fn retire_all(&mut self) -> Unwanted<T> {
        self.abandon_starts();
        for place in self.places.values_mut() {
            place
                .slots
                .iter_mut()
                .for_each(|slot| slot.is_retired = true);
            // The next process may be another program.
            place.learned = None;
        }
        let idle = self.remove_where(None, |slot| slot.in_flight == 0);
        self.places
            .retain(|_, place| !place.slots.is_empty() || place.starting > 0 || place.waiting > 0);
        idle
    }

    fn remove_where(
        &mut self,
        key: Option<&K>,
        is_unwanted: impl Fn(&Slot<T>) -> bool,
    ) -> Unwanted<T> {
        let mut removed = Vec::new();
        for (found, place) in &mut self.places {
            if key.is_none_or(|key| key == found) {
                let unwanted = place.slots.extract_if(.., |slot| is_unwanted(slot));
                removed.extend(unwanted.map(|slot| slot.member));
            }
        }
        self.count -= removed.len();
        removed
    }
}
