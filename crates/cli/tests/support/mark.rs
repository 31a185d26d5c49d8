//! A mark in the environment of everything a test starts, by which leftovers are found.

use std::process::id;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// What all processes of one test have in their environment. Dropping it ends those that are
/// left, so that a failing test leaves nothing behind either.
pub(crate) struct Mark(String);

impl Mark {
    /// The environment variable. A process cannot lose it, and its children inherit it: a plugin
    /// gets few of our variables, and those that begin with `LC_` are among them.
    pub(crate) const VARIABLE: &str = "LC_TENON_TEST_MARK";

    pub(crate) fn new() -> Mark {
        static LAST: AtomicU32 = AtomicU32::new(0);
        let number = LAST.fetch_add(1, Ordering::Relaxed);
        Mark(format!("{}-{number}", id()))
    }

    /// The value of the variable.
    pub(crate) fn value(&self) -> &str {
        &self.0
    }

    /// Fails if a process of the test is left. One that is ending gets a moment.
    pub(crate) fn assert_nobody_left(&self) {
        let deadline = Instant::now() + Duration::from_secs(5);
        // A process that is just becoming another program has no environment to be found by for a moment.
        let mut empty_scans = 0;
        while empty_scans < 2 {
            let left = self.living();
            match left.is_empty() {
                true => empty_scans += 1,
                false => empty_scans = 0,
            }
            let is_in_time = left.is_empty() || Instant::now() < deadline;
            assert!(is_in_time, "left behind: {left:?}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// The processes with the mark, and their command lines.
    pub(crate) fn living(&self) -> Vec<(i32, String)> {
        let needle = format!("{}={}", Mark::VARIABLE, self.0);
        let processes = std::fs::read_dir("/proc").expect("the list of processes");
        processes
            .flatten()
            .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
            .filter_map(|process: i32| {
                // One that has ended in the meantime cannot be read, and one that waits to be
                // reaped has no environment any more.
                let environment = std::fs::read(format!("/proc/{process}/environ")).ok()?;
                let is_marked = environment
                    .split(|byte| *byte == 0)
                    .any(|variable| variable == needle.as_bytes());
                let command = std::fs::read(format!("/proc/{process}/cmdline")).ok()?;
                let command = String::from_utf8_lossy(&command).replace('\0', " ");
                is_marked.then_some((process, command))
            })
            .collect()
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        for (process, _) in self.living() {
            if let Some(process) = Pid::from_raw(process) {
                let _already_gone = kill_process(process, Signal::KILL);
            }
        }
    }
}
