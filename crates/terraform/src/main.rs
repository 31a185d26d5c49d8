//! The provider that Terraform starts.

use std::process::ExitCode;

use tenon_terraform::Denobridge;
use tenon_terraform::go_plugin;

fn main() -> ExitCode {
    go_plugin::run(|| {
        let provider = Denobridge::new();
        let ending = provider.clone();
        (provider, async move || ending.end().await)
    })
}
