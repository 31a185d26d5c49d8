//! Handlers, and their answers.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use super::Driver;
use super::parked::Item;
use crate::error::{ErrorCode, RpcError};
use crate::guarded::{Guarded, panicked};
use crate::held::Held;
use crate::message::{Id, Request};
use crate::reply::{Answer, Batch, Reply, ReplyTo};
use crate::router::{Call, Work};
use crate::shared::Shared;
use crate::state::Phase;

impl Driver {
    pub(super) fn on_request(&mut self, request: Request, reply_to: ReplyTo) {
        if self.has_gone() {
            // No answer is needed.
        } else if self.shared.state.phase() != Phase::Open {
            let error = RpcError::new(ErrorCode::SERVER_ERROR, "the connection is closing");
            self.reply(reply_to, Err(error));
        } else if self.is_full() && !self.shared.pending().is_empty() {
            let problem = "too many requests are waiting already";
            self.reply(
                reply_to,
                Err(RpcError::new(ErrorCode::SERVER_ERROR, problem)),
            );
        } else if self.parked.is_empty() && self.may_start() {
            self.start(request, reply_to);
        } else {
            self.parked.push(Item::Request(request, reply_to));
        }
    }

    /// Whether the peer has to wait until we have done some of what it asked for, or until it has
    /// read some of our answers.
    pub(super) fn is_overloaded(&self) -> bool {
        // Only answers that wait for room can make it more.
        let is_not_read = self.shared.running.count() > self.shared.options.running;
        // Handlers that wait for an answer of the peer's would wait forever if it were not read.
        // Events cannot be refused, so that there is a limit even then: past it, one message of any
        // size has found room.
        let options = &self.shared.options;
        let most = options.waiting_bytes.saturating_add(options.limits.frame);
        is_not_read
            || self.is_full() && self.shared.pending().is_empty()
            || self.shared.held.get() == Held::Entirely
            || self.parked.event_bytes() >= most
    }

    fn is_full(&self) -> bool {
        let is_full = self.parked.bytes() >= self.shared.options.waiting_bytes;
        is_full || self.shared.held.get() != Held::Not
    }

    /// No new request is started for a peer that does not read its answers: each may be large.
    fn may_start(&self) -> bool {
        let running = &self.shared.running;
        running.count() < self.shared.options.running && !running.has_undelivered()
    }

    pub(super) fn start_parked(&mut self) {
        while self.parked.is_event_next() || self.may_start() {
            match self.parked.pop() {
                Some(Item::Request(request, reply_to)) => self.start(request, reply_to),
                Some(Item::Event(event)) => self.handle_event(event),
                None => return,
            }
        }
    }

    /// The connection ends: waiting requests are dropped, but events are handled.
    pub(super) fn handle_last_events(&mut self) {
        self.parked.drop_requests();
        self.start_parked();
    }

    /// The peer has disconnected: its requests are dropped.
    pub(super) fn abandon(&mut self) {
        self.parked.drop_requests();
        self.shared.running.abort_all();
    }

    /// Starts a handler and looks at it once. Most are done then, and cost no task.
    fn start(&mut self, request: Request, reply_to: ReplyTo) {
        let call = Call {
            id: request.id,
            method: request.method,
            params: request.params,
            peer: self.peer(),
        };
        let service = self.service.clone();
        self.begin(move || service.call(&service, call, 0), reply_to);
    }

    /// Answers a frame that is not a message.
    pub(super) fn answer_malformed(
        &mut self,
        id: Id,
        batch: Option<(Arc<Batch>, usize)>,
        error: RpcError,
    ) {
        let reply_to = ReplyTo::new(id.clone(), batch);
        match self.service.malformed(&id, &error) {
            Some(work) => self.begin(|| work, reply_to),
            None => self.reply(reply_to, Err(error)),
        }
    }

    fn begin(&mut self, work: impl FnOnce() -> Work, reply_to: ReplyTo) {
        let begun = catch_unwind(AssertUnwindSafe(|| {
            let mut work = work();
            // A handler that is not ready is polled again as a task of its own, with a real waker.
            // That this task has done much already is no reason for it not to be ready: calls
            // would be overtaken by events that came after them.
            let first = pin!(tokio::task::unconstrained(work.as_mut()));
            match first.poll(&mut Context::from_waker(Waker::noop())) {
                Poll::Ready(reply) => Ok(reply),
                Poll::Pending => Err(work),
            }
        }));
        match begun {
            Ok(Ok(reply)) => self.reply(reply_to, reply),
            Ok(Err(work)) => self.spawn(work, reply_to),
            Err(panic) => self.reply(reply_to, Err(panicked(&*panic))),
        }
    }

    fn spawn(&self, work: Work, reply_to: ReplyTo) {
        let shared = self.shared.clone();
        let key = shared.running.enter(Some(reply_to));
        let task = tokio::spawn(async move {
            let reply = Guarded(work).await;
            if let Some(answer) = shared
                .running
                .claim(key)
                .and_then(|reply_to| reply_to.answer(reply))
            {
                send(&shared, answer).await;
            }
            shared.running.leave(key);
            shared.outbox.wake();
        });
        self.shared.running.spawned(key, task.abort_handle());
    }

    /// Queues an answer. If there is no room, a task waits for it, and counts as a running
    /// handler: a peer that does not read its answers has few of its requests handled.
    pub(super) fn reply(&self, reply_to: ReplyTo, reply: Reply) {
        let Some(answer) = reply_to.answer(reply).filter(|_| !self.has_gone()) else {
            return;
        };
        if let Some(room) = self.shared.outbox.try_reserve(answer.size()) {
            let _ended = answer.push(&self.shared.outbox, room);
            return;
        }
        let shared = self.shared.clone();
        let key = shared.running.enter(None);
        let task = tokio::spawn(async move {
            send(&shared, answer).await;
            shared.running.leave(key);
            shared.outbox.wake();
        });
        self.shared.running.spawned(key, task.abort_handle());
    }
}

async fn send(shared: &Shared, answer: Answer) {
    let size = answer.size();
    let room = match shared.outbox.try_reserve(size) {
        Some(room) => Ok(room),
        None => {
            let _undelivered = shared.running.undelivered();
            shared.outbox.reserve(size).await
        }
    };
    if let Ok(room) = room {
        let _ended = answer.push(&shared.outbox, room);
    }
}
