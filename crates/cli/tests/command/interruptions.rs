//! Signals, and streams that are closed.

use std::time::Duration;

use insta::assert_snapshot;
use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};

use crate::support::mark::Mark;
use crate::support::shell::Shell;

/// Starts a call that takes long, ends the command with `signal` once its plugin runs, and gives
/// the exit code and what was printed to stderr. No process is left then.
async fn interrupted(line: &str, signal: Signal) -> (Option<i32>, String) {
    let (shell, mark) = (Shell::new(), Mark::new());
    let mut child = shell.command(line, &mark).spawn().expect("a shell");
    let process = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
    let mut stderr = BufReader::new(child.stderr.take().expect("stderr"));
    let ended = tokio::time::timeout(Duration::from_secs(60), async {
        let mut ready = String::new();
        stderr.read_line(&mut ready).await.expect("text");
        assert_eq!(ready, "plugin: ready\n");
        kill_process(process.expect("a process"), signal).expect("a living process");
        let mut rest = String::new();
        stderr.read_to_string(&mut rest).await.expect("text");
        (child.wait().await.expect("an exit status").code(), rest)
    });
    let ended = ended.await.expect("an end in time");
    mark.assert_nobody_left();
    ended
}

/// The plugin tells when it is there; it does not mind signals and has a child of its own.
const STUBBORN: &str = "exec tenon call echo --timeout none --verbose -- \
    sh -c 'trap \"\" INT TERM HUP; sleep 300 & echo ready >&2; sleep 300'";

const ASLEEP: &str = "exec tenon call sleep '{\"ms\":300000}' --timeout none --verbose -- \
    sh -c 'echo ready >&2; exec tenon echo'";

#[tokio::test]
async fn control_c() {
    for line in [ASLEEP, STUBBORN] {
        let (code, stderr) = interrupted(line, Signal::INT).await;
        assert_eq!((code, stderr.as_str()), (Some(130), "error: interrupted\n"));
    }
}

#[tokio::test]
async fn terminated() {
    for line in [ASLEEP, STUBBORN] {
        let (code, stderr) = interrupted(line, Signal::TERM).await;
        assert_eq!((code, stderr.as_str()), (Some(130), "error: interrupted\n"));
    }
}

#[tokio::test]
async fn killed() {
    for line in [ASLEEP, STUBBORN] {
        let (code, _) = interrupted(line, Signal::KILL).await;
        assert_eq!(code, None);
    }
}

/// Params may come from somewhere that never ends, or never begins.
#[tokio::test]
async fn signals_while_waiting_for_params() {
    let shell = Shell::new();
    for option in [
        "greet @fifo",
        "greet -d @fifo",
        "--batch fifo",
        "greet --answer ask=@fifo",
    ] {
        for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
            let line = format!(
                "mkfifo fifo; env --default-signal tenon call {option} -- tenon echo & call=$!; \
                until [ \"$(cat /proc/$call/comm)\" = tenon ] && \
                    grep -q '^State:.S' /proc/$call/status; do sleep 0.01; done; \
                kill -s {signal} $call; wait $call; echo $?; rm fifo"
            );
            let outcome = shell.run_unnoted(&line).await;
            assert_eq!(
                outcome.stdout,
                format!("{code}\n"),
                "{option}: {}",
                outcome.stderr
            );
        }
    }
}

#[tokio::test]
async fn control_c_while_reading_calls() {
    let line = "mkfifo calls; exec 3<> calls; \
        exec tenon call --repl --verbose -- sh -c 'echo ready >&2; exec tenon echo' < calls";
    let (code, _) = interrupted(line, Signal::INT).await;
    assert_eq!(code, Some(130));
}

#[tokio::test]
async fn streams_that_are_closed() {
    let mut shell = Shell::new();
    let long = "tenon call text '{\"length\":1000000}' -- tenon echo";
    shell
        .run(&format!(
            "{{ {long}; echo \"exit code $?\" >&2; }} | head -c 5"
        ))
        .await;
    let many = "tenon call emit '{\"count\":20000}' --json -- tenon echo";
    shell
        .run(&format!(
            "{{ {many}; echo \"exit code $?\" >&2; }} | head -n 1"
        ))
        .await;
    shell.run("tenon call echo 1 -- tenon echo >&-").await;
    shell
        .run("tenon call echo 1 -- tenon echo > /dev/full")
        .await;
    shell.run("tenon call nope -- tenon echo 2>&-").await;
    shell
        .run("tenon call echo 1 --trace -- tenon echo 2> /dev/full")
        .await;
    shell.run("tenon call echo 1 -- tenon echo <&-").await;
    shell.run("tenon call echo - -- tenon echo <&-").await;
    shell.run("tenon call --repl -- tenon echo <&-").await;
    shell
        .run("tenon call echo 1 -- tenon echo <&- >&- 2>&-")
        .await;
    shell.run("tenon man | head -c 5").await;
    shell.run("tenon completions bash > /dev/full").await;
    shell.run("tenon --help > /dev/full").await;
    // A plugin that is started without any of them.
    shell.run("tenon echo <&- >&-").await;
    shell.run("tenon echo < /dev/null").await;
    assert_snapshot!(shell.transcript());
}

/// What all these tests rely on: that a process left behind is found.
#[tokio::test]
#[should_panic(expected = "left behind")]
async fn leftovers_are_found() {
    let line = "setsid sleep 300 > /dev/null 2>&1 &";
    Shell::new().run_unnoted(line).await;
}
