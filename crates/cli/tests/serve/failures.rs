//! Plugins that end while they are needed.

use insta::assert_snapshot;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::serving::Serving;
use crate::support::program::eventually;

/// Waits until the plugin has this many calls to work on.
async fn busy(serving: &Serving, calls: usize) {
    eventually("calls that run", || serving.frames("out").len() >= calls).await;
}

/// The error for a caller whose plugin has ended.
fn ended(how: &str) -> Value {
    let problem = "the plugin ended before it answered";
    json!({ "code": -32001, "message": problem, "data": { "plugin": how } })
}

#[tokio::test]
async fn callers_get_how_it_ended_and_the_next_call_waits() {
    let serving = Serving::start("--record record -- tenon echo").await;
    let mut wires = [serving.wire(), serving.wire(), serving.wire()];
    for wire in &mut wires {
        wire.ask(json!(1), "sleep", json!({ "ms": 300_000 }));
    }
    busy(&serving, 3).await;
    wires[0].ask(json!(2), "exit", json!({ "code": 9 }));
    // The first one has two calls that fail.
    for number in [0, 0, 1, 2] {
        assert_eq!(wires[number].message()["error"], ended("exit status: 9"));
    }
    // It is not there yet, but will be.
    assert_eq!(wires[0].answer(json!(3), "add", json!([1, 2]))["result"], 3);
    serving
        .says("the plugin: it ended with exit status: 9; restarting in 200ms")
        .await;
    serving.says("the plugin is running again").await;
    serving.stop().await;
}

#[tokio::test]
async fn a_plugin_that_is_killed() {
    let serving = Serving::start("--record record -- tenon echo").await;
    let mut wire = serving.wire();
    wire.ask(json!(1), "sleep", json!({ "ms": 300_000 }));
    busy(&serving, 1).await;
    let processes = serving.program.processes();
    let is_plugin = |(_, command): &&(i32, String)| command.ends_with("tenon echo ");
    let own = |command: &str| command.contains("serve");
    let plugin = processes
        .iter()
        .filter(|(_, command)| !own(command))
        .find(is_plugin);
    let (plugin, _) = plugin.unwrap_or_else(|| panic!("the plugin among {processes:?}"));
    kill_process(Pid::from_raw(*plugin).expect("a process"), Signal::KILL).expect("a process");
    assert_eq!(wire.message()["error"], ended("signal: 9 (SIGKILL)"));
    assert_eq!(wire.answer(json!(2), "add", json!([1, 2]))["result"], 3);
    serving.stop().await;
}

/// The pauses double, so that a plugin that cannot live does not take the machine with it.
#[tokio::test]
async fn pauses_double() {
    let serving = Serving::start("-- tenon echo").await;
    for pause in ["200ms", "400ms", "800ms"] {
        let outcome = serving.call("exit '{\"code\":4}'").await;
        assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
        serving
            .says(&format!("exit status: 4; restarting in {pause}"))
            .await;
    }
    let outcome = serving.call("add '[1,2]'").await;
    assert_eq!(outcome.stdout, "3\n");
    serving.stop().await;
}

/// A call waits for a plugin that is on its way, but not forever.
#[tokio::test]
async fn a_plugin_that_does_not_come_back() {
    let once = "sh -c '[ ! -e once ] || exit 5; touch once; exec tenon echo'";
    let serving = Serving::start(&format!("--protocol denobridge -- {once}")).await;
    let mut wire = serving.wire();
    wire.ask(json!(1), "exit", json!({ "code": 3 }));
    assert_eq!(wire.message()["error"], ended("exit status: 3"));
    wire.ask(json!(2), "add", json!([1, 2]));
    let problem = "the plugin did not start within 10s";
    let data = json!({ "plugin": "it could not be started" });
    let error = json!({ "code": -32001, "message": problem, "data": data });
    assert_eq!(wire.message()["error"], error);
    serving.says("the plugin ended before it answered").await;
    serving.stop().await;
}

#[tokio::test]
async fn a_plugin_is_not_restarted_with_no_restart() {
    let serving = Serving::start("--no-restart --record record -- tenon echo").await;
    let (mut wire, mut other) = (serving.wire(), serving.wire());
    other.ask(json!(1), "sleep", json!({ "ms": 300_000 }));
    busy(&serving, 1).await;
    wire.ask(json!(1), "exit", json!({ "code": 7 }));
    for wire in [&mut wire, &mut other] {
        assert_eq!(wire.message()["error"], ended("exit status: 7"));
    }
    let stopped = serving.ended().await;
    assert_eq!(stopped.code, Some(3));
    assert!(!stopped.shell.path("s").exists());
    assert_snapshot!(stopped.stderr);
}

/// One that can be talked to no more is as good as ended, even if its process lives on.
#[tokio::test]
async fn a_plugin_that_breaks_its_stream_is_started_again() {
    let once = "sh -c '[ -e once ] && exec tenon echo; touch once; \
        head -c 1 > /dev/null; echo garbage; exec sleep 300'";
    let serving = Serving::start(&format!("--dialect msgpack-rpc -- {once}")).await;
    let mut wire = serving.wire();
    wire.ask(json!(1), "add", json!([1, 2]));
    let error = ended("expected a msgpack-rpc message, which is an array");
    assert_eq!(wire.message()["error"], error);
    assert_eq!(wire.answer(json!(2), "add", json!([1, 2]))["result"], 3);
    serving.says("it began with \"garbage").await;
    serving.stop().await;
}

/// A plugin that ends as soon as it is started is tried again and again, and the server stays.
#[tokio::test]
async fn a_plugin_that_never_lives_long() {
    let serving = Serving::start("-- sh -c 'echo \"no config\" >&2; exit 4'").await;
    serving.says("plugin: no config").await;
    serving.says("restarting in 400ms").await;
    let outcome = serving.call("add '[1,2]' --json").await;
    assert_eq!(outcome.code, Some(1));
    assert_eq!(
        outcome.stdout,
        "{\"method\":\"add\",\"error\":{\"code\":-32001,\"data\":{\"plugin\":\"exit status: 4\"},\"message\":\"the plugin ended before it answered\"}}\n"
    );
    serving.stop().await;
}
