//! What came of a run.

use std::path::PathBuf;

use crate::event::RunStatus;
use crate::providers::failure::FailureKind;
use crate::records::record::Record;

/// What came of a run.
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
    /// What came of every assert that was looked at, in order.
    pub asserts: Vec<AssertOutcome>,
}

/// What came of an assert.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssertOutcome {
    /// The output it belongs to.
    pub output: String,
    /// What it says, if it is not true.
    pub error: Option<String>,
}
