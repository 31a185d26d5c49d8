//! `tenon terraform` and `tenon state serve` in real Terraforms.
//!
//! `scripts/tools` installs Terraform 1.15; a `terraform` and a `tofu` on PATH are tested as well. Without the tools
//! the tests are skipped, but not under CI=true.

#![cfg(unix)]

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

mod confined;
mod expressions;
mod failures;
mod hooks;
mod interruptions;
mod members;
mod output;
mod plans;
mod refusals;
mod rfc;
mod storage;
mod terminal;
mod unreadable;
mod workspace;
