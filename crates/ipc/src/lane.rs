//! A bounded queue of events for one peer that may read slowly. Senders do not wait.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tenon_rpc::{
    Peer,
    calls::{Prepared, Refused},
};
use tokio::sync::Notify;

/// What happens to events that a peer does not read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Slow {
    /// The oldest ones are dropped, and counted.
    #[default]
    DropOldest,
    /// The connection is ended.
    Disconnect,
}

/// How many events may wait for a slow peer, on top of what its connection's queue holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    pub(crate) events: usize,
    pub(crate) bytes: usize,
    pub(crate) slow: Slow,
}

/// What happened to an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Offered {
    /// It is sent, now or later, before any event that is offered after it.
    Taken,
    /// The connection has ended, or cannot express it.
    Gone,
    /// Too many events wait already, and the peer is to be disconnected.
    TooSlow,
}

/// The events for one peer.
#[derive(Debug)]
pub(crate) struct Lane {
    waiting: Mutex<Waiting>,
    /// Whether a task moves them on. It ends with the last of them, so that an idle lane has none.
    /// Changed under the lock; read without it in the usual case that no event waits.
    is_moving: AtomicBool,
    /// Notified whenever an event has been sent or dropped.
    moved: Notify,
    missed: AtomicU64,
    patience: Patience,
}

#[derive(Debug, Default)]
struct Waiting {
    events: VecDeque<Arc<Prepared>>,
    bytes: usize,
    /// How many events have been sent or dropped after waiting.
    gone: u64,
}

impl Waiting {
    /// Drops the oldest.
    fn pop(&mut self) {
        if let Some(oldest) = self.events.pop_front() {
            self.bytes -= oldest.size();
            self.gone += 1;
        }
    }

    fn clear(&mut self) {
        self.gone += self.events.len() as u64;
        self.events.clear();
        self.bytes = 0;
    }
}

impl Lane {
    pub(crate) fn new(patience: Patience) -> Lane {
        Lane {
            waiting: Mutex::default(),
            is_moving: AtomicBool::new(false),
            moved: Notify::new(),
            missed: AtomicU64::new(0),
            patience,
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends an event immediately, or queues it.
    pub(crate) fn offer(self: &Arc<Lane>, peer: &Peer, event: &Arc<Prepared>) -> Offered {
        if !self.is_moving.load(Ordering::Acquire) {
            match peer.offer(event) {
                Ok(()) => return Offered::Taken,
                Err(Refused::Full) => {}
                Err(Refused::Closed | Refused::Unsendable(_)) => return Offered::Gone,
            }
        }
        let mut waiting = self.waiting();
        waiting.bytes += event.size();
        waiting.events.push_back(event.clone());
        while waiting.events.len() > self.patience.events || waiting.bytes > self.patience.bytes {
            if self.patience.slow == Slow::Disconnect {
                waiting.clear();
                self.moved.notify_waiters();
                return Offered::TooSlow;
            }
            waiting.pop();
            self.moved.notify_waiters();
            self.missed.fetch_add(1, Ordering::Relaxed);
        }
        if !self.is_moving.swap(true, Ordering::AcqRel) {
            let (lane, peer) = (self.clone(), peer.clone());
            tokio::spawn(async move { lane.move_on(peer).await });
        }
        Offered::Taken
    }

    /// Sends waiting events, as fast as the peer reads.
    async fn move_on(&self, peer: Peer) {
        while let Some(bytes) = self.next_size() {
            // The event that is the oldest when there is room goes first.
            let is_over = peer.room(bytes).await.is_err();
            let mut waiting = self.waiting();
            if is_over {
                waiting.clear();
            } else if let Some(event) = waiting.events.front()
                && !matches!(peer.offer(event), Err(Refused::Full))
            {
                waiting.pop();
            }
            self.moved.notify_waiters();
        }
    }

    /// The size of the next event; `None` when there is none, and then the moving task ends.
    fn next_size(&self) -> Option<usize> {
        let waiting = self.waiting();
        let size = waiting.events.front().map(|event| event.size());
        self.is_moving.store(size.is_some(), Ordering::Release);
        size
    }

    /// Waits until all events that wait now have been sent or dropped, so that later messages follow them.
    pub(crate) async fn passed(&self) {
        let last = {
            let waiting = self.waiting();
            waiting.gone + waiting.events.len() as u64
        };
        loop {
            let moved = self.moved.notified();
            if self.waiting().gone >= last {
                return;
            }
            moved.await;
        }
    }

    /// How many events were dropped.
    pub(crate) fn missed(&self) -> u64 {
        self.missed.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use tenon_rpc::{Connection, Dialect, Io, Options, Router};

    use super::*;

    fn patience(events: usize, slow: Slow) -> Patience {
        Patience {
            events,
            bytes: 1024 * 1024,
            slow,
        }
    }

    fn connection(io: Io) -> Connection {
        let options = Options {
            queue: 1,
            ..Options::default()
        };
        let router = Arc::new(Router::new(()));
        Connection::start_with(io, Dialect::JsonRpcLines, router, options)
    }

    fn event(number: usize) -> Arc<Prepared> {
        // Larger than what fits between the two ends, so that nothing moves unless it is read.
        let text = format!("{number} {}", "x".repeat(100_000));
        let params = tenon_rpc::Payload::encode(tenon_rpc::Format::Json, &text).ok();
        Arc::new(Prepared::new("event", params))
    }

    /// The numbers of the events that a reader gets in the end.
    async fn read(io: Io, count: usize) -> Vec<usize> {
        let (sender, mut receiver) = tokio::sync::mpsc::channel(100);
        let router = Router::new(()).event_fallback(move |_, event: tenon_rpc::Event| {
            let text: String = event.params.unwrap().decode().unwrap();
            let number = text.split(' ').next().unwrap().parse().unwrap();
            sender.try_send(number).unwrap();
        });
        let _reader = Connection::start(io, Dialect::JsonRpcLines, router);
        let mut numbers = Vec::new();
        while numbers.len() < count {
            numbers.push(receiver.recv().await.unwrap());
        }
        numbers
    }

    #[tokio::test]
    async fn a_slow_peer_misses_the_oldest_and_the_rest_stays_in_order() {
        let (here, there) = Io::pair();
        let connection = connection(here);
        let lane = Arc::new(Lane::new(patience(3, Slow::DropOldest)));
        for number in 0..20 {
            assert_eq!(
                lane.offer(&connection.peer(), &event(number)),
                Offered::Taken
            );
            tokio::task::yield_now().await;
        }
        let missed = usize::try_from(lane.missed()).unwrap();
        assert!((10..20).contains(&missed), "{missed}");
        let numbers = read(there, 20 - missed).await;
        assert!(numbers.is_sorted(), "{numbers:?}");
        assert_eq!(numbers[numbers.len() - 3..], [17, 18, 19]);
        lane.passed().await;
        assert!(lane.waiting().events.is_empty());
    }

    #[tokio::test]
    async fn or_it_is_not_waited_for() {
        let (here, _there) = Io::pair();
        let connection = connection(here);
        let lane = Arc::new(Lane::new(patience(3, Slow::Disconnect)));
        let offer = |number| lane.offer(&connection.peer(), &event(number));
        assert!((0..20).any(|number| offer(number) == Offered::TooSlow));
    }

    #[tokio::test]
    async fn nothing_is_queued_for_a_disconnected_peer() {
        let (here, there) = Io::pair();
        let connection = connection(here);
        drop(there);
        let peer = connection.peer();
        peer.closed().await;
        let lane = Arc::new(Lane::new(patience(3, Slow::DropOldest)));
        assert_eq!(lane.offer(&peer, &event(0)), Offered::Gone);
        lane.passed().await;
    }
}
