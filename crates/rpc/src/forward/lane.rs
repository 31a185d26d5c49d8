//! Messages that wait to be passed on. They go in the order in which they came, and nothing is
//! dropped: whoever sends faster than the other side reads is not read until some have gone.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, oneshot};

use crate::asked::Asked;
use crate::error::CallError;
use crate::held::Hold;
use crate::message::Event;
use crate::peer::Peer;

/// The messages of one connection that wait.
#[derive(Default)]
pub(super) struct Lane {
    queue: Mutex<Queue>,
    /// Told whenever the next one is sent, or none is left.
    moved: Notify,
}

#[derive(Default)]
pub(super) struct Queue {
    /// With the numbers that they were given, which go up.
    items: VecDeque<(u64, Item)>,
    /// What the items cost, and the one that is being sent.
    bytes: usize,
    /// Whether a task moves them on. It ends with the last of them, so that an idle lane has none.
    pub(super) is_moving: bool,
    limits: Limits,
    hold: Option<Hold>,
    /// The number of the last one that came, and of the one that is being sent.
    last: u64,
    current: u64,
}

/// How much may wait before the sender is not read any more.
#[derive(Clone, Copy, Default)]
struct Limits {
    /// From here on it is read only while somebody waits for an answer of its, which may lie behind
    /// what it sent before.
    soft: usize,
    /// From here on it is not read at all: past the first limit, one message of any size has found
    /// room.
    hard: usize,
}

pub(super) enum Item {
    Event(Event),
    /// A call with its number, and where to tell that it has been sent.
    Call(u64, Event, oneshot::Sender<Result<Asked, CallError>>),
}

impl Item {
    fn size(&self) -> usize {
        /// Besides what the sender chose the length of.
        const OVERHEAD: usize = 128;
        let (Item::Event(event) | Item::Call(_, event, _)) = self;
        let params = event.params.as_ref();
        OVERHEAD + event.method.len() + params.map_or(0, |params| params.bytes().len())
    }
}

impl Queue {
    /// Lets a message of `from` wait.
    pub(super) fn push(&mut self, item: Item, from: &Peer) {
        let options = &from.shared.options;
        self.limits = Limits {
            soft: options.waiting_bytes,
            hard: options.waiting_bytes.saturating_add(options.limits.frame),
        };
        self.bytes += item.size();
        self.last += 1;
        self.items.push_back((self.last, item));
        if self.bytes >= self.limits.soft {
            let hold = self.hold.get_or_insert_with(|| from.hold());
            if self.bytes >= self.limits.hard {
                hold.entirely();
            }
        }
    }

    /// So much does not wait any more.
    fn free(&mut self, size: usize) {
        self.bytes -= size;
        if self.bytes < self.limits.soft / 2 {
            self.hold = None;
        } else if self.bytes < self.limits.hard
            && let Some(hold) = &self.hold
        {
            hold.unless_asked();
        }
    }
}

impl Lane {
    pub(super) fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next item and what it costs; `None` when there is none, and then nobody moves any.
    pub(super) fn next(&self) -> Option<(Item, usize)> {
        let mut queue = self.queue();
        let next = queue.items.pop_front();
        queue.is_moving = next.is_some();
        let next = next.map(|(number, item)| {
            queue.current = number;
            let size = item.size();
            (item, size)
        });
        drop(queue);
        self.moved.notify_waiters();
        next
    }

    /// An item has been sent, or never will be.
    pub(super) fn gone(&self, size: usize) {
        self.queue().free(size);
    }

    /// A call is not made any more. One that is being sent is not here.
    pub(super) fn give_up(&self, number: u64) {
        let mut queue = self.queue();
        let is_it =
            |(_, item): &(u64, Item)| matches!(item, Item::Call(other, ..) if *other == number);
        let place = queue.items.iter().position(is_it);
        if let Some((_, item)) = place.and_then(|place| queue.items.remove(place)) {
            queue.free(item.size());
        }
    }

    /// Waits until everything that waits now has gone.
    pub(super) async fn caught_up(&self) {
        let last = self.queue().last;
        let has_gone = || {
            let queue = self.queue();
            !queue.is_moving || queue.current > last
        };
        loop {
            let moved = self.moved.notified();
            if has_gone() {
                return;
            }
            moved.await;
        }
    }
}
