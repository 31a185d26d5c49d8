//! Values as msgpack, by type: byte for byte what Terraform and OpenTofu put on their wires.
//!
//! Reading is strict where go-cty would crash or let a wrong value pass, and every problem has the
//! path to the value. Nothing is allocated because the data claims a length; see [`Limits`].

mod decode;
mod encode;
mod implied;
mod reader;
mod refinement;
mod writer;

pub use decode::{decode, decode_within};
pub use encode::{encode, encode_into};
pub use implied::implied_type;

pub(crate) use writer::Key;

/// How much a decoder takes on. All are far above what Terraform sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The bytes of the whole value.
    pub size: usize,
    /// How deep values are nested.
    pub depth: usize,
    /// How many values there are, at every depth together.
    pub elements: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            size: 64 << 20,
            depth: 128,
            elements: 4 << 20,
        }
    }
}
