//! Clients that do what they should not. The server keeps running, other clients are answered, and when
//! it is over nothing is left: no connection, no file, no handler.
//!
//! The bounds of memory are several times what was seen, and far below what the abuse would take
//! if it were let: they are there to tell a server that holds on to what it is sent from one that
//! does not. `--nocapture` shows what is seen.

#![cfg(target_os = "linux")]

#[path = "abuse/crowds.rs"]
mod crowds;
#[path = "abuse/floods.rs"]
mod floods;
#[path = "abuse/frames.rs"]
mod frames;
#[path = "abuse/readers.rs"]
mod readers;
mod subject;
