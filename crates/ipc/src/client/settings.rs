//! Everything about a client that can be set.

use std::time::Duration;

use tenon_protocols::Protocol;
use tenon_rpc::{Backoff, Options, options::Stray};

use crate::settings::Framing;
use crate::users::Users;

/// What a client does about its server.
#[derive(Clone, Debug)]
pub struct ClientSettings {
    /// How messages are told from each other; [`Framing::Detect`] is lines.
    pub framing: Framing,
    /// Whose servers are trusted.
    pub users: Users,
    /// How long connecting may take.
    pub connect_timeout: Duration,
    /// How long a call may take if it does not say itself; `None` is forever.
    pub timeout: Option<Duration>,
    /// Whether the client comes back when it has lost the server. A call that was on its way then
    /// fails at once, because nobody knows how far it came; one that is made in the meantime waits.
    pub reconnect: Option<Reconnect>,
    /// How many events wait for each reader of [`Client::events`](crate::Client::events).
    pub events: usize,
    /// Everything else about the connection. Its cancellation is the client's own.
    pub options: Options,
}

/// How a client comes back to its server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reconnect {
    /// The pauses between attempts. They differ a little, so that the clients of a server that starts
    /// again do not all come at once.
    pub backoff: Backoff,
    /// How many attempts in a row may fail; `None` is any number.
    pub attempts: Option<u32>,
}

impl Default for Reconnect {
    fn default() -> Reconnect {
        Reconnect {
            backoff: Backoff {
                first: Duration::from_millis(100),
                longest: Duration::from_secs(30),
            },
            attempts: None,
        }
    }
}

impl Default for ClientSettings {
    fn default() -> ClientSettings {
        ClientSettings {
            framing: Framing::Lines,
            users: Users::Own,
            connect_timeout: Duration::from_secs(10),
            timeout: Some(Duration::from_secs(30)),
            reconnect: None,
            events: 1024,
            options: Options {
                cancel: Protocol::Ipc.host_options().cancel,
                stray: Stray::Skip,
                ..Options::default()
            },
        }
    }
}
