//! JSON-RPC 2.0 on local sockets: servers for many clients, and clients that reconnect.
//!
//! The wire format is that of ipc-jsonrpc: one message per line, or each message after a
//! `Content-Length` header as in the Language Server Protocol. Methods and events are handled by a
//! [`Router`](tenon_rpc::Router), as everywhere in Tenon.
//!
//! - [`Server`]: accepts clients; all [`Settings`] have limits by default.
//! - [`Session`]: one client, as a handler sees it ([`FromClient`]).
//! - [`Clients`]: all of them, to count them and to send to all.
//! - [`Client`]: the other side.
//! - [`Relay`]: a plugin on a socket, for many clients.
//! - [`wrappers`]: timeouts, logging, limits and guards around handlers.
//!
//! ```
//! use std::time::Duration;
//!
//! use tenon_ipc::{Client, FromClient, Server, wrappers};
//! use tenon_rpc::{Router, methods};
//!
//! methods! {
//!     /// Adds two numbers.
//!     Add = "add" ((i64, i64)) -> i64;
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let router = Router::new(())
//!     .on(Add, |context, (a, b)| async move {
//!         let session = context.session();
//!         // The client may have disconnected.
//!         session.notify_raw("adding", None).await.ok();
//!         Ok(a + b)
//!     })
//!     .wrap(wrappers::timeout(Duration::from_secs(5)));
//!
//! # let folder = tempfile::tempdir()?;
//! # let name = &folder.path().join("calc").display().to_string();
//! # #[cfg(any())]
//! let name = "calc"; // $XDG_RUNTIME_DIR/calc.sock
//! let server = Server::bind(name, router)?;
//! let client = Client::connect(name).await?;
//! let mut events = client.events();
//!
//! assert_eq!(client.call(Add, (20, 22)).await?, 42);
//! assert!(events.next().await.is_some(), "the event");
//! assert_eq!(server.clients().broadcast_raw("hello", None), 1);
//! server.stop(Duration::from_secs(5)).await;
//! # Ok(())
//! # }
//! ```
//!
//! On Windows sockets are named pipes, for the user of the server alone. They have been run under Wine.

mod client;
mod clients;
mod lane;
mod name;
mod pace;
mod progress;
mod relay;
mod server;
mod session;
mod settings;
mod socket;
mod users;
pub mod wrappers;

pub use client::{Client, ClientSettings, ClientState, Events, Received, Reconnect};
pub use clients::Clients;
pub use lane::Slow;
pub use name::{connect_to, reference_path, socket_path};
pub use progress::{Progress, ProgressParams, Token};
pub use relay::{CallHook, EventsTo, Relay, RelayError, RelaySettings, SilenceHook};
pub use server::{Ended, Server};
pub use session::{FromClient, Session};
pub use settings::{ConnectHook, DisconnectHook, Framing, RefuseHook, Settings};
pub use socket::{Listener, connect, has_room_for_clients};
pub use users::{Credentials, Users};

#[cfg(all(doctest, unix))]
#[doc = include_str!("../../../docs/guide/sockets.md")]
struct Page;

/// The error code for a client that is refused.
pub const REFUSED: i64 = -32000;

/// The error code for a call while the plugin of a relay is not running.
pub const PLUGIN_ENDED: i64 = -32001;

/// The error code for a request that exceeds the limit per second.
pub const TOO_MANY_REQUESTS: i64 = -32005;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
