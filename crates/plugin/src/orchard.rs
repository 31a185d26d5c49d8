//! Providers for Orchard: a program with actions that a scenario can run.
//!
//! A [`Provider`] is a name, a version and actions. What an action takes and brings is declared
//! with [`attributes!`], and the schema that hosts check scenarios against follows from it.
//! `configure` makes the state that actions share:
//!
//! ```
//! use tenon_plugin::orchard::{Failure, Provider, Secret, attributes};
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
//! let provider = Provider::new("database", "1.0.0")
//!     .configure(|config: Config| async move {
//!         match config.dsn.reveal().starts_with("postgres://") {
//!             true => Ok(Database {}),
//!             false => Err(Failure::new("the dsn has to begin with postgres://")),
//!         }
//!     })
//!     .action("count_rows", "Counts the rows of a table", |_database, count: Count| async move {
//!         Ok(Counted { rows: count.table.len() as u64 })
//!     })
//!     .max_in_flight(4);
//! assert!(provider.schema().config["dsn"].sensitive);
//! ```
//!
//! A `println!` in an action goes to stderr, where hosts show it: stdout is the protocol's.

mod attributes;
mod failure;
#[doc(hidden)]
pub mod field;
mod idempotency_key;
mod provider;
mod secret;
mod serving;
mod session;
mod typed;

pub use crate::attributes;
pub use attributes::Attributes;
pub use failure::Failure;
pub use idempotency_key::IdempotencyKey;
pub use provider::Provider;
pub use secret::Secret;
pub use tenon_protocols::orchard::{ActionSchema, AttrSchema, Code, ProviderSchema};
pub use typed::Typed;
