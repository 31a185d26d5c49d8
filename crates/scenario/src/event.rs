//! What happens in a run, for progress output.

use serde::Serialize;
use serde_json::value::RawValue;

/// Something that happened. Secrets are masked. In JSON, `event` has the kind. Values
/// are JSON texts, which keep all digits of numbers.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// It begins.
    Started {
        /// The scenario's name.
        scenario: String,
        /// The run's id.
        run: String,
        /// How many actions there are to run.
        actions: usize,
        /// How many are done already, from the run that is resumed.
        done: usize,
        /// The path of its record.
        record: Option<String>,
    },
    /// A provider is ready.
    ProviderReady {
        /// Its name in the scenario.
        provider: String,
    },
    /// A provider wrote a line to stderr.
    Log {
        /// Its name in the scenario.
        provider: String,
        /// The line.
        line: String,
    },
    /// An action was handed to its provider.
    ActionStarted {
        /// Its address.
        action: String,
        /// Its provider's name in the scenario.
        provider: String,
    },
    /// An action failed and is tried again.
    ActionRetried {
        /// Its address.
        action: String,
        /// How often it has failed.
        attempt: u32,
        /// Why.
        error: String,
        /// How long to wait before it is tried again.
        delay_ms: u64,
    },
    /// An action is over.
    ActionFinished {
        /// Its address.
        action: String,
        /// Its outcome.
        status: Status,
        /// How long it took.
        duration_ms: u64,
        /// What it returned.
        #[serde(skip_serializing_if = "Option::is_none")]
        outputs: Option<Box<RawValue>>,
        /// Why it failed or was left out.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
    /// An output of the scenario.
    Output {
        /// Its name.
        name: String,
        /// What it is.
        value: Box<RawValue>,
        /// It is masked.
        sensitive: bool,
    },
    /// An assert was not true.
    AssertFailed {
        /// The output it belongs to.
        output: String,
        /// What it says.
        message: String,
    },
    /// A warning.
    Warning {
        /// What, and what to do about it.
        message: String,
    },
    /// A provider could not be started, or did not shut down correctly.
    ProviderFailed {
        /// What it did, with its name.
        message: String,
    },
    /// Ctrl-C: what runs has a little time left.
    Interrupted {
        /// How many actions still run.
        running: usize,
    },
    /// It is over.
    Finished {
        /// The run's id.
        run: String,
        /// Its outcome.
        status: RunStatus,
        /// How long it took.
        duration_ms: u64,
        /// How many actions were run with success, in this run or the one that was resumed.
        succeeded: usize,
        /// How many failed.
        failed: usize,
        /// How many were left out because of that.
        skipped: usize,
        /// The outcome of how many is unknown.
        maybe: usize,
        /// The path of its record.
        record: Option<String>,
    },
}

/// The status of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It was never begun.
    Pending,
    /// It was begun, and its outcome is unknown.
    Maybe,
    /// It is done.
    Succeeded,
    /// It failed.
    Failed,
    /// It was left out because something it needs failed.
    Skipped,
}

/// The status of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// It is not over, or was cut off.
    Running,
    /// Everything is done.
    Succeeded,
    /// Something failed.
    Failed,
    /// It was stopped.
    Interrupted,
}

/// Is shown what happens.
pub type Watch<'a> = &'a (dyn Fn(Event) + 'a);
