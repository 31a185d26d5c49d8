//! The Terraform and OpenTofu provider `denobridge`: resources, data sources, ephemeral resources,
//! actions and functions that are scripts in other processes.

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
