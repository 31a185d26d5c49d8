//! Events of the other side that a conversation may wait for.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tenon_rpc::{Event, Format, Payload};
use tokio::sync::Notify;

/// How many different events are remembered; others can only be waited for while they come.
const NAMES: usize = 64;

/// The last event of each name, until somebody has waited for it. One that comes before it is waited
/// for counts: whoever asks for something cannot know which comes first.
#[derive(Default)]
pub(crate) struct Events {
    unseen: Mutex<BTreeMap<String, Payload>>,
    arrived: Notify,
}

impl Events {
    fn unseen(&self) -> MutexGuard<'_, BTreeMap<String, Payload>> {
        self.unseen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An event has come.
    pub(crate) fn note(&self, event: &Event) {
        let params = event.params.clone();
        let params = params.unwrap_or_else(|| Payload::null(Format::Json));
        let mut unseen = self.unseen();
        if unseen.len() < NAMES || unseen.contains_key(event.method.as_str()) {
            unseen.insert(event.method.to_string(), params);
        }
        drop(unseen);
        self.arrived.notify_waiters();
    }

    /// The params of the next event of this name, or of the last one that nobody waited for.
    pub(crate) async fn next(&self, method: &str) -> Payload {
        loop {
            let mut arrived = std::pin::pin!(self.arrived.notified());
            // Listening starts before looking, or an event in between would be missed.
            arrived.as_mut().enable();
            if let Some(params) = self.unseen().remove(method) {
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
        assert_eq!(Some(events.next("a").await), event("a", 2).params);
        let next = events.next("a");
        let later = async { events.note(&event("a", 4)) };
        let (next, ()) = tokio::join!(next, later);
        assert_eq!(Some(next), event("a", 4).params);
        assert_eq!(Some(events.next("b").await), event("b", 3).params);
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
