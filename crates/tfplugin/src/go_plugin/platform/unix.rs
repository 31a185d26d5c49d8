//! Unix: signals, the parent by its process id, and a socket that is a file.

mod left_behind;
mod parent;
mod socket;

use std::io;

use tokio::net::UnixListener;
use tokio::signal::unix::{SignalKind, signal};

use super::super::connection::Connection;
use super::super::listening::Network;

pub(crate) use parent::Parent;
pub(crate) use socket::{Files, Socket, SocketError};
pub(crate) use tokio::signal::unix::Signal;

/// Where go-plugin listens on this system.
pub(crate) const NETWORK: Network = Network::Unix;

/// Ctrl-C.
pub(crate) const INTERRUPT: &str = "SIGINT";
/// How a process is asked to end.
pub(crate) const TERMINATE: &str = "SIGTERM";
/// The terminal is closed.
pub(crate) const HANG_UP: &str = "SIGHUP";

pub(crate) fn interrupt() -> io::Result<Signal> {
    signal(SignalKind::interrupt())
}

pub(crate) fn terminate() -> io::Result<Signal> {
    signal(SignalKind::terminate())
}

pub(crate) fn hang_up() -> io::Result<Signal> {
    signal(SignalKind::hangup())
}

/// What accepts connections to a socket.
pub(crate) struct SocketListener(UnixListener);

impl SocketListener {
    pub(crate) async fn accept(&self) -> io::Result<Connection> {
        let (stream, _) = self.0.accept().await?;
        Ok(Connection::new(stream))
    }
}
