//! The messages and services of Terraform's provider protocol, made of the files in `proto/`.
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::all,
    clippy::semicolon_if_nothing_returned,
    clippy::allow_attributes_without_reason,
    rustdoc::invalid_html_tags,
    reason = "it is generated"
)]

#[rustfmt::skip]
#[path = "generated/tfplugin6.rs"]
pub mod tfplugin6;

#[rustfmt::skip]
#[path = "generated/plugin.rs"]
pub mod plugin;
