//! The command as a user sees it: what is typed in a shell, what comes out on stdout and stderr,
//! and the exit code.
//!
//! The transcripts are in `snapshots/`. After a change of texts, `INSTA_UPDATE=always cargo test
//! -p tenon-cli --test command` writes them anew; read the difference before you keep it.

#![cfg(unix)]

mod environment;
mod failures;
mod help;
mod interruptions;
mod limits;
mod options;
mod packing;
mod provider;
mod results;
mod sandbox;
#[path = "../support/mod.rs"]
mod support;
