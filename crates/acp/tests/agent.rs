//! Agents of this crate with a scripted client, in memory.

#[path = "agent/actor.rs"]
mod actor;
#[path = "agent/editor.rs"]
mod editor;
#[path = "agent/sessions.rs"]
mod sessions;
#[allow(dead_code, reason = "each test file uses its own part")]
mod support;
#[path = "agent/turns.rs"]
mod turns;
#[path = "agent/wrong_input.rs"]
mod wrong_input;
