//! Orchard's scenarios: read, planned, run and torn down.
//!
//! [`load`] reads a scenario file and its components into a model ([`Scenario`]), with the place of
//! every word. [`Plan::new`] checks it against its providers' schemas to the last attribute and
//! unfolds it into a [`Graph`], without doing anything. [`Plan::run`] starts the providers, hands
//! each action over as soon as what it needs is done, and keeps a journal, so that after a crash
//! [`Plan::resume`] and [`Teardown`] know what is done, not begun, or has an unknown outcome.
//!
//! What is shown of all that is left to you: everything that happens is an [`Event`]. So is where
//! the built-in providers come from: a [`Launcher`] is told the program that has them.
//!
//! `docs/scenarios.md` explains the language, `docs/orchard.md` the wire.

mod attributes;
mod budget;
mod declarations;
mod decode;
mod disk;
mod drawing;
mod engine;
mod environment;
mod evaluation;
mod event;
mod expand;
mod flow;
mod graph;
mod idempotency;
mod item;
mod journal;
mod junit;
mod kept;
mod known;
mod launcher;
mod link;
mod load;
mod masked;
mod memory;
mod model;
mod names;
mod needed;
mod order;
mod origins;
mod plan;
mod provider;
mod record;
mod resume;
mod run;
mod running;
mod schedule;
mod seal;
mod secret_names;
mod selection;
mod sensitive;
mod settings;
mod settling;
mod slots;
mod teardown;
mod undeclared;
mod undo;
mod undoing;
mod unsealing;
mod variables;
mod yaml;

/// The providers that the `tenon` program has.
pub const BUILTINS: [&str; 5] = ["exec", "file", "http", "postgres", "sqlite"];

pub use declarations::{Declaration, DeclarationId, Declarations, Schemas};
pub use environment::{EnvironmentRecord, ProviderEnvironment, RunEnvironment};
pub use event::{Event, RunStatus, Status, Watch};
pub use graph::{Graph, Node, NodeId};
pub use journal::{Damage, JournalError};
pub use junit::{Suite, junit};
pub use known::Given;
pub use launcher::{Launcher, SeeLog};
pub use load::{ScenarioFile, files_of, load};
pub use masked::{Key, Masked, Way};
pub use model::*;
pub use plan::Plan;
pub use provider::{FailureKind, ProviderFailure};
pub use record::{FORMAT, FailedAssert, NodeRecord, Record};
pub use run::{AssertOutcome, RunError, RunOptions, RunReport};
pub use seal::{RecordKey, ShortKey, WrongKey};
pub use teardown::{FilePlan, Teardown};
pub use tenon_protocols::Secrets;
pub use variables::Inputs;
