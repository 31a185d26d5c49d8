//! Where messages are forwarded to.

use std::fmt;
use std::future::Future;

use tokio::sync::watch;

use crate::error::CloseReason;
use crate::peer::Peer;

/// Where messages are forwarded to: a peer, or one that is connected later or again.
pub trait Target: Send + Sync + 'static {
    /// The peer, if it is connected.
    fn now(&self) -> Option<Peer>;

    /// The peer, as soon as it is connected, or why it never will be. Called again for the next message
    /// when the returned peer has closed.
    fn ready(&self) -> impl Future<Output = Result<Peer, CloseReason>> + Send;
}

impl Target for Peer {
    fn now(&self) -> Option<Peer> {
        (!self.is_closed()).then(|| self.clone())
    }

    async fn ready(&self) -> Result<Peer, CloseReason> {
        match self.is_closed() {
            true => Err(self.closed().await),
            false => Ok(self.clone()),
        }
    }
}

/// A peer that is connected later. Messages wait until then; once it has closed they are refused,
/// until another one is connected.
pub struct Slot(watch::Sender<Option<Peer>>);

impl Slot {
    pub(super) fn set(&self, peer: Peer) {
        self.0.send_replace(Some(peer));
    }
}

impl Default for Slot {
    fn default() -> Slot {
        Slot(watch::Sender::new(None))
    }
}

impl Target for Slot {
    fn now(&self) -> Option<Peer> {
        self.0.borrow().clone().and_then(|peer| peer.now())
    }

    async fn ready(&self) -> Result<Peer, CloseReason> {
        let mut peers = self.0.subscribe();
        let connected = peers.wait_for(Option::is_some).await;
        let peer = connected.ok().and_then(|peer| peer.clone());
        match peer {
            Some(peer) => peer.ready().await,
            None => Err(CloseReason::ClosedHere),
        }
    }
}

impl fmt::Debug for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Slot({:?})", *self.0.borrow())
    }
}
