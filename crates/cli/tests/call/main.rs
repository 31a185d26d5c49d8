//! Conversations with `tenon call`: scripts, terminals, batches, TCP, and servers that others
//! wrote, as real processes.
//!
//! What is printed stands in `call/snapshots/`; `INSTA_UPDATE=always cargo test -p tenon-cli --test
//! call` writes it anew. `scripts/tools` installs the servers. A test whose server is missing says
//! so and passes; under CI=true it fails.

#![cfg(unix)]

mod batches;
mod conversations;
mod failed_tools;
mod language_server;
mod listing;
mod mcp_server;
mod pages;
mod questions;
mod reaching;
mod seasonings;
#[path = "../support/mod.rs"]
mod support;
mod terminal;
