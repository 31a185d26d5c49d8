//! Where the provider listens: on a Unix socket, or on a TCP port where there are none.

use std::env;
use std::io;

use tokio::net::TcpListener;

use super::connection::Connection;
use super::encryption::Encryption;
use super::error::StartError;
use super::handshake::Handshake;
use super::platform::{self, Files, Socket, SocketListener};
use super::port::{Port, Ports};
use crate::Identity;

/// The environment variable that chooses the network.
pub(super) const NETWORK_VARIABLE: &str = "TENON_PROVIDER_NETWORK";

/// How clients connect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Network {
    /// Only those whom the permissions of a file admit.
    Unix,
    /// Every user of this machine, who has to show a certificate.
    Tcp,
}

impl Network {
    /// What the user has chosen, or what go-plugin uses on this system.
    ///
    /// # Errors
    /// There is no such network.
    pub(super) fn chosen() -> Result<Network, StartError> {
        match env::var_os(NETWORK_VARIABLE).filter(|value| !value.is_empty()) {
            None => Ok(platform::NETWORK),
            Some(value) if value == Network::Unix.name() => Ok(Network::Unix),
            Some(value) if value == Network::Tcp.name() => Ok(Network::Tcp),
            Some(value) => {
                let value = value.to_string_lossy().into_owned();
                Err(StartError::UnknownNetwork(value))
            }
        }
    }

    /// As Go and the line of the handshake call it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Network::Unix => "unix",
            Network::Tcp => "tcp",
        }
    }
}

/// What is listened on.
pub(super) enum Listening {
    Socket(Socket),
    Port(Port),
}

impl Listening {
    /// # Errors
    /// The socket or the port is not available, or anybody could connect to the port because there
    /// is no certificate that a client has to show.
    pub(super) fn bind(
        network: Network,
        identity: &Identity,
        handshake: &Handshake,
        encryption: Option<&Encryption>,
    ) -> Result<Listening, StartError> {
        match network {
            Network::Unix => {
                let (folder, group) = (handshake.folder.as_deref(), handshake.group.as_deref());
                let socket = Socket::bind(&identity.socket_prefix(), folder, group)?;
                Ok(Listening::Socket(socket))
            }
            Network::Tcp if encryption.is_none() => Err(StartError::OpenPort),
            Network::Tcp => Ok(Listening::Port(Port::bind(Ports::from_environment()?)?)),
        }
    }

    /// Where Terraform connects to.
    ///
    /// # Errors
    /// It cannot be sent to Terraform.
    pub(super) fn address(&self) -> Result<Address<'_>, StartError> {
        Ok(match self {
            Listening::Socket(socket) => Address(Network::Unix, socket.address()?),
            Listening::Port(port) => Address(Network::Tcp, port.address()),
        })
    }

    /// Removes what providers with names of this beginning have left that were killed. Does not wait for it.
    pub(super) fn remove_left_behind(&self, prefix: &str) {
        match self {
            Listening::Socket(socket) => socket.remove_left_behind(prefix),
            Listening::Port(_) => {}
        }
    }

    /// What accepts connections, and the files, which go when they are dropped.
    ///
    /// # Errors
    /// The runtime does not take it.
    pub(super) fn into_parts(self) -> Result<(Listener, Option<Files>), StartError> {
        let parts = match self {
            Listening::Socket(socket) => { socket.into_parts() }
                .map(|(listener, files)| (Listener::Socket(listener), Some(files))),
            Listening::Port(port) => {
                { port.into_listener() }.map(|listener| (Listener::Port(listener), None))
            }
        };
        parts.map_err(StartError::Runtime)
    }
}

/// A network, and an address in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Address<'a>(pub(super) Network, pub(super) &'a str);

/// What accepts connections.
pub(super) enum Listener {
    Socket(SocketListener),
    Port(TcpListener),
}

impl Listener {
    pub(super) async fn accept(&self) -> io::Result<Connection> {
        match self {
            Listener::Socket(listener) => listener.accept().await,
            Listener::Port(listener) => {
                let (stream, _) = listener.accept().await?;
                // Answers are small, and Terraform waits for them.
                stream.set_nodelay(true)?;
                Ok(Connection::new(stream))
            }
        }
    }
}
