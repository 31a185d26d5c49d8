//! Requests of plugins.

use serde_json::{Value, json};
use tenon_rpc::{ErrorCode, Payload, Router, RpcError};

use crate::plugins::with_python;
use crate::serving::Serving;
use crate::support::program::eventually;

#[tokio::test]
async fn the_caller_is_asked_and_its_answer_comes_back() {
    for dialect in ["json-rpc", "msgpack-rpc"] {
        let serving = Serving::start(&format!("--dialect {dialect} -- tenon echo")).await;
        let mut bystander = serving.wire();
        assert_eq!(
            bystander.answer(json!(1), "add", json!([1, 2]))["result"],
            3
        );
        let router = Router::new(())
            .on_raw("question", |_, params| async move {
                params.ok_or_else(|| RpcError::invalid_params("ask for something"))
            })
            .on_raw("refuse", |context, _| async move {
                let data = Payload::encode(context.peer.format(), &json!({ "why": "é" }));
                let error = RpcError::new(ErrorCode::Number(77), "not today");
                Err(error.with_data(data.expect("JSON")))
            });
        let client = serving.client_with(router).await;
        let call_back = async |method: &str| {
            let params = json!({ "method": method, "params": ["é", 9_007_199_254_740_993_u64] });
            let params = Payload::from_json(params.to_string()).expect("JSON");
            client.call_raw("call_back", Some(params)).await
        };
        let answer = call_back("question").await.expect("an answer");
        let answer: Value = answer.decode().expect("JSON");
        assert_eq!(answer, json!(["é", 9_007_199_254_740_993_u64]), "{dialect}");
        let error = call_back("refuse").await.expect_err("an error").to_string();
        assert!(error.contains("not today (code 77)"), "{dialect}: {error}");
        let error = call_back("unknown")
            .await
            .expect_err("an error")
            .to_string();
        assert!(error.contains("(code -32601)"), "{dialect}: {error}");
        // No other client was asked.
        assert_eq!(
            bystander.answer(json!(2), "add", json!([3, 4]))["result"],
            7
        );
        drop(client);
        serving.stop().await;
    }
}

/// On the wire a question is a request like any other.
#[tokio::test]
async fn a_question_on_the_wire() {
    let serving = Serving::start("-- tenon echo").await;
    let mut wire = serving.wire();
    let params = json!({ "method": "question", "params": { "a": 1 } });
    wire.ask(json!("call"), "call_back", params);
    let question = wire.message();
    assert_eq!(question["method"], "question");
    assert_eq!(question["params"], json!({ "a": 1 }));
    let answer = json!({ "jsonrpc": "2.0", "id": question["id"], "result": [1, 2] });
    wire.send(&answer.to_string());
    let expected = json!({ "jsonrpc": "2.0", "id": "call", "result": [1, 2] });
    assert_eq!(wire.message(), expected);
    serving.stop().await;
}

/// While a question waits for its answer, other clients are served, and so is the one that is
/// asked.
#[tokio::test]
async fn a_pending_request_of_the_plugin_blocks_no_client() {
    let serving = Serving::start("-- tenon echo").await;
    let (mut asked, mut other) = (serving.wire(), serving.wire());
    asked.ask(json!(1), "call_back", json!({ "method": "question" }));
    let question = asked.message();
    assert_eq!(other.answer(json!(1), "add", json!([1, 2]))["result"], 3);
    assert_eq!(asked.answer(json!(2), "add", json!([3, 4]))["result"], 7);
    // One that leaves instead of answering takes its call with it.
    assert_eq!(question["method"], "question");
    drop(asked);
    assert_eq!(other.answer(json!(2), "add", json!([5, 6]))["result"], 11);
    serving.stop().await;
}

#[tokio::test]
async fn a_request_of_an_idle_plugin_is_refused_if_several_clients_are_connected() {
    with_python("--record record", async |serving| {
        let (mut wire, _other) = (serving.wire(), serving.wire());
        wire.send(r#"{"jsonrpc":"2.0","method":"wonder","params":{"a":1}}"#);
        // A client that calls in the meantime would be asked.
        let answers = || {
            let sent = serving.frames("out").into_iter();
            sent.filter(|frame| frame["id"] == "mine")
                .collect::<Vec<Value>>()
        };
        eventually("an answer to the plugin's question", || {
            !answers().is_empty()
        })
        .await;
        let error = json!({
            "code": -32601, "message": "Method not found", "data": { "method": "question" },
        });
        assert_eq!(answers()[0]["error"], error);
        let heard = wire.answer(json!(1), "answers", json!([]));
        assert_eq!(heard["result"], json!([error]));
        serving.stop().await;
    })
    .await;
}

/// A language server asks for its settings while no call runs.
#[tokio::test]
async fn the_only_client_is_asked_while_no_call_runs() {
    with_python("", async |serving| {
        let mut wire = serving.wire();
        wire.send(r#"{"jsonrpc":"2.0","method":"wonder","params":{"a":1}}"#);
        let question = wire.message();
        assert_eq!(question["method"], "question");
        serving.stop().await;
    })
    .await;
}

#[tokio::test]
async fn of_several_the_one_that_initialised_is_asked() {
    with_python("", async |serving| {
        let (mut first, mut second) = (serving.wire(), serving.wire());
        first.answer(json!(1), "initialize", json!({}));
        second.send(r#"{"jsonrpc":"2.0","method":"wonder","params":{"a":1}}"#);
        assert_eq!(first.message()["method"], "question");
        serving.stop().await;
    })
    .await;
}

/// A client that never answers keeps the plugin waiting only so long.
#[tokio::test]
async fn a_question_that_is_ignored() {
    let serving = Serving::start("--question-timeout 100ms -- tenon echo").await;
    let mut wire = serving.wire();
    wire.ask(json!(1), "call_back", json!({ "method": "question" }));
    let question = wire.message();
    assert_eq!(question["method"], "question");
    // It gets a cancellation.
    let cancelled = wire.message();
    assert_eq!(cancelled["method"], "$/cancelRequest");
    assert_eq!(cancelled["params"], json!({ "id": question["id"] }));
    let error = json!({ "code": -32603, "message": "the client did not answer within 100ms" });
    assert_eq!(wire.message()["error"], error);
    serving.stop().await;
}
