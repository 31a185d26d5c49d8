//! Orchard's scenarios: read, planned, run and undone.
//!
//! [`prepare()`] reads a scenario file, asks its providers for their schemas, gathers its variables
//! and checks everything, without doing anything: the result is a [`Plan`] for each scenario.
//! [`run()`] starts the providers, hands each action over as soon as what it needs is done, and
//! keeps a journal, so that after a crash [`resume()`] and [`Teardown`] know what is done, not begun,
//! or has an unknown outcome.
//!
//! What is left to you:
//!
//! - to print what happens: everything is an [`Event`];
//! - to start the built-in providers: a [`Launcher`] has their commands, by name;
//! - to word each [`Hint`]: errors name no flags, an [`Advice`] does.
//!
//! `docs/reference/scenario-language.md` explains the language, `docs/reference/orchard.md` the wire.

mod address;
mod digest;
mod environment;
mod event;
mod hint;
mod junit;
mod masked;
mod planning;
mod prepare;
mod providers;
mod reading;
mod records;
mod run;
mod teardown;

pub use environment::{EnvironmentRecord, ProviderEnvironment, RunEnvironment};
pub use event::{Event, RunStatus, Status, Watch};
pub use hint::{Advice, Hint};
pub use junit::{Suite, junit};
pub use masked::{Key, Masked, Way};
pub use planning::declarations::{Declaration, DeclarationId, Declarations, Schemas};
pub use planning::graph::{Graph, Node, NodeId};
pub use planning::plan::Plan;
pub use prepare::{
    Choice, ChoiceError, PrepareError, Prepared, PreparedScenario, open, prepare, prepare_again,
};
pub use providers::failure::{FailureKind, ProviderFailure};
pub use providers::launcher::{Launcher, SeeLog};
pub use reading::load::{ScenarioFile, files_of, load};
pub use reading::model::*;
pub use reading::variables::Inputs;
pub use records::journal::{Damage, JournalError};
pub use records::known::Given;
pub use records::node::NodeRecord;
pub use records::record::{FORMAT, FailedAssert, Record};
pub use records::seal::{RecordKey, ShortKey, WrongKey};
pub use run::{
    AssertOutcome, MissingSecrets, NotRepeated, RunError, RunOptions, RunReport, UnknownOutcome,
    resume, run,
};
pub use teardown::{FilePlan, Teardown};
pub use tenon_protocols::Secrets;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
