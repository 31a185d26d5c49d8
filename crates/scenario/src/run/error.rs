//! Why there was no run.

use std::collections::BTreeSet;
use std::fmt;
use std::io;

use tenon_hcl::Diagnostic;

use crate::hint::Hint;
use crate::providers::failure::ProviderFailure;
use crate::records::journal::JournalError;
use crate::records::record::Record;
use crate::records::seal::WrongKey;

/// Why there was no run, or none to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The scenario, or how it is to be run, is wrong.
    #[error("the scenario is not valid")]
    Invalid(Vec<Diagnostic>),
    /// Providers could not be started and configured. Nothing was done.
    #[error("{}", .0.iter().map(|failure| failure.message.as_str()).collect::<Vec<_>>().join("\n"))]
    Providers(Vec<ProviderFailure>, Box<Record>),
    /// The record cannot be kept.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The journal can no longer be written. Everything was stopped.
    #[error("the journal could not be written, so the run was stopped: {0}")]
    Disk(#[from] io::Error),
    /// It was interrupted before anything was done.
    #[error("interrupted before anything was done")]
    Interrupted,
    /// The secrets of the record cannot be read.
    #[error(transparent)]
    Key(#[from] WrongKey),
    /// Secrets are missing without which the run cannot be undone.
    #[error(transparent)]
    Secrets(#[from] MissingSecrets),
    /// What it did was undone.
    #[error("this run was undone, or part of it; start a new one")]
    Undone,
    /// The outcome of some actions is unknown.
    #[error(
        "the outcome of these actions is unknown:\n  {}",
        .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n  ")
    )]
    UnknownOutcome(Vec<UnknownOutcome>),
}

impl RunError {
    /// What a user can do about it.
    pub fn hint(&self) -> Option<Hint> {
        match self {
            RunError::Journal(error) => error.hint(),
            RunError::Key(error) => Some(error.hint()),
            RunError::UnknownOutcome(_) => Some(Hint::CheckOutcomes),
            RunError::Secrets(_)
            | RunError::Invalid(_)
            | RunError::Providers(..)
            | RunError::Disk(_)
            | RunError::Interrupted
            | RunError::Undone => None,
        }
    }
}

/// An action whose outcome is unknown, and that is not run again without being asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownOutcome {
    /// Its address.
    pub address: String,
    /// Why it is not, beside that it is not idempotent.
    pub reason: Option<NotRepeated>,
}

/// Why an action is not run again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotRepeated {
    /// The scenario no longer has it. Undoing the run undoes it.
    Removed,
    /// Its provider would be given something else than before.
    Changed,
}

impl fmt::Display for UnknownOutcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.reason {
            Some(reason) => write!(formatter, "{} ({reason})", self.address),
            None => formatter.write_str(&self.address),
        }
    }
}

impl fmt::Display for NotRepeated {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            NotRepeated::Removed => "no longer in the scenario, so it is not run again",
            NotRepeated::Changed => "its attributes are not the same as before",
        })
    }
}

/// Secrets that a teardown needs and that were not given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingSecrets {
    /// Who needs them: the address of an action or a provider, with the names of the secrets.
    pub needed: Vec<(String, BTreeSet<String>)>,
    /// Why the scenario file cannot be used to find them, if it cannot.
    pub reason: Option<String>,
    /// The record holds secrets encrypted.
    pub has_key: bool,
}

impl std::error::Error for MissingSecrets {}

impl fmt::Display for MissingSecrets {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(
            "secrets are missing that are needed to undo this run, so nothing was undone:",
        )?;
        for (whose, names) in &self.needed {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            write!(formatter, "\n  {whose}: {}", names.join(", "))?;
        }
        match &self.reason {
            Some(reason) => write!(
                formatter,
                "\n  the scenario file cannot be used to find them: {reason}"
            ),
            None => Ok(()),
        }
    }
}
