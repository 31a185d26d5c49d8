//! A Terraform and OpenTofu provider made from a Seasonings plugin.
//!
//! `tenon provider pack` copies this program into a mirror of providers, with a manifest beside it: the
//! command of the plugin, the checksums of its files, and its schema. [`PackedProvider`] answers
//! Terraform's questions about the schema from the manifest, and starts the plugin for everything else.
//!
//! What is on the wire to the plugin is in `tenon_protocols::seasonings`; gRPC is left to
//! `tenon-tfplugin`, and processes to `tenon-host`.
//!
//! | module | is about |
//! |---|---|
//! | [`manifest`] | the manifest beside the program |
//! | `offered` | what the plugin offers, and what Terraform is told of it |
//! | `plugin` | the plugin's processes, and calls to them |
//! | `tree` | going through the attributes of a value by its schema |
//! | `resource` | managed resources: the host's plan, changes, and the checks of what a plugin returns |
//! | `function`, `data_source`, `ephemeral` | the rest |
//!
//! To see what the plugin logs, set `TF_LOG_PROVIDER=debug` where Terraform runs.

mod data_source;
mod ephemeral;
mod function;
pub mod manifest;
mod offered;
mod plugin;
mod provider;
mod resource;
mod show;
mod tree;

pub use provider::PackedProvider;
