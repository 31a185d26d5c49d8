//! What passes: byte for byte, in order, joined if there is too much.

use std::time::Duration;

use serde_json::{Value, json};
use tenon_acp::guard::Settings;
use tenon_protocols::acp::Profile;
use tenon_rpc::Payload;

use super::actors::{Agent, Stage, json_payload};
use super::raw::Raw;
use super::{call, chunk, code};

#[tokio::test]
async fn what_is_allowed_passes_byte_for_byte_and_in_order() {
    const PROMPT: &str = r#"{ "prompt":[{"type":"text","text":"h\u0069"} ],"sessionId":"s", "_meta":{"n":1.00,"big":12345678901234567890}}"#;
    const UPDATE: &str = r#"{"update":{"x":[1e2 , 1.50],"sessionUpdate":"agent_message_chunk","content":{"text":"\u0061","type":"text"}},"sessionId":"s"}"#;
    const RESULT: &str = r#"{"usage":{"n":1.0},"stopReason":"end_turn" }"#;
    let agent = Agent::new(|peer, params| async move {
        assert_eq!(params.bytes(), PROMPT);
        for _ in 0..3 {
            let update = Payload::from_json(UPDATE).unwrap();
            peer.send_raw("session/update", Some(update)).await.unwrap();
        }
        Ok(Payload::from_json(RESULT).unwrap())
    });
    let stage = Stage::open(agent, Settings::default()).await;
    let prompt = Payload::from_json(PROMPT).unwrap();
    let result = stage
        .editor()
        .call_raw("session/prompt", Some(prompt))
        .await
        .unwrap();
    assert_eq!(result.bytes(), RESULT);
    assert_eq!(
        stage.updates(),
        [UPDATE; 3],
        "they arrive before the answer"
    );
    let echo = r#"{"deep":[ 1.0 ]}"#;
    let reply = stage
        .editor()
        .call_raw("_vendor/echo", Some(Payload::from_json(echo).unwrap()))
        .await;
    assert_eq!(reply.unwrap().bytes(), echo, "extensions pass");
}

#[tokio::test]
async fn methods_of_later_versions_pass_unless_the_reading_is_strict() {
    let params = json!({ "sessionId": "s" });
    let stage = Stage::open(Agent::silent(), Settings::default()).await;
    assert!(
        call(stage.editor(), "session/status", &params)
            .await
            .is_ok()
    );
    let strict = Settings {
        profile: Profile::Seed,
        ..Settings::default()
    };
    // Its session has a name that the strict reading refuses.
    let stage = Stage::new(Agent::silent(), strict);
    let initialize = json!({ "protocolVersion": 1 });
    call(stage.editor(), "initialize", &initialize)
        .await
        .unwrap();
    assert_eq!(
        code(call(stage.editor(), "session/status", &params).await),
        -32601
    );
    assert!(call(stage.editor(), "_vendor/echo", &params).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_flood_of_chunks_is_joined_and_complete() {
    const COUNT: usize = 3000;
    let agent = Agent::new(|peer, _| async move {
        for number in 0..COUNT {
            peer.send_raw(
                "session/update",
                Some(json_payload(&chunk(&format!("{number} ")))),
            )
            .await
            .unwrap();
        }
        Ok(json_payload(&json!({ "stopReason": "end_turn" })))
    });
    let stage = Stage::open(agent, Settings::default()).await;
    stage.prompt("go").await.unwrap();
    let updates = stage.updates();
    assert!(updates.len() < 500, "{} updates", updates.len());
    let text: String = { updates.iter() }
        .map(|update| serde_json::from_str::<Value>(update).unwrap())
        .map(|update| {
            update["update"]["content"]["text"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    let expected: String = (0..COUNT).map(|number| format!("{number} ")).collect();
    assert_eq!(text, expected);
}

/// What waits is sent without anything else happening.
#[tokio::test(start_paused = true)]
async fn chunks_that_wait_are_sent_in_time() {
    let agent = Agent::new(|peer, _| async move {
        for _ in 0..200 {
            peer.send_raw("session/update", Some(json_payload(&chunk("x"))))
                .await
                .unwrap();
        }
        tokio::time::sleep(Duration::from_secs(60)).await;
        Ok(json_payload(&json!({ "stopReason": "end_turn" })))
    });
    let stage = Stage::open(agent, Settings::default()).await;
    let turn = stage.prompt("go");
    let early = tokio::time::timeout(Duration::from_secs(30), turn).await;
    assert!(early.is_err(), "the turn still runs");
    let updates = stage.updates();
    let texts: usize = { updates.iter() }
        .map(|update| {
            serde_json::from_str::<Value>(update).unwrap()["update"]["content"]["text"]
                .as_str()
                .unwrap()
                .len()
        })
        .sum();
    assert_eq!(texts, 200);
}

#[tokio::test]
async fn updates_may_come_before_the_answer_that_names_their_session() {
    let mut raw = Raw::new(Settings::default());
    raw.initialize(json!({}), "a").await;
    raw.client_calls("n", "session/new", json!({ "cwd": "/", "mcpServers": [] }))
        .await;
    let call = raw.agent.read().await;
    let chunk = |text: &str| json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": text } });
    raw.agent_updates("s", chunk("one")).await;
    raw.agent_updates("another", chunk("stray")).await;
    raw.agent_updates("s", chunk("two")).await;
    let answer = json!({ "jsonrpc": "2.0", "id": call["id"], "result": { "sessionId": "s" } });
    raw.agent.write(&answer.to_string()).await;
    for expected in ["one", "two"] {
        let update = raw.client.read().await;
        assert_eq!(update["params"]["update"]["content"]["text"], expected);
    }
    assert_eq!(raw.client.read().await["result"]["sessionId"], "s");
    assert_eq!(raw.guard.summary().refused, 1, "one call opens one session");
    raw.agent_updates("another", chunk("stray")).await;
    raw.agent_updates("s", chunk("three")).await;
    let update = raw.client.read().await;
    assert_eq!(update["params"]["update"]["content"]["text"], "three");
}

/// Chunks of a session that is being opened are joined like all others.
#[tokio::test(start_paused = true)]
async fn early_floods_are_joined_and_complete() {
    let mut raw = Raw::new(Settings::default());
    raw.initialize(json!({}), "a").await;
    raw.client_calls("n", "session/new", json!({ "cwd": "/", "mcpServers": [] }))
        .await;
    let call = raw.agent.read().await;
    let mut lines = 0;
    let mut text = String::new();
    let mut expected = String::new();
    for number in 0..600 {
        let word = format!("{number} ");
        let chunk = json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": word } });
        raw.agent_updates("s", chunk).await;
        expected += &word;
    }
    let answer = json!({ "jsonrpc": "2.0", "id": call["id"], "result": { "sessionId": "s" } });
    raw.agent.write(&answer.to_string()).await;
    loop {
        let message = raw.client.read().await;
        if message["id"] == "n" {
            break;
        }
        lines += 1;
        text += message["params"]["update"]["content"]["text"]
            .as_str()
            .unwrap();
    }
    assert_eq!(text, expected);
    assert!(lines < 300, "{lines} lines");
}

#[tokio::test]
async fn tool_calls_may_be_announced_twice_or_only_by_a_change() {
    let mut raw = Raw::open(Settings::default(), json!({}), "a").await;
    raw.prompt().await;
    for update in [
        json!({ "sessionUpdate": "tool_call", "toolCallId": "t", "title": "a" }),
        json!({ "sessionUpdate": "tool_call", "toolCallId": "t", "title": "b" }),
        json!({ "sessionUpdate": "tool_call_update", "toolCallId": "never announced", "status": "failed" }),
    ] {
        raw.agent_updates("s", update.clone()).await;
        assert_eq!(raw.client.read().await["params"]["update"], update);
    }
}

#[tokio::test]
async fn options_that_a_client_does_not_know_are_left_out() {
    let boolean = json!({ "type": "boolean", "id": "a", "name": "A", "currentValue": true });
    let select =
        json!({ "type": "select", "id": "b", "name": "B", "currentValue": "x", "options": [] });
    let options = json!([boolean, select]);
    for (capabilities, expected) in [
        (json!({}), json!([select])),
        (
            json!({ "session": { "configOptions": { "boolean": {} } } }),
            options.clone(),
        ),
    ] {
        let mut raw = Raw::new(Settings::default());
        raw.initialize(capabilities, "a").await;
        let new = json!({ "cwd": "/", "mcpServers": [] });
        raw.client_calls("n", "session/new", new).await;
        raw.agent_answers(json!({ "sessionId": "s", "configOptions": options }))
            .await;
        let answer = raw.client.read().await;
        assert_eq!(answer["result"]["configOptions"], expected);
        let update = json!({ "sessionUpdate": "config_option_update", "configOptions": options });
        raw.agent_updates("s", update).await;
        let update = raw.client.read().await;
        assert_eq!(update["params"]["update"]["configOptions"], expected);
    }
}

/// Editors show the text of this error beside their way to log in.
#[tokio::test]
async fn a_missing_login_says_what_was_not_passed_on() {
    const HINT: &str = "A_KEY is set, but was not passed on: add `--env A_KEY`";
    let new = json!({ "cwd": "/", "mcpServers": [] });
    let login = json!({ "code": -32000, "message": "Authentication required", "data": { "x": 1 } });
    let lost = json!({ "code": -32000, "message": "Connection lost" });
    let explained = json!({ "code": -32000, "message": format!("Authentication required ({HINT})"), "data": { "x": 1 } });
    for (hint, error, expected) in [
        (Some(HINT), &login, &explained),
        (None, &login, &login),
        (Some(HINT), &lost, &lost),
    ] {
        let settings = Settings {
            login_hint: hint.map(str::to_owned),
            ..Settings::default()
        };
        let mut raw = Raw::new(settings);
        raw.initialize(json!({}), "a").await;
        raw.client_calls("n", "session/new", new.clone()).await;
        let call = raw.agent.read().await;
        raw.agent_writes_answer(&call, json!({ "error": error }))
            .await;
        assert_eq!(raw.client.read().await["error"], *expected);
    }
}
