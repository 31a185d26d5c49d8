//! Connections that come in, each after its own TLS handshake.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tokio_stream::Stream;
use tokio_util::task::AbortOnDropHandle;

use super::connection::Connection;
use super::listening::Listener;

/// Terraform opens one connection. Silent connections delay others only if there are this many of them,
/// and only until their handshake times out.
const MOST_HANDSHAKES: usize = 64;

const LONGEST_HANDSHAKE: Duration = Duration::from_secs(10);

/// How long to wait if the system has no room for another connection.
const PAUSE: Duration = Duration::from_millis(100);

/// Connections that are ready for use. Dropping it closes the listener and gives up the handshakes
/// under way.
pub(super) struct Incoming {
    connections: mpsc::Receiver<Connection>,
    _accepting: AbortOnDropHandle<()>,
}

/// Accepts what comes; with an `acceptor`, only what passes its handshake.
pub(super) fn accept(listener: Listener, acceptor: Option<TlsAcceptor>) -> Incoming {
    let (sender, connections) = mpsc::channel(1);
    let accepting = tokio::spawn(accept_all(listener, acceptor, sender));
    Incoming {
        connections,
        _accepting: AbortOnDropHandle::new(accepting),
    }
}

impl Stream for Incoming {
    type Item = io::Result<Connection>;

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Connection>>> {
        let connection = self.connections.poll_recv(context);
        connection.map(|connection| connection.map(Ok))
    }
}

async fn accept_all(
    listener: Listener,
    acceptor: Option<TlsAcceptor>,
    ready: mpsc::Sender<Connection>,
) {
    let mut handshakes = JoinSet::new();
    loop {
        tokio::select! {
            Some(_done) = handshakes.join_next() => {}
            accepted = listener.accept(), if handshakes.len() < MOST_HANDSHAKES => match accepted {
                Ok(stream) => {
                    handshakes.spawn(shake_hands(stream, acceptor.clone(), ready.clone()));
                }
                Err(error) => {
                    tracing::warn!("a connection could not be accepted: {error}");
                    tokio::time::sleep(PAUSE).await;
                }
            },
        }
    }
}

/// A client that fails here is logged, and no other is affected.
async fn shake_hands(
    stream: Connection,
    acceptor: Option<TlsAcceptor>,
    ready: mpsc::Sender<Connection>,
) {
    let connection = match acceptor {
        None => stream,
        Some(acceptor) => {
            let accepted = tokio::time::timeout(LONGEST_HANDSHAKE, acceptor.accept(stream)).await;
            match accepted {
                Ok(Ok(stream)) => Connection::new(stream),
                Ok(Err(error)) => {
                    tracing::warn!("a client has been refused: {error}");
                    return;
                }
                Err(_elapsed) => {
                    tracing::warn!("a client has been refused: its TLS handshake took too long");
                    return;
                }
            }
        }
    };
    let _server_has_ended = ready.send(connection).await;
}
