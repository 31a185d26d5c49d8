//! How much a plugin may use up.
//!
//! A control group limits a plugin and everything it starts together. Where none with the memory
//! controller can be made, each of its processes is limited by itself.

use std::fmt;
use std::fs::File;
use std::io;
use std::path::Path;

use rustix::process::{Resource, Rlimit};
use tokio::process::Command;

use crate::cgroup::{self, Cgroup};
use crate::command::PluginCommand;
use crate::sandbox;

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
struct Entrance {
    file: File,
    /// The group enforces a limit.
    is_required: bool,
}

impl Enforcement {
    /// Prepares everything for a command. The groups last as long as its processes.
    ///
    /// # Errors
    /// A limit cannot be enforced, so the command must not be started.
    pub(crate) fn of(command: &PluginCommand) -> io::Result<(Enforcement, Vec<Cgroup>)> {
        let limits = command.limits;
        let mut enforcement = Enforcement::default();
        let mut groups = Vec::new();
        // Moving into a group takes milliseconds, so nobody does without need. Confined plugins are
        // ended by their process group, which they cannot leave.
        if limits == Limits::default() {
            return Ok((enforcement, groups));
        }
        let mut left = limits;
        if let Some(group) = unified_group(limits) {
            hold_to(&group, &mut left)?;
            enforcement.enter(&group, left != limits)?;
            groups.push(group);
        }
        if let Some(memory) = left.memory {
            let usual = rustix::process::getrlimit(Resource::Data);
            let lowest = [usual.current, usual.maximum].into_iter().flatten();
            let lowest = lowest.fold(memory, u64::min);
            enforcement.data = Some(Rlimit {
                current: Some(lowest),
                maximum: Some(lowest),
            });
        }
        if let Some(processes) = left.processes {
            let group = first_version_group().ok_or_else(no_pids_controller)?;
            group.set("pids.max", processes)?;
            enforcement.enter(&group, true)?;
            groups.push(group);
        }
        let is_each_by_itself = enforcement.data.is_some();
        tracing::debug!(?limits, is_each_by_itself, ?groups, "limits of a plugin");
        Ok((enforcement, groups))
    }

    fn enter(&mut self, group: &Cgroup, is_required: bool) -> io::Result<()> {
        match group.entrance() {
            Ok(file) => self.entrances.push(Entrance { file, is_required }),
            Err(error) if is_required => return Err(error),
            // It would have been for ending everyone at once, which also works without.
            Err(_) => {}
        }
        Ok(())
    }

    /// Has the child of a command enter its groups and lower its limits before it becomes the program.
    pub(crate) fn set_up(self, child: &mut Command) {
        if self.data.is_some() || !self.entrances.is_empty() {
            sandbox::before_exec(child, move || self.apply());
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

/// A group of cgroup v2, where we may make one. Best is a place whose groups have the controllers that
/// the limits need. Those cannot be inside our own group as long as we are in it, unless it is the
/// topmost: then the group is made beside our own.
fn unified_group(limits: Limits) -> Option<Cgroup> {
    let (own, mount) = cgroup::unified()?;
    let above = own.parent().filter(|_| own != mount);
    if let Some(above) = above.filter(|above| enforces(above, limits) > enforces(&own, limits))
        && let Ok(group) = Cgroup::new_in(above)
    {
        match keep_limits_of(&own, &group) {
            Ok(()) => return Some(group),
            Err(error) => tracing::debug!(%error, "a cgroup without the limits of our own"),
        }
    }
    // One that neither limits anybody nor can be killed as a whole is of no use.
    let is_useful = |group: &Cgroup| group.has("cgroup.kill") || enforces(&own, limits) > 0;
    Cgroup::new_in(&own).ok().filter(is_useful)
}

/// How many of the limits a group inside this one could enforce.
fn enforces(place: &Path, limits: Limits) -> usize {
    let wanted = [
        ("memory", limits.memory.is_some()),
        ("pids", limits.processes.is_some()),
    ];
    let controllers = cgroup::controllers_within(place);
    let is_there = |name: &str| controllers.iter().any(|controller| controller == name);
    let count = wanted
        .iter()
        .filter(|(name, is_wanted)| *is_wanted && is_there(name))
        .count();
    match cgroup::may_move_within(place) {
        true => count,
        false => 0,
    }
}

/// A group beside our own is not held to the limits of our own, but must not gain from that.
fn keep_limits_of(own: &Path, group: &Cgroup) -> io::Result<()> {
    for file in ["memory.max", "memory.swap.max", "pids.max"] {
        if let Some(limit) = cgroup::limit_of(own, file) {
            group.set(file, limit)?;
        }
    }
    Ok(())
}

/// Sets what limits a group can enforce, and takes them out of those that are left.
fn hold_to(group: &Cgroup, left: &mut Limits) -> io::Result<()> {
    let lowest = |file: &str, limit: u64| {
        let kept = cgroup::limit_of(group.folder(), file);
        kept.map_or(limit, |kept| kept.min(limit))
    };
    if group.has("memory.max")
        && let Some(memory) = left.memory.take()
    {
        group.set("memory.max", lowest("memory.max", memory))?;
        // Without swap accounting there is no such file.
        if group.has("memory.swap.max") {
            group.set("memory.swap.max", 0)?;
        }
        if group.has("memory.oom.group") {
            group.set("memory.oom.group", 1)?;
        }
    }
    if group.has("pids.max")
        && let Some(processes) = left.processes.take()
    {
        group.set("pids.max", lowest("pids.max", processes.into()))?;
    }
    Ok(())
}

/// A group of cgroup v1 that can limit processes, where we may make one.
fn first_version_group() -> Option<Cgroup> {
    let own = cgroup::first_version("pids")?;
    let group = Cgroup::new_in(&own).ok()?;
    group.has("pids.max").then_some(group)
}

fn no_pids_controller() -> io::Error {
    let message = "the number of its processes cannot be limited: this needs a cgroup with the pids \
                   controller, and none can be made here\n  hint: `systemd-run --user --scope` starts \
                   programs where cgroups can be made, if systemd runs for this user";
    io::Error::new(io::ErrorKind::Unsupported, message)
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

    #[test]
    fn a_place_enforces_what_it_has_controllers_for() {
        let place = tempfile::tempdir().unwrap();
        let limits = Limits {
            memory: Some(1),
            processes: None,
        };
        let write = |file: &str, text: &str| std::fs::write(place.path().join(file), text).unwrap();
        write("cgroup.subtree_control", "cpu memory pids\n");
        assert_eq!(enforces(place.path(), limits), 0, "nobody can enter it");
        write("cgroup.procs", "");
        assert_eq!(enforces(place.path(), limits), 1);
        let processes = Some(1);
        assert_eq!(
            enforces(
                place.path(),
                Limits {
                    processes,
                    ..limits
                }
            ),
            2
        );
        write("cgroup.subtree_control", "cpu pids\n");
        assert_eq!(enforces(place.path(), limits), 0);
    }

    #[test]
    fn a_group_is_held_to_the_lower_of_two_limits() {
        // As the kernel shows a group: one file for each setting.
        let folder = tempfile::tempdir().unwrap();
        let [own, other] = ["own", "other"].map(|name| folder.path().join(name));
        std::fs::create_dir(&own).unwrap();
        std::fs::create_dir(&other).unwrap();
        let group = Cgroup::new_in(&other).unwrap();
        for (file, of_own) in [
            ("memory.max", "max\n"),
            ("memory.swap.max", "4096\n"),
            ("memory.oom.group", "0\n"),
            ("pids.max", "10\n"),
        ] {
            std::fs::write(own.join(file), of_own).unwrap();
            std::fs::write(group.folder().join(file), "").unwrap();
        }
        let shown = |file| std::fs::read_to_string(group.folder().join(file)).unwrap();
        keep_limits_of(&own, &group).unwrap();
        assert_eq!(shown("memory.max"), "");
        assert_eq!(shown("memory.swap.max"), "4096");
        let mut left = Limits {
            memory: Some(1 << 20),
            processes: Some(32),
        };
        hold_to(&group, &mut left).unwrap();
        assert_eq!(left, Limits::default());
        assert_eq!(shown("memory.max"), "1048576");
        assert!(shown("memory.swap.max").starts_with('0'));
        assert_eq!(shown("memory.oom.group"), "1");
        assert_eq!(shown("pids.max"), "10");
    }
}
