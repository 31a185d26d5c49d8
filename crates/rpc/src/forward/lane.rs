//! Messages that wait to be forwarded. They keep their order, and nothing is dropped: a peer that sends
//! faster than the other side reads is not read until some have been sent.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, oneshot};

use crate::asked::Asked;
use crate::error::CallError;
use crate::held::Hold;
use crate::message::Event;
use crate::peer::Peer;

/// The waiting messages of one connection.
#[derive(Default)]
pub(super) struct Lane {
    queue: Mutex<Queue>,
    /// Notified whenever the next one is sent, or none is left.
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

/// How much may wait before the sender is no longer read.
#[derive(Clone, Copy, Default)]
struct Limits {
    /// From here on the sender is read only while we wait for an answer of it, which may come after
    /// what it has sent already.
    soft: usize,
    /// From here on it is not read at all. Past the first limit there is room for one message of any
    /// size.
    hard: usize,
}

pub(super) enum Item {
    Event(Event),
    /// A call with its number, and where to report that it has been sent.
    Call(u64, Event, oneshot::Sender<Result<Asked, CallError>>),
}

impl Item {
    fn size(&self) -> usize {
        /// Besides the parts whose length the sender chooses.
        const OVERHEAD: usize = 128;
        let (Item::Event(event) | Item::Call(_, event, _)) = self;
        let params = event.params.as_ref();
        OVERHEAD + event.method.len() + params.map_or(0, |params| params.bytes().len())
    }
}

impl Queue {
    /// Adds a message of `from`.
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

    /// Subtracts the size of an item that no longer waits.
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

    /// The next item and its size; `None` when there is none, and then the moving task ends.
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

    /// Removes a call. One that is being sent is not here.
    pub(super) fn give_up(&self, number: u64) {
        let mut queue = self.queue();
        let is_it =
            |(_, item): &(u64, Item)| matches!(item, Item::Call(other, ..) if *other == number);
        let place = queue.items.iter().position(is_it);
        if let Some((_, item)) = place.and_then(|place| queue.items.remove(place)) {
            queue.free(item.size());
        }
    }

    /// Waits until all items that wait now have been sent.
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
