//! The Agent Client Protocol: editors and agents.
//!
//! With the feature `acp` this module has version 1 of the protocol, plus the models of earlier versions, which
//! agents still send:
//!
//! - [`METHODS`]: every method with its direction, its gate, its limits and its types, in one table;
//! - types for every message. They are lossless: members that a type does not know (`_meta`, extensions, later
//!   versions) are kept in [`Rest`], byte for byte, and unknown kinds of unions as [`Raw`];
//! - [`view`]: the few members that a proxy looks at, borrowed from the message;
//! - [`Failure`]: the errors, with their codes and texts.
//!
//! A proxy decodes a message to check it, and forwards the bytes that it received.

pub(crate) mod life;

#[cfg(feature = "acp")]
#[macro_use]
mod wire;
#[cfg(feature = "acp")]
mod capabilities;
#[cfg(feature = "acp")]
mod client;
#[cfg(feature = "acp")]
mod config;
#[cfg(feature = "acp")]
mod content;
#[cfg(feature = "acp")]
mod elicitation;
#[cfg(feature = "acp")]
mod failure;
#[cfg(feature = "acp")]
mod permission;
#[cfg(feature = "acp")]
mod prompt;
#[cfg(feature = "acp")]
mod session;
#[cfg(feature = "acp")]
mod table;
#[cfg(feature = "acp")]
mod tool;
#[cfg(feature = "acp")]
mod update;
#[cfg(feature = "acp")]
pub mod view;

#[cfg(feature = "acp")]
pub use self::{
    capabilities::*, client::*, config::*, content::*, elicitation::*, failure::*, permission::*,
    prompt::*, session::*, table::*, tool::*, update::*, wire::Raw, wire::Rest,
};

/// The version of the protocol.
pub const VERSION: u16 = 1;
