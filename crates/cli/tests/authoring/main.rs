//! `tenon new` and `tenon dev`, as the author of a plugin uses them.
//!
//! What is printed is in `snapshots/`; `INSTA_UPDATE=always cargo test -p tenon-cli --test authoring` writes it anew.

#![cfg(unix)]

mod applied;
mod dev;
mod new;
mod refusals;
#[path = "../support/mod.rs"]
mod support;
