//! The protocols Tenon speaks: the dialect of each, how it begins and how it ends.
//!
//! The methods in between, with their types, come with each protocol's own module: so far
//! [`denobridge`] and [`orchard`] have one.
//!
//! | protocol | dialect | first call | goodbye | takes calls back with |
//! |---|---|---|---|---|
//! | denobridge | json-rpc | `health` | event `shutdown` | |
//! | ipc | json-rpc | | | `$/cancelRequest` |
//! | acp | json-rpc | `initialize` | | `$/cancel_request` |
//! | seasonings | msgpack-rpc | `init` | call `shutdown` | |
//! | orchard | orchard | `describe` | call `shutdown` | |

pub mod denobridge;
mod json;
mod lenient;
mod lifecycle;
pub mod orchard;
mod secrets;

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

pub use json::Json;
pub use secrets::{MASK, Secrets};
use tenon_rpc::{CallError, Cancel, Dialect, Limits, Options, Payload, Peer, Stray};

/// One of the published protocols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// Terraform resources in scripts.
    Denobridge,
    /// JSON-RPC on local sockets.
    Ipc,
    /// Editors and agents.
    Acp,
    /// OpenTofu's plugin protocol.
    Seasonings,
    /// Scenarios and their providers.
    Orchard,
}

impl Protocol {
    /// All of them.
    pub const ALL: [Protocol; 5] = [
        Protocol::Denobridge,
        Protocol::Ipc,
        Protocol::Acp,
        Protocol::Seasonings,
        Protocol::Orchard,
    ];

    /// The name, as the command line has it.
    pub fn name(self) -> &'static str {
        match self {
            Protocol::Denobridge => "denobridge",
            Protocol::Ipc => "ipc",
            Protocol::Acp => "acp",
            Protocol::Seasonings => "seasonings",
            Protocol::Orchard => "orchard",
        }
    }

    /// How its messages are written.
    pub fn dialect(self) -> Dialect {
        match self {
            Protocol::Denobridge | Protocol::Ipc | Protocol::Acp => Dialect::JsonRpcLines,
            Protocol::Seasonings => Dialect::MsgpackRpc,
            Protocol::Orchard => Dialect::Orchard,
        }
    }

    /// The options a host has for it.
    pub fn host_options(self) -> Options {
        let cancel = match self {
            Protocol::Ipc => Some(Cancel {
                method: "$/cancelRequest",
                field: "id",
            }),
            Protocol::Acp => Some(Cancel {
                method: "$/cancel_request",
                field: "requestId",
            }),
            Protocol::Denobridge | Protocol::Seasonings | Protocol::Orchard => None,
        };
        let frame = match self {
            // A whole state travels as one string.
            Protocol::Seasonings => 64 * 1024 * 1024,
            _ => Limits::default().frame,
        };
        Options {
            cancel,
            limits: Limits {
                frame,
                ..Limits::default()
            },
            // Orchard and Seasonings call a provider that prints anything else broken.
            stray: match self {
                Protocol::Orchard | Protocol::Seasonings => Stray::Fail,
                _ => Stray::Skip,
            },
            ..Options::default()
        }
    }

    /// How long a plugin may take to answer its first call.
    pub fn start_limit(self) -> Duration {
        match self {
            Protocol::Orchard => Duration::from_secs(5),
            // Agents written for Node and Python are slow to start.
            Protocol::Acp => Duration::from_secs(30),
            _ => Duration::from_secs(10),
        }
    }

    /// Makes the protocol's first call, if it has one, and gives its answer.
    ///
    /// # Errors
    /// The call failed, or its answer says that the plugin is not ready.
    pub async fn begin(self, peer: &Peer) -> Result<Option<Payload>, CallError> {
        lifecycle::begin(self, peer).await
    }

    /// Says goodbye as the protocol has it. A plugin that does not answer is ended all the same,
    /// so failures are passed over.
    pub async fn end(self, peer: &Peer) {
        lifecycle::end(self, peer).await;
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Protocol {
    type Err = String;

    fn from_str(name: &str) -> Result<Protocol, String> {
        Protocol::ALL
            .into_iter()
            .find(|protocol| protocol.name() == name)
            .ok_or_else(|| {
                let names = Protocol::ALL.map(Protocol::name).join(", ");
                format!("no protocol is called {name:?}; there are {names}")
            })
    }
}
