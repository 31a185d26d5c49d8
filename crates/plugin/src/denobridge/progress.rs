//! How far an action has come.

use std::sync::{Arc, Weak};

use tenon_protocols::denobridge::{self as protocol, InvokeProgress};
use tenon_rpc::Peer;

/// Tells the user how far an action has come.
///
/// It falls silent when its action is over: messages carry no id, so a late one would be shown as
/// one of the next action.
#[derive(Clone, Debug)]
pub struct Progress(Weak<Peer>);

impl Progress {
    pub(super) fn new(peer: &Arc<Peer>) -> Progress {
        Progress(Arc::downgrade(peer))
    }

    /// Says it.
    pub async fn say(&self, message: impl Into<String>) {
        let Some(peer) = self.0.upgrade() else {
            return;
        };
        let message = message.into();
        // A host that is gone has nobody to show it to.
        let _unheard = peer
            .send(InvokeProgress, protocol::Progress { message })
            .await;
    }
}
