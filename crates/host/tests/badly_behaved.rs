//! Children that do everything a plugin should not. Each gives a precise error, and none is left
//! behind.

#![cfg(unix)]

mod support;

use std::time::Duration;

use support::{ANSWER, Script, quick_start, watched};
use tenon_host::{HowItEnded, Plugin, PluginCommand, PluginError, Problem, Process, Start};
use tenon_rpc::{CallError, Dialect, options::Stray};

#[track_caller]
fn says(error: &PluginError, expected: &[&str]) {
    let text = error.to_string();
    for part in expected {
        assert!(text.contains(part), "{part:?} is not in:\n{text}");
    }
}

#[tokio::test]
async fn one_that_is_not_there() {
    let error = Process::spawn(&PluginCommand::new("no-such-plugin")).unwrap_err();
    says(
        &error,
        &["could not be started", "no-such-plugin", "installed"],
    );
    let file = tempfile::NamedTempFile::new().unwrap();
    let error = Process::spawn(&PluginCommand::new(file.path())).unwrap_err();
    says(&error, &["ermission denied", "chmod +x /"]);
}

#[tokio::test]
async fn a_plugin_that_exits_immediately() {
    watched(async {
        let script = Script::new("echo 'the config is missing' >&2; exit 3");
        let error = script.start().await.unwrap_err();
        says(
            &error,
            &[
                "ended before it answered",
                "exit status: 3",
                "the config is missing",
            ],
        );
        assert!(!error.broke_protocol());
        script.is_gone().await;
    })
    .await;
}

#[tokio::test]
async fn one_that_hangs() {
    watched(async {
        let script = Script::new("sleep 1000");
        let mut start = quick_start();
        start.limit = Duration::from_millis(200);
        let error = script.start_with(start).await.unwrap_err();
        says(
            &error,
            &["did not answer its first call within 200ms", "flush"],
        );
        assert!(matches!(error.problem, Problem::NoAnswer(_)));
        script.is_gone().await;
    })
    .await;
}

#[tokio::test]
async fn one_that_prints_first_and_then_behaves() {
    watched(async {
        let script = Script::new(&format!(
            "echo 'Loading plugins...'; {ANSWER}; cat >/dev/null"
        ));
        let plugin = script.start().await.unwrap();
        assert!(
            plugin
                .peer()
                .stray()
                .unwrap()
                .to_string()
                .contains("Loading")
        );
        plugin.stop(|_| async {}).await;
        script.is_gone().await;
    })
    .await;
}

#[tokio::test]
async fn one_that_prints_instead_of_answering() {
    watched(async {
        let script = Script::new("echo 'Usage: plugin [OPTIONS]'; exec sleep 1000");
        let mut start = quick_start();
        start.limit = Duration::from_millis(200);
        let error = script.start_with(start).await.unwrap_err();
        says(
            &error,
            &[
                "it printed to stdout: \"Usage: plugin [OPTIONS]\"",
                "print to stderr",
            ],
        );
        assert!(matches!(error.problem, Problem::NoAnswer(_)));
        script.is_gone().await;
    })
    .await;
}

#[tokio::test]
async fn one_that_prints_where_that_is_forbidden() {
    watched(async {
        let script = Script::new(&format!("echo oops; {ANSWER}; cat >/dev/null"));
        let mut start = quick_start();
        start.options.stray = Stray::Fail;
        let error = script.start_with(start).await.unwrap_err();
        says(&error, &["\"oops\"", "hint"]);
        assert!(error.broke_protocol());
        script.is_gone().await;
    })
    .await;
}

#[tokio::test]
async fn one_that_floods_stderr() {
    watched(async {
        let flood = "i=0; while [ $i -lt 20000 ]; do echo \"noise $i\" >&2; i=$((i+1)); done";
        let script = Script::new(&format!("{flood}; {ANSWER}; cat >/dev/null"));
        let plugin = script.start().await.unwrap();
        let stopped = plugin.stop(|_| async {}).await;
        assert_eq!(stopped.how, HowItEnded::ByItself);
        script.is_gone().await;
    })
    .await;
}

#[tokio::test]
async fn one_that_floods_stderr_without_a_line_end() {
    watched(async {
        let script = Script::new(&format!(
            "head -c 5000000 /dev/zero >&2; {ANSWER}; cat >/dev/null"
        ));
        let plugin = script.start().await.unwrap();
        let stderr = plugin.process().stderr().clone();
        plugin.stop(|_| async {}).await;
        assert!(stderr.lines().iter().all(|line| line.len() < 5000));
        script.is_gone().await;
    })
    .await;
}

#[tokio::test]
async fn one_that_dies_in_the_middle_of_a_call() {
    watched(async {
        let script = Script::new(&format!(
            "{ANSWER}; read -r second; echo dying >&2; kill -9 $$"
        ));
        let plugin = script.start().await.unwrap();
        let peer = plugin.peer();
        let error = plugin
            .while_alive(peer.call_raw("work", None))
            .await
            .unwrap_err();
        assert!(matches!(error, CallError::Closed(_)), "{error:?}");
        let error = plugin.explain(error).await;
        says(&error, &["signal: 9", "dying"]);
        drop(plugin);
        script.is_gone().await;
    })
    .await;
}

/// A message that was cut off is not a misplaced print: how the plugin ended says more.
#[tokio::test]
async fn one_that_dies_in_the_middle_of_a_message() {
    watched(async {
        // `[1, 1, nil, nil]` answers the first call, and `[1, 2, nil,` is what there is of the second answer.
        let answer = r"head -c 1 >/dev/null; printf '\224\001\001\300\300'";
        let script = Script::new(&format!(
            r"{answer}; head -c 10 >/dev/null; printf '\224\001\002\300'; echo dying >&2; exit 7"
        ));
        let start = Start {
            dialect: Dialect::MsgpackRpc,
            ..quick_start()
        };
        let plugin = script.start_with(start).await.unwrap();
        let peer = plugin.peer();
        let call = plugin.while_alive(peer.call_raw("work", None));
        let error = plugin.explain(call.await.unwrap_err()).await;
        says(
            &error,
            &["in the middle of a message", "exit status: 7", "dying"],
        );
        assert!(!error.to_string().contains("print to stderr"), "{error}");
        drop(plugin);
        script.is_gone().await;
    })
    .await;
}

#[tokio::test]
async fn one_that_dies_while_its_child_holds_stdout_open() {
    watched(async {
        let script = Script::new(&format!("{ANSWER}; read -r second; sleep 1000 & exit 7"));
        let plugin = script.start().await.unwrap();
        let peer = plugin.peer();
        let error = plugin
            .while_alive(peer.call_raw("work", None))
            .await
            .unwrap_err();
        says(&plugin.explain(error).await, &["exit status: 7"]);
        drop(plugin);
        script.is_gone().await;
    })
    .await;
}

async fn started(script: &Script) -> Plugin {
    script
        .start()
        .await
        .unwrap_or_else(|error| panic!("{error}"))
}

#[tokio::test]
async fn one_that_ends_when_it_is_asked_to() {
    watched(async {
        let script = Script::new(&format!("{ANSWER}; cat >/dev/null; exit 5"));
        let stopped = started(&script).await.stop(|_| async {}).await;
        assert_eq!(stopped.how, HowItEnded::ByItself);
        assert_eq!(stopped.status.code(), Some(5));
        script.is_gone().await;
    })
    .await;
}

#[tokio::test]
async fn one_that_ignores_the_end_of_its_stdin() {
    watched(async {
        let script = Script::new(&format!("{ANSWER}; exec sleep 1000"));
        let stopped = started(&script).await.stop(|_| async {}).await;
        assert_eq!(stopped.how, HowItEnded::Terminated);
        script.is_gone().await;
    })
    .await;
}

#[tokio::test]
async fn one_that_ignores_sigterm_as_well() {
    watched(async {
        let script = Script::new(&format!(
            "trap '' TERM; {ANSWER}; while :; do sleep 1000; done"
        ));
        let stopped = started(&script).await.stop(|_| async {}).await;
        assert_eq!(stopped.how, HowItEnded::Killed);
        script.is_gone().await;
    })
    .await;
}

/// Signals to its group would never reach it.
#[tokio::test]
async fn one_that_leaves_its_process_group() {
    watched(async {
        let script = Script::new(
            r#"exec python3 -c '
import os, signal, sys, time
sys.stdin.readline()
os.setpgid(0, os.getpgid(os.getppid()))
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"hello\"}", flush=True)
time.sleep(1000)
'"#,
        );
        let stopped = started(&script).await.stop(|_| async {}).await;
        assert_eq!(stopped.how, HowItEnded::Killed);
        script.is_gone().await;
    })
    .await;
}

#[tokio::test]
async fn one_that_never_answers_its_shutdown() {
    watched(async {
        let script = Script::new(&format!("{ANSWER}; cat >/dev/null; exec sleep 1000"));
        let stopped = started(&script)
            .await
            .stop(|peer| async move {
                let _never = peer.call_raw("shutdown", None).await;
            })
            .await;
        assert_eq!(stopped.how, HowItEnded::Terminated);
        script.is_gone().await;
    })
    .await;
}
