//! How a run or a teardown goes about it.

use std::path::PathBuf;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::records::known::Given;
use crate::records::seal::RecordKey;

/// How a run goes about it.
#[derive(Clone)]
pub struct RunOptions {
    /// How many actions run in parallel.
    pub jobs: usize,
    /// Where the record goes; `None` keeps none.
    pub record_folder: Option<PathBuf>,
    /// Only these actions or components, and what they need. All if there are none.
    pub targets: Vec<String>,
    /// How long running actions have after an interrupt; without a limit if this is `None`.
    pub grace: Option<Duration>,
    /// Run actions again whose outcome is unknown. Idempotent ones are run again in any case.
    pub redo_maybe: bool,
    /// Run these again although they are done.
    pub redo: Vec<String>,
    /// Go on with what is still known if the journal is damaged or missing.
    pub salvage: bool,
    /// Actions that were undone by hand, for a teardown.
    pub undone: Vec<String>,
    /// What secrets are encrypted with in the record; without it they are not kept.
    pub key: Option<RecordKey>,
    /// What a record does not hold and a resumed run needs.
    pub given: Given,
    /// Set by Ctrl-C.
    pub interrupt: CancellationToken,
}

impl Default for RunOptions {
    fn default() -> RunOptions {
        RunOptions {
            jobs: std::thread::available_parallelism().map_or(1, usize::from),
            record_folder: Some(PathBuf::new()),
            targets: Vec::new(),
            grace: Some(Duration::from_secs(10)),
            redo_maybe: false,
            redo: Vec::new(),
            salvage: false,
            undone: Vec::new(),
            key: None,
            given: Given::default(),
            interrupt: CancellationToken::new(),
        }
    }
}
