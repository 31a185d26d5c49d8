//! Many clients at once, who all count their calls from 1.

use std::collections::HashSet;

use serde_json::{Value, json};
use tenon_rpc::Payload;
use tokio::task::JoinSet;

use crate::serving::Serving;
use crate::support::program::in_time;

/// Each of them adds its own number to the number of the call, so that no answer is another's.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_answer_goes_to_the_one_who_asked() {
    const CLIENTS: i64 = 50;
    const CALLS: i64 = 200;
    let serving = Serving::start("--record record -- tenon echo").await;
    let mut clients = JoinSet::new();
    for client in 0..CLIENTS {
        let connection = serving.client().await;
        clients.spawn(async move {
            // All calls at once: all clients use the same ids.
            let mut calls = JoinSet::new();
            for call in 0..CALLS {
                let connection = connection.clone();
                calls.spawn(async move {
                    let numbers = json!([client * 1000, call]).to_string();
                    let params = Payload::from_json(&numbers).expect("JSON");
                    let answer = connection.call_raw("add", Some(params)).await;
                    let sum: i64 = answer.expect("a sum").decode().expect("a number");
                    assert_eq!(sum, client * 1000 + call);
                });
            }
            while let Some(called) = calls.join_next().await {
                called.expect("an answer");
            }
        });
    }
    while let Some(client) = in_time("all answers", clients.join_next()).await {
        client.expect("a client");
    }
    // The plugin has one caller, whose ids are all different.
    let frames = serving.frames("out");
    let ids: HashSet<u64> = frames
        .iter()
        .filter_map(|frame| frame["id"].as_u64())
        .collect();
    assert_eq!(ids.len(), 10_000);
    assert_eq!(ids.iter().max(), Some(&10_000));
    serving.stop().await;
}

/// The ids of clients are theirs: they come back to the letter, whatever the plugin's are.
#[tokio::test]
async fn ids_come_back_as_they_were() {
    let serving = Serving::start("--record record -- tenon echo").await;
    let (mut one, mut other) = (serving.wire(), serving.wire());
    let ids = [
        "1",
        "\"1\"",
        "\"\"",
        "\"é😀\"",
        "null",
        "0",
        "-1",
        "1.0",
        "1e3",
        "-0",
        "18446744073709551615",
        "123456789012345678901234567890",
    ];
    for (number, id) in ids.iter().enumerate() {
        let request = |sum: usize| {
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"add","params":[{sum},1]}}"#)
        };
        one.send(&request(number));
        other.send(&request(number + 100));
        let answer = |sum: usize| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{sum}}}"#);
        assert_eq!(one.line(), answer(number + 1));
        assert_eq!(other.line(), answer(number + 101));
    }
    // For the plugin they are numbers.
    let frames = serving.frames("out");
    assert!(
        frames.iter().all(|frame| frame["id"].is_u64()),
        "{frames:?}"
    );
    serving.stop().await;
}

/// A batch is answered with a batch, and its calls go to the plugin one by one.
#[tokio::test]
async fn batches() {
    let serving = Serving::start("--record record -- tenon echo").await;
    let mut wire = serving.wire();
    let call = |id: Value, method: &str, params: Value| json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
    let batch = json!([
        call(json!("a"), "add", json!([1, 2])),
        { "jsonrpc": "2.0", "method": "tick", "params": { "number": 0 } },
        call(json!("b"), "nope", json!([])),
        call(json!("c"), "ticks", Value::Null),
        7,
    ]);
    wire.send(&batch.to_string());
    let answers = wire.message();
    let answers = answers.as_array().expect("a batch");
    let find = |id: Value| {
        let found = answers.iter().find(|answer| answer["id"] == id);
        found.unwrap_or_else(|| panic!("{id} in {answers:?}"))
    };
    assert_eq!(answers.len(), 4);
    assert_eq!(find(json!("a"))["result"], 3);
    assert_eq!(find(json!("b"))["error"]["code"], -32601);
    assert_eq!(find(json!("c"))["result"]["count"], 1);
    assert_eq!(find(Value::Null)["error"]["code"], -32600);
    let frames = serving.frames("out");
    assert!(frames.iter().all(Value::is_object), "{frames:?}");
    serving.stop().await;
}

/// A client that sends invalid messages gets errors, and other clients are not affected.
#[tokio::test]
async fn invalid_messages_do_not_reach_the_plugin() {
    let serving = Serving::start("--record record -- tenon echo").await;
    let (mut rude, mut polite) = (serving.wire(), serving.wire());
    for (line, code) in [
        ("rubbish", -32700),
        ("{\"jsonrpc\":\"2.0\"", -32700),
        ("{}", -32600),
        ("[]", -32600),
        (r#"{"jsonrpc":"1.0","id":1,"method":"add"}"#, -32600),
    ] {
        rude.send(line);
        assert_eq!(rude.message()["error"]["code"], code, "{line}");
    }
    // Answers without a request are ignored.
    rude.send(r#"{"jsonrpc":"2.0","id":1,"result":"nobody asked"}"#);
    assert_eq!(rude.answer(json!(1), "add", json!([1, 2]))["result"], 3);
    assert_eq!(polite.answer(json!(1), "add", json!([3, 4]))["result"], 7);
    assert_eq!(serving.frames("out").len(), 2);
    serving.stop().await;
}

/// A client that has finished sending still gets every answer.
#[tokio::test]
async fn a_client_that_has_finished_sending_is_answered() {
    let serving = Serving::start("-- tenon echo").await;
    let mut wire = serving.wire();
    wire.ask(json!(1), "sleep", json!({ "ms": 300 }));
    // The last line has no line end.
    wire.send_bytes(br#"{"jsonrpc":"2.0","id":2,"method":"add","params":[1,2]}"#);
    wire.finish();
    let rest = wire.rest();
    let mut lines: Vec<&str> = rest.lines().collect();
    lines.sort_unstable();
    assert_eq!(
        lines,
        [
            r#"{"jsonrpc":"2.0","id":1,"result":null}"#,
            r#"{"jsonrpc":"2.0","id":2,"result":3}"#,
        ]
    );
    serving.stop().await;
}
