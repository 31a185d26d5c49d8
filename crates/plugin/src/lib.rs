//! What the author of a plugin imports. A [`Plugin`] is defined once, and its
//! [`serve`](Plugin::serve) finds out which [`Host`] is calling: a scenario, which runs its actions;
//! Terraform, which uses its resources, data sources, ephemeral resources, actions and functions; an
//! agent, whose tools its functions and actions are; or any program that calls them by name.
//! `tenon provider pack` makes a Terraform provider out of the plugin, with a typed schema of its
//! own; through the provider `denobridge` it is a script.
//!
//! It reads and checks what a host sends, answers in the host's protocol, and keeps stdout clean.
//! What the plugin does is left to you.
//!
//! ```no_run
//! use tenon_plugin::{Plugin, attributes};
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
//!     Plugin::new("greeter", env!("CARGO_PKG_VERSION"))
//!         .action("greet", "Greets somebody", |_, greet: Greet| async move {
//!             Ok(Greeting { text: format!("{}, {}", greet.greeting, greet.name) })
//!         })
//!         .function("shout", "The greeting in capitals", |greet: Greet| async move {
//!             Ok(format!("{}, {}", greet.greeting, greet.name).to_uppercase())
//!         })
//!         .serve()
//! }
//! ```
//!
//! What everything takes and returns is declared with [`attributes!`], and the schema that hosts
//! check configurations against follows from it: [`Plugin::offer`]. [`Secret`] fields are not shown,
//! [`WriteOnly`] fields of a resource are not even stored. `configure` makes the state that actions,
//! data sources and resources share:
//!
//! ```
//! use tenon_plugin::{Failure, Plugin, Secret, attributes};
//!
//! attributes! {
//!     struct Config {
//!         /// Where the database is.
//!         dsn: Secret<String>,
//!     }
//!     struct Count {
//!         table: String,
//!     }
//!     struct Counted {
//!         rows: u64,
//!     }
//! }
//!
//! struct Database { /* a connection */ }
//!
//! let plugin = Plugin::new("database", "1.0.0")
//!     .configure(|config: Config| async move {
//!         match config.dsn.reveal().starts_with("postgres://") {
//!             true => Ok(Database {}),
//!             false => Err(Failure::new("the dsn has to begin with postgres://")),
//!         }
//!     })
//!     .action("count_rows", "Counts the rows of a table", |_database, count: Count| async move {
//!         Ok(Counted { rows: count.table.len() as u64 })
//!     })
//!     .data_source("table", "A table", |_database, count: Count| async move {
//!         Ok(Counted { rows: count.table.len() as u64 })
//!     })
//!     .max_in_flight(4);
//! assert!(plugin.offer().config.body.attributes[0].is_sensitive);
//! ```
//!
//! A [`Resource`] and an [`Ephemeral`] have several functions each, so they are traits;
//! `examples/file_resource.rs` has a whole resource, and `examples/notes.rs` a whole provider:
//!
//! ```text
//! tenon provider pack notes --write-config -- target/debug/examples/notes
//! ```
//!
//! # Hosts
//!
//! | feature | Orchard | denobridge | Seasonings | ipc | MCP |
//! |---|---|---|---|---|---|
//! | actions | all | one | | all, as methods | all, as tools |
//! | functions | | all | all | all, as methods | all, as tools |
//! | resources, data sources, ephemeral resources | | one of each | all | | |
//! | `configure` | with the scenario's configuration | with the defaults | with the provider's configuration | with the defaults | with the defaults |
//! | [`Resource::modify_plan`] | | yes | yes | | |
//! | [`Resource::upgrade`] | | | yes | | |
//! | markers of [`attributes!`] | none | `#[replaces]` | all | none | `#[deprecated]` |
//! | [`max_in_flight`](Plugin::max_in_flight) | actions at a time | calls that denobridge makes at a time | calls that a host makes at a time | actions at a time | actions at a time |
//! | progress ([`Context`], [`ResourceCall`]) | | of actions | of data sources, resources, functions and hooks | | of actions and functions |
//! | private data ([`ResourceCall`]) | | | of resources | | |
//! | unknown arguments of functions ([`MaybeUnknown`]) | | | yes | | |
//! | a call that is cancelled | | | is dropped, unless it changes something | is dropped | is dropped |
//!
//! `docs/reference/hosts.md` in the repository has the same for all languages, with the errors that hosts get.
//!
//! In Seasonings, a configuration with values that are not known yet leaves the plugin unconfigured:
//! plans are made without [`Resource::modify_plan`], and everything else fails with a message that
//! says so. A call that the host cancels is dropped, unless it changes something: creating, updating
//! and deleting run to their end, and their answer counts.
//!
//! A plugin can also work around Terraform: a [`Storage`] keeps its states, and hooks
//! ([`Plugin::resource_hook`], [`Plugin::stage_hook`]) look at what it plans and does. `tenon terraform` and
//! `tenon state serve` use them; `examples/cost.rs` and `examples/toolkit/` have both.
//!
//! A plugin reads its host and runs its calls on one thread. Work that blocks it for more than a few
//! milliseconds belongs into [`blocking`], so that other calls, pings and cancellations are answered
//! meanwhile.
//!
//! An error is a [`Failure`]; a [`Diagnostic`] names the attribute that it is about, and may also be
//! a warning beside a result ([`Data`]). A `println!` goes to stderr, where hosts show it: stdout is
//! the protocol's. To see the wire, set `TENON_DEBUG=1`, which writes every frame to stderr, or
//! `TENON_DEBUG=FILE`; values of sensitive attributes are masked. Or start the plugin with
//! `tenon call --protocol orchard --trace`, or with another protocol.

mod attributes;
mod block;
mod blocking;
mod context;
mod data;
mod debug;
mod denobridge;
mod ephemeral;
mod failure;
#[doc(hidden)]
pub mod field;
mod hooks;
mod idempotency_key;
mod ipc;
mod maybe_unknown;
mod mcp;
mod orchard;
mod parts;
mod path;
mod plan;
mod plugin;
mod process;
mod resource;
mod results;
mod running;
mod seasonings;
mod secret;
mod serving;
mod session;
mod storage;
pub mod testing;
mod tools;
mod typed;
mod variadic;
mod wire;

pub use attributes::Attributes;
pub use block::Nested;
pub use blocking::blocking;
pub use context::{Context, LogLevel, Progress, ResourceCall};
pub use data::{Data, IntoData};
pub use ephemeral::{Ephemeral, Opened, Renewed};
pub use failure::Failure;
pub use hooks::{Action, Change, ResourceHook, Stage, StageHook, Verdict};
pub use idempotency_key::IdempotencyKey;
pub use maybe_unknown::MaybeUnknown;
pub use plan::{Decision, Plan, Planned};
pub use plugin::Plugin;
pub use resource::{Created, Existing, Found, Resource};
pub use secret::{Secret, WriteOnly};
pub use serving::Host;
pub use storage::{Lock, Storage};
pub use tenon_protocols::denobridge::{Diagnostic, Severity};
pub use tenon_protocols::orchard::Code;
pub use tenon_protocols::seasonings::Segment;
pub use tenon_schema as schema;
pub use tenon_values::{Error, Number, Type, Value, json};
pub use typed::Typed;
pub use variadic::Variadic;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
