//! Foreign peers: Python's json and msgpack, vscode-jsonrpc and Neovim, as real
//! processes. They would find what both ends of our own get wrong in the same way.
//!
//! `scripts/tools` installs them. A test whose peer is missing says so and passes; under CI=true
//! it fails.

#![cfg(unix)]

mod environment;
mod exchanges;
mod host;
mod limits;
mod msgpack;
mod neovim;
mod node;
mod python;
mod seasonings;
mod server;
#[path = "../support/mod.rs"]
mod support;
