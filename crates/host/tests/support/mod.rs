//! Children for the process tests, and a way to see whether they are still there.

#![allow(dead_code, reason = "each test file uses its own part")]

pub(crate) mod searching;

use std::fs;
use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tenon_host::{Plugin, PluginCommand, PluginError, Start, StopLimits};
use tenon_rpc::{Dialect, Router};

/// A shell script that is found again, with everything it starts, by a variable in its
/// environment.
pub(crate) struct Script {
    pub(crate) command: PluginCommand,
    token: String,
}

impl Script {
    pub(crate) fn new(script: &str) -> Script {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let number = LAST.fetch_add(1, Ordering::Relaxed);
        let token = format!("test-{}-{number}-end", std::process::id());
        let command = PluginCommand::new("sh")
            .args(["-c", script])
            .variable("TENON_TEST", &token);
        Script { command, token }
    }

    /// The processes that bear the token; dead ones that wait to be reaped do not.
    pub(crate) fn alive(&self) -> Vec<i32> {
        let Ok(processes) = std::fs::read_dir("/proc") else {
            return Vec::new();
        };
        processes
            .flatten()
            .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
            .filter(|pid: &i32| {
                let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
                memchr::memmem::find(&environment, self.token.as_bytes()).is_some()
            })
            .collect()
    }

    /// Waits until no process is left: a killed process takes a moment to go.
    pub(crate) async fn is_gone(&self) {
        let started = Instant::now();
        while !self.alive().is_empty() {
            let left = self.alive();
            assert!(
                started.elapsed() < Duration::from_secs(20),
                "left behind: {left:?}"
            );
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Waits until `count` processes are there.
    pub(crate) async fn has(&self, count: usize) {
        let started = Instant::now();
        while self.alive().len() < count {
            assert!(
                started.elapsed() < Duration::from_secs(20),
                "they did not start"
            );
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Starts it and makes the call that every plugin here has to answer first.
    pub(crate) async fn start(&self) -> Result<Plugin, PluginError> {
        self.start_with(quick_start()).await
    }

    pub(crate) async fn start_with(&self, start: Start) -> Result<Plugin, PluginError> {
        let router = Arc::new(Router::new(()));
        let first = |peer: tenon_rpc::Peer| async move { peer.call_raw("hello", None).await };
        let started = Plugin::start(&self.command, start, router, first).await;
        started.map(|(plugin, _)| plugin)
    }
}

/// A script that starts a daemon which is in a session of its own and has no environment, and whose
/// name is not that of its parent. It writes the daemon's id to stderr.
pub(crate) const DAEMON: &str = "env -i setsid sh -c 'echo $$ >&2; exec sleep 1000'";

/// The process whose id a plugin wrote to stderr first.
pub(crate) struct Daemon(String);

impl Daemon {
    pub(crate) fn with_id(id: &str) -> Daemon {
        Daemon(id.to_owned())
    }

    pub(crate) async fn of(plugin: &Plugin) -> Daemon {
        let stderr = plugin.process().stderr().clone();
        loop {
            match stderr.lines().first() {
                Some(line) => return Daemon(line.clone()),
                None => tokio::time::sleep(Duration::from_millis(5)).await,
            }
        }
    }

    pub(crate) fn is_alive(&self) -> bool {
        let status = std::fs::read_to_string(format!("/proc/{}/stat", self.0));
        // Behind the name, which may hold anything. A zombie is dead.
        let state = status.ok().and_then(|status| {
            let (_, rest) = status.rsplit_once(')')?;
            rest.trim_start().chars().next()
        });
        state.is_some_and(|state| !matches!(state, 'Z' | 'X'))
    }

    /// Whether it is in a cgroup that this process has made.
    pub(crate) fn is_enclosed(&self) -> bool {
        let groups = std::fs::read_to_string(format!("/proc/{}/cgroup", self.0));
        groups.is_ok_and(|groups| groups.contains(&format!("/tenon-{}-", std::process::id())))
    }

    /// Waits until it is gone. Under the watchdog of the test.
    pub(crate) async fn is_gone(&self) {
        while self.is_alive() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

/// Answers the first call, whose id is always 1.
pub(crate) const ANSWER: &str =
    r#"read -r request; echo '{"jsonrpc":"2.0","id":1,"result":"hello"}'"#;

/// Short limits, so that those who ignore everything do not make the tests long.
pub(crate) fn quick_start() -> Start {
    Start {
        limit: Duration::from_secs(10),
        stop: StopLimits {
            asked: Duration::from_millis(300),
            terminated: Duration::from_millis(300),
        },
        ..Start::new(Dialect::JsonRpcLines)
    }
}

/// Runs a test under a watchdog.
pub(crate) async fn watched(test: impl Future<Output = ()>) {
    tokio::time::timeout(Duration::from_secs(60), test)
        .await
        .expect("the watchdog barked: something waits forever");
}

/// Where cgroups are mounted whose file system is of a kind that begins with this.
fn mounts(start_of_kind: &str) -> Vec<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
    let mounts = mounts.lines().filter_map(|line| {
        let mut words = line.split(' ');
        let (folder, kind) = (words.nth(1)?, words.next()?);
        kind.starts_with(start_of_kind)
            .then(|| PathBuf::from(folder))
    });
    mounts.collect()
}

/// Whether this process may make a cgroup whose members can be killed at once.
pub(crate) fn can_make_cgroups() -> bool {
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap();
    let own = groups.lines().find_map(|line| line.strip_prefix("0::/"));
    let (Some(own), [mount]) = (own, &*mounts("cgroup2")) else {
        return false;
    };
    let probe = mount.join(own).join(format!("test-{}", std::process::id()));
    let is_made = fs::create_dir(&probe).is_ok() && probe.join("cgroup.kill").exists();
    let _not_made = fs::remove_dir(&probe);
    is_made
}

/// The cgroups that this process has made.
fn cgroups() -> Vec<PathBuf> {
    let own = format!("tenon-{}-", std::process::id());
    let mut found = Vec::new();
    let mut folders = mounts("cgroup");
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries.flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                let is_own = entry.file_name().to_string_lossy().starts_with(&own);
                match is_own {
                    true => found.push(entry.path()),
                    false => folders.push(entry.path()),
                }
            }
        }
    }
    found
}

/// Waits until no cgroup of this process is left. Those of other tests end as well.
pub(crate) async fn no_cgroup_is_left() {
    while !cgroups().is_empty() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[expect(clippy::print_stderr, reason = "the test's own talk")]
pub(crate) fn skipped(why: &str) {
    eprintln!("skipped: {why}");
}
