//! The provider as a program of its own.

use std::process::ExitCode;

fn main() -> ExitCode {
    bench_scenario::provider().serve()
}
