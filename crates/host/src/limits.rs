//! How much a plugin may use up.
//!
//! A control group limits a plugin and everything it starts together. Where none with the memory
//! controller can be made, each of its processes is limited by itself.

use std::fmt;
use std::fs::File;
use std::io;

use rustix::process::{Resource, Rlimit};
use tokio::process::Command;

use crate::child;
use crate::command::PluginCommand;
use crate::platform::{self, Cgroup};

/// How much a plugin may use up. Without limits it may use as much as we may.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of memory: of the plugin and everything it starts together where we may make a cgroup
    /// (v2) with the memory controller, otherwise of each process by itself (`RLIMIT_DATA`).
    pub memory: Option<u64>,
    /// Processes and threads, of the plugin and everything it starts together. Needs a cgroup with the
    /// pids controller; where we may not make one, the plugin is not started.
    pub processes: Option<u32>,
}

/// The memory limit of a plugin that went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryLimit {
    /// How much it was allowed to use.
    pub bytes: u64,
    /// The kernel has killed it, or what it started, because it wanted more. Where there is no cgroup,
    /// nobody can tell.
    pub was_reached: bool,
}

/// A size such as `64KiB`, `512MiB` or `2GiB`, in bytes.
///
/// # Errors
/// The text is not a size, or a size of nothing.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let (number, unit) = text.split_at(digits.len());
    let unit = match unit {
        "" | "B" => 1,
        "KiB" | "K" => 1024,
        "MiB" | "M" => 1024 * 1024,
        "GiB" | "G" => 1024 * 1024 * 1024,
        _ => return Err("a size is a number with KiB, MiB or GiB, such as 64KiB".into()),
    };
    let number: u64 = number
        .parse()
        .map_err(|_| format!("{number:?} is not a whole number"))?;
    match number.checked_mul(unit) {
        Some(size @ 1..) => Ok(size),
        _ => Err("a size has to be more than nothing, and not endless".into()),
    }
}

/// Bytes in the largest unit that leaves a whole number.
pub(crate) struct Size(pub(crate) u64);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
        match units
            .into_iter()
            .find(|(unit, _)| self.0.is_multiple_of(*unit))
        {
            Some((unit, name)) => write!(f, "{} {name}", self.0 / unit),
            None => write!(f, "{} bytes", self.0),
        }
    }
}

/// What the child does to be held to its limits, and to be found by its control group.
#[derive(Default)]
pub(crate) struct Enforcement {
    entrances: Vec<Entrance>,
    data: Option<Rlimit>,
}

/// The way into a control group.
pub(crate) struct Entrance {
    pub(crate) file: File,
    /// The group enforces a limit.
    pub(crate) is_required: bool,
}

/// Control groups that enforce limits.
#[derive(Default)]
pub(crate) struct Limiting {
    pub(crate) groups: Vec<Cgroup>,
    pub(crate) entrances: Vec<Entrance>,
    /// The limits that no group enforces. Processes are not among them.
    pub(crate) left: Limits,
}

impl Enforcement {
    /// Prepares everything for a command. The groups last as long as its processes.
    ///
    /// # Errors
    /// A limit cannot be enforced, so the command must not be started.
    pub(crate) fn of(command: &PluginCommand) -> io::Result<(Enforcement, Vec<Cgroup>)> {
        let limits = command.limits;
        // Moving into a group takes milliseconds, so nobody does without need. Confined plugins are
        // ended by their process group, which they cannot leave.
        if limits == Limits::default() {
            return Ok((Enforcement::default(), Vec::new()));
        }
        let Limiting {
            groups,
            entrances,
            left,
        } = platform::limiting(limits)?;
        let data = left.memory.map(|memory| {
            let usual = rustix::process::getrlimit(Resource::Data);
            let lowest = [usual.current, usual.maximum].into_iter().flatten();
            let lowest = lowest.fold(memory, u64::min);
            Rlimit {
                current: Some(lowest),
                maximum: Some(lowest),
            }
        });
        let is_each_by_itself = data.is_some();
        tracing::debug!(?limits, is_each_by_itself, ?groups, "limits of a plugin");
        Ok((Enforcement { entrances, data }, groups))
    }

    /// Has the child of a command enter its groups and lower its limits before it becomes the program.
    pub(crate) fn set_up(self, command: &mut Command) {
        if self.data.is_some() || !self.entrances.is_empty() {
            child::before_exec(command, move || self.apply());
        }
    }

    /// Runs between fork and exec: plain system calls.
    fn apply(&self) -> io::Result<()> {
        for entrance in &self.entrances {
            // Where we may make a group we need not be allowed to move into it.
            match rustix::io::write(&entrance.file, b"0") {
                Err(error) if entrance.is_required => return Err(error.into()),
                _ => {}
            }
        }
        match &self.data {
            Some(limit) => Ok(rustix::process::setrlimit(Resource::Data, *limit)?),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(parse_size("64KiB"), Ok(65_536));
        assert_eq!(parse_size("16M"), Ok(16 * 1024 * 1024));
        assert_eq!(parse_size("12"), Ok(12));
        for wrong in ["", "KiB", "0", "1.5MiB", "-1", "1TB", "99999999999GiB"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
        for (size, shown) in [
            (512 << 20, "512 MiB"),
            (1 << 31, "2 GiB"),
            (1000, "1000 bytes"),
        ] {
            assert_eq!(Size(size).to_string(), shown);
        }
    }
}
