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
//! `docs/reference/scenario-language.md` explains the language, `docs/reference/orchard.md` the wire.

mod environment;
mod event;
mod junit;
mod masked;
mod planning;
mod providers;
mod reading;
mod records;
mod run;
mod teardown;

/// The providers that the `tenon` program has.
pub const BUILTINS: [&str; 5] = ["exec", "file", "http", "postgres", "sqlite"];

pub use environment::{EnvironmentRecord, ProviderEnvironment, RunEnvironment};
pub use event::{Event, RunStatus, Status, Watch};
pub use junit::{Suite, junit};
pub use masked::{Key, Masked, Way};
pub use planning::declarations::{Declaration, DeclarationId, Declarations, Schemas};
pub use planning::graph::{Graph, Node, NodeId};
pub use planning::plan::Plan;
pub use providers::launcher::{Launcher, SeeLog};
pub use providers::provider::{FailureKind, ProviderFailure};
pub use reading::load::{ScenarioFile, files_of, load};
pub use reading::model::*;
pub use reading::variables::Inputs;
pub use records::journal::{Damage, JournalError};
pub use records::known::Given;
pub use records::record::{FORMAT, FailedAssert, NodeRecord, Record};
pub use records::seal::{RecordKey, ShortKey, WrongKey};
pub use run::{AssertOutcome, RunError, RunOptions, RunReport};
pub use teardown::{FilePlan, Teardown};
pub use tenon_protocols::Secrets;
