//! Seasonings: hooks, state storage, functions and resources for Terraform and OpenTofu, in plugins
//! of any language.
//!
//! The host calls the plugin over msgpack-rpc. [`begin`] makes the first call and reads the
//! [`Welcome`]; [`Capabilities`] say what the plugin has. Each method of the plugin is a type in
//! [`calls`], which writes the params and reads the answer; [`value`] holds the encoding of cty values,
//! by a type or by a schema.
//!
//! What a plugin sends is read leniently: unknown keys are ignored, missing keys and nil mean the same,
//! and names have aliases ([`canonical`]). Values are not: each is decoded by its type, and an error
//! has the method and the path.
//!
//! ```
//! use tenon_protocols::seasonings::{Capabilities, canonical};
//!
//! assert_eq!(canonical("hooks.post-plan"), "middleware/postPlan");
//!
//! let capabilities = Capabilities::of(["functions", "storage.list", "post-plan"]);
//! assert!(capabilities.includes("functions/call"));
//! assert!(capabilities.includes("middleware/postPlan"));
//! assert!(!capabilities.includes("storage/read"));
//! ```

mod capabilities;
mod codes;
pub(crate) mod life;
mod names;

#[cfg(feature = "values")]
mod answer;
#[cfg(feature = "values")]
pub mod calls;
#[cfg(feature = "values")]
mod diagnostic;
#[cfg(feature = "values")]
mod ext_names;
#[cfg(feature = "values")]
mod list;
#[cfg(feature = "packing")]
mod manifest;
#[cfg(feature = "values")]
mod params;
#[cfg(feature = "values")]
mod path;
#[cfg(feature = "values")]
mod readable;
#[cfg(feature = "values")]
mod said;
#[cfg(feature = "values")]
pub mod schema;
#[cfg(feature = "values")]
mod types;
#[cfg(feature = "values")]
pub mod value;

pub use capabilities::{Capabilities, Level};
pub use codes::{CANCELLED, FAILED, LOCKED, NOT_FOUND, NOT_SUPPORTED};
pub use life::{Greeting, VERSION, Welcome, begin, speaks};
pub use names::canonical;

#[cfg(feature = "packing")]
pub use manifest::{
    FORMAT as MANIFEST_FORMAT, MANIFEST_FILE, Manifest, ManifestError, PinnedFile, sha256,
};
#[cfg(feature = "values")]
pub use {
    answer::{Answer, AnswerError},
    diagnostic::{Diagnostic, Severity, has_errors},
    ext_names::EXT_NAMES,
    params::Params,
    path::{Segment, resolve},
    readable::Readable,
    said::{LogLevel, Said, listen},
    types::read_type,
};
