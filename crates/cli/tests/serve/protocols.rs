//! Ids and tokens in params of known protocols mean the client's own calls only.

use serde_json::{Value, json};

use crate::plugins::with_python;
use crate::serving::Serving;
use crate::support::program::eventually;
use crate::wire::Wire;

/// What the plugin was sent with this method.
fn sent(serving: &Serving, method: &str) -> Vec<Value> {
    let frames = serving.frames("out").into_iter();
    frames.filter(|frame| frame["method"] == method).collect()
}

/// Two clients whose calls the plugin holds, both with the id 1. Gives the ids that the plugin knows
/// them by.
async fn held(serving: &Serving) -> ([Wire; 2], [Value; 2]) {
    let mut wires = [serving.wire(), serving.wire()];
    for (number, wire) in wires.iter_mut().enumerate() {
        wire.ask(json!(1), "hold", json!([number]));
        eventually("the call", || sent(serving, "hold").len() > number).await;
    }
    let ids = [0, 1].map(|number| sent(serving, "hold")[number]["id"].clone());
    (wires, ids)
}

fn notify(wire: &mut Wire, method: &str, params: Value) {
    wire.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string());
}

/// Waits until the server has read all that this client sent. A cancelled call that is
/// answered nevertheless would have been answered by then.
fn assert_quiet(wire: &mut Wire) {
    let answer = wire.answer(json!("quiet"), "echo", json!([]));
    assert_eq!(answer["id"], "quiet", "{answer}");
}

#[tokio::test]
async fn a_cancellation_of_mcp_means_the_clients_own_call() {
    with_python("--record record", async |serving| {
        let ([mut one, mut two], [_, second]) = held(&serving).await;
        for id in [json!(2), second.clone(), json!("1"), Value::Null] {
            notify(&mut one, "notifications/cancelled", json!({ "requestId": id }));
        }
        notify(&mut one, "notifications/cancelled", json!({}));
        assert_quiet(&mut one);
        assert!(sent(&serving, "notifications/cancelled").is_empty());
        two.send(
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId" : 1,"reason":"1.50"}}"#,
        );
        assert_quiet(&mut two);
        let passed = sent(&serving, "notifications/cancelled");
        let params = json!({ "requestId": second, "reason": "1.50" });
        assert_eq!(passed.len(), 1, "{passed:?}");
        assert_eq!(passed[0]["params"], params);
        serving.stop().await;
    })
    .await;
}

#[tokio::test]
async fn a_cancellation_of_acp_means_the_clients_own_call() {
    with_python("--record record", async |serving| {
        let ([mut one, mut two], [_, second]) = held(&serving).await;
        notify(&mut one, "$/cancel_request", json!({ "requestId": 7 }));
        notify(&mut two, "$/cancel_request", json!({ "requestId": 1 }));
        assert_eq!(two.message()["error"]["code"], -32800);
        assert_quiet(&mut one);
        let passed = sent(&serving, "$/cancel_request");
        assert_eq!(passed.len(), 1, "{passed:?}");
        assert_eq!(passed[0]["params"], json!({ "requestId": second }));
        serving.stop().await;
    })
    .await;
}

/// A plugin behind headers is a language server, most likely, and knows what a cancellation is.
#[tokio::test]
async fn a_language_server_gets_cancellations() {
    let serving = Serving::start("--dialect json-rpc-headers --record record -- tenon echo").await;
    let (mut wire, mut other) = (serving.wire(), serving.wire());
    for wire in [&mut wire, &mut other] {
        wire.ask(json!(1), "sleep", json!({ "ms": 300_000 }));
    }
    eventually("the calls", || sent(&serving, "sleep").len() == 2).await;
    notify(&mut wire, "$/cancelRequest", json!({ "id": 1 }));
    assert_eq!(wire.message()["error"]["code"], -32800);
    drop(other);
    eventually("the plugin is told", || {
        sent(&serving, "$/cancelRequest").len() == 2
    })
    .await;
    let mut told: Vec<Value> = sent(&serving, "$/cancelRequest")
        .iter()
        .map(|event| event["params"]["id"].clone())
        .collect();
    told.sort_by_key(Value::as_u64);
    assert_eq!(json!(told), json!([1, 2]));
    serving.stop().await;
}

/// The other way round: a plugin takes back what it asked a client.
#[tokio::test]
async fn a_plugin_cancels_its_request() {
    with_python("", async |serving| {
        let (mut asked, mut other) = (serving.wire(), serving.wire());
        assert_quiet(&mut other);
        asked.ask(json!(1), "withdraw", json!({}));
        let question = asked.message();
        assert_eq!(question["method"], "question");
        let cancelled = asked.message();
        assert_eq!(cancelled["method"], "notifications/cancelled");
        let params = json!({ "requestId": question["id"], "reason": "no more" });
        assert_eq!(cancelled["params"], params);
        assert_eq!(asked.message()["id"], 1);
        assert_quiet(&mut other);
        serving.stop().await;
    })
    .await;
}

/// Clients of the same library choose the same tokens.
#[tokio::test]
async fn progress_of_mcp_goes_to_the_caller_alone() {
    with_python("--record record", async |serving| {
        let mut wires = [serving.wire(), serving.wire(), serving.wire()];
        wires.iter_mut().for_each(assert_quiet);
        for wire in &mut wires[..2] {
            wire.send(
                r#"{"jsonrpc":"2.0","id":3,"method":"work","params":{ "_meta":{"progressToken" :0},"n":1.50}}"#,
            );
            for step in 0..2 {
                let progress = wire.message();
                assert_eq!(progress["method"], "notifications/progress");
                let params = json!({ "progressToken": 0, "progress": step });
                assert_eq!(progress["params"], params);
            }
            assert_eq!(wire.message()["id"], 3);
        }
        wires.iter_mut().for_each(assert_quiet);
        let recorded = std::fs::read_to_string(serving.shell.path("record")).expect("a recording");
        assert!(recorded.contains("\"n\":1.50"), "nothing else was rewritten");
        serving.stop().await;
    })
    .await;
}

#[tokio::test]
async fn a_conversation_is_cancelled_by_its_client_only() {
    with_python("--record record", async |serving| {
        let (mut owner, mut other) = (serving.wire(), serving.wire());
        let begun = owner.answer(json!(1), "session/new", json!({ "name": "mine" }));
        assert_eq!(begun["result"]["sessionId"], "mine");
        let cancel = json!({ "sessionId": "mine" });
        notify(&mut other, "session/cancel", cancel.clone());
        assert_quiet(&mut other);
        assert!(sent(&serving, "session/cancel").is_empty());
        // Whose session that is is not known, so the agent decides.
        notify(
            &mut other,
            "session/cancel",
            json!({ "sessionId": "unknown" }),
        );
        notify(&mut owner, "session/cancel", cancel.clone());
        assert_quiet(&mut owner);
        assert_quiet(&mut other);
        let passed = sent(&serving, "session/cancel");
        assert_eq!(passed.len(), 2, "{passed:?}");
        assert!(passed.iter().any(|event| event["params"] == cancel));
        serving.stop().await;
    })
    .await;
}
