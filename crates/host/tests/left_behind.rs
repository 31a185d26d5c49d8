//! Whatever happens to the host, nothing that descends from a plugin outlives it. (What happens
//! when the host is killed is tested with the command, which is a host that can be killed.)

#![cfg(unix)]

mod support;

use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use support::searching::Searching;
use support::{
    ANSWER, DAEMON, Daemon, Script, can_make_cgroups, no_cgroup_is_left, skipped, watched,
};
use tenon_host::{Capture, Environment, PluginCommand, Process};

/// A plugin with a child in its group, one in a session of its own, and one that has no
/// environment to be found by.
fn family() -> Script {
    Script::new(&format!(
        "sleep 1000 & setsid sleep 1000 & env -i sleep 1000 & {ANSWER}; cat >/dev/null"
    ))
}

#[tokio::test]
async fn a_dropped_plugin_takes_its_descendants_along() {
    watched(async {
        let script = family();
        let plugin = script.start().await.unwrap();
        script.has(3).await;
        drop(plugin);
        script.is_gone().await;
    })
    .await;
}

#[tokio::test]
async fn a_stopped_plugin_takes_its_descendants_along() {
    watched(async {
        let script = family();
        let plugin = script.start().await.unwrap();
        script.has(3).await;
        assert!(plugin.stop(|_| async {}).await.status.success());
        script.is_gone().await;
    })
    .await;
}

#[tokio::test]
async fn one_that_forks_and_leaves_takes_its_descendants_along() {
    watched(async {
        let script = Script::new(&format!("{ANSWER}; setsid sleep 1000 & exit 0"));
        let mut plugin = script.start().await.unwrap();
        assert!(plugin.exited().await.success());
        script.has(1).await;
        drop(plugin);
        script.is_gone().await;
    })
    .await;
}

/// The child without an environment is in the plugin's group, which goes as a whole.
#[tokio::test]
async fn those_without_an_environment_go_with_the_group() {
    watched(async {
        let script = Script::new(&format!(
            "env -i sh -c 'echo $$ >&2; exec sleep 1000' & {ANSWER}; cat >/dev/null"
        ));
        let plugin = script.start().await.unwrap();
        let daemon = Daemon::of(&plugin).await;
        assert!(daemon.is_alive());
        drop(plugin);
        daemon.is_gone().await;
    })
    .await;
}

/// It has left the group and has no environment to be found by, but its parents lead to it, also where
/// there are no cgroups.
#[tokio::test]
async fn a_daemon_with_parents_goes_with_its_plugin() {
    watched(async {
        let script = Script::new(&format!("{DAEMON} & {ANSWER}; cat >/dev/null"));
        for is_stopped in [false, true] {
            let plugin = script.start().await.unwrap();
            let daemon = Daemon::of(&plugin).await;
            assert!(daemon.is_alive());
            match is_stopped {
                true => assert!(plugin.stop(|_| async {}).await.status.success()),
                false => drop(plugin),
            }
            daemon.is_gone().await;
        }
    })
    .await;
}

/// Nothing leads to it but the cgroup of its plugin. It is the first process that the plugin starts, so the
/// plugin must be in its cgroup before its program runs.
#[tokio::test]
async fn a_daemon_without_parents_goes_with_the_cgroup_of_its_plugin() {
    watched(async {
        if !can_make_cgroups() {
            return skipped("no cgroup can be made here");
        }
        let script = Script::new(&format!("( {DAEMON} & ); {ANSWER}; cat >/dev/null"));
        for round in 0..21 {
            let mut plugin = script.start().await.unwrap();
            let daemon = Daemon::of(&plugin).await;
            assert!(daemon.is_alive() && daemon.is_enclosed(), "round {round}");
            match round % 3 {
                0 => drop(plugin),
                1 => {
                    plugin.stop(|_| async {}).await;
                }
                _ => {
                    let id = i32::try_from(plugin.process().id()).ok();
                    let id = id.and_then(Pid::from_raw).unwrap();
                    kill_process(id, Signal::KILL).unwrap();
                    plugin.exited().await;
                    assert!(daemon.is_alive());
                    drop(plugin);
                }
            }
            daemon.is_gone().await;
        }
        no_cgroup_is_left().await;
    })
    .await;
}

/// The command is over by the time we could look for its children.
#[tokio::test]
async fn a_daemon_without_parents_goes_with_the_cgroup_of_a_command() {
    watched(async {
        if !can_make_cgroups() {
            return skipped("no cgroup can be made here");
        }
        let script =
            "env -i setsid sleep 1000 & until grep -q sleep /proc/$!/comm; do :; done; echo $!";
        let command = PluginCommand::new("sh").args(["-c", script]);
        for _ in 0..20 {
            let captured = Capture::default().run(&command).await.unwrap();
            let id = String::from_utf8(captured.stdout).unwrap();
            Daemon::with_id(id.trim()).is_gone().await;
        }
        no_cgroup_is_left().await;
    })
    .await;
}

/// In a runtime with one thread everything would stand still while a plugin is searched for its
/// descendants, so another thread does that.
#[tokio::test]
async fn dropping_a_plugin_leaves_the_search_to_another_thread() {
    watched(async {
        let searching = Searching::record();
        let script = Script::new(&format!("setsid sleep 1000 & {ANSWER}; cat >/dev/null"));
        let plugin = script.start().await.unwrap();
        script.has(2).await;
        drop(plugin);
        script.is_gone().await;
        let threads = searching.threads();
        assert_eq!(threads, ["tenon-sweeper"]);
    })
    .await;
}

#[test]
fn a_panic_takes_the_plugins_along() {
    let script = std::sync::Arc::new(family());
    let for_the_thread = script.clone();
    let panicked = std::thread::spawn(move || {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async {
            let _plugin = for_the_thread.start().await.unwrap();
            for_the_thread.has(3).await;
            panic!("as planned");
        });
    })
    .join();
    assert!(panicked.is_err());
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(watched(script.is_gone()));
}

/// The signal that is sent when the parent dies is sent when the *thread* that forked dies.
#[test]
fn plugins_survive_the_thread_that_started_them() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let script = Script::new("cat >/dev/null");
    let handle = runtime.handle().clone();
    let command = script.command.clone();
    let started = std::thread::spawn(move || {
        let _in_runtime = handle.enter();
        Process::spawn(&command).unwrap()
    });
    let (process, io) = started.join().unwrap();
    runtime.block_on(async {
        let exited = process.exited_within(Duration::from_millis(200)).await;
        assert_eq!(exited, None, "it died with the thread that started it");
        drop(io);
        assert!(process.exited().await.success());
    });
}

#[tokio::test]
async fn the_environment_is_what_was_allowed() {
    watched(async {
        let mut script = Script::new("env >&2");
        script.command = script
            .command
            .inherit(Environment::Only(vec!["PATH".into()]))
            .variable("GREETING", "hello")
            .folder("/");
        let (process, _io) = Process::spawn(&script.command).unwrap();
        process.exited().await;
        process
            .stderr()
            .complete_within(Duration::from_secs(10))
            .await;
        let mut names: Vec<String> = process
            .stderr()
            .lines()
            .iter()
            .filter_map(|line| Some(line.split_once('=')?.0.to_owned()))
            .collect();
        names.sort();
        assert_eq!(
            names,
            ["GREETING", "PATH", "PWD", "TENON_FAMILY", "TENON_TEST"]
        );
        assert!(process.stderr().lines().contains(&"PWD=/".to_owned()));
    })
    .await;
}
