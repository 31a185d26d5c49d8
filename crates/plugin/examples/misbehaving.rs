//! A provider that does what a provider should not: it prints to stdout, and it panics. Neither
//! harms the protocol.

#![expect(clippy::print_stdout, reason = "that is the point")]

use tenon_plugin::{Failure, Plugin};

fn main() -> std::process::ExitCode {
    Plugin::new("misbehaving", "1.0.0")
        .action("print", "Prints to stdout", |_, ()| async {
            println!("a stray print");
            Ok(())
        })
        .action("panic", "Panics", |_, ()| async {
            panic!("as asked") as Result<(), Failure>
        })
        .serve()
}
