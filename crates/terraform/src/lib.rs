//! The Terraform and OpenTofu provider `denobridge`: resources, data sources, ephemeral resources,
//! actions and functions that are scripts in other processes.
//!
//! [`Denobridge`] is the provider, and [`go_plugin::run`] serves it as Terraform wants it: a line
//! on stdout, then gRPC on a Unix socket. Together they are the program
//! `terraform-provider-denobridge`, which is all of its `main`:
//!
//! ```no_run
//! use tenon_terraform::{Denobridge, go_plugin};
//!
//! fn main() -> std::process::ExitCode {
//!     go_plugin::run(|| {
//!         let provider = Denobridge::new();
//!         let ending = provider.clone();
//!         (provider, async move || ending.end().await)
//!     })
//! }
//! ```
//!
//! What a script is given and gives back is in `tenon_protocols::denobridge`; starting processes is
//! left to `tenon-host`. What is written in HCL is Terraform's affair.
//!
//! To see the wire, set `TF_LOG_PROVIDER=debug` where Terraform runs: every frame is shown, with
//! secrets masked.

mod action;
mod bridge;
mod data_source;
mod deno;
mod diagnostic;
mod ephemeral;
mod fingerprint;
mod function;
pub mod go_plugin;
mod launch;
mod log;
mod private;
pub mod proto;
mod provider;
mod resource;
mod schema;
mod script;
mod scripts;
mod settings;
mod unsupported;
mod validation;
mod wire;

pub use provider::Denobridge;
