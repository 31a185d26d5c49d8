//! `tenon serve` as its users see it: real servers with real plugins, and clients of every kind:
//! the library's, `tenon call`, and bytes on a socket.
//!
//! What is printed stands in `serve/snapshots/`; `INSTA_UPDATE=always cargo test -p tenon-cli --test
//! serve` writes it anew.

#![cfg(unix)]

mod calling;
mod cancelling;
mod confined;
mod crowds;
mod descriptors;
mod ending;
mod events;
mod failures;
mod limits;
mod plugins;
mod pressure;
mod protocols;
mod questions;
mod reports;
mod serving;
mod sockets;
mod starting;
mod strangers;
#[path = "../support/mod.rs"]
mod support;
mod values;
mod wire;
