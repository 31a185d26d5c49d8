//! Events that a server sends to its client.

use tenon_rpc::Event;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::sync::{broadcast, watch};

use super::link::Link;

/// The events of a server, one after the other.
#[derive(Debug)]
pub struct Events {
    receiver: broadcast::Receiver<Event>,
    link: watch::Receiver<Link>,
}

/// What comes next in [`Events`].
#[derive(Clone, Debug, PartialEq)]
pub enum Received {
    /// An event.
    Event(Event),
    /// This many events were dropped, because they were not read in time.
    Missed(u64),
}

impl Events {
    pub(super) fn new(receiver: broadcast::Receiver<Event>, link: watch::Receiver<Link>) -> Events {
        Events { receiver, link }
    }

    /// Waits for the next event; `None` when the connection is over and everything has been read.
    pub async fn next(&mut self) -> Option<Received> {
        let over = self.link.wait_for(|link| matches!(link, Link::Over { .. }));
        let received = tokio::select! {
            biased;
            received = self.receiver.recv() => received,
            // Events from before the end are still to be read.
            _ = over => match self.receiver.try_recv() {
                Ok(event) => Ok(event),
                Err(TryRecvError::Lagged(count)) => Err(RecvError::Lagged(count)),
                Err(_) => Err(RecvError::Closed),
            },
        };
        match received {
            Ok(event) => Some(Received::Event(event)),
            Err(RecvError::Lagged(count)) => Some(Received::Missed(count)),
            Err(RecvError::Closed) => None,
        }
    }
}
