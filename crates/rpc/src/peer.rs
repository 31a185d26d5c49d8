//! The other side: a cheap handle to call it and send to it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tenon_wire::transcode::ExtName;

use crate::asked::{Asked, within};
use crate::dialect::Dialect;
use crate::error::{CallError, CloseReason, Quote, RpcError};
use crate::held::Hold;
use crate::message::{Event, Id, Message, Request, Text};
use crate::method::{EventKind, Method};
use crate::metrics::Timer;
use crate::outbox::{Ended, QueueError, Room};
use crate::payload::{Format, Payload};
use crate::pending::Unopened;
use crate::prepared::{Prepared, Refused};
use crate::shared::Shared;
use crate::state::Phase;
use crate::tap::Direction;

/// A handle to the other side of a connection. Cloning it is cheap; it does not keep the
/// connection open.
///
/// Both sides have the same kind of handle: a handler may call its caller.
#[derive(Clone)]
pub struct Peer {
    pub(crate) shared: Arc<Shared>,
}

impl Peer {
    /// Calls a method and waits for the answer.
    ///
    /// Dropping the future cancels the call: its slot is freed and, if the protocol has a message for
    /// it ([`Options::cancel`](crate::Options::cancel)), the other side is notified.
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
        let decoded = match self.shared.evidence.is_private() {
            true => result.decode_private(),
            false => result.decode(),
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

    /// Sends a request and returns a future of its answer. Waits for room in the queue.
    ///
    /// # Errors
    /// Nothing was sent: see [`CallError`].
    pub async fn ask(
        &self,
        method: impl Into<Text>,
        params: Option<Payload>,
    ) -> Result<Asked, CallError> {
        self.ask_noting(method.into(), params, |_| {}).await
    }

    /// Like [`ask`](Peer::ask), and gives the id away before anything is sent: an answer cannot come earlier.
    pub(crate) async fn ask_noting(
        &self,
        method: Text,
        params: Option<Payload>,
        note: impl FnOnce(Id),
    ) -> Result<Asked, CallError> {
        let room = self.room_for(&method, &params).await?;
        self.ask_in(room, method, params, note)
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
        self.try_ask_noting(method.into(), params, |_| {})
    }

    /// Like [`try_ask`](Peer::try_ask), and gives the id away before anything is sent.
    pub(crate) fn try_ask_noting(
        &self,
        method: Text,
        params: Option<Payload>,
        note: impl FnOnce(Id),
    ) -> Result<Option<Asked>, CallError> {
        match self.shared.outbox.try_reserve(size(&method, &params)) {
            Some(room) => self.ask_in(room, method, params, note).map(Some),
            None if self.is_closed() => Err(self.closed_error()),
            None => Ok(None),
        }
    }

    fn ask_in(
        &self,
        room: Room,
        method: Text,
        params: Option<Payload>,
        note: impl FnOnce(Id),
    ) -> Result<Asked, CallError> {
        let outbox = &self.shared.outbox;
        let asked = self.open(&method).inspect_err(|_| outbox.release(room))?;
        note(asked.id());
        let request = Message::Request(Request {
            id: asked.id(),
            method,
            params,
        });
        match outbox.push(room, &request) {
            Ok(()) => Ok(asked),
            Err(error) => {
                self.never_sent(asked);
                Err(self.queue_error(error))
            }
        }
    }

    /// Enters a call that is about to be sent.
    pub(crate) fn open(&self, method: &Text) -> Result<Asked, CallError> {
        let opened = self.shared.pending().open();
        let number = opened.map_err(|unopened| match unopened {
            Unopened::Refused => self.closed_error(),
            Unopened::TooMany(calls) => CallError::TooManyCalls(calls),
        })?;
        Ok(Asked {
            shared: self.shared.clone(),
            number,
            timer: Timer::start(&self.shared.options.metrics, Direction::Out, method),
            is_cancelled: false,
        })
    }

    /// A call that was never sent need not be cancelled.
    pub(crate) fn never_sent(&self, asked: Asked) {
        self.shared.pending().forget(asked.number);
    }

    /// Cancels a call with the given event; `false` if the call is no longer waiting for its answer.
    /// The answer is not delivered, so nothing may wait for it.
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
        Hold::new(self.shared.clone())
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

    /// [`Options::ext_names`](crate::Options::ext_names) of this connection.
    pub fn ext_names(&self) -> &'static [ExtName] {
        self.shared.options.ext_names
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
            .frame(outbox.dialect(), self.ext_names())
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

    /// [`Options::attachment`](crate::Options::attachment) of this connection, if it has this type.
    pub fn attachment<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        let attachment = self.shared.options.attachment.clone()?;
        attachment.downcast().ok()
    }

    /// The first thing the peer sent that is not a message, if it did: usually something that a
    /// plugin printed by mistake.
    pub fn stray(&self) -> Option<Quote> {
        self.shared.evidence.stray()
    }

    /// Clears [`stray`](Peer::stray): it returns the next such output.
    pub fn forget_stray(&self) {
        self.shared.evidence.forget_stray();
    }

    /// The first answer that belonged to no call, if there was one: late, twice, with an id that
    /// was never used, or an error about a frame the peer could not read.
    pub fn unclaimed(&self) -> Option<&str> {
        self.shared.evidence.unclaimed()
    }

    /// The error with the id null that the peer sent last, if nothing followed it: the peer could not
    /// read a message, or refused the connection.
    pub fn complaint(&self) -> Option<RpcError> {
        self.shared.evidence.complaint()
    }

    /// Waits until the connection has ended.
    pub async fn closed(&self) -> CloseReason {
        self.shared.state.closed().await
    }

    /// Ends the connection immediately: nothing more is read or written, every running handler is
    /// dropped and every waiting call fails.
    pub fn close(&self) {
        self.shared.advance(Phase::Stopped);
    }

    /// Whether the connection has ended.
    pub fn is_closed(&self) -> bool {
        self.shared.state.has_ended()
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
        CallError::Closed(self.shared.state.reason())
    }
}

impl fmt::Debug for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = if self.is_closed() { "closed" } else { "open" };
        write!(f, "Peer({}, {state})", self.dialect())
    }
}

/// About how many bytes a message takes.
fn size(method: &Text, params: &Option<Payload>) -> usize {
    method.len() + params.as_ref().map_or(0, |params| params.bytes().len())
}
