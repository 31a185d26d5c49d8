//! Calls and updates that are refused.

use std::sync::{Arc, Mutex};

use serde_json::json;
use tenon_acp::guard::{Limits, Settings};

use super::actors::{Agent, Stage, data, json_payload};
use super::raw::Raw;
use super::{call, chunk, code, error, value};

#[tokio::test]
async fn both_sides_are_held_to_what_the_other_supports() {
    let codes = Arc::new(Mutex::new(Vec::new()));
    let seen = codes.clone();
    let agent = Agent::new(move |peer, _| {
        let seen = seen.clone();
        async move {
            let file = json!({ "sessionId": "s", "path": "/w/a" });
            let run = json!({ "sessionId": "s", "command": "ls" });
            let outcomes = [
                call(&peer, "fs/read_text_file", &file).await,
                call(&peer, "terminal/create", &run).await,
                call(
                    &peer,
                    "session/prompt",
                    &json!({ "sessionId": "s", "prompt": [] }),
                )
                .await,
            ];
            seen.lock().unwrap().extend(outcomes.map(code));
            Ok(json_payload(&json!({ "stopReason": "end_turn" })))
        }
    });
    let stage = Stage::open_with(agent, Settings::default(), json!({ "terminal": false })).await;
    let editor = stage.editor();
    assert_eq!(
        code(
            call(
                editor,
                "session/load",
                &json!({ "sessionId": "s", "cwd": "/w", "mcpServers": [] })
            )
            .await
        ),
        -32601
    );
    assert_eq!(
        code(
            call(
                editor,
                "fs/read_text_file",
                &json!({ "sessionId": "s", "path": "/w" })
            )
            .await
        ),
        -32601
    );
    let image = json!({ "sessionId": "s", "prompt": [{ "type": "image", "data": "", "mimeType": "image/png" }] });
    assert_eq!(code(call(editor, "session/prompt", &image).await), -32602);
    stage.prompt("go").await.unwrap();
    assert_eq!(*codes.lock().unwrap(), [-32601, -32601, -32601]);
}

#[tokio::test]
async fn wrong_messages_and_wrong_states_are_answered() {
    let agent = Agent::new(|_, params| async move {
        match value(&params)["prompt"][0]["text"] == "wait" {
            true => std::future::pending().await,
            false => Ok(json_payload(&json!({ "stopReason": "end_turn" }))),
        }
    });
    let stage = Stage::open(agent, Settings::default()).await;
    let editor = stage.editor();
    assert_eq!(
        code(call(editor, "initialize", &json!({ "protocolVersion": 1 })).await),
        -32600
    );
    assert_eq!(
        code(
            call(
                editor,
                "session/prompt",
                &json!({ "sessionId": "none", "prompt": [] })
            )
            .await
        ),
        -31900
    );
    assert_eq!(
        code(call(editor, "session/prompt", &json!({ "sessionId": "s" })).await),
        -32602
    );
    assert_eq!(
        code(
            call(
                editor,
                "session/new",
                &json!({ "cwd": "relative", "mcpServers": [] })
            )
            .await
        ),
        -32602
    );
    let wait = json!({ "sessionId": "s", "prompt": [{ "type": "text", "text": "wait" }] });
    let first = {
        editor
            .ask("session/prompt", Some(json_payload(&wait)))
            .await
    }
    .unwrap();
    let locked = error(stage.prompt("two").await);
    assert_eq!(
        (locked.code.number(), &*locked.message),
        (-31902, "Session locked")
    );
    assert_eq!(data(&locked)["sessionId"], "s");
    // Dropping a call cancels it. The session must not stay locked.
    drop(first);
    stage.settle().await;
    stage.prompt("three").await.unwrap();
}

#[tokio::test]
async fn updates_for_unknown_sessions_and_wrong_updates_are_dropped() {
    let agent = Agent::new(|peer, _| async move {
        let stray =
            json!({ "sessionId": "none", "update": { "sessionUpdate": "plan", "entries": [] } });
        let notice = json!({ "sessionId": "s", "update": { "sessionUpdate": "notice", "severity": "info", "title": "x" } });
        for wrong in [
            stray,
            notice,
            json!({ "sessionId": "s", "update": 7 }),
            json!({}),
        ] {
            peer.send_raw("session/update", Some(json_payload(&wrong)))
                .await
                .unwrap();
        }
        peer.send_raw("session/update", Some(json_payload(&chunk("right"))))
            .await
            .unwrap();
        Ok(json_payload(&json!({ "stopReason": "end_turn" })))
    });
    let stage = Stage::open(agent, Settings::default()).await;
    stage.prompt("go").await.unwrap();
    assert_eq!(stage.updates(), [chunk("right").to_string()]);
    assert_eq!(stage.guard().summary().refused, 4);
}

#[tokio::test(start_paused = true)]
async fn large_and_frequent_calls_are_refused() {
    let stage = Stage::open(Agent::silent(), Settings::default()).await;
    let large = stage.prompt(&"x".repeat(1024 * 1024)).await;
    let large = error(large);
    assert_eq!(large.code.number(), -32600);
    assert_eq!(data(&large)["reason"], "message_too_large");
    for _ in 0..10 {
        stage.prompt("go").await.unwrap();
    }
    let limited = error(stage.prompt("go").await);
    assert_eq!(
        (limited.code.number(), &*limited.message),
        (-31903, "Rate limit exceeded")
    );
    assert!(data(&limited)["retryAfterMs"].as_u64().unwrap() > 0);
    let limits = Limits {
        rates: false,
        sizes: false,
        ..Limits::default()
    };
    let stage = Stage::open(
        Agent::silent(),
        Settings {
            limits,
            ..Settings::default()
        },
    )
    .await;
    stage.prompt(&"x".repeat(1024 * 1024)).await.unwrap();
    for _ in 0..20 {
        stage.prompt("go").await.unwrap();
    }
}

#[tokio::test]
async fn an_unknown_session_can_be_loaded_only_if_the_agent_knows_it() {
    let mut raw = Raw::open(Settings::default(), json!({}), "a").await;
    let load = json!({ "sessionId": "gone", "cwd": "/", "mcpServers": [] });
    raw.client_calls("l", "session/load", load).await;
    let call = raw.agent.read().await;
    let error = json!({ "code": -32603, "message": "Internal error", "data": { "details": "Session not found" } });
    let answer = json!({ "jsonrpc": "2.0", "id": call["id"], "error": error });
    raw.agent.write(&answer.to_string()).await;
    assert_eq!(
        raw.client.read().await["error"],
        error,
        "as the agent says it"
    );
    let prompt = json!({ "sessionId": "gone", "prompt": [] });
    raw.client_calls("p", "session/prompt", prompt).await;
    let refused = raw.client.read().await;
    assert_eq!(refused["error"]["code"], -31900);
    assert_eq!(refused["error"]["data"]["acpCode"], -32002);
}

#[tokio::test(start_paused = true)]
async fn whoever_causes_many_errors_waits_for_them() {
    let stage = Stage::open(Agent::silent(), Settings::default()).await;
    let started = tokio::time::Instant::now();
    for _ in 0..120 {
        let wrong = json_payload(&json!({ "sessionId": "none", "prompt": [] }));
        let answer = stage.editor().call_raw("session/prompt", Some(wrong)).await;
        assert!(answer.is_err());
    }
    // Sixty at once, then ten in a second.
    let took = started.elapsed().as_secs();
    assert!((5..8).contains(&took), "{took} s");
}
