//! Clients that send more than the plugin can read: nothing is lost, and everything stays in order.

use std::thread::JoinHandle;

use serde_json::{Value, json};

use crate::plugins::with_python;
use crate::serving::Serving;
use crate::support::program::eventually;
use crate::wire::Wire;

/// As many as the queues between a client and a plugin cannot hold.
const MANY: u64 = 3_000;

/// Events with the numbers 0, 1, 2, .. and 2 kB besides.
fn notes(who: &str, count: u64) -> String {
    let note = |number: u64| {
        let params = json!({ "who": who, "number": number, "text": "x".repeat(2_000) });
        format!(
            "{}\n",
            json!({ "jsonrpc": "2.0", "method": "note_from", "params": params })
        )
    };
    (0..count).map(note).collect()
}

/// Sends them from another thread, since they do not fit in between.
fn send(mut wire: Wire, notes: String) -> JoinHandle<Wire> {
    std::thread::spawn(move || {
        wire.send_bytes(notes.as_bytes());
        wire
    })
}

/// What has come of this client.
fn noted(wire: &mut Wire, who: &str) -> Vec<u64> {
    let answer = wire.answer(json!("notes"), "notes", json!({ "who": who }));
    serde_json::from_value(answer["result"].clone()).expect("numbers")
}

/// Has the plugin do nothing until [`go`].
fn pause(serving: &Serving) -> Wire {
    let mut wire = serving.wire();
    wire.ask(json!("pause"), "pause", json!({ "until": "go" }));
    wire
}

fn go(serving: &Serving) {
    serving.shell.file("go", "");
}

fn all(count: u64) -> Vec<u64> {
    (0..count).collect()
}

#[tokio::test]
async fn a_plugin_that_is_busy_gets_every_event_in_order() {
    with_python("", async |serving| {
        let mut pausing = pause(&serving);
        let flood = send(serving.wire(), notes("one", MANY));
        go(&serving);
        let mut wire = flood.join().expect("all are sent");
        assert_eq!(noted(&mut wire, "one"), all(MANY));
        assert_eq!(pausing.message()["id"], "pause");
        serving.stop().await;
    })
    .await;
}

/// One client's flood costs another one nothing.
#[tokio::test]
async fn a_flood_does_not_affect_other_clients() {
    with_python("", async |serving| {
        let _pausing = pause(&serving);
        let flood = send(serving.wire(), notes("one", MANY));
        let other = send(serving.wire(), notes("other", 500));
        go(&serving);
        let mut wires = [flood, other].map(|sent| sent.join().expect("all are sent"));
        assert_eq!(noted(&mut wires[0], "one"), all(MANY));
        assert_eq!(noted(&mut wires[1], "other"), all(500));
        serving.stop().await;
    })
    .await;
}

/// What it sent before it left still arrives.
#[tokio::test]
async fn events_of_a_client_that_disconnects_are_delivered() {
    with_python("", async |serving| {
        let _pausing = pause(&serving);
        let leaving = send(serving.wire(), notes("gone", MANY));
        go(&serving);
        drop(leaving.join().expect("all are sent"));
        let mut wire = serving.wire();
        eventually("all of them", || noted(&mut wire, "gone") == all(MANY)).await;
        serving.stop().await;
    })
    .await;
}

#[tokio::test]
async fn events_wait_for_a_plugin_that_is_started_again() {
    with_python("", async |serving| {
        let mut wire = serving.wire();
        for round in 0..3 {
            let left = wire.answer(json!(round), "leave", json!({ "code": 3 }));
            assert_eq!(left["error"]["code"], -32001);
            let flood = send(wire, notes("one", MANY));
            wire = flood.join().expect("all are sent");
            assert_eq!(noted(&mut wire, "one"), all(MANY), "round {round}");
        }
        serving.stop().await;
    })
    .await;
}

/// The answer to a request of the plugin comes after a flood, and is found.
#[tokio::test]
async fn a_flood_before_an_answer() {
    for option in ["", "--in-order"] {
        with_python(option, async |serving| {
            let mut wire = serving.wire();
            wire.ask(json!(1), "quiz", json!({}));
            let question = wire.message();
            assert_eq!(question["method"], "question");
            let mut wire = send(wire, notes("one", MANY)).join().expect("all are sent");
            let answer = json!({ "jsonrpc": "2.0", "id": question["id"], "result": 42 });
            wire.send(&answer.to_string());
            assert_eq!(wire.message()["result"], 42);
            assert_eq!(noted(&mut wire, "one"), all(MANY));
            serving.stop().await;
        })
        .await;
    }
}

/// While one client floods a plugin that does nothing, another is let in, refused and answered by
/// the server itself; and a server that is stopped does not wait for the plugin forever.
#[tokio::test]
async fn a_plugin_that_never_reads_does_not_block_others() {
    with_python("--stop-within 300ms", async |serving| {
        let _pausing = pause(&serving);
        let flood = send(serving.wire(), notes("one", MANY));
        let mut other = serving.wire();
        other.send("not JSON");
        assert_eq!(other.message()["error"]["code"], -32700);
        let ended = serving.stop().await;
        let end = "\nstopped; 1 connections were cut off";
        assert!(ended.stderr.ends_with(end), "{}", ended.stderr);
        // Its connection was closed in the middle.
        assert!(flood.join().is_err());
    })
    .await;
}

/// The events of a client keep their place behind calls that wait for their turn.
#[tokio::test]
async fn events_wait_behind_calls_that_wait() {
    let serving = Serving::start("--in-order --record record -- tenon echo").await;
    let mut wire = serving.wire();
    wire.ask(json!(1), "sleep", json!({ "ms": 300 }));
    wire.ask(json!(2), "add", json!([1, 2]));
    wire.send(r#"{"jsonrpc":"2.0","method":"tick","params":{"number":0}}"#);
    wire.ask(json!(3), "ticks", Value::Null);
    let ids: Vec<Value> = (0..3).map(|_| wire.message()["id"].clone()).collect();
    assert_eq!(json!(ids), json!([1, 2, 3]));
    let sent = serving.frames("out");
    let methods: Vec<&str> = sent
        .iter()
        .filter_map(|frame| frame["method"].as_str())
        .collect();
    assert_eq!(methods, ["sleep", "add", "tick", "ticks"]);
    serving.stop().await;
}

/// So do those of a client that leaves before its calls had their turn.
#[tokio::test]
async fn events_behind_cancelled_calls() {
    let serving = Serving::start("--in-order --record record -- tenon echo").await;
    let mut wire = serving.wire();
    wire.ask(json!(1), "sleep", json!({ "ms": 300_000 }));
    wire.ask(json!(2), "add", json!([1, 2]));
    wire.send(r#"{"jsonrpc":"2.0","method":"tick","params":{"number":0}}"#);
    drop(wire);
    let mut other = serving.wire();
    let came = json!({ "count": 1, "in_order": true });
    eventually("the event", || {
        other.answer(json!(1), "ticks", Value::Null)["result"] == came
    })
    .await;
    serving.stop().await;
}
