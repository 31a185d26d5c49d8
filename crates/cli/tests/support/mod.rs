//! What the tests of the command share: a shell with a transcript, running commands, terminals, foreign tools,
//! and a check that no process is left behind.

#![allow(dead_code, reason = "each test file uses its own part")]

pub(crate) mod mark;
pub(crate) mod program;
pub(crate) mod shell;
pub(crate) mod terminal;
pub(crate) mod tools;
pub(crate) mod trial;
