//! The one task of a connection: reads everything that is there, starts the handlers, writes
//! everything that is queued, and sleeps.

use std::collections::VecDeque;
use std::future::Future;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::BytesMut;
use tokio::io::AsyncWrite;
use tokio::time::Sleep;

use crate::buffers;
use crate::connection::Stray;
use crate::dialect::{Decoder, Dialect, Frame, Inbound, Malformed, MalformedKind};
use crate::error::{CallError, CloseReason, DialectError, ErrorCode, Quote, RpcError};
use crate::io::{Io, Reader, Writer};
use crate::message::{Event, Id, Message, Request, Text};
use crate::outbox::State;
use crate::payload::Payload;
use crate::peer::{Peer, Shared};
use crate::pending::Delivery;
use crate::reply::{Answer, Batch, Reply, ReplyTo};
use crate::router::{Call, Service, Work};
use crate::tap::{Content, Direction, Seen};

/// Reads before the other tasks of the thread get their turn.
const READS_IN_A_ROW: usize = 16;

/// What arrived in one piece larger than this does not go back to the pool of buffers.
const LARGE: usize = 128 * 1024;

/// How long a peer that no longer reads may still have something to say.
const LAST_WORDS: Duration = Duration::from_secs(1);

pub(crate) struct Driver {
    /// `None` once the peer has closed its side.
    reader: Option<Reader>,
    writer: Writer,
    service: Arc<dyn Service>,
    shared: Arc<Shared>,
    decoder: Decoder,
    detecting: bool,
    /// The beginning of a frame whose end has not arrived. Empty when the connection is idle.
    inbox: BytesMut,
    inbox_is_large: bool,
    outgoing: Outgoing,
    /// Set when writing failed because the peer went away: from then on only its last words are
    /// read.
    last_words: Option<Pin<Box<Sleep>>>,
    /// Requests that wait because too many are being handled.
    parked: VecDeque<(Request, ReplyTo)>,
    parked_bytes: usize,
    reason: CloseReason,
}

/// What is being written.
#[derive(Default)]
struct Outgoing {
    frames: BytesMut,
    written: usize,
    units: usize,
    unflushed: bool,
}

impl Driver {
    pub(crate) fn new(
        io: Io,
        dialect: Dialect,
        service: Arc<dyn Service>,
        shared: Arc<Shared>,
    ) -> Driver {
        Driver {
            reader: Some(io.reader),
            writer: io.writer,
            service,
            decoder: Decoder::new(dialect, shared.options.limits),
            detecting: !shared.options.detect.is_empty(),
            inbox: BytesMut::new(),
            inbox_is_large: false,
            outgoing: Outgoing::default(),
            last_words: None,
            parked: VecDeque::new(),
            parked_bytes: 0,
            reason: CloseReason::ClosedHere,
            shared,
        }
    }

    fn peer(&self) -> Peer {
        Peer {
            shared: self.shared.clone(),
        }
    }

    /// One turn; `Ready` when the connection is over.
    fn turn(&mut self, cx: &mut Context<'_>) -> Poll<CloseReason> {
        let shared = self.shared.clone();
        shared.outbox.awake();
        loop {
            let state = shared.outbox.state();
            if state == State::Closed {
                return Poll::Ready(CloseReason::ClosedHere);
            }
            self.start_parked();
            let has_read = match self.read(cx) {
                Ok(has_read) => has_read,
                Err(reason) => {
                    // Tells the peer why, if it still listens.
                    let _best_effort = self.write(cx);
                    return Poll::Ready(reason);
                }
            };
            let (has_written, can_write) = match self.write(cx) {
                Ok(progress) => progress,
                Err(error) => return Poll::Ready(CloseReason::Io(Arc::new(error))),
            };
            let is_ending = state == State::Closing || self.reader.is_none();
            if is_ending && self.is_idle() {
                return self.shut_down(cx);
            }
            if let Some(end) = &mut self.last_words
                && end.as_mut().poll(cx).is_ready()
            {
                return Poll::Ready(CloseReason::PeerClosed);
            }
            if has_read == Progress::MoreToRead {
                // Others on this thread want their turn as well.
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            let is_quiet = has_read == Progress::None && !has_written;
            if is_quiet && shared.outbox.sleep(cx.waker(), state, can_write) {
                return Poll::Pending;
            }
        }
    }

    /// Whether everything that was asked for has been answered, and written.
    fn is_idle(&self) -> bool {
        self.parked.is_empty()
            && self.outgoing.frames.is_empty()
            && self.shared.running.count() == 0
            && self.shared.outbox.is_empty()
    }

    fn shut_down(&mut self, cx: &mut Context<'_>) -> Poll<CloseReason> {
        let reason = match self.reader {
            Some(_) => CloseReason::ClosedHere,
            None => CloseReason::PeerClosed,
        };
        match Pin::new(&mut self.writer).poll_shutdown(cx) {
            Poll::Ready(_) => Poll::Ready(reason),
            Poll::Pending => Poll::Pending,
        }
    }

    // Reading.

    /// Reads what is there, as long as there is room for the requests in it.
    fn read(&mut self, cx: &mut Context<'_>) -> Result<Progress, CloseReason> {
        let mut progress = Progress::None;
        for _ in 0..READS_IN_A_ROW {
            if self.parked_bytes >= self.shared.options.waiting_bytes {
                return Ok(progress);
            }
            let Some(reader) = &mut self.reader else {
                return Ok(progress);
            };
            let mut buffer = std::mem::take(&mut self.inbox);
            if buffer.is_empty() {
                buffer = buffers::take();
            } else if buffer.capacity() - buffer.len() < 4096 {
                buffer.reserve(buffer.len().max(LARGE / 2));
            }
            let read = tokio_util::io::poll_read_buf(Pin::new(reader), cx, &mut buffer);
            self.inbox_is_large |= buffer.len() > LARGE;
            match read {
                Poll::Pending => {
                    self.put_back(buffer);
                    return Ok(progress);
                }
                Poll::Ready(Ok(1..)) => {
                    self.decode(&mut buffer)?;
                    self.put_back(buffer);
                    progress = Progress::Some;
                }
                Poll::Ready(Ok(0)) => {
                    self.end_of_input(buffer)?;
                    return Ok(Progress::Some);
                }
                Poll::Ready(Err(error)) if is_gone(&error) => {
                    self.end_of_input(buffer)?;
                    return Ok(Progress::Some);
                }
                Poll::Ready(Err(error)) => return Err(CloseReason::Io(Arc::new(error))),
            }
        }
        Ok(Progress::MoreToRead)
    }

    fn put_back(&mut self, buffer: BytesMut) {
        if !buffer.is_empty() {
            self.inbox = buffer;
        } else if !std::mem::take(&mut self.inbox_is_large) {
            buffers::give(buffer);
        }
    }

    fn end_of_input(&mut self, mut buffer: BytesMut) -> Result<(), CloseReason> {
        self.reader = None;
        self.detect(&buffer);
        while let Some(frame) = self
            .decoder
            .finish(&mut buffer)
            .map_err(|error| CloseReason::BrokenStream(Arc::new(error)))?
        {
            self.receive(frame)?;
        }
        // No answer can come any more.
        self.shared.pending().close(&CloseReason::PeerClosed);
        Ok(())
    }

    fn decode(&mut self, buffer: &mut BytesMut) -> Result<(), CloseReason> {
        if self.detecting && !self.detect(buffer) {
            return Ok(());
        }
        loop {
            match self.decoder.decode(buffer) {
                Ok(Some(frame)) => self.receive(frame)?,
                Ok(None) => return Ok(()),
                Err(error) => return Err(self.broken(error)),
            }
        }
    }

    /// Finds out which dialect the peer speaks; `false` while its bytes do not tell.
    fn detect(&mut self, buffer: &BytesMut) -> bool {
        let options = &self.shared.options;
        let found = Dialect::detect(buffer, options.detect).or_else(|| {
            (buffer.len() > LARGE)
                .then(|| options.detect.first().copied())
                .flatten()
        });
        let Some(dialect) = found else {
            return false;
        };
        self.detecting = false;
        self.decoder = Decoder::new(dialect, options.limits);
        self.shared.outbox.set_dialect(dialect);
        true
    }

    /// The stream cannot be trusted any more. The peer is told, where its protocol has answers
    /// without a call.
    fn broken(&mut self, error: DialectError) -> CloseReason {
        if self.shared.options.stray == Stray::Answer {
            let rpc_error = RpcError::invalid_request(error.to_string());
            self.reply(ReplyTo::new(Id::Null, None), Err(rpc_error));
        }
        let _already_known = self.shared.stray.set(error.quote.clone());
        CloseReason::BrokenStream(Arc::new(error))
    }

    // Understanding.

    fn receive(&mut self, frame: Frame) -> Result<(), CloseReason> {
        if let Some(tap) = &self.shared.options.tap {
            tap.see(Seen {
                direction: Direction::In,
                dialect: self.decoder.dialect(),
                bytes: &frame.bytes,
                content: Content::Inbound(&frame.content),
            });
        }
        match frame.content {
            Inbound::Message(message) => {
                self.on_message(message, None);
                Ok(())
            }
            Inbound::Malformed(malformed) => self.on_malformed(malformed, &frame.bytes, None),
            Inbound::Batch(items) => self.on_batch(items, &frame.bytes),
        }
    }

    /// Takes a batch apart, so that nobody further in knows that there was one.
    fn on_batch(&mut self, items: Vec<Inbound>, frame: &[u8]) -> Result<(), CloseReason> {
        let is_answered = |item: &Inbound| match item {
            Inbound::Message(Message::Request(_)) => true,
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
                Inbound::Message(message) => self.on_message(message, place),
                Inbound::Malformed(malformed) => self.on_malformed(malformed, frame, place)?,
                Inbound::Batch(_) => {}
            }
        }
        Ok(())
    }

    fn on_message(&mut self, message: Message, batch: Option<(Arc<Batch>, usize)>) {
        match message {
            Message::Request(request) => {
                let reply_to = ReplyTo::new(request.id.clone(), batch);
                self.on_request(request, reply_to);
            }
            Message::Event(event) => self.on_event(event),
            Message::Response(response) => {
                let outcome = response.result.map_err(CallError::Answered);
                self.deliver(&response.id, outcome);
            }
        }
    }

    fn is_response(&self, malformed: &Malformed) -> bool {
        match malformed.kind {
            MalformedKind::Response => true,
            MalformedKind::Bare => {
                let pending = self.shared.pending();
                malformed.id.as_ref().is_some_and(|id| pending.expects(id))
            }
            MalformedKind::Stray | MalformedKind::Request => false,
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
            let outcome = match malformed.kind {
                MalformedKind::Bare => Ok(Payload::null(self.decoder.dialect().format())),
                _ => Err(CallError::Malformed(Text::from(malformed.error.message))),
            };
            self.deliver(&id, outcome);
            return Ok(());
        }
        let quote = Quote::of(frame);
        if let Some(id) = malformed.id {
            self.reply(ReplyTo::new(id, batch), Err(malformed.error));
            return Ok(());
        }
        let problem = malformed.error.message.clone();
        tracing::warn!(%quote, %problem, "a frame that is no message");
        let _keeps_the_first = self.shared.stray.set(quote.clone());
        match self.shared.options.stray {
            Stray::Answer => self.reply(ReplyTo::new(Id::Null, batch), Err(malformed.error)),
            Stray::Skip => {}
            Stray::Fail => {
                return Err(CloseReason::BrokenStream(Arc::new(DialectError {
                    problem,
                    quote,
                })));
            }
        }
        Ok(())
    }

    fn deliver(&self, id: &Id, outcome: Result<Payload, CallError>) {
        if let Err(CallError::Answered(error)) = &outcome
            && *id == Id::Null
        {
            tracing::warn!(%error, "the peer reports an error that belongs to no call");
        } else if self.shared.pending().answer(id, outcome) == Delivery::Unknown {
            tracing::debug!(%id, "an answer that nobody waits for");
        }
    }

    fn on_event(&mut self, event: Event) {
        if let Some(cancel) = self.shared.options.cancel
            && event.method == cancel.method
        {
            match event.params.as_ref().and_then(|params| cancel.id(params)) {
                Some(id) => self.cancel(&id),
                None => tracing::warn!("a cancellation without an id"),
            }
            return;
        }
        let method = event.method.clone();
        let handled = catch_unwind(AssertUnwindSafe(|| self.service.event(&self.peer(), event)));
        if let Err(panic) = handled {
            tracing::error!(%method, panic = panic_text(&*panic), "an event handler panicked");
        }
    }

    fn cancel(&mut self, id: &Id) {
        let parked = self
            .parked
            .iter()
            .position(|(request, _)| request.id == *id);
        let reply_to = match parked.and_then(|index| self.parked.remove(index)) {
            Some((request, reply_to)) => {
                self.parked_bytes -= size(&request);
                Some(reply_to)
            }
            None => self.shared.running.cancel(id),
        };
        if let Some(reply_to) = reply_to {
            let error = RpcError::new(ErrorCode::CANCELLED, "the call was cancelled");
            self.reply(reply_to, Err(error));
        }
    }

    // Handling.

    fn on_request(&mut self, request: Request, reply_to: ReplyTo) {
        if self.shared.outbox.state() != State::Open {
            let error = RpcError::new(ErrorCode::SERVER_ERROR, "the connection is closing");
            self.reply(reply_to, Err(error));
        } else if self.parked.is_empty() && self.may_start() {
            self.start(request, reply_to);
        } else {
            self.parked_bytes += size(&request);
            self.parked.push_back((request, reply_to));
        }
    }

    fn may_start(&self) -> bool {
        self.shared.running.count() < self.shared.options.running
    }

    fn start_parked(&mut self) {
        while !self.parked.is_empty() && self.may_start() {
            if let Some((request, reply_to)) = self.parked.pop_front() {
                self.parked_bytes -= size(&request);
                self.start(request, reply_to);
            }
        }
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
        let begun = catch_unwind(AssertUnwindSafe(|| {
            let mut work = service.call(call, 0);
            // A handler that is not ready is polled again as a task of its own, with a real waker.
            match work.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
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
    fn reply(&self, reply_to: ReplyTo, reply: Reply) {
        let Some(answer) = reply_to.answer(reply) else {
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

    // Writing.

    /// Writes what is queued, in as few writes as the peer takes it. Tells whether something was
    /// written, and whether more could be.
    fn write(&mut self, cx: &mut Context<'_>) -> io::Result<(bool, bool)> {
        let mut has_written = false;
        let outbox = &self.shared.outbox;
        let outgoing = &mut self.outgoing;
        loop {
            if outgoing.frames.is_empty() {
                let Some((frames, units)) = outbox.take() else {
                    break;
                };
                (outgoing.frames, outgoing.units, outgoing.written) = (frames, units, 0);
            }
            let rest = &outgoing.frames[outgoing.written..];
            let written = match self.last_words {
                None => Pin::new(&mut self.writer).poll_write(cx, rest),
                // Nobody reads it any more, and nobody should wait for room because of that.
                Some(_) => Poll::Ready(Ok(rest.len())),
            };
            let count = match written {
                Poll::Pending => return Ok((has_written, false)),
                Poll::Ready(Ok(0)) => return Err(io::ErrorKind::WriteZero.into()),
                Poll::Ready(Ok(count)) => count,
                Poll::Ready(Err(error)) if is_gone(&error) => {
                    // What it said before it went is still to be read.
                    self.shared.pending().refuse(&CloseReason::PeerClosed);
                    self.last_words = Some(Box::pin(tokio::time::sleep(LAST_WORDS)));
                    rest.len()
                }
                Poll::Ready(Err(error)) => return Err(error),
            };
            has_written = true;
            outgoing.written += count;
            outgoing.unflushed = true;
            if outgoing.written == outgoing.frames.len() {
                outbox.written(std::mem::take(&mut outgoing.units));
                buffers::give(std::mem::take(&mut outgoing.frames));
            }
        }
        if outgoing.unflushed && self.last_words.is_none() {
            match Pin::new(&mut self.writer).poll_flush(cx) {
                Poll::Ready(Ok(())) => outgoing.unflushed = false,
                Poll::Ready(Err(error)) if is_gone(&error) => {}
                Poll::Ready(Err(error)) => return Err(error),
                Poll::Pending => {}
            }
        }
        Ok((has_written, true))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    None,
    Some,
    /// There may be more, but it is somebody else's turn.
    MoreToRead,
}

impl Future for Driver {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        match self.turn(cx) {
            Poll::Ready(reason) => {
                self.reason = reason;
                Poll::Ready(())
            }
            Poll::Pending => Poll::Pending,
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.shared.end(self.reason.clone());
    }
}

async fn send(shared: &Shared, answer: Answer) {
    if let Ok(room) = shared.outbox.reserve(answer.size()).await {
        let _ended = answer.push(&shared.outbox, room);
    }
}

/// Whether an error means that the peer is no longer there.
fn is_gone(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset | io::ErrorKind::NotConnected
    )
}

fn size(request: &Request) -> usize {
    /// What a waiting request costs besides its params.
    const OVERHEAD: usize = 128;
    OVERHEAD
        + request
            .params
            .as_ref()
            .map_or(0, |params| params.bytes().len())
}

/// A handler whose panic is an error for its caller and for nobody else.
struct Guarded(Work);

impl Future for Guarded {
    type Output = Reply;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Reply> {
        match catch_unwind(AssertUnwindSafe(|| self.0.as_mut().poll(cx))) {
            Ok(polled) => polled,
            Err(panic) => Poll::Ready(Err(panicked(&*panic))),
        }
    }
}

fn panicked(panic: &(dyn std::any::Any + Send)) -> RpcError {
    let text = panic_text(panic);
    tracing::error!(panic = text, "a handler panicked");
    RpcError::internal(format!("the handler panicked: {text}"))
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    let owned = panic.downcast_ref::<String>().map(String::as_str);
    owned
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message")
}
