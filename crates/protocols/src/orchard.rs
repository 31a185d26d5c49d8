//! Orchard: scenarios and their providers.
//!
//! A host calls four methods of a provider. [`ProviderSchema`] describes what a provider offers, and maps
//! to and from the host-neutral [`Offer`](tenon_schema::Offer). Attributes and outputs of actions are sent
//! as [`Json`], so that numbers keep all their digits.
//!
//! Absent and null members are read as empty, as in Go, and unknown members are ignored.
//!
//! ```
//! use tenon_protocols::orchard::{ExecuteParams, Json, ProviderSchema};
//! use tenon_schema::Offer;
//! use tenon_values::Value;
//!
//! let schema: ProviderSchema = serde_json::from_str(
//!     r#"{"name": "greeter", "protocol": "1", "actions": {"greet": {"attrs": {
//!         "name": {"type": "string", "required": true},
//!         "times": {"type": "number", "default": 1}}}}}"#,
//! )?;
//! schema.check()?;
//!
//! let greet = &Offer::try_from(&schema)?.actions["greet"];
//! let given = Value::object([("name", Value::from("you"))]);
//! let attributes = greet.input.complete(&given).map_err(|errors| errors[0].clone())?;
//! let params = ExecuteParams { action: "greet".into(), attrs: Json::of_attributes(&attributes)? };
//! assert_eq!(serde_json::to_string(&params)?, r#"{"action":"greet","attrs":{"name":"you","times":1}}"#);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(feature = "values")]
mod check;
#[cfg(feature = "values")]
mod differences;
#[cfg(feature = "values")]
mod failure;
pub(crate) mod life;
#[cfg(feature = "values")]
mod list;
#[cfg(feature = "values")]
mod messages;
#[cfg(feature = "values")]
mod offer;
#[cfg(feature = "values")]
mod schema;

#[cfg(feature = "values")]
pub use {
    crate::json::Json, check::*, failure::*, life::begin, messages::*, schema::*,
    tenon_schema::Unfit,
};

/// The supported version of the protocol. There is no negotiation.
pub const VERSION: &str = "1";

/// The codes of the engine's own errors, as Orchard calls them. What does not parse cannot be decoded,
/// which is an invalid request here.
pub const ERROR_NAMES: &[(i64, &str)] = &[
    (-32600, "invalid_request"),
    (-32700, "invalid_request"),
    (-32601, "unknown_method"),
    (-32602, "validation_failed"),
    (-32603, "internal_error"),
];
