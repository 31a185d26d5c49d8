//! Cgroups that enforce limits.

use std::io;
use std::path::Path;

use super::cgroup::{self, Cgroup};
use crate::limits::Limits;
use crate::platform::unix::enforcement::Limiting;

/// Makes groups for limits, as far as there can be groups that enforce them.
///
/// # Errors
/// A limit cannot be enforced, and neither can it be without a group.
pub(crate) fn limiting(limits: Limits) -> io::Result<Limiting> {
    let mut limiting = Limiting {
        left: limits,
        ..Limiting::default()
    };
    if let Some(group) = unified_group(limits) {
        hold_to(&group, &mut limiting.left)?;
        limiting.is_required = limiting.left != limits;
        limiting.home = Some(group);
    }
    if let Some(processes) = limiting.left.processes.take() {
        let group = first_version_group().ok_or_else(no_pids_controller)?;
        group.set("pids.max", processes)?;
        limiting.others.push(group);
    }
    Ok(limiting)
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
    // One that neither enforces a limit nor can be killed as a whole is useless.
    let is_useful = |group: &Cgroup| group.can_kill() || enforces(&own, limits) > 0;
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

/// A group beside our own is not subject to our own limits, so they are copied.
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
    fn a_place_enforces_what_it_has_controllers_for() {
        let place = tempfile::tempdir().unwrap();
        let limits = Limits {
            memory: Some(1),
            processes: None,
        };
        let write = |file: &str, text: &str| std::fs::write(place.path().join(file), text).unwrap();
        write("cgroup.subtree_control", "cpu memory pids\n");
        assert_eq!(enforces(place.path(), limits), 0, "it cannot be entered");
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
