//! Settings of a client.

use std::time::Duration;

use tenon_protocols::Protocol;
use tenon_rpc::{Backoff, Options, options::Stray};

use crate::settings::Framing;
use crate::users::Users;

/// Settings of a client.
#[derive(Clone, Debug)]
pub struct ClientSettings {
    /// How messages are separated; [`Framing::Detect`] is lines.
    pub framing: Framing,
    /// The users whose servers are trusted.
    pub users: Users,
    /// How long connecting may take.
    pub connect_timeout: Duration,
    /// How long a call may take unless it has its own limit; `None` means no limit.
    pub timeout: Option<Duration>,
    /// Whether the client reconnects when the connection is lost. Calls that wait for an answer then fail
    /// immediately, because their outcome is unknown; calls that are made in the meantime wait.
    pub reconnect: Option<Reconnect>,
    /// How many events wait for each reader of [`Client::events`](crate::Client::events).
    pub events: usize,
    /// Other options of the connection. Its cancellation is set by the client.
    pub options: Options,
}

/// How a client reconnects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reconnect {
    /// The pauses between attempts. They vary a little, so that the clients of a restarted server do not
    /// all connect at the same time.
    pub backoff: Backoff,
    /// How many consecutive attempts may fail; `None` means no limit.
    pub attempts: Option<u32>,
}

impl Default for Reconnect {
    fn default() -> Reconnect {
        Reconnect {
            backoff: Backoff::doubling(Duration::from_millis(100), Duration::from_secs(30)),
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
