//! What went wrong with a provider, and why.

use tenon_protocols::orchard::{Code, ProviderError};

/// What went wrong with a provider.
#[derive(Clone, Debug)]
pub struct ProviderFailure {
    /// The kind of failure.
    pub kind: FailureKind,
    /// What happened, with the provider's name and the evidence, in one line or several.
    pub message: String,
    /// What the provider itself answered, if it did.
    pub answered: Option<ProviderError>,
}

/// The kind of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FailureKind {
    /// The provider answered with an error, or nothing could be sent to it.
    Answered,
    /// It could not be started.
    CannotStart,
    /// It took too long.
    TimedOut,
    /// It broke the protocol.
    BrokeProtocol,
}

impl ProviderFailure {
    pub(crate) fn new(kind: FailureKind, message: impl Into<String>) -> ProviderFailure {
        ProviderFailure {
            kind,
            message: message.into(),
            answered: None,
        }
    }

    /// Whether the action was certainly not done: the provider says so, or was not asked. A provider
    /// that does not know answers with [`Code::OutcomeUnknown`].
    pub(crate) fn is_refusal(&self) -> bool {
        let code = self.answered.as_ref().map(|answered| &answered.code);
        self.kind == FailureKind::Answered && code != Some(&Code::OutcomeUnknown)
    }
}
