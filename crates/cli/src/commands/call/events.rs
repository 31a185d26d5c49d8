//! Events of the other side that a conversation may wait for.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tenon_rpc::{Event, Format, Payload};
use tokio::sync::Notify;

/// How many different events are remembered; others can only be waited for while they come.
const NAMES: usize = 64;

/// How many events of one name are kept; beyond that, the oldest are dropped.
const KEPT: usize = 256;

/// How many bytes of params are kept of one name, unless a single event is larger.
const BYTES: usize = 1024 * 1024;

/// The events of each name in the order they came, until `:wait` takes them. One that comes before it is
/// waited for counts, because the order of an answer and an event is not known.
#[derive(Default)]
pub(crate) struct Events {
    unseen: Mutex<BTreeMap<String, VecDeque<Payload>>>,
    arrived: Notify,
}

impl Events {
    fn unseen(&self) -> MutexGuard<'_, BTreeMap<String, VecDeque<Payload>>> {
        self.unseen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An event has come.
    pub(crate) fn note(&self, event: &Event) {
        let params = event.params.clone();
        let params = params.unwrap_or_else(|| Payload::null(Format::Json));
        let mut unseen = self.unseen();
        if unseen.len() < NAMES || unseen.contains_key(event.method.as_str()) {
            let kept = unseen.entry(event.method.to_string()).or_default();
            kept.push_back(params);
            let mut size: usize = kept.iter().map(|params| params.bytes().len()).sum();
            while kept.len() > 1 && (kept.len() > KEPT || size > BYTES) {
                size -= kept.pop_front().map_or(0, |oldest| oldest.bytes().len());
            }
        }
        drop(unseen);
        self.arrived.notify_waiters();
    }

    /// The oldest event of this name that has not been waited for.
    fn take(&self, method: &str) -> Option<Payload> {
        let mut unseen = self.unseen();
        let kept = unseen.get_mut(method)?;
        let oldest = kept.pop_front();
        if kept.is_empty() {
            unseen.remove(method);
        }
        oldest
    }

    /// The params of the first event of this name that has not been waited for yet.
    pub(crate) async fn next(&self, method: &str) -> Payload {
        loop {
            let mut arrived = std::pin::pin!(self.arrived.notified());
            // Listening starts before looking, or an event in between would be missed.
            arrived.as_mut().enable();
            if let Some(params) = self.take(method) {
                return params;
            }
            arrived.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(method: &str, number: i64) -> Event {
        Event {
            method: method.into(),
            params: Payload::encode(Format::Json, &number).ok(),
        }
    }

    #[tokio::test]
    async fn an_event_is_seen_once_however_early_it_comes() {
        let events = Events::default();
        events.note(&event("a", 1));
        events.note(&event("a", 2));
        events.note(&event("b", 3));
        assert_eq!(Some(events.next("a").await), event("a", 1).params);
        assert_eq!(Some(events.next("a").await), event("a", 2).params);
        let next = events.next("a");
        let later = async { events.note(&event("a", 4)) };
        let (next, ()) = tokio::join!(next, later);
        assert_eq!(Some(next), event("a", 4).params);
        assert_eq!(Some(events.next("b").await), event("b", 3).params);
    }

    #[tokio::test]
    async fn the_oldest_of_too_many_are_dropped() {
        let events = Events::default();
        for number in 0..1000 {
            events.note(&event("a", number));
        }
        assert_eq!(events.unseen()["a"].len(), KEPT);
        assert_eq!(Some(events.next("a").await), event("a", 1000 - 256).params);
    }

    #[test]
    fn names_that_are_made_up_take_no_memory() {
        let events = Events::default();
        for number in 0..1000 {
            events.note(&event(&number.to_string(), number));
        }
        assert_eq!(events.unseen().len(), NAMES);
    }
}
