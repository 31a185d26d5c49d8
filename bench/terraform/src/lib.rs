//! What the sections that measure Terraform providers have in common: a provider that is started and called as
//! Terraform does it, its start, its calls beside the bare plugin's, and commands of Terraform itself.

pub mod calls;
mod client;
pub mod cores;
pub mod identity;
pub mod keeper;
pub mod program;
pub mod provider;
pub mod start;
pub mod terraform;
