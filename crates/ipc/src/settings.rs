//! Settings of a server. By default everything is limited, and only the owner has access.

use std::fmt;
use std::sync::Arc;

use tenon_protocols::Protocol;
use tenon_rpc::{
    CloseReason, Dialect, Options,
    options::{Limits, Oversized},
};

use crate::lane::{Patience, Slow};
use crate::session::Session;
use crate::users::{Credentials, Users};

/// How messages are separated on a socket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Framing {
    /// Detected from the first bytes of each client. Until then it is sent lines.
    #[default]
    Detect,
    /// One on each line.
    Lines,
    /// Each message after a `Content-Length` header.
    Headers,
}

impl Framing {
    /// The dialect a connection starts with.
    pub(crate) fn dialect(self) -> Dialect {
        match self {
            Framing::Detect | Framing::Lines => Dialect::JsonRpcLines,
            Framing::Headers => Dialect::JsonRpcHeaders,
        }
    }
}

/// Settings of a server.
#[derive(Clone)]
pub struct Settings {
    /// How messages are separated.
    pub framing: Framing,
    /// The mode of the socket's file.
    pub mode: u32,
    /// The users whose programs may connect.
    pub users: Users,
    /// How many clients may be connected at the same time. Further ones are refused with an error.
    pub connections: usize,
    /// Requests of one client are handled one after the other, so that answers come in the order of the
    /// requests. A handler must then not wait for another request of its client.
    pub in_order: bool,
    /// What happens to events that a client does not read.
    pub slow: Slow,
    /// How many events wait for a client that reads too slowly.
    pub backlog: usize,
    /// How many requests a client may make per second; further ones are answered with the code -32005.
    pub requests_per_second: Option<u32>,
    /// How many bytes of a client are read per second.
    pub bytes_per_second: Option<u32>,
    /// Everything else about a connection. Its dialect, cancellation and attachment are the
    /// server's own.
    pub options: Options,
    /// Called for each client before anything of it is read.
    pub on_connect: Option<ConnectHook>,
    /// Called when a client has disconnected, whichever side ended the connection.
    pub on_disconnect: Option<DisconnectHook>,
    /// Called when a client is refused, with the message it gets.
    pub on_refuse: Option<RefuseHook>,
}

/// Called for each new client.
pub type ConnectHook = Arc<dyn Fn(&Session) + Send + Sync>;

/// Called for each client that has disconnected.
pub type DisconnectHook = Arc<dyn Fn(&Session, &CloseReason) + Send + Sync>;

/// Called for each refused client.
pub type RefuseHook = Arc<dyn Fn(Option<Credentials>, &str) + Send + Sync>;

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            framing: Framing::Detect,
            mode: 0o600,
            users: Users::Own,
            connections: 4096,
            in_order: false,
            slow: Slow::DropOldest,
            backlog: 1024,
            requests_per_second: None,
            bytes_per_second: None,
            options: Options {
                limits: Limits {
                    oversized: Oversized::Skip,
                    ..Limits::default()
                },
                ..Options::default()
            },
            on_connect: None,
            on_disconnect: None,
            on_refuse: None,
        }
    }
}

impl Settings {
    /// The options of a connection, without its attachment.
    pub(crate) fn connection(&self) -> Options {
        Options {
            detect: match self.framing {
                Framing::Detect => &[Dialect::JsonRpcLines, Dialect::JsonRpcHeaders],
                Framing::Lines | Framing::Headers => &[],
            },
            cancel: Protocol::Ipc.host_options().cancel,
            running: match self.in_order {
                true => 1,
                false => self.options.running,
            },
            ..self.options.clone()
        }
    }

    pub(crate) fn patience(&self) -> Patience {
        const BYTES: usize = 8 * 1024 * 1024;
        Patience {
            events: self.backlog.max(1),
            bytes: BYTES,
            slow: self.slow,
        }
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("framing", &self.framing)
            .field("mode", &format_args!("{:o}", self.mode))
            .field("users", &self.users)
            .field("connections", &self.connections)
            .field("in_order", &self.in_order)
            .field("slow", &self.slow)
            .field("backlog", &self.backlog)
            .field("requests_per_second", &self.requests_per_second)
            .field("bytes_per_second", &self.bytes_per_second)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
