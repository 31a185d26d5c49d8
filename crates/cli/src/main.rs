//! The `tenon` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    tenon::run(std::env::args_os().collect())
}
