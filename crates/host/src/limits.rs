//! Limits on the memory and the processes of a plugin.
//!
//! A cgroup limits a plugin and everything it starts together. Where none with the memory controller can be
//! made, each of its processes is limited by itself.

use std::fmt;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{Mode, OFlags};
use rustix::process::{Resource, Rlimit};

use crate::command::PluginCommand;
use crate::platform::{self, Cgroup};

/// Limits on the resources of a plugin. The default is no limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of memory: of the plugin and everything it starts together where we may make a cgroup
    /// (v2) with the memory controller, otherwise of each process by itself (`RLIMIT_DATA`).
    pub memory: Option<u64>,
    /// Processes and threads, of the plugin and everything it starts together. Needs a cgroup with the
    /// pids controller; where we may not make one, the plugin is not started.
    pub processes: Option<u32>,
}

/// The memory limit of a plugin that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryLimit {
    /// How much it was allowed to use.
    pub bytes: u64,
    /// The kernel has killed it, or a process that it started, because it exceeded the limit. Always false
    /// without a cgroup.
    pub was_reached: bool,
}

/// A size such as `64KiB`, `512MiB` or `2GiB`, in bytes.
///
/// # Errors
/// The text is not a size, or the size is 0.
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
        _ => Err("a size must be more than 0 and less than 16 EiB".into()),
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

/// How a child is held to its limits, and which cgroups it is in.
#[derive(Default)]
pub(crate) struct Enforcement {
    /// Of the cgroup that it is started in.
    home: Option<Entrance>,
    /// Of the cgroups that it enters: a process can be started only in one, of version 2.
    others: Vec<Entrance>,
    data: Option<Rlimit>,
}

/// The way into a cgroup.
struct Entrance {
    folder: OwnedFd,
    /// The child must not run outside.
    is_required: bool,
}

/// Cgroups that enforce limits.
#[derive(Default)]
pub(crate) struct Limiting {
    /// Of version 2.
    pub(crate) home: Option<Cgroup>,
    /// The first one enforces a limit.
    pub(crate) is_required: bool,
    /// Of version 1. They enforce limits.
    pub(crate) others: Vec<Cgroup>,
    /// The limits that no group enforces. The number of processes is not among them.
    pub(crate) left: Limits,
}

/// The cgroups of a plugin. They last as long as its processes.
#[derive(Debug, Default)]
pub(crate) struct Cgroups {
    pub(crate) home: Option<Cgroup>,
    pub(crate) others: Vec<Cgroup>,
}

impl Cgroups {
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Cgroup> {
        self.home.iter().chain(&self.others)
    }
}

impl Enforcement {
    /// Prepares everything for a command.
    ///
    /// # Errors
    /// A limit cannot be enforced, so the command must not be started.
    pub(crate) fn of(command: &PluginCommand) -> io::Result<(Enforcement, Cgroups)> {
        let limits = command.limits;
        let is_confined = command.permissions.is_some();
        let limiting = match (limits == Limits::default(), is_confined) {
            (false, _) => platform::limiting(limits)?,
            // A confined plugin cannot leave its process group, which is enough to end it.
            (true, true) => Limiting::default(),
            (true, false) => Limiting {
                home: platform::new_group(),
                ..Limiting::default()
            },
        };
        let Limiting {
            home, others, left, ..
        } = limiting;
        // A confined plugin in a cgroup may leave its process group.
        let is_required = limiting.is_required || is_confined;
        let entrance = match home.as_ref().map(|group| Entrance::of(group, is_required)) {
            Some(Err(error)) if is_required => return Err(error),
            entrance => entrance.and_then(Result::ok),
        };
        let data = left.memory.map(|memory| {
            let usual = rustix::process::getrlimit(Resource::Data);
            let lowest = [usual.current, usual.maximum].into_iter().flatten();
            let lowest = lowest.fold(memory, u64::min);
            Rlimit {
                current: Some(lowest),
                maximum: Some(lowest),
            }
        });
        let enforcement = Enforcement {
            home: entrance,
            others: { others.iter() }
                .map(|group| Entrance::of(group, true))
                .collect::<Result<_, _>>()?,
            data,
        };
        let cgroups = Cgroups { home, others };
        let is_each_by_itself = data.is_some();
        tracing::debug!(?limits, is_each_by_itself, ?cgroups, "limits of a plugin");
        Ok((enforcement, cgroups))
    }

    /// The folder of the cgroup to start the child in.
    pub(crate) fn home(&self) -> Option<BorrowedFd<'_>> {
        self.home.as_ref().map(|home| home.folder.as_fd())
    }

    /// Runs in the child: plain system calls. `is_inside`: it was started in its cgroup.
    pub(crate) fn apply(&self, is_inside: bool) -> io::Result<()> {
        let home = self.home.iter().filter(|_| !is_inside);
        for entrance in home.chain(&self.others) {
            // Where we may make a group we need not be allowed to move into it.
            match entrance.enter() {
                Err(error) if entrance.is_required => return Err(error),
                _ => {}
            }
        }
        match &self.data {
            Some(limit) => Ok(rustix::process::setrlimit(Resource::Data, *limit)?),
            None => Ok(()),
        }
    }
}

impl Entrance {
    fn of(group: &Cgroup, is_required: bool) -> io::Result<Entrance> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = rustix::fs::open(group.folder(), flags, Mode::empty())?;
        Ok(Entrance {
            folder,
            is_required,
        })
    }

    /// Moves the process that calls this, which takes milliseconds.
    fn enter(&self) -> io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::CLOEXEC;
        let members = rustix::fs::openat(&self.folder, c"cgroup.procs", flags, Mode::empty())?;
        rustix::io::write(&members, b"0")?;
        Ok(())
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
