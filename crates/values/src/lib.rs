//! The cty type system: the types and values of Terraform, OpenTofu, Seasonings and Orchard.
//!
//! A [`Value`] has a [`Type`], and is known, null, or unknown: not decided yet, perhaps with a
//! [`Refinement`] that says what it will be. It may carry [`Marks`] such as
//! [`Mark::SENSITIVE`], which travel through every operation and are never written out by
//! accident. A [`Number`] has all its digits; a [`Text`] is in normal form C. Every [`Error`] has
//! the [`Path`] to what is wrong.
//!
//! [`msgpack`] and [`json`] read and write values byte for byte as go-cty does. [`convert`] makes
//! a value of one type into one of another and finds the type that several can become.
//! [`to_value`] and [`from_value`] turn your own serde types into values and back.
//!
//! Expressions and functions are left to `tenon-hcl`, what to do with a value to you. There are no
//! capsule types. `docs/reference/values.md` explains the model, and where it differs from go-cty.
//!
//! ```
//! use tenon_values::{Type, Value, convert, json, msgpack};
//!
//! // Plain JSON, as a script sends it, as a value of the type that a schema asks for.
//! let server: Type = "object({ name = string, ports = list(number) })".parse()?;
//! let value = json::implied(br#"{"name": "web", "ports": [80, "443"]}"#)?;
//! let value = convert::convert(&value, &server)?;
//! assert_eq!(value.to_string(), r#"{ name = "web", ports = [80, 443] }"#);
//!
//! // On the wire, and what the bytes are: {"name": "web", "ports": [80, 443]}.
//! let bytes = msgpack::encode(&value, &server)?;
//! assert_eq!(bytes, b"\x82\xa4name\xa3web\xa5ports\x92\x50\xcd\x01\xbb");
//! assert_eq!(msgpack::decode(&bytes, &server)?, value);
//!
//! // Errors name the place in the value.
//! let wrong = json::implied(br#"{"name": "web", "ports": [80, "http"]}"#)?;
//! let error = convert::convert(&wrong, &server).unwrap_err();
//! assert!(error.to_string().starts_with("at .ports[1]: a number is required"));
//!
//! // A secret stays one, whatever is made of it.
//! let secret = Value::from(20).sensitive().add(&Value::from(22))?;
//! assert_eq!(secret.to_string(), "(sensitive value)");
//! assert!(msgpack::encode(&secret, &Type::Number).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod convert;
mod error;
pub mod json;
mod limits;
mod marks;
pub mod msgpack;
mod number;
mod path;
mod prefix;
mod refinement;
mod serde;
mod set;
mod size;
mod text;
mod types;
mod value;

pub use self::serde::{from_value, to_value, to_value_as};
pub use error::{Error, Problem};
pub use limits::Limits;
pub use marks::{Mark, Marks};
pub use number::{Number, NumberError};
pub use path::{Path, Step, is_identifier};
pub use refinement::{Bound, Refinement};
pub use size::Size;
pub use text::Text;
pub use types::{Attribute, ObjectType, TYPE_DEPTH, TupleType, Type, TypeError};
pub use value::{Attributes, Kind, Value};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
