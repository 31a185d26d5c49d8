//! The connection of a client: connected, lost and reconnected.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tenon_rpc::{CloseReason, Connection, Peer, Router, RpcError};
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

use super::{ClientSettings, ClientState, Reconnect};
use crate::name::connect_to_within;

/// The state of the connection.
#[derive(Clone, Debug)]
pub(super) enum Link {
    Up(Peer),
    Lost {
        attempt: u32,
        pause: Duration,
    },
    Over {
        reason: CloseReason,
        /// The error with which the server disconnected.
        complaint: Option<RpcError>,
    },
}

impl Link {
    pub(super) fn state(&self) -> ClientState {
        match self {
            Link::Up(_) => ClientState::Connected,
            Link::Lost { attempt, pause } => ClientState::Reconnecting {
                attempt: *attempt,
                pause: *pause,
            },
            Link::Over { reason, .. } => ClientState::Closed(reason.clone()),
        }
    }
}

/// Everything that is needed to connect and reconnect.
pub(super) struct Dialer<S> {
    name: String,
    router: Arc<Router<S>>,
    settings: ClientSettings,
}

impl<S: Clone + Send + Sync + 'static> Dialer<S> {
    pub(super) fn new(name: String, router: Router<S>, settings: ClientSettings) -> Dialer<S> {
        Dialer {
            name,
            router: Arc::new(router),
            settings,
        }
    }

    pub(super) async fn dial(&self) -> io::Result<Connection> {
        let limit = self.settings.connect_timeout;
        // The limit of the settings is the only one.
        let connecting = connect_to_within(&self.name, &self.settings.users, Duration::MAX);
        let io = tokio::time::timeout(limit, connecting)
            .await
            .map_err(|_| {
                let problem = format!("{}: no server answered within {limit:?}", self.name);
                io::Error::new(io::ErrorKind::TimedOut, problem)
            })??;
        let (dialect, router) = (self.settings.framing.dialect(), self.router.clone());
        let options = self.settings.options.clone();
        Ok(Connection::start_with(io, dialect, router, options))
    }

    /// Keeps the connection, and makes a new one when it is lost, until the client is closed.
    pub(super) async fn stay(
        self,
        mut connection: Connection,
        link: watch::Sender<Link>,
        closing: Arc<Notify>,
    ) {
        let (mut attempts, mut since) = (0, Instant::now());
        loop {
            let reason = tokio::select! {
                reason = connection.closed() => reason,
                () = closing.notified() => {
                    let reason = connection.close_within(GOODBYE).await;
                    let complaint = None;
                    link.send_replace(Link::Over { reason, complaint });
                    return;
                }
            };
            let complaint = connection.peer().complaint();
            let Some(reconnect) = self.settings.reconnect else {
                link.send_replace(Link::Over { reason, complaint });
                return;
            };
            // A server that accepts the connection and closes it immediately is not ready; without the
            // pause it would be flooded with attempts.
            if complaint.is_none() && since.elapsed() >= reconnect.backoff.first {
                attempts = 0;
            }
            let found = tokio::select! {
                found = self.search(reconnect, &mut attempts, &link) => found,
                () = closing.notified() => None,
            };
            match found {
                Some(found) => (connection, since) = (found, Instant::now()),
                None => {
                    link.send_replace(Link::Over { reason, complaint });
                    return;
                }
            }
            link.send_replace(Link::Up(connection.peer()));
        }
    }

    /// Tries to connect again, after this many attempts; `None` when they are too many.
    async fn search(
        &self,
        reconnect: Reconnect,
        attempts: &mut u32,
        link: &watch::Sender<Link>,
    ) -> Option<Connection> {
        while reconnect.attempts.is_none_or(|most| *attempts < most) {
            *attempts = attempts.saturating_add(1);
            let (attempt, pause) = (*attempts, reconnect.backoff.jittered(*attempts));
            link.send_replace(Link::Lost { attempt, pause });
            tokio::time::sleep(pause).await;
            match self.dial().await {
                Ok(connection) => return Some(connection),
                Err(error) => tracing::debug!(%error, attempt, "the server is not back yet"),
            }
        }
        None
    }
}

/// How long the answers to what the server asked may take when the client closes.
const GOODBYE: Duration = Duration::from_secs(1);
