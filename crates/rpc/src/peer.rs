//! The other side: a cheap handle to call it and send to it.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::sync::Notify;

use crate::connection::Options;
use crate::dialect::Dialect;
use crate::error::{CallError, CloseReason, Quote, RpcError};
use crate::held::{Held, HeldCell};
use crate::message::{Event, Id, Message, Request, Text};
use crate::method::{EventKind, Method};
use crate::outbox::{Ended, Outbox, QueueError, Room, State};
use crate::payload::{Format, Payload};
use crate::pending::{Outcome, Pending};
use crate::prepared::{Prepared, Refused};
use crate::running::Running;

/// What the handles and the task of one connection share.
pub(crate) struct Shared {
    pub(crate) outbox: Outbox,
    pending: Mutex<Pending>,
    pub(crate) running: Running,
    pub(crate) held: HeldCell,
    pub(crate) options: Options,
    stray: Mutex<Option<Quote>>,
    pub(crate) unclaimed: OnceLock<Text>,
    pub(crate) complaint: Mutex<Option<Box<RpcError>>>,
    reason: OnceLock<CloseReason>,
    ended: Notify,
}

impl Shared {
    pub(crate) fn new(dialect: Dialect, options: Options) -> Shared {
        Shared {
            outbox: Outbox::new(dialect, &options),
            pending: Mutex::new(Pending::new(options.calls)),
            running: Running::default(),
            held: HeldCell::new(),
            options,
            stray: Mutex::default(),
            unclaimed: OnceLock::new(),
            complaint: Mutex::default(),
            reason: OnceLock::new(),
            ended: Notify::new(),
        }
    }

    pub(crate) fn pending(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stray(&self) -> MutexGuard<'_, Option<Quote>> {
        self.stray.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The beginning of what the peer sent, without secrets.
    pub(crate) fn quote(&self, bytes: &[u8]) -> Quote {
        self.redacted(Quote::of(bytes))
    }

    pub(crate) fn redacted(&self, quote: Quote) -> Quote {
        match &self.options.redact {
            Some(redact) => quote.redacted(redact),
            None => quote,
        }
    }

    /// A text with something in it that the peer sent, without secrets.
    pub(crate) fn redacted_text(&self, text: String) -> String {
        match &self.options.redact {
            Some(redact) => String::from_utf8_lossy(&redact(text.as_bytes(), false)).into_owned(),
            None => text,
        }
    }

    /// Keeps the first thing the peer sent that is not a message.
    pub(crate) fn keep_stray(&self, quote: Quote) {
        self.stray().get_or_insert(quote);
    }

    pub(crate) fn complaint(&self) -> MutexGuard<'_, Option<Box<RpcError>>> {
        self.complaint
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// The connection is over: wakes everybody who waits for anything.
    pub(crate) fn end(&self, reason: CloseReason) {
        let reason = self.reason.get_or_init(|| reason).clone();
        self.pending().close(&reason);
        self.running.abort_all();
        self.outbox.set_state(State::Closed);
        self.ended.notify_waiters();
    }

    /// Why the connection ended, or what to say when it is just about to.
    pub(crate) fn reason(&self) -> CloseReason {
        self.reason
            .get()
            .cloned()
            .unwrap_or(CloseReason::ClosedHere)
    }

    pub(crate) async fn closed(&self) -> CloseReason {
        let mut ended = std::pin::pin!(self.ended.notified());
        // Listening starts before looking, or an end in between would be missed.
        ended.as_mut().enable();
        match self.reason.get() {
            Some(reason) => reason.clone(),
            None => {
                ended.await;
                self.reason()
            }
        }
    }
}

/// A handle to the other side of a connection. Cloning it is cheap; it does not keep the
/// connection open.
///
/// Both sides have the same kind of handle: a handler may call whoever called it.
#[derive(Clone)]
pub struct Peer {
    pub(crate) shared: Arc<Shared>,
}

impl Peer {
    /// Calls a method and waits for the answer.
    ///
    /// Dropping the future gives up: the slot is freed and, where the protocol has a message for
    /// it, the other side is told.
    ///
    /// # Errors
    /// See [`CallError`].
    pub async fn call<M: Method>(
        &self,
        _method: M,
        params: M::Params,
    ) -> Result<M::Result, CallError> {
        let params = self.encode_params(&params)?;
        let result = self.call_raw(Text::from_static(M::NAME), params).await?;
        let decoded = match self.shared.options.redact {
            Some(_) => result.decode_private(),
            None => result.decode(),
        };
        decoded.map_err(CallError::Undecodable)
    }

    /// Like [`call`](Peer::call), but gives up after `limit`.
    ///
    /// # Errors
    /// [`CallError::TimedOut`], or as [`call`](Peer::call).
    pub async fn call_within<M: Method>(
        &self,
        limit: Duration,
        method: M,
        params: M::Params,
    ) -> Result<M::Result, CallError> {
        within(Some(limit), self.call(method, params)).await
    }

    /// Calls a method by name with params that are already encoded.
    ///
    /// # Errors
    /// As [`call`](Peer::call).
    pub async fn call_raw(
        &self,
        method: impl Into<Text>,
        params: Option<Payload>,
    ) -> Result<Payload, CallError> {
        self.ask(method, params).await?.await
    }

    /// Sends a request and gives the call that waits for its answer. Waits for room in the queue.
    ///
    /// # Errors
    /// Nothing was sent: see [`CallError`].
    pub async fn ask(
        &self,
        method: impl Into<Text>,
        params: Option<Payload>,
    ) -> Result<Asked, CallError> {
        let method = method.into();
        let room = self.room_for(&method, &params).await?;
        self.ask_in(room, method, params)
    }

    /// Like [`ask`](Peer::ask), but `None` if there is no room in the queue.
    ///
    /// # Errors
    /// As [`ask`](Peer::ask).
    pub fn try_ask(
        &self,
        method: impl Into<Text>,
        params: Option<Payload>,
    ) -> Result<Option<Asked>, CallError> {
        let method = method.into();
        match self.shared.outbox.try_reserve(size(&method, &params)) {
            Some(room) => self.ask_in(room, method, params).map(Some),
            None if self.is_closed() => Err(self.closed_error()),
            None => Ok(None),
        }
    }

    fn ask_in(
        &self,
        room: Room,
        method: Text,
        params: Option<Payload>,
    ) -> Result<Asked, CallError> {
        let outbox = &self.shared.outbox;
        let opened = self.shared.pending().open();
        let number = opened.inspect_err(|_| outbox.release(room))?;
        let request = Message::Request(Request {
            id: Id::from(number),
            method,
            params,
        });
        match outbox.push(room, &request) {
            Ok(()) => Ok(Asked {
                shared: self.shared.clone(),
                number,
            }),
            Err(error) => {
                // It never went out, so there is nothing to cancel.
                self.shared.pending().forget(number);
                Err(self.queue_error(error))
            }
        }
    }

    /// Takes a call back with an event of the caller's own making; `false` if it does not wait for
    /// its answer any more. Whoever waits for the answer must stop: none is delivered.
    pub fn withdraw(&self, id: &Id, event: Event) -> bool {
        let Id::Number(number) = id else {
            return false;
        };
        let number = u32::try_from(*number);
        if !number.is_ok_and(|number| self.shared.pending().forget(number)) {
            return false;
        }
        let outbox = &self.shared.outbox;
        // As many of these as calls at most, so they need no room of their own.
        let _ended = outbox.push(outbox.no_room_needed(), &Message::Event(event));
        true
    }

    /// Stops reading what this peer sends, until the hold is dropped: back-pressure for a peer whose
    /// messages cannot be passed on as fast as they come. There should be one hold at a time.
    pub fn hold(&self) -> Hold {
        let hold = Hold {
            shared: self.shared.clone(),
        };
        hold.unless_asked();
        hold
    }

    /// Sends an event. Waits only for room in the queue.
    ///
    /// # Errors
    /// The params cannot be encoded, or the connection has ended.
    pub async fn send<E: EventKind>(&self, _event: E, params: E::Params) -> Result<(), CallError> {
        let params = self.encode_params(&params)?;
        self.send_raw(Text::from_static(E::NAME), params).await
    }

    /// Sends an event by name with params that are already encoded.
    ///
    /// # Errors
    /// As [`send`](Peer::send).
    pub async fn send_raw(
        &self,
        method: impl Into<Text>,
        params: Option<Payload>,
    ) -> Result<(), CallError> {
        let method = method.into();
        let room = self.room_for(&method, &params).await?;
        self.send_in(room, method, params)
    }

    fn send_in(&self, room: Room, method: Text, params: Option<Payload>) -> Result<(), CallError> {
        let event = Message::Event(Event { method, params });
        let pushed = self.shared.outbox.push(room, &event);
        pushed.map_err(|error| self.queue_error(error))
    }

    /// Like [`send_raw`](Peer::send_raw), but `false` if there is no room in the queue.
    ///
    /// # Errors
    /// As [`send`](Peer::send).
    pub fn try_send_raw(
        &self,
        method: impl Into<Text>,
        params: Option<Payload>,
    ) -> Result<bool, CallError> {
        let method = method.into();
        let outbox = &self.shared.outbox;
        let Some(room) = outbox.try_reserve(size(&method, &params)) else {
            return match self.is_closed() {
                true => Err(self.closed_error()),
                false => Ok(false),
            };
        };
        self.send_in(room, method, params).map(|()| true)
    }

    /// The format in which payloads travel on this connection.
    pub fn format(&self) -> Format {
        self.dialect().format()
    }

    /// The dialect of this connection.
    pub fn dialect(&self) -> Dialect {
        self.shared.outbox.dialect()
    }

    /// Sends an event that has been encoded for many, if there is room in the queue.
    ///
    /// # Errors
    /// There is no room, the connection has ended, or its dialect cannot carry the event.
    pub fn offer(&self, prepared: &Prepared) -> Result<(), Refused> {
        let outbox = &self.shared.outbox;
        let frame = prepared
            .frame(outbox.dialect())
            .map_err(Refused::Unsendable)?;
        let Some(room) = outbox.try_reserve(frame.len()) else {
            return Err(match self.is_closed() {
                true => Refused::Closed,
                false => Refused::Full,
            });
        };
        outbox
            .push_encoded(room, frame, prepared.event())
            .map_err(|Ended| Refused::Closed)
    }

    /// Waits until [`offer`](Peer::offer) may succeed for a frame of this many bytes.
    ///
    /// # Errors
    /// The connection has ended.
    pub async fn room(&self, bytes: usize) -> Result<(), CallError> {
        let outbox = &self.shared.outbox;
        let room = outbox.reserve(bytes).await;
        outbox.release(room.map_err(|Ended| self.closed_error())?);
        Ok(())
    }

    /// What whoever started the connection attached to it.
    pub fn attachment<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        let attachment = self.shared.options.attachment.clone()?;
        attachment.downcast().ok()
    }

    /// The first thing the peer sent that is no message at all, if it did: what a plugin printed
    /// by mistake, most often.
    pub fn stray(&self) -> Option<Quote> {
        self.shared.stray().clone()
    }

    /// Forgets what [`stray`](Peer::stray) gives, so that it is the first one from now on.
    pub fn forget_stray(&self) {
        *self.shared.stray() = None;
    }

    /// The first answer that belonged to no call, if there was one: late, twice, with an id that
    /// was never used, or an error about a frame the peer could not read.
    pub fn unclaimed(&self) -> Option<&str> {
        self.shared.unclaimed.get().map(Text::as_str)
    }

    /// The last thing the peer said, if that is an error about no call in particular: it could not
    /// read something, or would not let us in.
    pub fn complaint(&self) -> Option<RpcError> {
        self.shared.complaint().as_deref().cloned()
    }

    /// Waits until the connection has ended.
    pub async fn closed(&self) -> CloseReason {
        self.shared.closed().await
    }

    /// Ends the connection at once: nothing more is read or written, every running handler is
    /// dropped and every waiting call fails.
    pub fn close(&self) {
        self.shared.outbox.set_state(State::Closed);
    }

    /// Whether the connection has ended.
    pub fn is_closed(&self) -> bool {
        self.shared.reason.get().is_some()
    }

    fn encode_params<T: serde::Serialize>(&self, params: &T) -> Result<Option<Payload>, CallError> {
        let encoded = self.shared.options.params.encode(self.format(), params);
        encoded.map_err(CallError::Unsendable)
    }

    /// Decodes what this peer sent as the params of a call or an event.
    pub(crate) fn decode_params<T: serde::de::DeserializeOwned>(
        &self,
        params: Option<Payload>,
    ) -> Result<T, RpcError> {
        self.shared.options.params.decode(params, self.format())
    }

    /// Waits for room in the queue.
    async fn room_for(&self, method: &Text, params: &Option<Payload>) -> Result<Room, CallError> {
        let room = self.shared.outbox.reserve(size(method, params)).await;
        room.map_err(|Ended| self.closed_error())
    }

    pub(crate) fn queue_error(&self, error: QueueError) -> CallError {
        match error {
            QueueError::Ended => self.closed_error(),
            QueueError::Unsendable(error) => CallError::Unsendable(error),
        }
    }

    pub(crate) fn closed_error(&self) -> CallError {
        CallError::Closed(self.shared.reason())
    }
}

impl fmt::Debug for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = if self.is_closed() { "closed" } else { "open" };
        write!(f, "Peer({}, {state})", self.dialect())
    }
}

/// Gives up on a call after `limit`, if there is one. Dropping the call is what cancels it.
///
/// # Errors
/// [`CallError::TimedOut`], or those of the call.
pub async fn within<T>(
    limit: Option<Duration>,
    call: impl Future<Output = Result<T, CallError>>,
) -> Result<T, CallError> {
    let Some(limit) = limit else {
        return call.await;
    };
    match tokio::time::timeout(limit, call).await {
        Ok(outcome) => outcome,
        Err(_) => Err(CallError::TimedOut(limit)),
    }
}

/// About how many bytes a message takes.
fn size(method: &Text, params: &Option<Payload>) -> usize {
    method.len() + params.as_ref().map_or(0, |params| params.bytes().len())
}

/// A call on its way: its answer, once it comes. Dropped before that, it takes itself back.
#[must_use]
pub struct Asked {
    pub(crate) shared: Arc<Shared>,
    pub(crate) number: u32,
}

impl Asked {
    /// The id that the request went out with.
    pub fn id(&self) -> Id {
        Id::from(self.number)
    }
}

impl fmt::Debug for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Asked({})", self.number)
    }
}

impl Future for Asked {
    type Output = Outcome;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Outcome> {
        match self.shared.pending().poll(self.number, cx.waker()) {
            Some(outcome) => Poll::Ready(outcome),
            None => Poll::Pending,
        }
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        if !self.shared.pending().forget(self.number) {
            return;
        }
        let Some(cancel) = self.shared.options.cancel else {
            return;
        };
        let outbox = &self.shared.outbox;
        if let Ok(params) = cancel.params(outbox.dialect().format(), self.number) {
            let event = Message::Event(Event {
                method: Text::from_static(cancel.method),
                params: Some(params),
            });
            // There are at most as many of these as calls, so they need no room of their own.
            // A connection that has ended needs no cancelling.
            let _ended = outbox.push(outbox.no_room_needed(), &event);
        }
    }
}

/// A peer that is not read, until this is dropped.
pub struct Hold {
    shared: Arc<Shared>,
}

impl Hold {
    /// Reads on while calls of ours wait for an answer of the peer, and refuses requests instead.
    /// This is how a hold begins.
    pub fn unless_asked(&self) {
        self.set(Held::UnlessAsked);
    }

    /// Reads nothing at all.
    pub fn entirely(&self) {
        self.set(Held::Entirely);
    }

    fn set(&self, held: Held) {
        self.shared.held.set(held);
        self.shared.outbox.wake();
    }
}

impl fmt::Debug for Hold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hold")
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.set(Held::Not);
    }
}
