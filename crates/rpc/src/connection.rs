//! The reader and writer of one [`Io`], in one [`Dialect`], with one [`Router`].

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tenon_wire::transcode::ExtName;
use tokio::task::AbortHandle;

use crate::dialect::{self, Dialect, Limits};
use crate::driver::Driver;
use crate::error::{CloseReason, Redact};
use crate::io::Io;
use crate::message::Id;
use crate::metrics::Metrics;
use crate::params::Params;
use crate::payload::{Elements, Format, Payload, PayloadError};
use crate::peer::Peer;
use crate::router::Router;
use crate::shared::Shared;
use crate::state::Phase;
use crate::tap::Tap;

/// Everything about a connection that can be set. The defaults are bounded.
#[derive(Clone)]
pub struct Options {
    /// What is accepted of the peer's stream.
    pub limits: Limits,
    /// Requests being handled at the same time. Those that come on top wait, up to
    /// [`waiting_bytes`](Options::waiting_bytes); then reading stops until a handler is done. (While
    /// our own calls wait for an answer, which may come after those requests, reading continues, and
    /// requests are refused instead.)
    pub running: usize,
    /// Bytes of requests that wait because too many are being handled already.
    pub waiting_bytes: usize,
    /// Our calls that wait for an answer; one more fails immediately.
    pub calls: usize,
    /// Messages in the outgoing queue; larger ones take one slot per 8 KiB. When it is full, senders
    /// wait.
    pub queue: u32,
    /// Whether params are taken by name or by position.
    pub params: Params,
    /// Numbers and names of error codes that mean the same. Errors that we answer with are given the
    /// form that the dialect has: names in Orchard, numbers in JSON-RPC. The first of several counts.
    pub error_names: &'static [(i64, &'static str)],
    /// Names for the ext types of msgpack, for values that are shown as JSON (by a
    /// [`Recorder`](crate::trace::Recorder)) or [forwarded](crate::forward) to a peer with another
    /// format. A message is converted with the names of the connection that it goes out on, so a
    /// proxy gives both of its connections the same ones.
    pub ext_names: &'static [ExtName],
    /// The event that cancels a call, if the protocol has one.
    pub cancel: Option<Cancel>,
    /// Further events by which the peer may cancel a call, for routers that pass calls on. Each is
    /// also given to the router as an event, before the handler is dropped.
    pub withdrawals: &'static [Withdrawal],
    /// When an event is handled that arrives while requests wait.
    pub events: EventOrder,
    /// Events that the peer may send as requests whose id is null: some specifications write them so. They are not
    /// answered.
    pub events_with_null_id: &'static [&'static str],
    /// What to do with a frame that is not a message.
    pub stray: Stray,
    /// What to do with an answer whose id belongs to no call.
    pub unclaimed: Unclaimed,
    /// If not empty: the dialects to choose from by the first bytes of the peer. Until they
    /// come, the connection's own dialect is used.
    pub detect: &'static [Dialect],
    /// Sees every frame.
    pub tap: Option<Arc<dyn Tap>>,
    /// Receives how long calls take and how much is queued.
    pub metrics: Option<Arc<dyn Metrics>>,
    /// Masks secrets in what is quoted of the peer's bytes, in errors and in the log. If there is
    /// one, an answer that does not fit its type is not quoted at all: it may hold new secrets.
    pub redact: Option<Redact>,
    /// Anything the program knows about the peer; [`Peer::attachment`](Peer::attachment) returns it.
    pub attachment: Option<Arc<dyn Any + Send + Sync>>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            limits: Limits::default(),
            running: 1024,
            waiting_bytes: 1024 * 1024,
            calls: 65_536,
            queue: 1024,
            params: Params::Any,
            error_names: &[],
            ext_names: &[],
            cancel: None,
            withdrawals: &[],
            events: EventOrder::AtOnce,
            events_with_null_id: &[],
            stray: Stray::Answer,
            unclaimed: Unclaimed::Skip,
            detect: &[],
            tap: None,
            metrics: None,
            redact: None,
            attachment: None,
        }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("limits", &self.limits)
            .field("running", &self.running)
            .field("calls", &self.calls)
            .field("queue", &self.queue)
            .field("cancel", &self.cancel)
            .field("stray", &self.stray)
            .finish_non_exhaustive()
    }
}

/// The event by which a caller cancels a call.
///
/// When it arrives, the handler is dropped and the call answered with
/// [`ErrorCode::CANCELLED`](crate::ErrorCode::CANCELLED).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cancel {
    /// The name of the event.
    pub method: &'static str,
    /// The member of its params that holds the id.
    pub field: &'static str,
}

impl Cancel {
    /// The params of such an event, in the form that the protocol has for params.
    pub(crate) fn params(
        &self,
        form: Params,
        format: Format,
        number: u32,
    ) -> Result<Option<Payload>, PayloadError> {
        form.encode(
            format,
            &std::collections::BTreeMap::from([(self.field, number)]),
        )
    }

    /// The id in the params of such an event.
    pub fn id(&self, params: &Payload) -> Option<Id> {
        let params = match params.elements() {
            Elements::One(only) => only,
            Elements::None | Elements::Other => params.clone(),
        };
        let params = params.to_format(Format::Json).ok()?;
        dialect::member_id(params.bytes(), self.field)
    }
}

/// An event by which a peer cancels a call, in one of several protocols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Withdrawal {
    /// The event.
    pub cancel: Cancel,
    /// Whether the call is answered all the same, with
    /// [`ErrorCode::CANCELLED`](crate::ErrorCode::CANCELLED).
    pub is_answered: bool,
}

/// When an event is handled that arrives while requests wait because too many are being handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventOrder {
    /// At once: it overtakes those requests.
    AtOnce,
    /// After those requests have been started.
    InTurn {
        /// Events that are handled immediately all the same.
        except: &'static [&'static str],
    },
}

/// What to do with an answer whose id belongs to no call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unclaimed {
    /// Log it. The call that it was meant for waits for another answer.
    Skip,
    /// Fail the call that it must be meant for: the one whose number the id is in another form, such as
    /// `"1"` or `1.0`; for the id null, which says that a request could not be read, the only one that
    /// waits. Otherwise a plugin that gets ids wrong would be waited for forever.
    FailCall,
}

/// What to do with a frame that is not a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stray {
    /// Answer it with an error without an id, as a JSON-RPC server has to.
    Answer,
    /// Log it and continue: a plugin printed something.
    Skip,
    /// End the connection: the protocol says that the peer is broken.
    Fail,
}

/// A running connection. Dropping it ends it immediately: nothing more is read or written, every
/// running handler is dropped and every waiting call fails.
pub struct Connection {
    shared: Arc<Shared>,
    task: AbortHandle,
}

impl Connection {
    /// Starts a connection. Has to be called within a tokio runtime.
    pub fn start<S>(io: Io, dialect: Dialect, router: Router<S>) -> Connection
    where
        S: Clone + Send + Sync + 'static,
    {
        Connection::start_with(io, dialect, Arc::new(router), Options::default())
    }

    /// Starts a connection with options, and with a router that may serve many connections.
    pub fn start_with<S>(
        io: Io,
        dialect: Dialect,
        router: Arc<Router<S>>,
        options: Options,
    ) -> Connection
    where
        S: Clone + Send + Sync + 'static,
    {
        Connection::start_after(io, dialect, router, options, |_| {})
    }

    /// Does something first, while the peer can be sent to but nothing of it has been read.
    pub fn start_after<S>(
        io: Io,
        dialect: Dialect,
        router: Arc<Router<S>>,
        options: Options,
        first: impl FnOnce(Peer),
    ) -> Connection
    where
        S: Clone + Send + Sync + 'static,
    {
        let shared = Arc::new(Shared::new(dialect, options));
        let peer = shared.clone();
        first(Peer { shared: peer });
        let driver = Driver::new(io, dialect, router, shared.clone());
        let task = tokio::spawn(driver).abort_handle();
        Connection { shared, task }
    }

    /// The other side.
    pub fn peer(&self) -> Peer {
        Peer {
            shared: self.shared.clone(),
        }
    }

    /// How many of the peer's requests are being handled, by handlers that did not complete immediately.
    pub fn running(&self) -> usize {
        self.shared.running.count()
    }

    /// Waits until the connection has ended: when the peer closes its side, after everything it
    /// asked for has been answered.
    pub async fn closed(&self) -> CloseReason {
        self.shared.state.closed().await
    }

    /// Ends the connection in order: running handlers are finished and their answers written; new
    /// requests are refused.
    pub async fn close(self) -> CloseReason {
        self.shared.advance(Phase::Closing);
        self.shared.state.closed().await
    }

    /// Ends the connection in order, closes the outgoing side, and reads until the peer has closed its
    /// side too, at most for `limit`. If the last thing it sent is an error about no call, that is
    /// its [`complaint`](Peer::complaint).
    pub async fn finish_within(self, limit: Duration) -> CloseReason {
        let shared = self.shared.clone();
        shared.advance(Phase::Finishing);
        match tokio::time::timeout(limit, shared.state.closed()).await {
            Ok(reason) => reason,
            Err(_) => {
                drop(self);
                shared.state.closed().await
            }
        }
    }

    /// Like [`close`](Connection::close), but immediately after `limit`.
    pub async fn close_within(self, limit: Duration) -> CloseReason {
        let shared = self.shared.clone();
        match tokio::time::timeout(limit, self.close()).await {
            Ok(reason) => reason,
            // The connection has just been dropped; what is left is to see it end.
            Err(_) => shared.state.closed().await,
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Connection({:?})", self.peer())
    }
}
