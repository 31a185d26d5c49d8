//! Cancelled calls: the plugin gets the cancellation.

use serde_json::{Value, json};

use crate::serving::Serving;
use crate::support::program::eventually;

/// The ids of requests that the plugin got, and of those that were cancelled.
fn asked_and_cancelled(serving: &Serving) -> (Vec<u64>, Vec<u64>) {
    let frames = serving.frames("out");
    let ids = |is_wanted: &dyn Fn(&Value) -> bool, id: &dyn Fn(&Value) -> Value| {
        let wanted = frames.iter().filter(|frame| is_wanted(frame));
        let mut ids: Vec<u64> = wanted.filter_map(|frame| id(frame).as_u64()).collect();
        ids.sort_unstable();
        ids
    };
    let asked = ids(&|frame| frame["method"] == "sleep", &|frame| {
        frame["id"].clone()
    });
    let cancelled = ids(&|frame| frame["method"] == "$/cancelRequest", &|frame| {
        frame["params"]["id"].clone()
    });
    (asked, cancelled)
}

const LONG: u64 = 300_000;

#[tokio::test]
async fn a_client_that_disconnects_cancels_its_calls() {
    const COUNT: usize = 50;
    let serving = Serving::start("--protocol ipc --record record -- tenon echo").await;
    let (mut wire, mut other) = (serving.wire(), serving.wire());
    other.ask(json!(1), "sleep", json!({ "ms": LONG }));
    eventually("another one's call", || {
        asked_and_cancelled(&serving).0.len() == 1
    })
    .await;
    let others = asked_and_cancelled(&serving).0;
    for id in 0..COUNT {
        wire.ask(json!(id), "sleep", json!({ "ms": LONG }));
    }
    eventually("all calls", || {
        asked_and_cancelled(&serving).0.len() == COUNT + 1
    })
    .await;
    drop(wire);
    eventually("all are taken back", || {
        asked_and_cancelled(&serving).1.len() == COUNT
    })
    .await;
    let (asked, cancelled) = asked_and_cancelled(&serving);
    let kept: Vec<u64> = asked
        .into_iter()
        .filter(|id| !cancelled.contains(id))
        .collect();
    assert_eq!(kept, others, "the other client's call goes on");
    drop(other);
    serving.stop().await;
}

#[tokio::test]
async fn a_client_cancels_a_call() {
    let serving = Serving::start("--protocol ipc --record record -- tenon echo").await;
    let mut wire = serving.wire();
    for id in ["\"x\"", "7", "1e3", "18446744073709551615"] {
        let before = asked_and_cancelled(&serving).0.len();
        wire.send(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"sleep","params":{{"ms":{LONG}}}}}"#
        ));
        eventually("the call", || {
            asked_and_cancelled(&serving).0.len() > before
        })
        .await;
        // Ids of no call: they have no effect.
        wire.send(r#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"other"}}"#);
        wire.send(r#"{"jsonrpc":"2.0","method":"$/cancelRequest"}"#);
        wire.send(&format!(
            r#"{{"jsonrpc":"2.0","method":"$/cancelRequest","params":{{"id":{id}}}}}"#
        ));
        let answer = wire.line();
        let expected = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32800,"message":"the call was cancelled"}}}}"#
        );
        assert_eq!(answer, expected);
        eventually("the plugin is told", || {
            let (asked, cancelled) = asked_and_cancelled(&serving);
            asked == cancelled
        })
        .await;
    }
    serving.stop().await;
}

/// The id in a cancellation is the client's own: that of another client means nothing.
#[tokio::test]
async fn a_client_cannot_cancel_the_calls_of_another() {
    let serving = Serving::start("--protocol ipc --record record -- tenon echo").await;
    let (mut wire, mut other) = (serving.wire(), serving.wire());
    wire.ask(json!(1), "sleep", json!({ "ms": 500 }));
    eventually("the call", || !asked_and_cancelled(&serving).0.is_empty()).await;
    other.send(r#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"#);
    assert_eq!(other.answer(json!(2), "add", json!([1, 2]))["result"], 3);
    assert_eq!(
        wire.message(),
        json!({ "jsonrpc": "2.0", "id": 1, "result": null })
    );
    serving.stop().await;
}

#[tokio::test]
async fn a_call_that_takes_too_long() {
    let serving =
        Serving::start("--protocol ipc --timeout 200ms --record record -- tenon echo").await;
    let mut wire = serving.wire();
    let answer = wire.answer(json!(1), "sleep", json!({ "ms": LONG }));
    let error = json!({ "code": -32603, "message": "the plugin did not answer within 200ms" });
    assert_eq!(answer["error"], error);
    eventually("the plugin is told", || {
        asked_and_cancelled(&serving) == (vec![1], vec![1])
    })
    .await;
    assert_eq!(wire.answer(json!(2), "add", json!([1, 2]))["result"], 3);
    serving.stop().await;
}

/// A plugin whose protocol has no such event, or is not known, is sent none.
#[tokio::test]
async fn a_protocol_without_cancellation_gets_no_message() {
    for dialect in ["msgpack-rpc", "json-rpc"] {
        let options = format!("--dialect {dialect} --timeout 100ms --record record -- tenon echo");
        let serving = Serving::start(&options).await;
        let mut wire = serving.wire();
        let answer = wire.answer(json!(1), "sleep", json!({ "ms": LONG }));
        assert_eq!(answer["error"]["code"], -32603);
        assert_eq!(wire.answer(json!(2), "add", json!([1, 2]))["result"], 3);
        assert_eq!(serving.frames("out").len(), 2);
        serving.stop().await;
    }
}
