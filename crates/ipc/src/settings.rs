//! Everything about a server that can be set. The defaults are bounded, and for the owner alone.

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

/// How messages are told from each other on a socket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Framing {
    /// As the first bytes of each client show. A client that has sent nothing yet is sent lines.
    #[default]
    Detect,
    /// One on each line.
    Lines,
    /// Each behind a `Content-Length` header.
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

/// What a server does about its clients.
#[derive(Clone)]
pub struct Settings {
    /// How messages are told from each other.
    pub framing: Framing,
    /// The mode of the socket's file.
    pub mode: u32,
    /// Whose programs are let in.
    pub users: Users,
    /// How many clients there may be at once. The next one is told, and refused.
    pub connections: usize,
    /// Requests of one client are handled one after the other, so that answers come in the order
    /// of the questions. A handler that calls its client back must not need another answer first.
    pub in_order: bool,
    /// What becomes of events that a client does not read.
    pub slow: Slow,
    /// How many events wait for a client that reads too slowly.
    pub backlog: usize,
    /// How many requests a client may make each second; those on top are answered with the code
    /// -32005.
    pub requests_per_second: Option<u32>,
    /// How many bytes of a client are read each second; it can send no faster for long.
    pub bytes_per_second: Option<u32>,
    /// Everything else about a connection. Its dialect, cancellation and attachment are the
    /// server's own.
    pub options: Options,
    /// Called for each client before anything of it is read.
    pub on_connect: Option<ConnectHook>,
    /// Called when a client has left, whoever ended it.
    pub on_disconnect: Option<DisconnectHook>,
    /// Called when somebody is not let in, with what they are told.
    pub on_refuse: Option<RefuseHook>,
}

/// What is done for each new client.
pub type ConnectHook = Arc<dyn Fn(&Session) + Send + Sync>;

/// What is done for each client that has left.
pub type DisconnectHook = Arc<dyn Fn(&Session, &CloseReason) + Send + Sync>;

/// What is done about those who are not let in.
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
