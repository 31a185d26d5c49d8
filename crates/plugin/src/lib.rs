//! What the author of a plugin imports: [`orchard`] for providers of actions that scenarios run,
//! [`denobridge`] for scripts that are resources, data sources, ephemeral resources, actions or
//! functions of Terraform and OpenTofu.
//!
//! It reads and checks what a host sends, answers in the protocol, and keeps stdout clean. What
//! the plugin does is left to you.
//!
//! ```no_run
//! use tenon_plugin::orchard::{Provider, attributes};
//!
//! attributes! {
//!     struct Greet {
//!         /// Whom to greet.
//!         name: String,
//!         /// The words before the name.
//!         greeting: String = "hello",
//!     }
//!     struct Greeting {
//!         text: String,
//!     }
//! }
//!
//! fn main() -> std::process::ExitCode {
//!     Provider::new("greeter", env!("CARGO_PKG_VERSION"))
//!         .action("greet", "Greets somebody", |_, greet: Greet| async move {
//!             Ok(Greeting { text: format!("{}, {}", greet.greeting, greet.name) })
//!         })
//!         .serve()
//! }
//! ```
//!
//! To see the wire, start the plugin with `tenon call --protocol orchard --trace`, or
//! `--protocol denobridge`.

mod causes;
pub mod denobridge;
pub mod orchard;
mod process;

pub use tenon_values::{Error, Number, Type, Value};
