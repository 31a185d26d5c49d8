//! The provider that Terraform starts.

use std::process::ExitCode;

use tenon_packed::{PackedProvider, manifest};

fn main() -> ExitCode {
    let found = manifest::beside_program();
    let identity = manifest::identity(found.as_ref().ok());
    tenon_tfplugin::run(&identity, || PackedProvider::new(found?))
}
