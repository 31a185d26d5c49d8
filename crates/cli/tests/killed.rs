//! The command is killed with -9, so that nothing in it can clean up. Everything it started goes
//! all the same, grandchildren and those in sessions of their own included.

#![expect(
    clippy::disallowed_methods,
    reason = "the host under test must not be looked after by another host"
)]

use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const TENON: &str = env!("CARGO_BIN_EXE_tenon");

/// Holds a token. Plugins inherit variables that begin with `LC_`.
const VARIABLE: &str = "LC_TENON_TEST";

/// The processes with this token in their environment.
fn alive(token: &str) -> Vec<i32> {
    let Ok(processes) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    processes
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|pid: &i32| {
            let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            let text = String::from_utf8_lossy(&environment).into_owned();
            text.split('\0')
                .any(|variable| variable == format!("{VARIABLE}={token}"))
        })
        .collect()
}

fn wait_until(what: &str, token: &str, is_so: impl Fn(&[i32]) -> bool) {
    let started = Instant::now();
    loop {
        let found = alive(token);
        if is_so(&found) {
            return;
        }
        assert!(
            started.elapsed() < Duration::from_secs(30),
            "{what}: {found:?}"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn host(token: &str, plugin: &[&str]) -> Child {
    Command::new(TENON)
        .args([
            "call",
            "sleep",
            r#"{"ms":1000000}"#,
            "--timeout",
            "none",
            "--",
        ])
        .args(plugin)
        .env(VARIABLE, token)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn a_killed_host_leaves_nobody_behind() {
    let token = format!("killed-{}", std::process::id());
    // One without an environment cannot be found by it, but it is in the plugin's group.
    let nameless = format!("sleep 1000.{}", std::process::id());
    let family = format!("sleep 1000 & setsid sleep 1000 & env -i {nameless} & exec {TENON} echo");
    let mut host = host(&token, &["sh", "-c", &family]);
    // The host, its plugin, the two sleepers and the guardian.
    wait_until("they did not start", &token, |found| found.len() >= 5);
    host.kill().unwrap();
    host.wait().unwrap();
    wait_until("left behind", &token, |found| {
        found.is_empty() && !is_running(&nameless)
    });
}

fn is_running(command: &str) -> bool {
    find(command).is_some()
}

/// The process with this command line.
fn find(command: &str) -> Option<i32> {
    let line = command.replace(' ', "\0") + "\0";
    std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .find_map(|entry| {
            let id = entry.file_name().to_str()?.parse().ok()?;
            let found = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            (found == line.as_bytes()).then_some(id)
        })
}

fn cgroup_of(command: &str) -> String {
    let path = find(command).map(|id| format!("/proc/{id}/cgroup"));
    path.and_then(|path| std::fs::read_to_string(path).ok())
        .unwrap_or_default()
}

/// Daemons that have no environment to be found by and are in sessions of their own: one that the cgroup
/// of the plugin was there for, one that came before it, and one that has lost its parent.
#[test]
fn a_killed_host_leaves_no_daemon_behind() {
    let token = format!("daemons-{}", std::process::id());
    let [early, late, orphan] =
        ["1", "2", "3"].map(|place| format!("sleep 1000.{place}{}", std::process::id()));
    let is_enclosed = "grep -q /tenon- /proc/self/cgroup";
    let daemon = "env -i setsid";
    let family = format!(
        "{daemon} {early} & for i in $(seq 400); do {is_enclosed} && break; sleep 0.01; done; \
         {daemon} {late} & ( {daemon} {orphan} & ); exec {TENON} echo"
    );
    let mut host = host(&token, &["sh", "-c", &family]);
    wait_until("they did not start", &token, |_| {
        [&early, &late, &orphan].iter().all(|one| is_running(one))
    });
    let has_cgroup = cgroup_of(&late).contains("/tenon-");
    // The early one may still be on its way into the group.
    wait_until("it is not moved", &token, |_| {
        cgroup_of(&early) == cgroup_of(&late)
    });
    host.kill().unwrap();
    host.wait().unwrap();
    if !has_cgroup {
        for left in [early, late, orphan].iter().filter_map(|one| find(one)) {
            let id = rustix::process::Pid::from_raw(left).unwrap();
            rustix::process::kill_process(id, rustix::process::Signal::KILL).unwrap();
        }
        let _nobody_reads = writeln!(std::io::stderr(), "skipped: no cgroup can be made here");
        return;
    }
    wait_until("left behind", &token, |found| {
        found.is_empty() && ![&early, &late, &orphan].iter().any(|one| is_running(one))
    });
}

/// The inner host's guardian may be killed before it acts, so the outer one has to know about
/// everyone.
#[test]
fn a_killed_host_of_a_host_leaves_nobody_behind() {
    let token = format!("nested-{}", std::process::id());
    let family = format!(
        "exec {TENON} call sleep '{{\"ms\":1000000}}' --timeout none -- \
         sh -c 'setsid sleep 1000 & exec {TENON} echo'"
    );
    let mut host = host(&token, &["sh", "-c", &family]);
    // Two hosts, two guardians, the echo plugin and the sleeper.
    wait_until("they did not start", &token, |found| found.len() >= 6);
    host.kill().unwrap();
    host.wait().unwrap();
    wait_until("left behind", &token, <[i32]>::is_empty);
}

#[test]
fn an_ended_host_leaves_nobody_behind() {
    let token = format!("ended-{}", std::process::id());
    let status = Command::new(TENON)
        .args(["call", "echo", "[1]", "--", "sh", "-c"])
        .arg(format!("setsid sleep 1000 & exec {TENON} echo"))
        .env(VARIABLE, &token)
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
    wait_until("left behind", &token, <[i32]>::is_empty);
}
