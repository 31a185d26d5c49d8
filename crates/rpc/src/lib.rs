//! The engine: requests, responses and events between two programs, in any dialect, over pipes,
//! sockets or memory.
//!
//! It encodes messages, matches answers to calls, routes requests to handlers, enforces limits and
//! cleans up. It starts no process, opens no socket and knows no method: that is left to you, or to
//! the other crates of Tenon.
//!
//! Eight words are all there is:
//!
//! - [`Message`]: a [`Request`](wire::Request), a [`Response`](wire::Response) or an [`Event`].
//! - [`Payload`]: an encoded value that has not been decoded yet.
//! - [`Dialect`]: bytes to messages and back.
//! - [`Io`]: a reader and a writer.
//! - [`Peer`]: a cheap handle to the other side.
//! - [`Router`]: method name to function.
//! - [`Connection`]: one `Io` in one `Dialect` with one `Router`.
//! - [`Tap`]: sees every frame both ways.
//!
//! ```
//! use tenon_rpc::{Connection, Dialect, Io, Router, methods};
//!
//! methods! {
//!     /// Greets somebody.
//!     Greet = "greet" (String) -> String;
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let (here, there) = Io::pair();
//! let router = Router::new(()).on(Greet, |_, name| async move { Ok(format!("hello, {name}")) });
//! let _server = Connection::start(there, Dialect::MsgpackRpc, router);
//! let client = Connection::start(here, Dialect::MsgpackRpc, Router::new(()));
//!
//! assert_eq!(client.peer().call(Greet, "you".into()).await?, "hello, you");
//! # Ok(())
//! # }
//! ```
//!
//! To see the wire, give the connection a [`Recorder`](trace::Recorder) as its [`tap`](Options::tap). To count calls
//! and see how much waits, implement [`Metrics`](metrics::Metrics). To put a program between two peers, forward from
//! one connection to the other: [`forward`].

mod asked;
mod backoff;
mod batch;
mod buffers;
mod connection;
mod descriptors;
mod dialect;
mod driver;
mod error;
mod evidence;
pub mod forward;
mod guarded;
mod hang_up;
mod held;
mod ids;
mod io;
mod message;
mod method;
pub mod metrics;
mod outbox;
mod params;
mod payload;
mod peer;
mod pending;
mod prepared;
mod recorder;
mod reply;
mod router;
mod running;
mod shared;
mod spread;
mod state;
mod stdio;
mod tap;

pub use backoff::Backoff;
pub use connection::{Connection, Options};
pub use descriptors::check_descriptors;
pub use dialect::Dialect;
pub use error::{CallError, CloseReason, ErrorCode, RpcError};
pub use io::Io;
pub use message::{Event, Id, Message, Text};
pub use method::{EventKind, Method, Row};
pub use payload::{Format, Payload, PayloadError};
pub use peer::Peer;
pub use reply::Reply;
pub use router::{Call, Context, EventContext, Next, Router};
pub use tap::Tap;

/// The types of the fields of [`Options`].
pub mod options {
    pub use crate::connection::{Cancel, EventOrder, Stray, Unclaimed, Withdrawal};
    pub use crate::dialect::{Limits, Oversized};
    pub use crate::params::Params;
    pub use tenon_wire::transcode::{ExtContent, ExtName};
}

/// Less common ways to call and send: several calls in one message, calls that are awaited later, events
/// that are encoded once for many peers.
pub mod calls {
    pub use crate::asked::{Asked, within};
    pub use crate::batch::BatchItem;
    pub use crate::held::Hold;
    pub use crate::prepared::{Prepared, Refused};
}

/// Frames and messages without a connection: for tools that read or write them themselves.
pub mod wire {
    pub use crate::dialect::{Decoder, Frame, Inbound, Malformed, MalformedKind, UnknownDialect};
    pub use crate::error::DialectError;
    pub use crate::message::{Request, Response};
    pub use tenon_wire::msgpack::Packed;
}

/// Seeing the wire: taps, recordings, and quotes in errors.
pub mod trace {
    pub use crate::error::{Quote, Redact};
    pub use crate::recorder::{Record, RecordFormat, Recorder, read_records};
    pub use crate::tap::{Content, Direction, Seen};
    pub use tenon_wire::mask::{MASK, MASK_JSON, mask_json, mask_json_by};
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
