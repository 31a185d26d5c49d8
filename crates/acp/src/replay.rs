//! Plays one side of a recorded conversation.
//!
//! [`Script::of`] reads what was said from the entries of a [record](crate::record). [`play_agent`] answers a client the
//! way the recorded agent did; [`play_client`] drives an agent with what the recorded client said. Both match messages
//! by method and order instead of by time, give calls new ids, translate the names of sessions and their folder, and
//! [report](Report) what was different.

mod agent;
mod client;
mod difference;
mod names;
mod script;

pub use agent::play_agent;
pub use client::play_client;
pub use difference::{Difference, Report};
pub use script::Script;
