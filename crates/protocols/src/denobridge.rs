//! denobridge: resources, data sources, ephemeral resources, actions and functions of Terraform
//! and OpenTofu that are scripts.
//!
//! A host calls these methods, and a script answers those that it implements; while an action runs, the
//! script may report progress. Values are sent as [`Json`], so that numbers keep all their digits.
//! Members that existing scripts leave out are optional, and unknown members are ignored.
//!
//! ```
//! use tenon_protocols::denobridge::{CreateParams, CreateResult, Json};
//! use tenon_values::Value;
//!
//! let params = CreateParams {
//!     props: Json::of(&Value::object([("path", Value::from("./greeting.txt"))]))?,
//!     write_only_props: None,
//! };
//! assert_eq!(serde_json::to_string(&params)?, r#"{"props":{"path":"./greeting.txt"}}"#);
//!
//! let result: CreateResult = serde_json::from_str(r#"{"id": 7, "state": {"size": 5}}"#)?;
//! assert_eq!(result.id.as_deref(), Some("7"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(feature = "values")]
mod diagnostic;
#[cfg(feature = "values")]
mod lenient;
pub(crate) mod life;
#[cfg(feature = "values")]
mod messages;
#[cfg(feature = "values")]
mod problem;
pub mod provider;

#[cfg(feature = "values")]
pub use {crate::json::Json, diagnostic::*, life::begin, messages::*, problem::problem};
