//! The processes that descend from a plugin, and how all of them are ended.
//!
//! A plugin is started in a cgroup, where we may make one, and its descendants cannot leave it. Without one,
//! they can leave the process group. Their parents lead to them as long as those live, and each plugin gets a
//! mark in its environment, which its descendants inherit unless they are started with another environment.

use std::io;
use std::os::fd::OwnedFd;
use std::process::{self, ExitStatus};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::process::{Signal, getpgid};
use tokio::sync::watch;

use super::enforcement::Cgroups;
use super::leader::Leader;
use super::system::{self, Cgroup, Identity};

/// The environment variable with the marks of all plugins that a process descends from:
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

    /// The value of the variable for this plugin. Our own marks stay in it, so that a host that started us
    /// finds our plugins as well.
    pub(crate) fn value(&self) -> String {
        let inherited = std::env::var(VARIABLE).unwrap_or_default();
        format!("{inherited}{}", self.needle())
    }

    fn needle(&self) -> String {
        format!(";{}.{};", host(), self.0)
    }
}

/// A plugin with everything that descends from it. Dropping it reaps the plugin, and it must be
/// [killed](Family::kill) before.
#[derive(Debug)]
pub(crate) struct Family {
    /// It was started in a cgroup that is killed as a whole.
    pub(crate) is_enclosed: bool,
    // Removed before the leader is reaped.
    pub(crate) cgroups: Cgroups,
    pub(crate) leader: Leader,
    pub(crate) mark: Mark,
    /// Descendants that were seen before their parents ended.
    pub(crate) seen: Vec<Identity>,
    /// See [`sandbox::pin`](crate::sandbox::pin).
    pub(crate) own_proc: Option<OwnedFd>,
}

impl Family {
    /// The id of its first process.
    pub(crate) fn id(&self) -> u32 {
        self.leader.id().as_raw_nonzero().get().unsigned_abs()
    }

    /// Waits for the exit of its first process, in a task.
    pub(crate) fn watch(&self) -> io::Result<watch::Receiver<Option<ExitStatus>>> {
        self.leader.watch()
    }

    /// Asks its process group to end. Returns whether it could be asked.
    pub(crate) fn terminate(&self) -> bool {
        self.leader.signal_group(Signal::TERM);
        true
    }

    /// Kills its process group, before the others.
    pub(crate) fn kill_first(&self) {
        self.leader.signal_group(Signal::KILL);
    }

    /// Keeps it from doing anything until it is killed.
    pub(crate) fn hold(&self) {
        self.leader.signal_group(Signal::STOP);
    }

    /// Whether a process of it was killed because it reached the memory limit.
    pub(crate) fn ran_out_of_memory(&self) -> bool {
        self.cgroups.iter().any(Cgroup::ran_out_of_memory)
    }

    /// Records its descendants, unless they can be found anyway.
    pub(crate) async fn see_descendants(&mut self) {
        if self.seen.is_empty() && !self.is_closed() {
            let id = self.leader.id();
            let of = move || system::descendants(id, Identity::of(id).as_slice());
            let found = tokio::task::spawn_blocking(of).await;
            self.seen = found.unwrap_or_default();
        }
    }

    /// What the environment of a descendant contains.
    pub(crate) fn needle(&self) -> String {
        self.mark.needle()
    }

    /// Whether no process can leave what it is killed by: a cgroup, or the process group of a plugin with
    /// permissions.
    pub(crate) fn is_closed(&self) -> bool {
        self.is_enclosed || self.own_proc.is_some()
    }

    /// Kills all processes that can be found without looking for the mark. Takes milliseconds, if it has
    /// to look for descendants.
    pub(crate) fn kill(&mut self) {
        let plugin = self.leader.id();
        tracing::debug!(?plugin, "ending a plugin and what it has left behind");
        for cgroup in self.cgroups.iter() {
            let _no_longer_there = cgroup.end_all();
        }
        if !self.is_closed() {
            self.freeze();
        }
        self.leader.signal_group(Signal::KILL);
        self.seen.iter().for_each(|one| one.signal(Signal::KILL));
    }

    /// Whether it was started in a cgroup, and no process is left in that.
    pub(crate) fn is_gone(&self) -> bool {
        self.is_enclosed && self.cgroups.home.as_ref().is_some_and(Cgroup::is_empty)
    }

    /// Stops all descendants and all members of the process group. A stopped process cannot start
    /// another one that would be missed.
    fn freeze(&mut self) {
        /// Enough for all but processes that fork faster than they can be stopped.
        const ROUNDS: usize = 10;
        let leader = self.leader.id();
        self.leader.signal_group(Signal::STOP);
        let mut stopped = 0;
        for _ in 0..ROUNDS {
            let known = { self.seen.iter().copied() }.chain(Identity::of(leader));
            let known: Vec<Identity> = known.collect();
            let found = system::descendants(leader, &known).into_iter();
            self.seen.extend(found.filter(|one| !known.contains(one)));
            // The group has been stopped already.
            let others = { self.seen[stopped..].iter() }
                .filter(|one| getpgid(Some(one.id)) != Ok(leader) && one.is_there());
            if others.map(|one| one.signal(Signal::STOP)).count() == 0 {
                return;
            }
            stopped = self.seen.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::os::unix::process::CommandExt;
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    use rustix::process::Pid;

    use super::*;

    /// A plugin with a daemon in a session of its own and without an environment, as on a system
    /// without cgroups.
    #[expect(clippy::disallowed_methods, reason = "what ends it is tested")]
    #[expect(clippy::zombie_processes, reason = "dropping the family reaps it")]
    fn with_daemon() -> (Family, Identity) {
        let script = "env -i setsid sh -c 'echo $$; exec sleep 1000' & exec sleep 1000";
        let mut command = Command::new("sh");
        command.args(["-c", script]).process_group(0);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        let daemon = Pid::from_raw(line.trim().parse().unwrap()).unwrap();
        let family = Family {
            is_enclosed: false,
            cgroups: Cgroups::default(),
            leader: Leader::new(Pid::from_child(&child)),
            mark: Mark::new(),
            seen: Vec::new(),
            own_proc: None,
        };
        (family, Identity::of(daemon).unwrap())
    }

    fn assert_goes(daemon: Identity) {
        let began = Instant::now();
        // A zombie, which its new parent reaps, counts as gone.
        let state = || {
            let stat =
                std::fs::read_to_string(format!("/proc/{}/stat", daemon.id.as_raw_nonzero()));
            let stat = stat.ok().filter(|_| daemon.is_there())?;
            stat.rsplit_once(") ")?.1.chars().next()
        };
        while !matches!(state(), None | Some('Z')) {
            assert!(began.elapsed() < Duration::from_secs(20), "left behind");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn a_daemon_is_found_by_its_parents() {
        let (mut family, daemon) = with_daemon();
        family.kill();
        assert_goes(daemon);
    }

    /// When a plugin ends, its children get another parent, so they are recorded before.
    #[test]
    fn a_daemon_that_was_seen_is_found_without_its_parents() {
        let (mut family, daemon) = with_daemon();
        let leader = Identity::of(family.leader.id()).unwrap();
        family.seen = system::descendants(leader.id, &[leader]);
        assert!(family.seen.contains(&daemon));
        family.leader.signal_group(Signal::KILL);
        let found = || system::descendants(leader.id, &[leader]);
        while found().contains(&daemon) {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(daemon.is_there());
        family.kill();
        assert_goes(daemon);
    }
}
