//! JSON and MessagePack as bytes: where a value ends, what its pieces are, and the way from one
//! format to the other. No input or output, no runtime.
//!
//! | module | does |
//! |---|---|
//! | [`json`] | checks JSON text and finds members in place, within a limit of nesting; writes serde types |
//! | [`msgpack`] | finds the end of a msgpack value as it arrives, reads and writes its pieces, encodes and decodes serde types |
//! | [`transcode`] | msgpack to JSON and back |
//! | [`mask`] | masks members of JSON text by name |
//!
//! Nothing here builds a value tree, and lengths that a peer declares are never allocated from.
//!
//! ```
//! use tenon_wire::transcode;
//!
//! let json = transcode::msgpack_to_json(b"\x81\xa1a\xc4\x02hi", &[])?;
//! assert_eq!(json, r#"{"a":{"$binary":"aGk="}}"#);
//! # Ok::<(), transcode::TranscodeError>(())
//! ```

pub mod json;
pub mod mask;
pub mod msgpack;
pub mod transcode;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
