//! Terraform's protocol, with our own client: the exact answers, and requests that no Terraform would
//! send.

mod blocks;
#[path = "../go_plugin/client.rs"]
mod client;
mod core;
mod places;
mod stage;

mod actions;
mod applies;
mod attributes;
mod bounds;
mod data;
mod documents;
mod ephemeral;
mod fuzz;
mod imports;
mod modified_props;
mod nonsense;
mod plans;
mod processes;
mod reads;
mod results;
mod schemas;
mod settings;
mod states;
mod stderr;
mod stopping;
mod unknown_props;
mod unsupported;
mod validation;
mod write_only;
