//! The id of a plugin that has ended is not signalled once it is another's. The kernel gives ids out
//! in order, and in a namespace of its own a test can say which is next.

#![cfg(unix)]

use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::time::Duration;

use tenon_host::{Capture, PluginCommand, Process};

/// Set where the test runs as the first process of a namespace.
const INSIDE: &str = "TENON_TEST_INSIDE_NAMESPACE";

const NEXT_ID: &str = "/proc/sys/kernel/ns_last_pid";

#[tokio::test]
async fn a_process_that_gets_the_id_of_a_dead_plugin_survives() {
    if std::env::var_os(INSIDE).is_some() {
        return inside().await;
    }
    let namespace = |program: &str| {
        let command = PluginCommand::new("unshare");
        command.args(["--pid", "--fork", "--mount-proc", "--kill-child", program])
    };
    let run = |command: PluginCommand| async move {
        let capture = Capture {
            time_limit: Some(Duration::from_secs(60)),
            ..Capture::default()
        };
        capture.run(&command).await
    };
    let may = namespace("sh").args(["-c", &format!("echo 100 >{NEXT_ID}")]);
    if !run(may).await.is_ok_and(|ended| ended.status.success()) {
        skipped("a namespace of processes needs unshare and an administrator");
        return;
    }
    let test = std::env::current_exe().unwrap();
    let name = "a_process_that_gets_the_id_of_a_dead_plugin_survives";
    let command = namespace(test.to_str().unwrap()).args(["--exact", name, "--nocapture"]);
    let ended = run(command.variable(INSIDE, "1")).await.unwrap();
    let told = String::from_utf8_lossy(&ended.stdout);
    let stderr = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{told}{stderr}");
    assert!(told.contains("1 passed"), "{told}");
}

#[expect(clippy::print_stderr, reason = "the test's own talk")]
fn skipped(why: &str) {
    eprintln!("skipped: {why}");
}

/// Starts a group that has nothing to do with plugins. It gets the id if that is free.
#[expect(clippy::disallowed_methods, reason = "it is not a plugin")]
fn innocent(wanted: u32) -> Child {
    std::fs::write(NEXT_ID, (wanted - 1).to_string()).unwrap();
    let mut command = Command::new("sleep");
    command.arg("1000").process_group(0).spawn().unwrap()
}

async fn inside() {
    let command = PluginCommand::new("sh").args(["-c", "exit 0"]);
    let (process, _io) = Process::spawn(&command).unwrap();
    let id = process.id();
    assert!(process.exited().await.success());
    let mut first = innocent(id);
    assert_ne!(
        first.id(),
        id,
        "its id was free while it could be signalled"
    );
    drop(process);
    // A thread reaps it.
    while std::fs::exists(format!("/proc/{id}")).unwrap() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // It has been signalled for the last time, and its id is free now.
    let mut second = innocent(id);
    assert_eq!(second.id(), id);
    for innocent in [&mut first, &mut second] {
        assert!(innocent.try_wait().unwrap().is_none(), "it was killed");
        innocent.kill().unwrap();
        innocent.wait().unwrap();
    }
}
