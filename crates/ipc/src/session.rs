//! One client of a server, as its handlers see it.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tenon_rpc::forward::Forward;
use tenon_rpc::{
    Call, CallError, Context, EventContext, EventKind, Payload, Peer, Text, calls::Prepared,
};

use crate::clients::{Clients, Table};
use crate::lane::{Lane, Offered, Patience, Slow};
use crate::pace::Bucket;
use crate::users::Credentials;

/// One client of a server: who it is, and what can be sent to it. Cloning it is cheap; it does not
/// keep the connection open.
#[derive(Clone)]
pub struct Session {
    peer: Peer,
    inner: Arc<Inner>,
}

/// What a server knows about a client, attached to its connection.
pub(crate) struct Inner {
    number: u64,
    credentials: Option<Credentials>,
    lane: Arc<Lane>,
    pub(crate) bucket: Mutex<Option<Bucket>>,
    kept: Mutex<Option<Arc<dyn Any + Send + Sync>>>,
    clients: Weak<Table>,
    /// Messages to the plugin of a relay.
    pub(crate) forward: std::sync::OnceLock<Forward<crate::relay::RelayPlugin>>,
}

impl Inner {
    pub(crate) fn new(
        number: u64,
        credentials: Option<Credentials>,
        patience: Patience,
        clients: Weak<Table>,
    ) -> Inner {
        Inner {
            number,
            credentials,
            lane: Arc::new(Lane::new(patience)),
            bucket: Mutex::default(),
            kept: Mutex::default(),
            clients,
            forward: std::sync::OnceLock::new(),
        }
    }
}

impl Session {
    pub(crate) fn new(peer: Peer, inner: Arc<Inner>) -> Session {
        Session { peer, inner }
    }

    /// The session of a peer. A peer that was not accepted by a server has the number 0 and no
    /// credentials.
    pub fn of(peer: &Peer) -> Session {
        let inner = peer.attachment().unwrap_or_else(|| {
            let patience = Patience {
                events: 0,
                bytes: 0,
                slow: Slow::DropOldest,
            };
            Arc::new(Inner::new(0, None, patience, Weak::new()))
        });
        Session::new(peer.clone(), inner)
    }

    /// The number of the connection: 1, 2, 3, ... Numbers are not reused.
    pub fn number(&self) -> u64 {
        self.inner.number
    }

    /// The user and process of the client, if the system provides them.
    pub fn credentials(&self) -> Option<Credentials> {
        self.inner.credentials
    }

    /// The client, to call it: a server may call its clients.
    pub fn peer(&self) -> &Peer {
        &self.peer
    }

    /// All clients of the same server.
    pub fn clients(&self) -> Clients {
        Clients::from(self.inner.clients.upgrade().unwrap_or_default())
    }

    /// Sends an event to this client. Waits while the client reads too slowly, so that nothing
    /// is lost. [`offer`](Session::offer) does not wait.
    ///
    /// # Errors
    /// The params cannot be encoded, or the connection has ended.
    pub async fn notify<E: EventKind>(&self, event: E, params: E::Params) -> Result<(), CallError> {
        self.caught_up().await;
        self.peer.send(event, params).await
    }

    /// Sends an event by name, with params that are already encoded.
    ///
    /// # Errors
    /// As [`notify`](Session::notify).
    pub async fn notify_raw(
        &self,
        method: impl Into<Text>,
        params: Option<Payload>,
    ) -> Result<(), CallError> {
        self.caught_up().await;
        self.peer.send_raw(method, params).await
    }

    /// Waits until the events that are queued for this client now have been sent or dropped.
    pub(crate) async fn caught_up(&self) {
        self.inner.lane.passed().await;
    }

    /// Sends an event without waiting: if the client reads too slowly, older events are dropped or it is
    /// disconnected, according to the server's settings. `false` if it has disconnected.
    pub fn offer(&self, event: &Arc<Prepared>) -> bool {
        match self.inner.lane.offer(&self.peer, event) {
            Offered::Taken => true,
            Offered::Gone => false,
            Offered::TooSlow => {
                tracing::warn!(
                    session = self.number(),
                    "a client reads too slowly and is disconnected"
                );
                self.close();
                false
            }
        }
    }

    /// How many events this client has missed because it read too slowly.
    pub fn missed(&self) -> u64 {
        self.inner.lane.missed()
    }

    /// Ends the connection immediately.
    pub fn close(&self) {
        self.peer.close();
    }

    /// Stores a value for this client, such as the user who logged in. It replaces the value stored
    /// before.
    pub fn keep<T: Send + Sync + 'static>(&self, value: T) {
        let mut kept = self
            .inner
            .kept
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *kept = Some(Arc::new(value));
    }

    /// The stored value, if it has this type.
    pub fn kept<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        let kept = self
            .inner
            .kept
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        kept.clone()?.downcast().ok()
    }

    /// Waits until all events of this client have been forwarded, in a relay.
    pub(crate) async fn drained(&self) {
        if let Some(forward) = self.inner.forward.get() {
            forward.caught_up().await;
        }
    }

    pub(crate) fn inner(&self) -> &Inner {
        &self.inner
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Session({}, {:?})", self.number(), self.peer)
    }
}

/// Calls and events that come from a client.
pub trait FromClient {
    /// The client that sent it.
    fn session(&self) -> Session;
}

impl<S> FromClient for Context<S> {
    fn session(&self) -> Session {
        Session::of(&self.peer)
    }
}

impl<S> FromClient for EventContext<'_, S> {
    fn session(&self) -> Session {
        Session::of(self.peer)
    }
}

impl FromClient for Call {
    fn session(&self) -> Session {
        Session::of(&self.peer)
    }
}
