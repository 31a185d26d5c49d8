//! Who descends from a plugin. A process can leave its group and lose its parent, but it keeps
//! the environment it was born with: each plugin gets a mark in it that its descendants inherit.

use std::process;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::process::{Pid, Signal, kill_process};

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

    /// The processes that descend from the plugin.
    pub(crate) fn members(&self) -> Vec<Pid> {
        let needle = self.needle();
        let Ok(processes) = std::fs::read_dir("/proc") else {
            return Vec::new();
        };
        processes
            .flatten()
            .filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok())
            .filter(|pid| {
                // Gone in the meantime, or somebody else's: either way not ours to end.
                let environment = std::fs::read(format!("/proc/{pid}/environ"));
                environment
                    .is_ok_and(|bytes| memchr::memmem::find(&bytes, needle.as_bytes()).is_some())
            })
            .filter_map(Pid::from_raw)
            .collect()
    }

    /// Ends everyone who descends from the plugin, also those born while it looks.
    ///
    /// A process has no environment for a moment while it starts another program, and a child may
    /// be born behind the place where we look: only when nobody is found twice is nobody left.
    pub(crate) fn end_all(&self) {
        /// Enough for all but those who multiply faster than they can be ended.
        const ROUNDS: usize = 100;
        let mut quiet_rounds = 0;
        for _ in 0..ROUNDS {
            let members = self.members();
            for pid in &members {
                tracing::debug!(?pid, "ending a process that a plugin left behind");
                let _already_gone = kill_process(*pid, Signal::KILL);
            }
            quiet_rounds = if members.is_empty() {
                quiet_rounds + 1
            } else {
                0
            };
            if quiet_rounds == 2 {
                return;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}
