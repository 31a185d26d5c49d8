//! Windows: events of the console, the parent by its handle, and no Unix sockets.

mod kernel;
mod parent;

use std::io;
use std::path::Path;

use tokio::signal::windows::{CtrlBreak, CtrlC, CtrlClose, ctrl_break, ctrl_c, ctrl_close};

use super::super::connection::Connection;
use super::super::listening::Network;

pub(crate) use parent::Parent;

/// Where go-plugin listens on this system.
pub(crate) const NETWORK: Network = Network::Tcp;

/// Ctrl-C.
pub(crate) const INTERRUPT: &str = "Ctrl-C";
/// How a process is asked to end.
pub(crate) const TERMINATE: &str = "Ctrl-Break";
/// The console is closed.
pub(crate) const HANG_UP: &str = "the end of the console";

/// An event of the console.
pub(crate) enum Signal {
    Interrupt(CtrlC),
    Terminate(CtrlBreak),
    HangUp(CtrlClose),
}

impl Signal {
    pub(crate) async fn recv(&mut self) -> Option<()> {
        match self {
            Signal::Interrupt(event) => event.recv().await,
            Signal::Terminate(event) => event.recv().await,
            Signal::HangUp(event) => event.recv().await,
        }
    }
}

pub(crate) fn interrupt() -> io::Result<Signal> {
    ctrl_c().map(Signal::Interrupt)
}

pub(crate) fn terminate() -> io::Result<Signal> {
    ctrl_break().map(Signal::Terminate)
}

pub(crate) fn hang_up() -> io::Result<Signal> {
    ctrl_close().map(Signal::HangUp)
}

/// There is none: the runtime has no Unix sockets here.
#[derive(Debug)]
pub(crate) enum Socket {}

/// Why there is no socket.
#[derive(Debug, thiserror::Error)]
#[error(
    "a provider cannot listen on a Unix socket on Windows; set TENON_PROVIDER_NETWORK to \"tcp\", or do \
     not set it"
)]
pub(crate) struct SocketError;

/// What accepts connections to a socket.
pub(crate) enum SocketListener {}

/// The files of a socket.
pub(crate) enum Files {}

impl Socket {
    pub(crate) fn bind(_: &str, _: Option<&Path>, _: Option<&str>) -> Result<Socket, SocketError> {
        Err(SocketError)
    }

    pub(crate) fn address(&self) -> Result<&str, SocketError> {
        match *self {}
    }

    pub(crate) fn remove_left_behind(&self, _: &str) {
        match *self {}
    }

    pub(crate) fn into_parts(self) -> io::Result<(SocketListener, Files)> {
        match self {}
    }
}

impl SocketListener {
    pub(crate) async fn accept(&self) -> io::Result<Connection> {
        match *self {}
    }
}

impl Files {
    pub(crate) fn remove(&self) {
        match *self {}
    }
}
