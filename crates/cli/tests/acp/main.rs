//! `tenon acp`: with agents and clients of others.
//!
//! `scripts/tools` installs what they need. A test whose tool is missing says so and passes; under CI=true it fails, unless
//! the tool is one of the agents.

mod peers;
#[path = "../support/mod.rs"]
mod support;
