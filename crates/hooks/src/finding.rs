//! What plugins have to say about a command.

use std::fmt;

/// Something that a plugin found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The plugin, by its name in the configuration.
    pub plugin: String,
    /// The hook it was found in, such as `postPlan`.
    pub hook: &'static str,
    /// The resource it is about; `None` for the command as a whole.
    pub address: Option<String>,
    /// How bad it is.
    pub severity: Severity,
    /// What it is. The text is the plugin's own, or says how the plugin failed.
    pub text: String,
    /// How the plugin failed: its command line, how it ended, the last lines of its stderr, what to try.
    pub evidence: Vec<String>,
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// All is well, and there is something to say.
    Info,
    /// The command continues.
    Warning,
    /// The command fails.
    Failure,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Info => "ok",
            Severity::Warning => "warning",
            Severity::Failure => "failed",
        })
    }
}
