//! Scripts for denobridge: a program that is a resource, a data source, an ephemeral resource, an
//! action or functions of Terraform and OpenTofu.
//!
//! A [`Script`] is what the program can do, and its [`serve`](Script::serve) is the whole `main`.
//! Props and states are types of your own that serde can read and write:
//!
//! ```no_run
//! use serde::{Deserialize, Serialize};
//! use tenon_plugin::denobridge::{Data, Diagnostic, Failure, Outcome, Progress, Script};
//!
//! #[derive(Deserialize)]
//! struct Host { name: String }
//!
//! #[derive(Serialize)]
//! struct Address { ip: String }
//!
//! fn main() -> std::process::ExitCode {
//!     Script::new()
//!         .data_source(|host: Host| async move {
//!             match host.name.as_str() {
//!                 "localhost" => Ok(Data::new(Address { ip: "127.0.0.1".into() })),
//!                 "" => Err(Failure::diagnosed([
//!                     Diagnostic::error("a host has a name", "give one").at(["props", "name"]),
//!                 ])),
//!                 name => Err(Failure::new(format!("nobody knows {name}"))),
//!             }
//!         })
//!         .action(|progress: Progress, host: Host| async move {
//!             progress.say(format!("greeting {}", host.name)).await;
//!             Ok(Outcome::done())
//!         })
//!         .function("shout", |(text,): (String,)| async move { Ok(text.to_uppercase()) })
//!         .serve()
//! }
//! ```
//!
//! A [`Resource`] and an [`Ephemeral`] have several functions each, so they are traits;
//! `examples/file_resource.rs` has a whole resource.
//!
//! What goes wrong is a [`Failure`]. What is to be told beside a result, a warning say, is a
//! [`Diagnostic`], which may name the part that it is about. Props that do not fit the type are
//! answered with an error that points at them, and no function of yours is called.
//!
//! Secrets have places of their own: [`Data::sensitive`] on the way out, [`Secret`] on the way in.
//! None is printed by `Debug`, and none is quoted in an error.
//!
//! A `println!` goes to stderr, which hosts show when they log: stdout is the protocol's.

mod data;
mod ephemeral;
mod failure;
mod plan;
mod progress;
mod resource;
mod script;
mod secret;
mod serving;
mod wire;

pub use data::Data;
pub use ephemeral::{Ephemeral, Opened, Renewed};
pub use failure::Failure;
pub use plan::{Decision, Plan, Planned};
pub use progress::Progress;
pub use resource::{Created, Existing, Found, Resource, Wanted};
pub use script::Script;
pub use secret::Secret;
pub use tenon_protocols::denobridge::{Diagnostic, Outcome, Severity};
