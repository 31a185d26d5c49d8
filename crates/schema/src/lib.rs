//! A schema for every host: what a plugin offers, and the types of its inputs and outputs.
//!
//! The schemas of Orchard, Terraform and Seasonings differ in their encoding and in what they can
//! say. A plugin is described once, in the types of this crate, and each protocol maps them to its
//! own. The crate has no encoding and does no input or output.
//!
//! [`Offer::check`] and [`Body::check`] find mistakes of the plugin's author, and [`Body::complete`]
//! finds mistakes of its user.
//!
//! ```
//! use tenon_schema::{Attribute, Block, Body, Nesting, Schema};
//! use tenon_values::Type;
//!
//! let rule = Body::new([
//!     Attribute::new("port", Type::Number).required(),
//!     Attribute::new("open", Type::Bool).with_default(true.into()),
//! ]);
//! let server = Body::new([
//!     Attribute::new("name", Type::String).required().replaces().about("The host name."),
//!     Attribute::new("address", Type::String).computed().stable(),
//!     Attribute::new("password", Type::String).write_only(),
//! ])
//! .with_block(Block::new("rule", Nesting::List, rule));
//! let schema = Schema::new(1, server);
//!
//! assert_eq!(schema.body.attribute("name").unwrap().description.text, "The host name.");
//! assert_eq!(
//!     schema.body.implied_type().to_string(),
//!     "object({ address = string, name = string, password = string, \
//!      rule = list(object({ open = bool, port = number })) })",
//! );
//! ```

mod attribute;
mod body;
mod check;
mod complete;
mod description;
mod error;
mod offer;

pub use attribute::{Attribute, AttributeType, Presence};
pub use body::{Block, Body, Nesting, Schema};
pub use check::check_name;
pub use complete::Unfit;
pub use description::Description;
pub use error::SchemaError;
pub use offer::{Action, Function, Offer, Parameter, Resource};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
