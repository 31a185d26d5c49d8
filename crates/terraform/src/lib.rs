//! The Terraform and OpenTofu provider `denobridge`: resources, data sources, ephemeral resources,
//! actions and functions that are scripts in other processes.

pub mod proto;
