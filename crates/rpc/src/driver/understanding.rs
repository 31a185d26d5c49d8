//! From frames to requests, answers and events.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::parked::Item;
use super::{Driver, unreadable};
use crate::connection::{EventOrder, Stray, Unclaimed, Withdrawal};
use crate::dialect::{Frame, Inbound, Malformed, MalformedKind, embedded};
use crate::error::{CallError, CloseReason, DialectError, ErrorCode, Quote, RpcError};
use crate::guarded::panic_text;
use crate::message::{Event, Id, Message, Request, Text};
use crate::metrics::Timer;
use crate::payload::Payload;
use crate::pending::Delivery;
use crate::reply::{Batch, ReplyTo};
use crate::tap::{Content, Direction, Seen};

impl Driver {
    pub(super) fn receive(&mut self, frame: Frame) -> Result<(), CloseReason> {
        match self.take_apart(&frame) {
            Some(pieces) => { pieces.into_iter() }.try_for_each(|piece| self.receive_one(piece)),
            None => self.receive_one(frame),
        }
    }

    /// The answers in a line that cannot be read because there is other text in it, and that text.
    fn take_apart(&self, frame: &Frame) -> Option<Vec<Frame>> {
        let is_unreadable = matches!(&frame.content, Inbound::Malformed(malformed)
            if malformed.kind == MalformedKind::Stray);
        let options = &self.shared.options;
        if !is_unreadable || options.stray != Stray::Skip {
            return None;
        }
        let (pending, dialect) = (self.shared.pending(), self.decoder.dialect());
        embedded::pieces(dialect, &frame.bytes, &options.limits, |id| {
            pending.expects(id)
        })
    }

    fn receive_one(&mut self, frame: Frame) -> Result<(), CloseReason> {
        if let Some(tap) = &self.shared.options.tap {
            tap.see(Seen {
                direction: Direction::In,
                dialect: self.decoder.dialect(),
                bytes: &frame.bytes,
                content: Content::Inbound(&frame.content),
                ext_names: self.shared.options.ext_names,
            });
        }
        self.shared.evidence.next_frame();
        match frame.content {
            Inbound::Message(message) => self.on_message(message, &frame.bytes, None),
            Inbound::Malformed(malformed) => self.on_malformed(*malformed, &frame.bytes, None),
            Inbound::Batch(items) => self.on_batch(items, &frame.bytes),
        }
    }

    /// Splits a batch, so that routers and handlers see single messages.
    fn on_batch(&mut self, items: Vec<Inbound>, frame: &[u8]) -> Result<(), CloseReason> {
        let is_answered = |item: &Inbound| match item {
            Inbound::Message(Message::Request(_)) => true,
            Inbound::Malformed(malformed) if malformed.id.is_none() => {
                self.shared.options.stray == Stray::Answer
            }
            Inbound::Malformed(malformed) => !self.is_response(malformed),
            Inbound::Message(_) | Inbound::Batch(_) => false,
        };
        let answered: Vec<bool> = items.iter().map(is_answered).collect();
        let batch = Batch::new(answered.iter().filter(|answered| **answered).count());
        let mut slot = 0;
        for (item, is_answered) in items.into_iter().zip(answered) {
            let place = is_answered.then(|| (batch.clone(), slot));
            slot += usize::from(is_answered);
            match item {
                Inbound::Message(message) => self.on_message(message, frame, place)?,
                Inbound::Malformed(malformed) => self.on_malformed(*malformed, frame, place)?,
                Inbound::Batch(_) => {}
            }
        }
        Ok(())
    }

    fn on_message(
        &mut self,
        message: Message,
        frame: &[u8],
        batch: Option<(Arc<Batch>, usize)>,
    ) -> Result<(), CloseReason> {
        match message {
            Message::Request(request) if batch.is_none() && self.is_event(&request) => {
                let Request { method, params, .. } = request;
                self.on_event(Event { method, params });
            }
            Message::Request(request) => {
                let metrics = &self.shared.options.metrics;
                let timer = Timer::start(metrics, Direction::In, &request.method);
                let reply_to = ReplyTo::new(request.id.clone(), batch).timed(timer);
                self.on_request(request, reply_to);
            }
            Message::Event(event) => self.on_event(event),
            Message::Response(response) => {
                if let (Id::Null, Err(error)) = (&response.id, &response.result) {
                    self.shared.evidence.keep_complaint(error.clone());
                }
                let outcome = response.result.map_err(|error| CallError::Answered(*error));
                return self.deliver(&response.id, outcome, frame);
            }
        }
        Ok(())
    }

    /// Whether a request is meant as an event.
    fn is_event(&self, request: &Request) -> bool {
        let events = self.shared.options.events_with_null_id;
        request.id == Id::Null && events.iter().any(|name| request.method == *name)
    }

    fn is_response(&self, malformed: &Malformed) -> bool {
        match malformed.kind {
            MalformedKind::Response | MalformedKind::TooLong { is_answer: true } => true,
            MalformedKind::Bare => {
                let pending = self.shared.pending();
                malformed.id.as_ref().is_some_and(|id| pending.expects(id))
            }
            MalformedKind::Stray | MalformedKind::Request | MalformedKind::TooLong { .. } => false,
        }
    }

    fn on_malformed(
        &mut self,
        malformed: Malformed,
        frame: &[u8],
        batch: Option<(Arc<Batch>, usize)>,
    ) -> Result<(), CloseReason> {
        if self.is_response(&malformed) {
            let id = malformed.id.unwrap_or(Id::Null);
            let dialect = self.decoder.dialect();
            let outcome = match malformed.kind {
                MalformedKind::Bare if dialect.envelope().may_leave_out_result => {
                    Ok(Payload::null(dialect.format()))
                }
                MalformedKind::TooLong { .. } => {
                    Err(CallError::TooLong(self.shared.options.limits.frame))
                }
                _ => {
                    let text = format!(
                        "{}: {}",
                        malformed.error.message,
                        self.shared.evidence.quote(frame)
                    );
                    Err(CallError::Malformed(Text::from(text)))
                }
            };
            return self.deliver(&id, outcome, frame);
        }
        let quote = self.shared.evidence.quote(frame);
        if let Some(id) = malformed.id {
            self.answer_malformed(id, batch, malformed.error);
            return Ok(());
        }
        let is_too_long = matches!(malformed.kind, MalformedKind::TooLong { .. });
        if is_too_long && self.shared.options.stray != Stray::Answer {
            // An event, most likely, which needs no answer.
            tracing::warn!("a message without an id is longer than the limit and was skipped");
            return Ok(());
        }
        let problem = malformed.error.message.clone();
        if self.shared.options.stray == Stray::Skip
            && let Some(start) = unreadable::start(frame, self.shared.options.limits.depth)
        {
            let (text, message) = frame.split_at(start);
            let problem = match text.is_empty() {
                true => unreadable::problem(&malformed.error),
                false => {
                    self.shared
                        .evidence
                        .keep_stray(self.shared.evidence.quote(text));
                    "a message that cannot be read, after other text on the same line".to_owned()
                }
            };
            if let Some(id) = self.expected_id(message) {
                let error = CallError::Malformed(problem.into());
                return self.deliver(&id, Err(error), frame);
            }
            let has_ids = !text.is_empty() && unreadable::ids(message).next().is_some();
            if unreadable::is_meant_as_message(message) && !has_ids {
                // It may answer a call, but which one is unknown.
                return Err(CloseReason::BrokenStream(Arc::new(DialectError {
                    problem,
                    quote: Quote::of(b"{"),
                    is_over_limit: false,
                    is_message: false,
                    is_cut: false,
                })));
            }
        }
        tracing::warn!(%quote, ?problem, "a frame that is not a message");
        self.shared.evidence.keep_stray(quote.clone());
        match self.shared.options.stray {
            Stray::Answer => self.answer_malformed(Id::Null, batch, malformed.error),
            Stray::Skip => {}
            Stray::Fail => {
                let problem = format!("the peer sent something that is not a message ({problem})");
                let error = DialectError {
                    problem,
                    quote,
                    is_over_limit: false,
                    is_message: false,
                    is_cut: false,
                };
                return Err(CloseReason::BrokenStream(Arc::new(error)));
            }
        }
        Ok(())
    }

    /// The id of the call that an unreadable line answers, if there is just one that it can be.
    fn expected_id(&self, frame: &[u8]) -> Option<Id> {
        let pending = self.shared.pending();
        let mut expected = unreadable::ids(frame)
            .map(Id::Number)
            .filter(|id| pending.expects(id));
        let only = expected.next()?;
        expected.next().is_none().then_some(only)
    }

    fn deliver(
        &self,
        id: &Id,
        outcome: Result<Payload, CallError>,
        frame: &[u8],
    ) -> Result<(), CloseReason> {
        let error = outcome.as_ref().err().map(ToString::to_string);
        let delivery = self.shared.pending().answer(id, outcome);
        if delivery == Delivery::Delivered {
            return Ok(());
        }
        self.shared.evidence.keep_unclaimed(id, error);
        if delivery == Delivery::Late {
            return Ok(());
        }
        if self.shared.options.stray != Stray::Fail {
            if self.shared.options.unclaimed == Unclaimed::FailCall {
                self.fail_meant(id);
            }
            return Ok(());
        }
        // The call that it was meant for would wait forever.
        let error = DialectError {
            problem: format!("the peer sent an answer with the id {id}, which belongs to no call"),
            quote: self.shared.evidence.quote(frame),
            is_over_limit: false,
            is_message: true,
            is_cut: false,
        };
        Err(CloseReason::BrokenStream(Arc::new(error)))
    }

    /// Fails the calls that an answer with a wrong id must be meant for, which would wait forever.
    fn fail_meant(&self, id: &Id) {
        let mut pending = self.shared.pending();
        for number in pending.meant(id) {
            let error = match (id, self.shared.evidence.complaint()) {
                (Id::Null, Some(error)) => CallError::Answered(error),
                _ => {
                    let problem = format!("it has the id {id}, but the call has the id {number}");
                    CallError::Malformed(problem.into())
                }
            };
            pending.answer(&Id::from(number), Err(error));
        }
    }

    fn on_event(&mut self, event: Event) {
        let options = &self.shared.options;
        let is_withdrawal = |known: &&Withdrawal| event.method == known.cancel.method;
        if let Some(withdrawal) = options.withdrawals.iter().find(is_withdrawal).copied() {
            let id = event
                .params
                .as_ref()
                .and_then(|params| withdrawal.cancel.id(params));
            self.handle_event(event);
            match id {
                Some(id) => self.cancel(&id, withdrawal.is_answered),
                None => tracing::warn!("a cancellation without an id"),
            }
            return;
        }
        if let Some(cancel) = options.cancel
            && event.method == cancel.method
        {
            match event.params.as_ref().and_then(|params| cancel.id(params)) {
                Some(id) => self.cancel(&id, true),
                None => tracing::warn!("a cancellation without an id"),
            }
            return;
        }
        match options.events {
            EventOrder::InTurn { except }
                if !self.parked.is_empty() && except.iter().all(|name| event.method != *name) =>
            {
                self.parked.push(Item::Event(event));
            }
            EventOrder::InTurn { .. } | EventOrder::AtOnce => self.handle_event(event),
        }
    }

    pub(super) fn handle_event(&self, event: Event) {
        let method = event.method.clone();
        let handled = catch_unwind(AssertUnwindSafe(|| self.service.event(&self.peer(), event)));
        if let Err(panic) = handled {
            tracing::error!(
                ?method,
                panic = panic_text(&*panic),
                "an event handler panicked"
            );
        }
    }

    fn cancel(&mut self, id: &Id, is_answered: bool) {
        let running = &self.shared.running;
        let reply_to = running.cancel(id).or_else(|| self.parked.cancel(id));
        // The answers to a batch go together: one cannot be left out.
        if let Some(mut reply_to) = reply_to
            && (is_answered || reply_to.is_in_batch())
        {
            reply_to.give_up();
            let error = RpcError::new(ErrorCode::CANCELLED, "the call was cancelled");
            self.reply(reply_to, Err(error));
        }
    }
}
