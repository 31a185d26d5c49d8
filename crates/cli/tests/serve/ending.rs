//! How a server ends, without leaving a process behind.

use std::time::Duration;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::serving::Serving;
use crate::support::program::eventually;

/// Waits until the plugin works on this many calls.
async fn busy(serving: &Serving, calls: usize) {
    eventually("calls that run", || serving.frames("out").len() >= calls).await;
}

#[tokio::test]
async fn running_calls_are_finished() {
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        let serving = Serving::start("--record record -- tenon echo").await;
        let (mut wire, idle) = (serving.wire(), serving.wire());
        wire.ask(json!(1), "sleep", json!({ "ms": 2000 }));
        busy(&serving, 1).await;
        serving.program.signal(signal);
        serving
            .says("stopping, with 2 connected; press Ctrl-C again to stop immediately")
            .await;
        // No new call is started, and no new client is accepted.
        wire.ask(json!(2), "add", json!([1, 2]));
        eventually("no socket", || !serving.socket().exists()).await;
        let (refused, finished) = (wire.message(), wire.message());
        let closing = json!({ "code": -32000, "message": "the connection is closing" });
        assert_eq!((&refused["id"], &refused["error"]), (&json!(2), &closing));
        assert_eq!(
            (&finished["id"], &finished["result"]),
            (&json!(1), &Value::Null)
        );
        assert_eq!(wire.rest(), "");
        assert_eq!(idle.rest(), "");
        let stopped = serving.ended().await;
        assert_eq!(stopped.code, Some(0));
        assert!(stopped.stderr.ends_with("\nstopped"), "{}", stopped.stderr);
    }
}

#[tokio::test]
async fn running_calls_are_cut_off_after_the_limit() {
    let serving = Serving::start("--stop-within 200ms --record record -- tenon echo").await;
    let mut wire = serving.wire();
    wire.ask(json!(1), "sleep", json!({ "ms": 300_000 }));
    busy(&serving, 1).await;
    let stopped = serving.stop().await;
    assert_eq!(wire.rest(), "");
    let end = "\nstopped; 1 connections were cut off";
    assert!(stopped.stderr.ends_with(end), "{}", stopped.stderr);
}

#[tokio::test]
async fn a_second_signal_ends_the_server_immediately() {
    let serving = Serving::start("--stop-within none --record record -- tenon echo").await;
    let mut wire = serving.wire();
    wire.ask(json!(1), "sleep", json!({ "ms": 300_000 }));
    busy(&serving, 1).await;
    serving.program.signal(Signal::TERM);
    serving.says("stopping").await;
    // What comes at once is taken for the same request.
    tokio::time::sleep(Duration::from_millis(300)).await;
    serving.program.signal(Signal::INT);
    let stopped = serving.ended().await;
    assert_eq!(stopped.code, Some(130));
    assert_eq!(wire.rest(), "");
    // Whatever it left does not keep the next one from starting.
    let serving = Serving::start_in(stopped.shell, "-- tenon echo").await;
    serving.stop().await;
}

/// `timeout` and others signal a process and its group, which is one request.
#[tokio::test]
async fn the_same_signal_twice() {
    let serving = Serving::start("--record record -- tenon echo").await;
    let mut wire = serving.wire();
    wire.ask(json!(1), "sleep", json!({ "ms": 500 }));
    busy(&serving, 1).await;
    serving.program.signal(Signal::TERM);
    serving.stop().await;
    assert_eq!(wire.message()["result"], Value::Null);
}

/// A server that is killed takes its plugin with it, and what that started. Its socket stays, and
/// the next server replaces it.
#[tokio::test]
async fn killed() {
    let plugin = "sh -c 'sleep 300 & setsid sleep 300 & exec tenon echo'";
    let serving = Serving::start(&format!("--record record -- {plugin}")).await;
    let mut wire = serving.wire();
    wire.ask(json!(1), "sleep", json!({ "ms": 300_000 }));
    busy(&serving, 1).await;
    // The server, its guardian, the plugin and the two that it started.
    eventually("the plugin's children", || {
        serving.program.processes().len() >= 5
    })
    .await;
    serving.program.signal(Signal::KILL);
    let killed = serving.ended().await;
    assert_eq!(killed.code, None);
    assert_eq!(wire.rest(), "");
    assert!(killed.shell.path("s").exists());
    let serving = Serving::start_in(killed.shell, "-- tenon echo").await;
    assert_eq!(
        serving.wire().answer(json!(1), "add", json!([1, 2]))["result"],
        3
    );
    serving.stop().await;
}

/// A plugin that ignores signals is killed, with everything it has started.
#[tokio::test]
async fn stubborn_plugins() {
    let plugin = "sh -c 'trap \"\" INT TERM HUP; setsid sleep 300 & \
        while :; do sleep 300; done'";
    let serving = Serving::start(&format!("-- {plugin}")).await;
    serving.stop().await;
}

/// A plugin that waits to be started again keeps nobody from stopping, nor does a call that waits
/// for it.
#[tokio::test]
async fn while_the_plugin_waits_to_be_started_again() {
    let serving = Serving::start("-- sh -c 'read -r line; exit 4'").await;
    for _ in 0..3 {
        // Each time the pause is longer.
        assert_eq!(serving.call("anything").await.code, Some(1));
    }
    let mut wire = serving.wire();
    wire.ask(json!(1), "add", json!([1, 2]));
    serving.says("restarting in 800ms").await;
    let stopped = serving.stop().await;
    assert!(stopped.stderr.contains("stopped"), "{}", stopped.stderr);
}
