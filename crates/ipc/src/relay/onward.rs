//! The way of one client's events and calls to the plugin. They go in the order in which the client
//! sent them, and nothing is dropped: a client that sends faster than the plugin reads is not read
//! until some have gone.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tenon_rpc::{Asked, CallError, Event, Hold, Payload, Text};
use tokio::sync::{Notify, oneshot};

use super::Hub;
use crate::session::Session;

/// What waits on its way from one client to the plugin.
#[derive(Debug)]
pub(crate) struct Onward {
    queue: Mutex<Queue>,
    /// Told when nothing waits any more.
    drained: Notify,
    limits: Limits,
}

/// How much may wait before the client is not read any more.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// From here on it is read only while the plugin waits for an answer of the client's, which may
    /// lie behind what it sent before.
    pub(crate) soft: usize,
    /// From here on it is not read at all.
    pub(crate) hard: usize,
}

#[derive(Debug, Default)]
struct Queue {
    items: VecDeque<Item>,
    /// What the items cost, and the one that is being sent.
    bytes: usize,
    /// Whether a task moves them on. It ends with the last of them, so that an idle client has none.
    is_moving: bool,
    hold: Option<Hold>,
}

#[derive(Debug)]
enum Item {
    Event(Event),
    Call(Asking),
}

/// A call on its way to the plugin.
#[derive(Debug)]
pub(super) struct Asking {
    /// Its number among the calls that run.
    pub(super) number: u64,
    pub(super) method: Text,
    pub(super) params: Option<Payload>,
    sent: oneshot::Sender<Result<Asked, CallError>>,
}

/// A call that waits for its turn. Dropping it gives up.
pub(super) struct Turn {
    onward: Arc<Onward>,
    number: u64,
    sent: oneshot::Receiver<Result<Asked, CallError>>,
    is_over: bool,
}

impl Turn {
    /// Waits until the request has been sent.
    pub(super) async fn sent(mut self) -> Result<Asked, CallError> {
        let sent = (&mut self.sent).await;
        self.is_over = true;
        sent.unwrap_or(Err(CallError::Closed(tenon_rpc::CloseReason::ClosedHere)))
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if !self.is_over {
            self.onward.give_up(self.number);
        }
    }
}

impl Item {
    fn size(&self) -> usize {
        /// Besides what the client chose the length of.
        const OVERHEAD: usize = 128;
        let (method, params) = match self {
            Item::Event(event) => (&event.method, &event.params),
            Item::Call(call) => (&call.method, &call.params),
        };
        OVERHEAD + method.len() + params.as_ref().map_or(0, |params| params.bytes().len())
    }
}

impl Onward {
    pub(super) fn new(limits: Limits) -> Onward {
        Onward {
            queue: Mutex::default(),
            drained: Notify::new(),
            limits,
        }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends an event at once, or lets it wait for its turn.
    pub(super) fn event(self: &Arc<Onward>, hub: &Arc<Hub>, session: &Session, event: Event) {
        let mut queue = self.queue();
        if !queue.is_moving && hub.try_send(&event) {
            return;
        }
        self.push(&mut queue, Item::Event(event), session);
        self.start_moving(&mut queue, hub);
    }

    /// Sends a call at once, or lets it wait for its turn.
    pub(super) fn call(
        self: &Arc<Onward>,
        hub: &Arc<Hub>,
        session: &Session,
        number: u64,
        method: Text,
        params: Option<Payload>,
    ) -> Result<Result<Asked, CallError>, Turn> {
        let mut queue = self.queue();
        if !queue.is_moving
            && let Some(outcome) = hub.try_ask(number, &method, &params)
        {
            return Ok(outcome);
        }
        let (sender, sent) = oneshot::channel();
        let asking = Asking {
            number,
            method,
            params,
            sent: sender,
        };
        self.push(&mut queue, Item::Call(asking), session);
        self.start_moving(&mut queue, hub);
        Err(Turn {
            onward: self.clone(),
            number,
            sent,
            is_over: false,
        })
    }

    fn push(&self, queue: &mut Queue, item: Item, session: &Session) {
        queue.bytes += item.size();
        queue.items.push_back(item);
        if queue.bytes >= self.limits.soft {
            let hold = queue.hold.get_or_insert_with(|| session.peer().hold());
            if queue.bytes >= self.limits.hard {
                hold.entirely();
            }
        }
    }

    fn start_moving(self: &Arc<Onward>, queue: &mut Queue, hub: &Arc<Hub>) {
        if !std::mem::replace(&mut queue.is_moving, true) {
            let (onward, hub) = (self.clone(), hub.clone());
            tokio::spawn(async move { onward.move_on(hub).await });
        }
    }

    /// Hands over what waits, as fast as the plugin reads.
    async fn move_on(&self, hub: Arc<Hub>) {
        while let Some(item) = self.next() {
            let size = item.size();
            match item {
                Item::Event(event) => hub.send(event).await,
                Item::Call(Asking {
                    number,
                    method,
                    params,
                    mut sent,
                }) => {
                    let outcome = tokio::select! {
                        biased;
                        () = sent.closed() => None,
                        outcome = hub.ask(number, method, params) => Some(outcome),
                    };
                    if let Some(outcome) = outcome {
                        // Whoever gave up in the meantime has dropped it, which takes it back.
                        let _given_up = sent.send(outcome);
                    }
                }
            }
            self.gone(size);
        }
    }

    /// The next item; `None` when there is none, and then nobody moves any.
    fn next(&self) -> Option<Item> {
        let mut queue = self.queue();
        let next = queue.items.pop_front();
        if next.is_none() {
            queue.is_moving = false;
            self.drained.notify_waiters();
        }
        next
    }

    /// So much does not wait any more.
    fn gone(&self, size: usize) {
        let mut queue = self.queue();
        queue.bytes -= size;
        if queue.bytes < self.limits.soft / 2 {
            queue.hold = None;
        } else if queue.bytes < self.limits.hard
            && let Some(hold) = &queue.hold
        {
            hold.unless_asked();
        }
    }

    /// A call is not made any more. One that is being sent notices by itself.
    fn give_up(&self, number: u64) {
        let mut queue = self.queue();
        let is_it = |item: &Item| matches!(item, Item::Call(call) if call.number == number);
        if let Some(place) = queue.items.iter().position(is_it)
            && let Some(item) = queue.items.remove(place)
        {
            drop(queue);
            self.gone(item.size());
        }
    }

    /// Waits until nothing is on its way any more.
    pub(crate) async fn drained(&self) {
        loop {
            let drained = self.drained.notified();
            if !self.queue().is_moving {
                return;
            }
            drained.await;
        }
    }
}
