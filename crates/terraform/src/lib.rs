//! The Terraform and OpenTofu provider `denobridge`: resources, data sources, ephemeral resources,
//! actions and functions that are scripts in other processes.
//!
//! [`Denobridge`] is the provider, and `tenon-tfplugin` serves it. Together they are the program
//! `terraform-provider-denobridge`, which is all of its `main`:
//!
//! ```no_run
//! use tenon_terraform::{Denobridge, identity};
//!
//! fn main() -> std::process::ExitCode {
//!     tenon_tfplugin::run(&identity(), Denobridge::new)
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
mod denobridge;
mod ephemeral;
mod fingerprint;
mod function;
mod launch;
mod places;
mod platform;
mod resource;
mod schema;
mod script;
mod scripts;
mod settings;
mod validation;

pub use denobridge::{Denobridge, identity};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
