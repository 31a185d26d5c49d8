//! A client of a server on a local socket, which reconnects when the connection is lost.

mod events;
mod link;
mod settings;
mod timers;

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use tenon_rpc::{CallError, CloseReason, Event, EventKind, Method, Payload, Peer, Router, Text};
use tokio::sync::{Notify, broadcast, watch};
use tokio::task::AbortHandle;

pub use events::{Events, Received};
use link::Link;
pub use settings::{ClientSettings, Reconnect};
use timers::Timers;

/// The state of a client.
#[derive(Clone, Debug)]
pub enum ClientState {
    /// It is connected.
    Connected,
    /// The connection was lost, and the client tries to connect again.
    Reconnecting {
        /// The number of the next attempt, from 1.
        attempt: u32,
        /// The pause before that attempt.
        pause: Duration,
    },
    /// The client has ended.
    Closed(CloseReason),
}

/// A client of a server on a local socket. Cloning it is cheap; when the last clone is dropped, the
/// connection ends.
///
/// ```no_run
/// use tenon_ipc::Client;
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let client = Client::connect("calculator").await?;
/// let params = tenon_rpc::Payload::from_json("[20,22]")?;
/// let mut events = client.events();
/// println!("{:?}", client.call_raw("add", Some(params)).await?);
/// println!("{:?}", events.next().await);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Client {
    shared: Arc<Shared>,
}

struct Shared {
    link: watch::Receiver<Link>,
    events: broadcast::Sender<Event>,
    timeout: Option<Duration>,
    timers: Timers,
    close: Arc<Notify>,
    task: AbortHandle,
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Client {
    /// Connects to the server of this name.
    ///
    /// # Errors
    /// No server listens there, or a server of an untrusted user. The text says what is there instead.
    pub async fn connect(name: &str) -> io::Result<Client> {
        Client::connect_with(name, Router::new(()), ClientSettings::default()).await
    }

    /// Connects with the given settings. `router` handles calls and events of the server; events without
    /// a handler go to [`events`](Client::events).
    ///
    /// # Errors
    /// As [`connect`](Client::connect), also if the settings allow reconnecting.
    pub async fn connect_with<S>(
        name: &str,
        router: Router<S>,
        settings: ClientSettings,
    ) -> io::Result<Client>
    where
        S: Clone + Send + Sync + 'static,
    {
        let (events, _) = broadcast::channel(settings.events.max(1));
        let publish = events.clone();
        let router = match router.handles_every_event() {
            true => router,
            false => router.event_fallback(move |_, event| {
                // Without a reader the event is dropped.
                let _nobody = publish.send(event);
            }),
        };
        let timeout = settings.timeout;
        let dialer = link::Dialer::new(name.to_owned(), router, settings);
        let connection = dialer.dial().await?;
        let (sender, link) = watch::channel(Link::Up(connection.peer()));
        let close = Arc::new(Notify::new());
        let stay = dialer.stay(connection, sender, close.clone());
        let task = tokio::spawn(stay).abort_handle();
        let shared = Arc::new(Shared {
            link,
            events,
            timeout,
            timers: Timers::default(),
            close,
            task,
        });
        Ok(Client { shared })
    }

    /// Calls a method and waits for the answer, at most for the timeout in the settings.
    ///
    /// Dropping the future cancels the call at the server.
    ///
    /// # Errors
    /// See [`CallError`].
    pub async fn call<M: Method>(
        &self,
        method: M,
        params: M::Params,
    ) -> Result<M::Result, CallError> {
        self.ask(self.shared.timeout, async |peer| {
            peer.call(method, params).await
        })
        .await
    }

    /// Like [`call`](Client::call), but gives up after `limit`.
    ///
    /// # Errors
    /// [`CallError::TimedOut`], or as [`call`](Client::call).
    pub async fn call_within<M: Method>(
        &self,
        limit: Duration,
        method: M,
        params: M::Params,
    ) -> Result<M::Result, CallError> {
        self.ask(Some(limit), async |peer| peer.call(method, params).await)
            .await
    }

    /// Calls a method by name, with params that are already encoded.
    ///
    /// # Errors
    /// As [`call`](Client::call).
    pub async fn call_raw(
        &self,
        method: impl Into<Text>,
        params: Option<Payload>,
    ) -> Result<Payload, CallError> {
        let method = method.into();
        self.ask(self.shared.timeout, async |peer| {
            peer.call_raw(method, params).await
        })
        .await
    }

    /// Sends an event.
    ///
    /// # Errors
    /// The params cannot be encoded, or the connection has ended.
    pub async fn notify<E: EventKind>(&self, event: E, params: E::Params) -> Result<(), CallError> {
        self.ask(self.shared.timeout, async |peer| {
            peer.send(event, params).await
        })
        .await
    }

    /// Sends an event by name, with params that are already encoded.
    ///
    /// # Errors
    /// As [`notify`](Client::notify).
    pub async fn notify_raw(
        &self,
        method: impl Into<Text>,
        params: Option<Payload>,
    ) -> Result<(), CallError> {
        let method = method.into();
        self.ask(self.shared.timeout, async |peer| {
            peer.send_raw(method, params).await
        })
        .await
    }

    /// Calls the server, once it is connected. An error with which the server disconnects is its answer.
    async fn ask<T>(
        &self,
        limit: Option<Duration>,
        ask: impl AsyncFnOnce(Peer) -> Result<T, CallError>,
    ) -> Result<T, CallError> {
        let asking = async {
            let peer = self.peer().await?;
            match (ask(peer.clone()).await, peer.complaint()) {
                (Err(CallError::Closed(CloseReason::PeerClosed)), Some(complaint)) => {
                    Err(CallError::Answered(complaint))
                }
                (outcome, _) => outcome,
            }
        };
        self.shared.timers.within(limit, asking).await
    }

    /// The events that the server sends from now on.
    pub fn events(&self) -> Events {
        Events::new(self.shared.events.subscribe(), self.shared.link.clone())
    }

    /// The server. Waits while the client reconnects.
    ///
    /// # Errors
    /// The client has ended; the error with which the server disconnected, if there was one.
    pub async fn peer(&self) -> Result<Peer, CallError> {
        if let Link::Up(peer) = &*self.shared.link.borrow()
            && !peer.is_closed()
        {
            return Ok(peer.clone());
        }
        let mut link = self.shared.link.clone();
        let is_settled = |link: &Link| match link {
            Link::Up(peer) => !peer.is_closed(),
            Link::Lost { .. } => false,
            Link::Over { .. } => true,
        };
        match link.wait_for(is_settled).await.as_deref() {
            Ok(Link::Up(peer)) => Ok(peer.clone()),
            Ok(Link::Over {
                complaint: Some(complaint),
                ..
            }) => Err(CallError::Answered(complaint.clone())),
            Ok(Link::Over { reason, .. }) => Err(CallError::Closed(reason.clone())),
            _ => Err(CallError::Closed(CloseReason::ClosedHere)),
        }
    }

    /// The current state.
    pub fn state(&self) -> ClientState {
        self.shared.link.borrow().state()
    }

    /// Waits until the state changes, and returns the new one.
    pub async fn changed(&self, from: &ClientState) -> ClientState {
        let mut link = self.shared.link.clone();
        let differs = |link: &Link| !link.state().is_same(from);
        match link.wait_for(differs).await {
            Ok(link) => link.state(),
            Err(_) => ClientState::Closed(CloseReason::ClosedHere),
        }
    }

    /// Closes the connection: calls of the server are answered first, and our own waiting calls fail.
    pub async fn close(&self) {
        self.shared.close.notify_one();
        let mut link = self.shared.link.clone();
        let _over = link
            .wait_for(|link| matches!(link, Link::Over { .. }))
            .await;
    }
}

impl ClientState {
    fn is_same(&self, other: &ClientState) -> bool {
        match (self, other) {
            (
                ClientState::Reconnecting { attempt, .. },
                ClientState::Reconnecting { attempt: other, .. },
            ) => attempt == other,
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Client({:?})", self.state())
    }
}
