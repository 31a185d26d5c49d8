//! The packages of `scripts/package`: each is installed into an empty place, used there and removed again.
//!
//! They are made once, from the programs that cargo built for the tests, so that no test builds anything. A test whose
//! installer is missing is skipped and says so; under CI=true it fails.

#![cfg(unix)]

#[path = "../support/mod.rs"]
mod support;

mod installer;
mod making;
mod managers;
mod packages;
mod releasing;
mod server;
