//! The command is killed with SIGKILL, so that nothing in it can clean up. Everything it started ends
//! nevertheless, also grandchildren and processes in other sessions.

#![cfg(unix)]
#![expect(
    clippy::disallowed_methods,
    reason = "the host under test must not be looked after by another host"
)]

mod support;

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use support::mark::Mark;

const TENON: &str = env!("CARGO_BIN_EXE_tenon");

fn wait_until(what: &str, mark: &Mark, is_so: impl Fn(&[(i32, String)]) -> bool) {
    let started = Instant::now();
    loop {
        let found = mark.living();
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

fn host(mark: &Mark, plugin: &[&str]) -> Child {
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
        .env(Mark::VARIABLE, mark.value())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn a_killed_host_leaves_no_process_behind() {
    let mark = Mark::new();
    // One without an environment cannot be found by it, but it is in the plugin's group.
    let nameless = format!("sleep 1000.{}", std::process::id());
    let family = format!("sleep 1000 & setsid sleep 1000 & env -i {nameless} & exec {TENON} echo");
    let mut host = host(&mark, &["sh", "-c", &family]);
    // The host, its plugin, the two sleepers and the guardian.
    wait_until("they did not start", &mark, |found| found.len() >= 5);
    host.kill().unwrap();
    host.wait().unwrap();
    wait_until("left behind", &mark, |found| {
        found.is_empty() && !is_running(&nameless)
    });
}

/// Whether there is a process with this command line.
fn is_running(command: &str) -> bool {
    let line = command.replace(' ', "\0") + "\0";
    fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        let found = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        found == line.as_bytes()
    })
}

/// The cgroup of this process, if it may make cgroups in it whose members can be killed at once.
fn own_cgroup() -> Option<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
    let mount = mounts.lines().find_map(|line| {
        let mut words = line.split(' ');
        let (folder, kind) = (words.nth(1)?, words.next()?);
        (kind == "cgroup2").then(|| PathBuf::from(folder))
    })?;
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap();
    let own = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let own = mount.join(own);
    static LAST: AtomicU64 = AtomicU64::new(0);
    let number = LAST.fetch_add(1, Ordering::Relaxed);
    let probe = own.join(format!("test-{}-{number}", std::process::id()));
    let is_made = fs::create_dir(&probe).is_ok() && probe.join("cgroup.kill").exists();
    let _not_made = fs::remove_dir(&probe);
    if !is_made {
        let _nobody_reads = writeln!(std::io::stderr(), "skipped: no cgroup can be made here");
    }
    is_made.then_some(own)
}

/// The cgroups that a process with this id has made.
fn cgroups_of(host: u32, own: &Path) -> HashSet<OsString> {
    let start = format!("tenon-{host}-");
    cgroups(own)
        .into_iter()
        .filter(|name| name.as_encoded_bytes().starts_with(start.as_bytes()))
        .collect()
}

/// All cgroups there. One that an earlier process with the same id has left is not one of a later host.
fn cgroups(own: &Path) -> HashSet<OsString> {
    let names = fs::read_dir(own).unwrap().flatten();
    names.map(|entry| entry.file_name()).collect()
}

/// Daemons that have no environment to be found by, are in sessions of their own and have lost their parents,
/// started before the plugin does anything else. Only its cgroup leads to them.
#[test]
fn a_killed_host_leaves_no_daemon_behind() {
    let Some(own) = own_cgroup() else { return };
    for round in 0..20 {
        let mark = Mark::new();
        let daemon = format!("sleep 1000.{round}{}", std::process::id());
        let family = format!("( env -i setsid {daemon} & ); exec {TENON} echo");
        let earlier = cgroups(&own);
        let mut host = host(&mark, &["sh", "-c", &family]);
        wait_until("it did not start", &mark, |_| is_running(&daemon));
        host.kill().unwrap();
        host.wait().unwrap();
        wait_until("left behind", &mark, |found| {
            let has_cgroup = !cgroups_of(host.id(), &own).is_subset(&earlier);
            found.is_empty() && !is_running(&daemon) && !has_cgroup
        });
    }
}

/// It is killed while it starts its plugin: the guardian knows of the cgroup before it is made.
#[test]
fn a_host_that_is_killed_early_leaves_no_cgroup_behind() {
    let Some(own) = own_cgroup() else { return };
    for round in 0..40 {
        let mark = Mark::new();
        let earlier = cgroups(&own);
        let mut host = host(&mark, &[TENON, "echo"]);
        // At another point of its start each time.
        std::thread::sleep(Duration::from_micros(500 * round));
        host.kill().unwrap();
        host.wait().unwrap();
        wait_until("left behind", &mark, |found| {
            found.is_empty() && cgroups_of(host.id(), &own).is_subset(&earlier)
        });
    }
}

#[test]
fn an_ended_host_leaves_no_daemon_behind() {
    if own_cgroup().is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("id");
    let daemon = "env -i setsid sleep 1000";
    let is_there = "until grep -q sleep /proc/$!/comm; do :; done";
    let family = format!(
        "( {daemon} & {is_there}; echo $! >{} ); exec {TENON} echo",
        file.display()
    );
    for _ in 0..20 {
        let status = Command::new(TENON)
            .args(["call", "echo", "[1]", "--", "sh", "-c", &family])
            .stdout(Stdio::null())
            .status()
            .unwrap();
        assert!(status.success());
        let id = fs::read_to_string(&file).unwrap();
        let line = format!("/proc/{}/cmdline", id.trim());
        // That of a zombie is empty.
        let is_gone = || fs::read(&line).unwrap_or_default().is_empty();
        wait_until("left behind", &Mark::new(), |_| is_gone());
    }
}

/// The sandbox of the outer host refuses `clone3`, so the inner host cannot start its plugin in a cgroup. The
/// plugin enters the cgroup itself before its program runs.
#[test]
fn a_plugin_enters_its_cgroup_if_it_cannot_be_started_there() {
    if own_cgroup().is_none() {
        return;
    }
    let inner = format!(
        "{TENON} call -v echo '[1]' -- sh -c 'grep ^0:: /proc/self/cgroup >&2; exec {TENON} echo' >&2"
    );
    let output = Command::new(TENON)
        .args(["call", "-v", "echo", "[1]", "--allow-run"])
        .args(["--allow-read", "/", "--allow-write", "/"])
        .args(["--", "sh", "-c", &format!("{inner}; exec {TENON} echo")])
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    if stderr.contains("Landlock") {
        let _nobody_reads = writeln!(std::io::stderr(), "skipped: this kernel has no sandbox");
        return;
    }
    assert!(output.status.success(), "{stderr}");
    let is_inside = |line: &str| line.contains("0::/") && line.contains("/tenon-");
    assert!(stderr.lines().any(is_inside), "{stderr}");
}

/// The inner host's guardian may be killed before it acts, so the outer one has to know about
/// everyone.
#[test]
fn a_killed_host_of_a_host_leaves_no_process_behind() {
    let mark = Mark::new();
    let family = format!(
        "exec {TENON} call sleep '{{\"ms\":1000000}}' --timeout none -- \
         sh -c 'setsid sleep 1000 & exec {TENON} echo'"
    );
    let mut host = host(&mark, &["sh", "-c", &family]);
    // Two hosts, two guardians, the echo plugin and the sleeper.
    wait_until("they did not start", &mark, |found| found.len() >= 6);
    host.kill().unwrap();
    host.wait().unwrap();
    wait_until("left behind", &mark, <[_]>::is_empty);
}

#[test]
fn an_ended_host_leaves_no_process_behind() {
    let mark = Mark::new();
    let status = Command::new(TENON)
        .args(["call", "echo", "[1]", "--", "sh", "-c"])
        .arg(format!("setsid sleep 1000 & exec {TENON} echo"))
        .env(Mark::VARIABLE, mark.value())
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
    wait_until("left behind", &mark, <[_]>::is_empty);
}
