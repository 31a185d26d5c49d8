//! A plugin whose action takes its time, and which says goodbye at its end.

#![expect(clippy::print_stdout, reason = "stdout is stderr in a plugin")]

use std::path::Path;
use std::time::Duration;

use tenon_plugin::{Plugin, attributes};

attributes! {
    struct Wait {
        /// The file that ends the wait once it exists.
        file: String,
    }
}

fn main() -> std::process::ExitCode {
    Plugin::new("patient", "1.0.0")
        .action("wait", "Waits for a file", |_, given: Wait| async move {
            println!("waiting");
            while !Path::new(&given.file).exists() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            Ok(())
        })
        .shutdown(|_| async { println!("goodbye") })
        .serve()
}
