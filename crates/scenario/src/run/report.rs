//! The outcome of a run.

use std::path::PathBuf;

use crate::event::RunStatus;
use crate::providers::failure::FailureKind;
use crate::records::record::Record;

/// The outcome of a run.
#[derive(Debug)]
pub struct RunReport {
    /// How it went.
    pub status: RunStatus,
    /// Everything about it.
    pub record: Record,
    /// Where that was written.
    pub path: Option<PathBuf>,
    /// The worst that providers did, if anything.
    pub worst: Option<FailureKind>,
    /// The outcome of every assert that was checked, in order.
    pub asserts: Vec<AssertOutcome>,
}

/// The outcome of an assert.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssertOutcome {
    /// The output it belongs to.
    pub output: String,
    /// Its message, if it is not true.
    pub error: Option<String>,
}
