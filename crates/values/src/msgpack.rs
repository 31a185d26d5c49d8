//! Values as msgpack, by type: byte for byte what Terraform and OpenTofu put on their wires.
//!
//! Reading is strict where go-cty would crash or let a wrong value pass, and every problem has the
//! path to the value. Nothing is allocated because the data claims a length; see
//! [`Limits`](crate::Limits).

mod decode;
mod encode;
mod implied;
mod reader;
mod refinement;
mod writer;

pub use decode::{decode, decode_within};
pub use encode::{encode, encode_into};
pub use implied::implied_type;
pub use refinement::{REFINED_UNKNOWN, UNKNOWN};

pub(crate) use writer::Key;
