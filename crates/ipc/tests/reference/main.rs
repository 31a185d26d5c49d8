//! The tests of the reference (the Go server of ipc-jsonrpc) as tests of ours, wherever the idea
//! exists here.
//!
//! Elsewhere:
//! - its codec (lines, blanks, CRLF, the end, what is not JSON) and the kinds of messages, ids and
//!   shapes: `frames.rs` and `streams.rs`;
//! - its server and its transport: `server.rs`, `hooks.rs` and `socket.rs`; the names of sockets
//!   beside the code, in `name.rs`.
//!
//! Without a counterpart, and why:
//! - constructors, getters and setters of a context (method, id, connection): a `Context` is made by
//!   the router alone and has fields;
//! - `Has`, `Get`, `Unregister`, `Methods` and `Clear` of the registry, and handlers that are added
//!   while it runs: a router is finished when a server takes it, and does not change;
//! - `Chain` of no wrappers, and wrappers without a method in their context: neither can be written;
//! - `IsRPCError`, `ToRPCError`, `WrapError` and `ErrorFromCode`: a handler's error is an `RpcError`
//!   by its type, and its code passes through;
//! - `MarshalParams` of what has no form in JSON: `Payload` has its own tests; what becomes of it in a
//!   broadcast is here;
//! - adding to and removing from a broadcast by hand, the same connection twice: a server knows its
//!   clients, and each of them once;
//! - a default logger and a context of the server: there are neither;
//! - three stops: `stop` takes the server;
//! - platform predicates: that is `cfg`.

#[path = "../exact/mod.rs"]
mod exact;
#[path = "../place/mod.rs"]
mod place;

mod broadcasts;
mod connections;
mod errors;
mod handlers;
mod wrappers;
