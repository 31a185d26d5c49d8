//! Orchard's scenarios.

mod attributes;
mod declarations;
mod decode;
mod drawing;
mod engine;
mod evaluation;
mod event;
mod expand;
mod graph;
mod journal;
mod junit;
mod link;
mod load;
mod masked;
mod model;
mod names;
mod order;
mod plan;
mod provider;
mod record;
mod run;
mod schedule;
mod secrets;
mod settings;
mod teardown;
mod variables;

/// The providers that the `tenon` program has.
pub const BUILTINS: [&str; 5] = ["exec", "file", "http", "postgres", "sqlite"];

pub use declarations::{Declaration, DeclarationId, Declarations, Schemas};
pub use event::{Event, RunStatus, Status, Watch};
pub use graph::{Graph, Node, NodeId};
pub use journal::JournalError;
pub use load::{ScenarioFile, load};
pub use masked::{Key, Masked};
pub use model::*;
pub use plan::Plan;
pub use provider::{FailureKind, Launcher, ProviderFailure};
pub use record::{NodeRecord, Record};
pub use run::{RunError, RunOptions, RunReport};
pub use secrets::Secrets;
pub use variables::Inputs;
