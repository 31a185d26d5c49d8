//! Cgroups for plugins, where we may make them. A process can leave its process group and overwrite its
//! environment, but cannot leave its cgroup: so all processes in it can be killed in one step, and what they use
//! together can be limited.

use std::fmt::Display;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rustix::process::Pid;

use crate::platform::unix::{family, guardian};

/// A group inside our own one whose members can be killed in one step, where we may make one.
pub(crate) fn new_group() -> Option<Cgroup> {
    let (own, _) = unified()?;
    Cgroup::new_in(&own).ok().filter(Cgroup::can_kill)
}

/// A cgroup. Dropping it removes it. All processes in it are killed, if it is of version 2.
#[derive(Debug)]
pub(crate) struct Cgroup {
    folder: PathBuf,
}

impl Cgroup {
    /// Makes a group inside another one.
    pub(crate) fn new_in(parent: &Path) -> io::Result<Cgroup> {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let number = LAST.fetch_add(1, Ordering::Relaxed);
        let folder = parent.join(format!("tenon-{}-{number}", family::host()));
        // Before it is created: if this process is killed right after, only the guardian can remove it.
        guardian::confined(&folder);
        match fs::create_dir(&folder) {
            Ok(()) => Ok(Cgroup { folder }),
            Err(error) => {
                guardian::released(&folder);
                Err(error)
            }
        }
    }

    /// Whether a process is in the group, or in one inside it.
    pub(crate) fn contains(&self, process: Pid) -> bool {
        let groups = fs::read_to_string(format!("/proc/{}/cgroup", process.as_raw_nonzero()));
        let (Ok(groups), Some(name)) = (groups, self.folder.file_name()) else {
            return false;
        };
        let mut lines = groups.lines();
        lines.any(|line| {
            Path::new(line)
                .components()
                .any(|part| part.as_os_str() == name)
        })
    }

    /// Whether all processes in it can be killed in one step.
    pub(crate) fn can_kill(&self) -> bool {
        self.has("cgroup.kill")
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Which of the kernel's files there are depends on its version and on the controllers of the group.
    pub(crate) fn has(&self, file: &str) -> bool {
        self.folder.join(file).exists()
    }

    pub(crate) fn set(&self, file: &str, value: impl Display) -> io::Result<()> {
        let path = self.folder.join(file);
        let mut open = OpenOptions::new().write(true).open(path)?;
        // The kernel takes what comes with one write.
        open.write_all(value.to_string().as_bytes())
    }

    /// Kills all processes in it, also those that are being started. Needs cgroup v2 of Linux 5.14.
    pub(crate) fn end_all(&self) -> io::Result<()> {
        self.set("cgroup.kill", 1)
    }

    /// Whether there are no processes in it and in the groups inside it. Needs cgroup v2.
    pub(crate) fn is_empty(&self) -> bool {
        let events = fs::read_to_string(self.folder.join("cgroup.events")).unwrap_or_default();
        events.lines().any(|line| line == "populated 0")
    }

    /// Whether the kernel has killed a process in it because the memory limit was reached.
    pub(crate) fn ran_out_of_memory(&self) -> bool {
        let events = fs::read_to_string(self.folder.join("memory.events")).unwrap_or_default();
        let killed = { events.lines() }.find_map(|line| line.strip_prefix("oom_kill "));
        killed.is_some_and(|count| count.trim() != "0")
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        let _no_longer_there = self.end_all();
        if is_removed(&self.folder) {
            return guardian::released(&self.folder);
        }
        // The caller must not wait. If this process ends before, the guardian removes it.
        let folder = std::mem::take(&mut self.folder);
        let removing = std::thread::Builder::new().name("tenon-cgroup".into());
        let _guardian_does_it = removing.spawn(move || {
            /// Killed processes take a moment to leave it.
            const ROUNDS: usize = 200;
            for _ in 0..ROUNDS {
                std::thread::sleep(Duration::from_millis(5));
                if is_removed(&folder) {
                    return guardian::released(&folder);
                }
            }
            tracing::warn!(folder = %folder.display(), "a cgroup could not be removed");
        });
    }
}

/// Removes a group, unless there are processes in it.
fn is_removed(folder: &Path) -> bool {
    let is_busy = || {
        let removed = fs::remove_dir(folder);
        removed.is_err_and(|error| error.kind() == io::ErrorKind::ResourceBusy)
    };
    if !is_busy() {
        return true;
    }
    // A plugin can make groups inside its own, as another Tenon does, and be killed before it removes them.
    let inner = fs::read_dir(folder).into_iter().flatten().flatten();
    let inner = inner.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let removed = inner.filter(|entry| is_removed(&entry.path()));
    removed.count() > 0 && !is_busy()
}

/// The group of cgroup v2 that this process is in, and where cgroup v2 is mounted.
pub(crate) fn unified() -> Option<(PathBuf, PathBuf)> {
    let mount = mount(|kind, _| kind == "cgroup2")?;
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let own = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    // Joining nothing would add a slash.
    let folder = mount.components().chain(Path::new(own).components());
    Some((folder.collect(), mount))
}

/// The group of cgroup v1 with this controller that this process is in.
pub(crate) fn first_version(controller: &str) -> Option<PathBuf> {
    let has = |list: &str| list.split(',').any(|name| name == controller);
    let mount = mount(|kind, options| kind == "cgroup" && has(options))?;
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let own = groups.lines().find_map(|line| {
        let (_, rest) = line.split_once(':')?;
        let (controllers, folder) = rest.split_once(":/")?;
        has(controllers).then_some(folder)
    })?;
    Some(mount.join(own))
}

/// Where the file system with this kind and these options is mounted.
fn mount(is_it: impl Fn(&str, &str) -> bool) -> Option<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mounts").ok()?;
    mounts.lines().find_map(|line| {
        let mut words = line.split(' ');
        let (folder, kind, options) = (words.nth(1)?, words.next()?, words.next()?);
        is_it(kind, options).then(|| PathBuf::from(folder))
    })
}

/// Whether a process in the group `own` may move to a group inside `place`, which is `own` or the one
/// above it: the kernel requires the right to write to the nearest common ancestor.
pub(crate) fn may_move_within(place: &Path) -> bool {
    let members = place.join("cgroup.procs");
    OpenOptions::new().write(true).open(members).is_ok()
}

/// The controllers that groups inside this one have, of cgroup v2.
pub(crate) fn controllers_within(place: &Path) -> Vec<String> {
    let words = fs::read_to_string(place.join("cgroup.subtree_control")).unwrap_or_default();
    words.split_whitespace().map(Into::into).collect()
}

/// The limit of a group of cgroup v2, if it has one.
pub(crate) fn limit_of(folder: &Path, file: &str) -> Option<u64> {
    let text = fs::read_to_string(folder.join(file)).ok()?;
    text.trim().parse().ok()
}
