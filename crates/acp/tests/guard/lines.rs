//! Lines that are not messages, or not quite.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tenon_acp::guard::{Guard, OnNote, Settings};
use tenon_acp::record::{Masks, Record};

use super::actors::RawPeer;
use super::raw::Raw;

/// Text on a line, as it comes from a program that has a mistake in it.
#[tokio::test]
async fn broken_lines_are_answered_and_the_connection_stays_open() {
    let (mut raw, client_side) = RawPeer::pair();
    let (_agent, agent_side) = RawPeer::pair();
    let _guard = Guard::start(client_side, agent_side, Settings::default());
    for (line, code) in [
        ("{not json", -32700),
        (
            r#"[{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}]"#,
            -32600,
        ),
        (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, -32600),
        (
            r#"{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"1"}}"#,
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":3,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}"#,
            -32600,
        ),
    ] {
        raw.write(line).await;
        assert_eq!(raw.read().await["error"]["code"], code, "{line}");
    }
}

#[tokio::test]
async fn noise_of_an_agent_does_not_end_the_session() {
    for noise in [
        "Loading model...",
        "",
        "[]",
        r#"[{"jsonrpc":"2.0","id":1,"method":"fs/read_text_file"}]"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#,
        r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}"#,
        r#"{"jsonrpc":"2.0","id":4711,"result":{}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"x","update":{"sessionUpdate":"plan","entries":[]}}}"#,
    ] {
        let (mut client, client_side) = RawPeer::pair();
        let (mut agent, agent_side) = RawPeer::pair();
        let _guard = Guard::start(client_side, agent_side, Settings::default());
        client.write(r#"{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":1}}"#).await;
        let asked = agent.read().await;
        agent.write(noise).await;
        let answer =
            json!({ "jsonrpc": "2.0", "id": asked["id"], "result": { "protocolVersion": 1 } });
        agent.write(&answer.to_string()).await;
        let answer = client.read().await;
        let expected = json!({ "jsonrpc": "2.0", "id": "i", "result": { "protocolVersion": 1 } });
        assert_eq!(answer, expected, "after {noise}");
    }
}

/// What is skipped is told, and counted.
#[tokio::test]
async fn skipped_lines_are_noted() {
    let notes = Arc::new(Mutex::new(Vec::new()));
    let seen = notes.clone();
    let settings = Settings {
        on_note: OnNote::new(move |note| seen.lock().unwrap().push(note.to_string())),
        ..Settings::default()
    };
    let (mut client, client_side) = RawPeer::pair();
    let (mut agent, agent_side) = RawPeer::pair();
    let guard = Guard::start(client_side, agent_side, settings);
    client
        .write(r#"{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":1}}"#)
        .await;
    let asked = agent.read().await;
    agent.write("Loading model...").await;
    agent.write("[]").await;
    let answer = json!({ "jsonrpc": "2.0", "id": asked["id"], "result": { "protocolVersion": 1 } });
    agent.write(&answer.to_string()).await;
    client.read().await;
    assert_eq!(guard.summary().skipped, 2);
    let notes = notes.lock().unwrap().join("\n");
    assert!(
        notes.contains("skipped a line of the agent that is not a message: Loading model..."),
        "{notes}"
    );
}

/// The editor is told what is wrong with an answer, without the secrets in it.
#[tokio::test]
async fn a_wrong_answer_is_quoted_without_secrets() {
    let mut raw = Raw::new(Settings::default());
    raw.initialize(json!({}), "a").await;
    let server = json!({ "name": "m", "command": "/bin/true", "args": [],
        "env": [{ "name": "KEY", "value": "hunter2-hunter2" }] });
    let new = json!({ "cwd": "/", "mcpServers": [server] });
    raw.client_calls("n", "session/new", new).await;
    let call = raw.agent.read().await;
    let wrong =
        json!({ "jsonrpc": "2.0", "id": call["id"], "result": {}, "error": "hunter2-hunter2" });
    raw.agent.write(&wrong.to_string()).await;
    let answer = raw.client.read().await;
    assert_eq!(answer["error"]["code"], -32603, "{answer}");
    assert_eq!(answer["error"]["message"], "Internal error");
    assert_eq!(answer["error"]["data"]["reason"], "invalid_answer");
    assert!(!answer.to_string().contains("hunter2"), "{answer}");
}

#[tokio::test]
async fn events_with_an_id_that_is_null_are_not_answered() {
    let mut raw = Raw::open(Settings::default(), json!({}), "a").await;
    raw.prompt().await;
    let cancel =
        r#"{"jsonrpc":"2.0","id":null,"method":"session/cancel","params":{"sessionId":"s"}}"#;
    raw.client.write(cancel).await;
    let event = raw.agent.read().await;
    let expected =
        json!({ "jsonrpc": "2.0", "method": "session/cancel", "params": { "sessionId": "s" } });
    assert_eq!(event, expected, "it has no id on its way on");
    let update = r#"{"jsonrpc":"2.0","id":null,"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[]}}}"#;
    raw.agent.write(update).await;
    assert_eq!(raw.client.read().await["method"], "session/update");
    // A call needs an id.
    let call = r#"{"jsonrpc":"2.0","id":null,"method":"session/list","params":{}}"#;
    raw.client.write(call).await;
    let refused = raw.client.read().await;
    assert_eq!(
        (&refused["id"], &refused["error"]["code"]),
        (&Value::Null, &json!(-32600))
    );
    raw.agent_calls("1", "_vendor/x", json!({})).await;
    let passed = raw.client.read().await;
    assert_eq!(
        passed["method"], "_vendor/x",
        "the agent got no answers either"
    );
}

/// Lines that are not messages are answered as slowly as other errors, and what is not wrong is not delayed by them.
#[tokio::test(start_paused = true)]
async fn answers_to_many_invalid_lines_are_delayed() {
    let mut raw = Raw::open(Settings::default(), json!({}), "a").await;
    let started = tokio::time::Instant::now();
    let wrong = ["{", "[]", "7", r#"{"id":3}"#];
    for number in 0..120 {
        raw.client.write(wrong[number % wrong.len()]).await;
    }
    raw.client_calls("c", "_vendor/x", json!({})).await;
    raw.agent_answers(json!({})).await;
    let (mut codes, mut good) = (Vec::new(), None);
    while codes.len() < 120 {
        let answer = raw.client.read().await;
        match answer["error"]["code"].as_i64() {
            Some(code) => codes.push(code),
            None => good = Some(started.elapsed().as_secs()),
        }
    }
    let took = started.elapsed().as_secs();
    assert!((5..8).contains(&took), "{took} s");
    assert_eq!(good, Some(0), "the right one was answered at once");
    assert!(codes.contains(&-32700) && codes.contains(&-32600));
    assert_eq!(raw.guard.summary().refused, 120);
}

#[tokio::test]
async fn lines_that_are_too_long_do_not_end_a_session() {
    let mut raw = Raw::open(Settings::default(), json!({}), "a").await;
    let long = "x".repeat(65 * 1024 * 1024);
    let writing = async {
        let call = format!(
            r#"{{"jsonrpc":"2.0","id":"long","method":"session/prompt","params":{{"text":"{long}"}}}}"#
        );
        raw.client.write(&call).await;
    };
    writing.await;
    let answer = raw.client.read().await;
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
    raw.agent
        .write(&format!(
            r#"{{"jsonrpc":"2.0","method":"session/update","params":"{long}"}}"#
        ))
        .await;
    raw.prompt().await;
}

/// Whoever waits is told, everybody else finds it in the record and in the summary, and nothing of it is kept.
#[tokio::test]
async fn messages_over_the_limit_are_refused_and_noted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.jsonl");
    let settings = Settings {
        record: Some(Record::open(&path, Masks::default()).unwrap()),
        ..Settings::default()
    };
    let mut raw = Raw::open(settings, json!({}), "a").await;
    let asked = raw.prompt().await;
    let long = "hunter2 ".repeat(8 * 1024 * 1024 + 1);
    // A call, an event and an answer of the agent.
    let call =
        format!(r#"{{"jsonrpc":"2.0","id":"long","method":"_vendor/x","params":["{long}"]}}"#);
    raw.agent.write(&call).await;
    let refused = raw.agent.read().await;
    assert_eq!(
        (&refused["id"], &refused["error"]["code"]),
        (&json!("long"), &json!(-32600))
    );
    let event = format!(r#"{{"jsonrpc":"2.0","method":"session/update","params":"{long}"}}"#);
    raw.agent.write(&event).await;
    let answer = format!(
        r#"{{"jsonrpc":"2.0","id":{},"result":"{long}"}}"#,
        asked["id"]
    );
    raw.agent.write(&answer).await;
    let failed = raw.client.read().await;
    assert_eq!(
        (&failed["id"], &failed["error"]["code"]),
        (&json!("p"), &json!(-32603))
    );
    assert_eq!(failed["error"]["data"]["reason"], "invalid_answer");
    let (summary, _) = raw.guard.finish().await.unwrap();
    assert_eq!((summary.oversized, summary.refused), (3, 1));
    let record = std::fs::read_to_string(&path).unwrap();
    assert!(!record.contains("hunter2"), "{}", &record[..4096]);
    for size in [call.len(), event.len(), answer.len()] {
        // With the line break.
        let note = format!(
            r#""note":{{"skipped":{{"from":"agent","size":{}}}}}"#,
            size + 1
        );
        assert!(record.contains(&note), "{note} in {record}");
    }
    let note = r#""note":{"oversized":{"from":"agent","limit":67108864}}"#;
    assert_eq!(record.matches(note).count(), 3, "{record}");
}
