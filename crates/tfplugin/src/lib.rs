//! How to be a Terraform or OpenTofu provider, in Rust.
//!
//! Implement [`Provider`]: it has a method with typed requests for each call of Terraform's provider
//! protocol (version 6), and what you leave out is answered with "Not supported". [`run`] serves it
//! as Terraform wants it: a line on stdout, then gRPC on a Unix socket with certificates of both
//! sides, and the log on stderr. What the provider has is described with `tenon-schema`, and may be
//! found out at run time; values are those of `tenon-values`.
//!
//! Names of types are checked, values decoded by their schemas and results encoded before anything
//! reaches you or Terraform. Whatever goes wrong, a panic included, is a [`Diagnostic`] for the user
//! and never a gRPC error.
//!
//! ```no_run
//! use tenon_schema::{Attribute, Body, Offer};
//! use tenon_tfplugin::{Diagnostics, Identity, Provider, ReadDataRequest, ReadDataResponse};
//! use tenon_values::{Type, Value};
//!
//! struct Clock;
//!
//! impl Provider for Clock {
//!     async fn offer(&self) -> Result<Offer, Diagnostics> {
//!         let now = Body::new([Attribute::new("seconds", Type::Number).computed()]);
//!         Ok(Offer {
//!             data_sources: [("clock_now".to_owned(), now.into())].into(),
//!             ..Offer::default()
//!         })
//!     }
//!
//!     async fn read_data(&self, _: ReadDataRequest) -> Result<ReadDataResponse, Diagnostics> {
//!         let now = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
//!         let seconds = Value::from(now.as_secs() as i64);
//!         Ok(ReadDataResponse::new(Value::object([("seconds", seconds)])))
//!     }
//! }
//!
//! fn main() -> std::process::ExitCode {
//!     let identity = Identity {
//!         name: "clock".to_owned(),
//!         address: "example/clock".to_owned(),
//!         version: "0.1.0".to_owned(),
//!         about: "A provider that knows the time.".to_owned(),
//!     };
//!     tenon_tfplugin::run(&identity, || Ok(Clock))
//! }
//! ```
//!
//! # How to build it
//!
//! TLS is rustls with aws-lc. Build with `AWS_LC_SYS_NO_JITTER_ENTROPY=1`, best by `[env]` in the `.cargo/config.toml` of
//! your provider: otherwise aws-lc collects entropy from the jitter of the processor as well, which takes 30 to 60 ms in
//! each process, and Terraform starts a provider several times per command.
//!
//! To see what a provider logs, set `TF_LOG_PROVIDER=debug` where Terraform runs. `--debug` serves
//! the provider in a process that you can attach a debugger to.

mod adapter;
pub mod block;
mod diagnostic;
mod go_plugin;
mod identity;
mod log;
mod private;
pub mod proto;
mod provider;
mod requests;
mod schema;
pub mod state;
mod unsupported;
mod wire;

pub use diagnostic::{AttributePath, Diagnostic, Diagnostics, PathStep, Severity, has_errors};
pub use go_plugin::run;
pub use identity::Identity;
pub use log::mask_log;
pub use private::Private;
pub use provider::{Capabilities, Provider};
pub use requests::*;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
