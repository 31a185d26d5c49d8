//! Runs Terraform and OpenTofu with plugins around it.

mod arguments;
mod schemas;
mod values;
