//! A control group for a confined plugin, where we may make one. A process can leave its process group
//! and overwrite its environment, but not leave this: so everyone in it can be ended at once.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::family;

/// Dropping it ends everyone in it.
#[derive(Debug)]
pub(crate) struct Cgroup {
    folder: PathBuf,
}

impl Cgroup {
    /// A group with the way into it. None where there is no cgroup v2 with `cgroup.kill` (Linux 5.14),
    /// or where it is not ours to make groups.
    pub(super) fn new() -> Option<(Cgroup, File)> {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let number = LAST.fetch_add(1, Ordering::Relaxed);
        let folder = own_folder()?.join(format!("tenon-{}-{number}", family::host()));
        fs::create_dir(&folder).ok()?;
        let cgroup = Cgroup { folder };
        let can_kill = cgroup.folder.join("cgroup.kill").exists();
        let entrance = OpenOptions::new()
            .write(true)
            .open(cgroup.folder.join("cgroup.procs"));
        Some((cgroup, entrance.ok().filter(|_| can_kill)?))
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Kills everyone in it, also those who are being born.
    pub(crate) fn end_all(&self) -> io::Result<()> {
        fs::write(self.folder.join("cgroup.kill"), "1")
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        let _no_longer_there = self.end_all();
        if is_removed(&self.folder) {
            return;
        }
        // Whoever drops it must not wait. If this process ends before, the guardian removes it.
        let folder = std::mem::take(&mut self.folder);
        let removing = std::thread::Builder::new().name("tenon-cgroup".into());
        let _guardian_does_it = removing.spawn(move || {
            /// The kernel takes a moment to let the killed go.
            const ROUNDS: usize = 200;
            for _ in 0..ROUNDS {
                std::thread::sleep(Duration::from_millis(5));
                if is_removed(&folder) {
                    return;
                }
            }
            tracing::warn!(folder = %folder.display(), "a cgroup could not be removed");
        });
    }
}

/// Removes a group, unless somebody is in it.
fn is_removed(folder: &Path) -> bool {
    let removed = fs::remove_dir(folder);
    !removed.is_err_and(|error| error.kind() == io::ErrorKind::ResourceBusy)
}

/// The folder of the group that this process is in.
fn own_folder() -> Option<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mounts").ok()?;
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let mount = mounts.lines().find_map(|line| {
        let mut words = line.split(' ');
        let (folder, kind) = (words.nth(1)?, words.next()?);
        (kind == "cgroup2").then_some(folder)
    });
    let own = groups.lines().find_map(|line| line.strip_prefix("0::/"));
    Some(Path::new(mount?).join(own?))
}
