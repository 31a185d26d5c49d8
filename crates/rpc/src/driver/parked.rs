//! Requests that wait because too many are being handled, and events that wait behind them.

use std::collections::VecDeque;

use crate::ids::Ids;
use crate::message::{Event, Id, Request};
use crate::payload::Payload;
use crate::reply::ReplyTo;

/// What waits, in the order in which it came.
#[derive(Default)]
pub(super) struct Parked {
    /// With the numbers that they were given, which go up.
    items: VecDeque<(u64, Item)>,
    last: u64,
    bytes: usize,
    /// How many of the bytes are events.
    event_bytes: usize,
    /// The numbers of the requests.
    ids: Ids<u64>,
}

/// Something that waits.
pub(super) enum Item {
    Request(Request, ReplyTo),
    Event(Event),
}

impl Parked {
    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    /// What they cost.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// What the events among them cost.
    pub(super) fn event_bytes(&self) -> usize {
        self.event_bytes
    }

    pub(super) fn push(&mut self, item: Item) {
        self.bytes += item.size();
        self.last += 1;
        match &item {
            Item::Request(request, _) => self.ids.insert(request.id.clone(), self.last),
            Item::Event(_) => self.event_bytes += item.size(),
        }
        self.items.push_back((self.last, item));
    }

    /// Whether an event is next.
    pub(super) fn is_event_next(&self) -> bool {
        matches!(self.items.front(), Some((_, Item::Event(_))))
    }

    /// Takes what has waited longest.
    pub(super) fn pop(&mut self) -> Option<Item> {
        self.take(0)
    }

    /// Removes the oldest request with this id, and returns where its answer goes.
    pub(super) fn cancel(&mut self, id: &Id) -> Option<ReplyTo> {
        let number = self.ids.oldest(id)?;
        let index = self.items.partition_point(|(other, _)| *other < number);
        match self.take(index)? {
            Item::Request(_, reply_to) => Some(reply_to),
            Item::Event(_) => None,
        }
    }

    /// Lets all requests go; the events stay.
    pub(super) fn drop_requests(&mut self) {
        self.items
            .retain(|(_, item)| matches!(item, Item::Event(_)));
        self.bytes = self.event_bytes;
        self.ids = Ids::default();
    }

    fn take(&mut self, index: usize) -> Option<Item> {
        let (number, item) = self.items.remove(index)?;
        self.bytes -= item.size();
        match &item {
            Item::Request(request, _) => self.ids.remove(&request.id, number),
            Item::Event(_) => self.event_bytes -= item.size(),
        }
        Some(item)
    }
}

impl Item {
    /// What it costs while it waits.
    fn size(&self) -> usize {
        /// Besides the parts whose length the peer chooses.
        const OVERHEAD: usize = 128;
        let length = |params: &Option<Payload>| params.as_ref().map_or(0, |p| p.bytes().len());
        OVERHEAD
            + match self {
                Item::Request(Request { id, method, params }, _) => {
                    id.size() + method.len() + length(params)
                }
                Item::Event(Event { method, params }) => method.len() + length(params),
            }
    }
}
