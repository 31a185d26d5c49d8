//! Peers that somebody else wrote: Python's json and msgpack, vscode-jsonrpc and Neovim, as real
//! processes. They would find what both ends of our own get wrong in the same way.
//!
//! `scripts/tools` installs them. A test whose peer is missing says so and passes; under CI=true
//! it fails.

#[path = "foreign/environment.rs"]
mod environment;
#[path = "foreign/host.rs"]
mod host;
#[path = "foreign/limits.rs"]
mod limits;
#[path = "foreign/mark.rs"]
mod mark;
#[path = "foreign/msgpack.rs"]
mod msgpack;
#[path = "foreign/neovim.rs"]
mod neovim;
#[path = "foreign/node.rs"]
mod node;
#[path = "foreign/python.rs"]
mod python;
#[path = "foreign/server.rs"]
mod server;
#[path = "foreign/tools.rs"]
mod tools;
#[path = "foreign/trial.rs"]
mod trial;
