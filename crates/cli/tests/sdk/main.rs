//! Our SDKs in other languages, with their own tests, each on the runtimes it is for and against
//! `tenon echo`.
//!
//! `scripts/tools` installs what they need. A test whose tool is missing says so and passes; under
//! CI=true it fails.

#![cfg(unix)]

mod clients;
mod python;
#[path = "../support/mod.rs"]
mod support;
mod typescript;
