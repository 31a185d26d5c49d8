//! What a provider is asked to do, and the outcome.

use std::rc::Rc;
use std::time::Duration;

use tenon_protocols::orchard::Json;

use crate::event::Status;
use crate::planning::declarations::DeclarationId;
use crate::planning::settings::Settings;
use crate::providers::failure::ProviderFailure;

/// What is done with a node when its turn comes.
pub(crate) enum Turn {
    /// There is nothing to hand to a provider, and that is done.
    Done,
    /// It cannot be handed to its provider.
    Failed(String),
    /// This is to be handed to its provider.
    Task(Task),
}

/// An action for a provider.
pub(crate) struct Task {
    pub(crate) address: Rc<str>,
    pub(crate) declaration: DeclarationId,
    pub(crate) action: String,
    pub(crate) attributes: Json,
    pub(crate) settings: Settings,
    /// The SHA-256 of the attributes, if that is to be kept.
    pub(crate) digest: Option<String>,
}

/// The outcome of a task.
pub(crate) struct Outcome {
    pub(crate) result: Result<Json, ProviderFailure>,
    pub(crate) duration: Duration,
    pub(crate) attempts: u32,
    /// One of the attempts may have done it: its provider was asked to, and did not say that it
    /// failed.
    pub(crate) may_be_done: bool,
}

impl Outcome {
    /// The status of an action that failed: if the outcome of an attempt is unknown, it stays so,
    /// whatever a later attempt was answered.
    pub(crate) fn failed_status(may_be_done: bool) -> Status {
        match may_be_done {
            true => Status::Maybe,
            false => Status::Failed,
        }
    }
}

/// The outcome of handing a task over.
pub(crate) struct Attempt {
    pub(crate) result: Result<Json, ProviderFailure>,
    /// It may have been done: the provider was asked to.
    pub(crate) was_sent: bool,
}
