//! How HCL files describe the process of a plugin: `env`, `permissions` and `limits`.
//!
//! Scenarios and `tenon.hcl` have the same attributes. Plugins are started before any value is known, so only
//! constants are allowed, and names such as `var.folder` are not. Each function notes what is wrong in
//! [`Problems`](tenon_hcl::Problems) and returns the rest.

mod environment;
mod limits;
mod permissions;

pub use environment::environment;
pub use limits::limits;
pub use permissions::{PermissionWords, permissions};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
