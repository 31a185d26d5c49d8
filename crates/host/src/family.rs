//! Who descends from a plugin. A process can leave its group and lose its parent, but it keeps
//! the environment it was born with: each plugin gets a mark in it that its descendants inherit.

use std::process;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::sweep;

/// The environment variable with the marks of everyone a process descends from:
/// `;<host>.<number>;<host>.<number>;`.
pub(crate) const VARIABLE: &str = "TENON_FAMILY";

/// The mark of one plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mark(u64);

/// What all marks of this process begin with. No other process ever has the same.
pub(crate) fn host() -> &'static str {
    static HOST: OnceLock<String> = OnceLock::new();
    HOST.get_or_init(|| {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        format!("{}-{:x}", process::id(), now.as_nanos())
    })
}

impl Mark {
    pub(crate) fn new() -> Mark {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Mark(LAST.fetch_add(1, Ordering::Relaxed))
    }

    /// The value of the variable for this plugin: our own marks stay in it, so that whoever
    /// started us finds our plugins as well.
    pub(crate) fn value(&self) -> String {
        let inherited = std::env::var(VARIABLE).unwrap_or_default();
        format!("{inherited}{}", self.needle())
    }

    fn needle(&self) -> String {
        format!(";{}.{};", host(), self.0)
    }

    /// Ends everyone who descends from the plugin, also those born while it looks.
    pub(crate) fn end_all(&self) {
        sweep::end_all(self.needle());
    }
}
