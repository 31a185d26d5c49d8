//! `tenon acp` as an editor and a user see it: real processes that speak the Agent Client Protocol, ours and those of others.
//!
//! What is printed is in `snapshots/`; `INSTA_UPDATE=always cargo test -p tenon-cli --test acp` writes it anew. `scripts/tools`
//! installs the programs of others. A test whose tool is missing says so and passes; under CI=true it fails, unless the tool
//! is one of the agents.

#![cfg(unix)]

mod agent;
mod agent_killed;
mod chat;
mod chat_terminal;
mod editor;
mod guard;
mod guard_checks;
mod killing;
mod peers;
mod policy;
mod replay;
#[path = "../support/mod.rs"]
mod support;
