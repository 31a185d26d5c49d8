//! The service with our SDK, for every host.

use std::process::ExitCode;

use tenon_plugin::{Plugin, attributes};

attributes! {
    struct Echo { a: i64, b: i64, s: String }
}

fn main() -> ExitCode {
    Plugin::new("bench", "1.0.0")
        .function("echo", "Sends back what it got.", |echo: Echo| async move {
            Ok(echo)
        })
        .serve()
}
