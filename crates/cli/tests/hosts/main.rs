//! The plugin of `examples/multi-host/` in every language and every host.
//!
//! `scripts/tools` installs Terraform and the official MCP client. A test whose tool is missing says so and passes; under
//! CI=true it fails.

#![cfg(unix)]

#[path = "../../../rpc/tests/exchange/mod.rs"]
mod exchange;
#[path = "../support/mark.rs"]
mod mark;
#[allow(dead_code, reason = "shared with the tests of crates/terraform")]
#[path = "../../../terraform/tests/acceptance/outcome.rs"]
mod outcome;
#[allow(dead_code, reason = "shared with other tests")]
#[path = "../../../terraform/tests/acceptance/room.rs"]
mod room;
#[allow(dead_code, reason = "shared with the tests of crates/terraform")]
#[path = "../../../terraform/tests/acceptance/tools.rs"]
mod tools;

mod agent;
mod calls;
mod languages;
mod scenario;
mod talk;
mod terraform;
mod transcripts;
mod workspace;
