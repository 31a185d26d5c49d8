//! The Terraform provider that runs scripts: the names by which Terraform, its registries and
//! configurations know it.

/// The name in configurations. The program is called `terraform-provider-denobridge`.
pub const NAME: &str = "denobridge";

/// The address in registries, where existing configurations look for it.
pub const ADDRESS: &str = "brad-jones/denobridge";

/// The default version to install it as: the one whose configurations and states it supports.
pub const VERSION: &str = "0.4.1";
