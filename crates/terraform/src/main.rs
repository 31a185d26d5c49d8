//! The provider that Terraform starts.

use std::process::ExitCode;

use tenon_terraform::{Denobridge, identity};

fn main() -> ExitCode {
    tenon_tfplugin::run(&identity(), Denobridge::new)
}
