//! The Terraform provider that runs scripts: the names by which Terraform, its registries and
//! configurations know it.

/// The name in configurations. The program is called `terraform-provider-denobridge`.
pub const NAME: &str = "denobridge";

/// Where registries have it: who published it first, and so where configurations look for it.
pub const ADDRESS: &str = "brad-jones/denobridge";

/// The version it is installed as unless the user says otherwise: the one whose configurations and
/// states it takes.
pub const VERSION: &str = "0.4.1";
