//! Calls and updates that are refused.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tenon_acp::guard::{Limits, OnNote, Settings};
use tenon_protocols::acp::Profile;

use super::actors::{Agent, Stage, data, json_payload};
use super::raw::Raw;
use super::{call, chunk, code, error, everything, value};

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
async fn errors_over_the_limit_are_delayed() {
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

#[tokio::test]
async fn a_question_of_an_unknown_session_is_refused() {
    let capabilities = json!({ "elicitation": { "form": {} } });
    let mut raw = Raw::open(Settings::default(), capabilities, "a").await;
    let form = |session: &str| json!({ "sessionId": session, "mode": "form", "message": "?", "requestedSchema": {} });
    raw.agent_calls("1", "elicitation/create", form("none"))
        .await;
    assert_eq!(raw.agent.read().await["error"]["code"], -31900);
    raw.agent_calls("2", "elicitation/create", form("s")).await;
    let asked = raw
        .client_answers(json!({ "result": { "action": "decline" } }))
        .await;
    assert_eq!(asked["params"]["sessionId"], "s");
    // A question may belong to a call instead.
    let mut other = form("s");
    other["requestId"] = json!("n");
    other.as_object_mut().unwrap().remove("sessionId");
    raw.agent_calls("3", "elicitation/create", other).await;
    assert_eq!(raw.client.read().await["method"], "elicitation/create");
}

#[tokio::test]
async fn another_version_of_the_protocol_is_refused_with_a_reason() {
    let mut raw = Raw::new(Settings::default());
    let initialize = json!({ "protocolVersion": 2 });
    raw.client_calls("i", "initialize", initialize.clone())
        .await;
    raw.agent_answers(json!({ "protocolVersion": 2, "capabilities": {} }))
        .await;
    let refused = raw.client.read().await;
    let error = &refused["error"];
    assert_eq!(error["data"]["reason"], "unsupported_version");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("version 2 of the protocol"), "{message}");
    let details = error["data"]["details"].as_str().unwrap();
    assert!(details.contains("set the editor"), "{details}");
    // It can be tried again.
    raw.client_calls("j", "initialize", initialize).await;
    raw.agent_answers(json!({ "protocolVersion": 1 })).await;
    assert_eq!(raw.client.read().await["result"]["protocolVersion"], 1);
}

#[tokio::test]
async fn a_new_session_does_not_replace_one_that_is_open() {
    let mut raw = Raw::open(Settings::default(), everything(), "a").await;
    raw.prompt().await;
    raw.client_calls(
        "m",
        "session/new",
        json!({ "cwd": "/etc", "mcpServers": [] }),
    )
    .await;
    raw.agent_answers(json!({ "sessionId": "s" })).await;
    let refused = raw.client.read().await;
    assert_eq!(refused["error"]["data"]["reason"], "invalid_result");
    let prompt = json!({ "sessionId": "s", "prompt": [] });
    raw.client_calls("q", "session/prompt", prompt).await;
    assert_eq!(raw.client.read().await["error"]["code"], -31902);
    assert_eq!(raw.guard.summary().sessions, 1);
}

#[tokio::test]
async fn odd_versions_and_calls_before_the_first_are_refused() {
    let mut raw = Raw::new(Settings::default());
    for (method, params) in [
        ("authenticate", json!({ "methodId": "m" })),
        ("session/new", json!({ "cwd": "/", "mcpServers": [] })),
        ("_vendor/x", json!({})),
    ] {
        raw.client_calls("e", method, params).await;
        assert_eq!(raw.client.read().await["error"]["code"], -32600, "{method}");
    }
    for version in ["null", "\"1\"", "1.5", "-1", "65536", "true", "[1]"] {
        let version: Value = serde_json::from_str(version).unwrap();
        let params = json!({ "protocolVersion": version });
        raw.client_calls("v", "initialize", params).await;
        let refused = raw.client.read().await;
        assert_eq!(refused["error"]["code"], -32602, "{version}: {refused}");
    }
    raw.client_calls("v", "initialize", json!({})).await;
    assert_eq!(raw.client.read().await["error"]["code"], -32602);
    // Nothing was offered yet.
    let read = json!({ "sessionId": "s", "path": "/etc/hostname" });
    raw.agent_calls("f", "fs/read_text_file", read).await;
    assert_eq!(raw.agent.read().await["error"]["code"], -32601);
    // Neither an agent of another version nor one without is passed on.
    for (asked, answered) in [(2, json!(2)), (0, json!("1")), (1, Value::Null)] {
        let params = json!({ "protocolVersion": asked });
        raw.client_calls("i", "initialize", params).await;
        let call = { raw.agent_answers(json!({ "protocolVersion": answered })) }.await;
        assert_eq!(call["params"]["protocolVersion"], asked);
        let refused = raw.client.read().await;
        let reason = &refused["error"]["data"]["reason"];
        assert_eq!(reason, "unsupported_version", "{refused}");
    }
    // A later version is answered with the one that the agent speaks.
    raw.client_calls("i", "initialize", json!({ "protocolVersion": 7 }))
        .await;
    raw.agent_answers(json!({ "protocolVersion": 1 })).await;
    assert_eq!(raw.client.read().await["result"]["protocolVersion"], 1);
}

/// One screenshot is larger than the limit for a prompt.
#[tokio::test]
async fn images_do_not_count_for_the_size_of_a_prompt() {
    for (profile, image, text, expected) in [
        (Profile::V1, 4 << 20, 10, None),
        (Profile::V1, 4 << 20, 2 << 20, Some("message_too_large")),
        (Profile::V1, 33 << 20, 10, Some("media_too_large")),
        (Profile::Seed, 4 << 20, 10, Some("message_too_large")),
    ] {
        let settings = Settings {
            profile,
            ..Settings::default()
        };
        let mut raw = Raw::new(settings);
        let initialize = json!({ "protocolVersion": 1 });
        raw.client_calls("i", "initialize", initialize).await;
        let able = json!({ "promptCapabilities": { "image": true } });
        raw.agent_answers(json!({ "protocolVersion": 1, "agentCapabilities": able }))
            .await;
        raw.client.read().await;
        raw.client_calls("n", "session/new", json!({ "cwd": "/", "mcpServers": [] }))
            .await;
        raw.agent_answers(json!({ "sessionId": "s" })).await;
        raw.client.read().await;
        let prompt = json!({ "sessionId": "s", "prompt": [
            { "type": "image", "mimeType": "image/png", "data": "A".repeat(image) },
            { "type": "text", "text": "x".repeat(text) },
        ] });
        raw.client_calls("p", "session/prompt", prompt).await;
        match expected {
            None => assert_eq!(raw.agent.read().await["method"], "session/prompt"),
            Some(reason) => {
                let refused = raw.client.read().await;
                assert_eq!(refused["error"]["data"]["reason"], reason, "{profile:?}");
            }
        }
    }
}

/// Each side waits for its own errors, first come, first served.
#[tokio::test(start_paused = true)]
async fn a_flood_of_wrong_calls_of_the_agent_does_not_delay_the_editor() {
    const CALLS: usize = 300;
    let mut raw = Raw::open(Settings::default(), json!({}), "a").await;
    raw.prompt().await;
    let begun = tokio::time::Instant::now();
    for number in 0..CALLS {
        let wrong = json!({ "sessionId": "s", "path": "/w/a" });
        raw.agent_calls(&number.to_string(), "fs/read_text_file", wrong)
            .await;
    }
    let wrong = json!({ "sessionId": "none", "prompt": [] });
    raw.client_calls("wrong", "session/prompt", wrong).await;
    let refused = raw.client.read().await;
    assert_eq!(
        (&refused["id"], &refused["error"]["code"]),
        (&json!("wrong"), &json!(-31900))
    );
    assert_eq!(begun.elapsed().as_millis(), 0, "it did not wait");
    for number in 0..CALLS {
        assert_eq!(raw.agent.read().await["id"], number.to_string());
    }
}

/// Names that are not UUIDs, and texts with null characters, from both sides.
#[tokio::test]
async fn the_strict_reading_checks_names_and_texts() {
    const ID: &str = "0198a7c1-1111-7222-8333-444455556666";
    let strict = Settings {
        profile: Profile::Seed,
        ..Settings::default()
    };
    let mut raw = Raw::new(strict);
    raw.initialize(everything(), "a").await;
    for (id, code) in [("s", json!(-32603)), (ID, json!(null))] {
        let new = json!({ "cwd": "/", "mcpServers": [] });
        raw.client_calls("n", "session/new", new).await;
        raw.agent_answers(json!({ "sessionId": id })).await;
        assert_eq!(raw.client.read().await["error"]["code"], code, "{id}");
    }
    let prompt = |id: &str, text: &str| json!({ "sessionId": id, "prompt": [{ "type": "text", "text": text }] });
    for wrong in [prompt("s", "go"), prompt(ID, "g\0")] {
        raw.client_calls("w", "session/prompt", wrong).await;
        assert_eq!(raw.client.read().await["error"]["code"], -32602);
    }
    raw.client_calls("p", "session/prompt", prompt(ID, "go"))
        .await;
    raw.agent.read().await;
    let chunk = |text: &str| json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": text } });
    raw.agent_updates(ID, chunk("n\0")).await;
    raw.agent_updates(ID, chunk("right")).await;
    let update = raw.client.read().await;
    assert_eq!(update["params"]["update"]["content"]["text"], "right");
    let read = json!({ "sessionId": ID, "path": "/etc/hostname" });
    raw.agent_calls("r", "fs/read_text_file", read).await;
    raw.client_answers(json!({ "result": { "content": "a\0" } }))
        .await;
    assert_eq!(raw.agent.read().await["error"]["code"], -32603);
}

/// The history of a session is activity. A session whose agent stalls can be loaded again.
#[tokio::test(start_paused = true)]
async fn a_session_that_is_not_loaded_in_time_is_free_again() {
    let mut raw = Raw::open(Settings::default(), json!({}), "a").await;
    let load = json!({ "sessionId": "old", "cwd": "/", "mcpServers": [] });
    for _ in 0..2 {
        raw.client_calls("l", "session/load", load.clone()).await;
        assert_eq!(raw.agent.read().await["method"], "session/load");
        let started = tokio::time::Instant::now();
        for _ in 0..3 {
            tokio::time::sleep(Duration::from_secs(50)).await;
            let params = json!({ "sessionUpdate": "plan", "entries": [] });
            raw.agent_updates("old", params).await;
            assert_eq!(raw.client.read().await["method"], "session/update");
        }
        tokio::time::sleep(Duration::from_secs(59)).await;
        let refused = raw.client.read().await;
        assert_eq!(refused["error"]["code"], -32001, "{refused}");
        assert_eq!(refused["error"]["data"]["method"], "session/load");
        assert_eq!(started.elapsed().as_secs(), 210);
        assert_eq!(raw.agent.read().await["method"], "$/cancel_request");
    }
    let prompt = json!({ "sessionId": "old", "prompt": [] });
    raw.client_calls("p", "session/prompt", prompt).await;
    assert_eq!(raw.client.read().await["error"]["code"], -31900);
    raw.client_calls("l", "session/load", load).await;
    raw.agent_answers(json!({})).await;
    assert_eq!(raw.client.read().await["result"], json!({}));
}

#[tokio::test(start_paused = true)]
async fn no_call_of_the_client_waits_forever() {
    let session = json!({ "sessionId": "s" });
    let resume = json!({ "sessionId": "old", "cwd": "/", "mcpServers": [] });
    for (method, params, limit) in [
        ("authenticate", json!({ "methodId": "m" }), 900),
        ("session/list", json!({}), 60),
        ("session/resume", resume, 60),
        ("session/close", session, 60),
        (
            "session/set_mode",
            json!({ "sessionId": "s", "modeId": "m" }),
            60,
        ),
        (
            "session/set_model",
            json!({ "sessionId": "s", "modelId": "m" }),
            60,
        ),
        (
            "session/set_config_option",
            json!({ "sessionId": "s", "configId": "c", "value": "v" }),
            60,
        ),
    ] {
        let mut raw = Raw::open(Settings::default(), json!({}), "a").await;
        let started = tokio::time::Instant::now();
        raw.client_calls("c", method, params).await;
        tokio::time::sleep(Duration::from_secs(limit - 1)).await;
        let refused = raw.client.read().await;
        assert_eq!(refused["error"]["code"], -32001, "{refused}");
        assert_eq!(
            refused["error"]["data"]["timeoutMs"],
            limit * 1000,
            "{method}"
        );
        assert_eq!(started.elapsed().as_secs(), limit, "{method}");
    }
}

/// The limits of the message specification hold in both directions, and agents of today have longer lists of models.
#[tokio::test]
async fn large_answers_of_the_agent_are_noted_or_refused() {
    for (profile, is_refused) in [(Profile::V1, false), (Profile::Seed, true)] {
        let notes: Arc<Mutex<Vec<String>>> = Arc::default();
        let kept = notes.clone();
        let settings = Settings {
            profile,
            on_note: OnNote::new(move |note| kept.lock().unwrap().push(note.to_string())),
            ..Settings::default()
        };
        let mut raw = Raw::new(settings);
        let initialize = json!({ "protocolVersion": 1 });
        raw.client_calls("i", "initialize", initialize).await;
        let meta = json!({ "x": "x".repeat(10 * 1024) });
        raw.agent_answers(json!({ "protocolVersion": 1, "_meta": meta }))
            .await;
        let answer = raw.client.read().await;
        assert_eq!(answer["error"].is_object(), is_refused, "{answer}");
        if is_refused {
            assert_eq!(answer["error"]["code"], -32603);
            assert_eq!(answer["error"]["data"]["reason"], "message_too_large");
        } else {
            let notes = notes.lock().unwrap();
            assert!(notes[0].starts_with("an answer has"), "{notes:?}");
        }
    }
}
