//! Values as JSON.
//!
//! [`encode`] and [`decode`] are cty's own form, with the type known to both sides: what a
//! Terraform state file holds. [`implied`] takes plain JSON and finds the type: what scripts send.
//! [`echoed`] does so beside the value that a script was given, which it may have sent back.

mod decode;
mod echoed;
mod encode;
mod implied;
mod reader;
mod writer;

pub use decode::{decode, decode_within};
pub use echoed::{Arrays, echoed};
pub use encode::encode;
pub use implied::{implied, implied_like, implied_type};

pub(crate) use reader::{Fault, Reader, Token};
pub(crate) use writer::write_string;
