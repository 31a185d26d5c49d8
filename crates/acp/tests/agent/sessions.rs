//! Sessions: what they offer, how they are kept, and how they are opened again.

use serde_json::{Value, json};
use tenon_acp::agent::Settings;

use crate::editor::Editor;
use crate::support::{W, X};

fn open(session: &str) -> Value {
    json!({ "sessionId": session, "cwd": W, "mcpServers": [] })
}

#[tokio::test]
async fn only_what_is_there_is_stated() {
    let editor = Editor::connect(Settings::default());
    let params = json!({ "protocolVersion": 99, "clientCapabilities": {} });
    let result = editor.call("initialize", &params).await;
    assert_eq!(
        result,
        json!({
            "protocolVersion": 1,
            "agentCapabilities": { "sessionCapabilities": { "close": {} } },
            "authMethods": [{ "id": "key", "name": "With a key" }],
            "agentInfo": { "name": "actor", "version": "1.0.0" },
        })
    );
    let session = editor.session(W).await;
    for method in ["session/load", "session/resume", "session/delete"] {
        assert_eq!(
            editor.code(method, &open(&session)).await,
            -32601,
            "{method}"
        );
    }
    assert_eq!(editor.code("session/list", &json!({})).await, -32601);
    assert_eq!(editor.code("logout", &json!({})).await, -32601);
    editor
        .call("authenticate", &json!({ "methodId": "key" }))
        .await;
    assert_eq!(
        editor
            .code("authenticate", &json!({ "methodId": "no" }))
            .await,
        -32602
    );
}

#[tokio::test]
async fn modes_models_and_options_are_kept_in_step() {
    let folder = tempfile::tempdir().unwrap();
    let editor = Editor::stored(folder.path()).await;
    let new = editor
        .call("session/new", &json!({ "cwd": W, "mcpServers": [] }))
        .await;
    let session = new["sessionId"].as_str().unwrap().to_owned();
    assert_eq!(new["modes"]["currentModeId"], "ask");
    assert_eq!(new["models"]["currentModelId"], "small");
    let values = |options: &Value| -> Vec<Value> {
        let options = options.as_array().unwrap().iter();
        options
            .map(|option| option["currentValue"].clone())
            .collect()
    };
    assert_eq!(
        values(&new["configOptions"]),
        [json!("ask"), json!("small"), json!("low"), json!(false)]
    );

    editor
        .call(
            "session/set_mode",
            &json!({ "sessionId": session, "modeId": "plan" }),
        )
        .await;
    let last = editor.updates().pop().unwrap();
    assert_eq!(last["sessionUpdate"], "config_option_update");
    assert_eq!(values(&last["configOptions"])[0], "plan");
    editor
        .call(
            "session/set_model",
            &json!({ "sessionId": session, "modelId": "large" }),
        )
        .await;
    let set =
        |id: &str, value: Value| json!({ "sessionId": session, "configId": id, "value": value });
    let result = editor
        .call("session/set_config_option", &set("effort", json!("high")))
        .await;
    assert_eq!(
        values(&result["configOptions"]),
        [json!("plan"), json!("large"), json!("high"), json!(false)]
    );
    let result = editor
        .call("session/set_config_option", &set("mode", json!("ask")))
        .await;
    assert_eq!(values(&result["configOptions"])[0], "ask");
    let last = editor.updates().pop().unwrap();
    assert_eq!(
        last,
        json!({ "sessionUpdate": "current_mode_update", "currentModeId": "ask" })
    );
    // The agent refuses this one, so nothing changes.
    let mut flag = set("web", json!(true));
    flag["type"] = json!("boolean");
    assert_eq!(
        editor.code("session/set_config_option", &flag).await,
        -32603
    );
    for (method, params) in [
        (
            "session/set_mode",
            json!({ "sessionId": session, "modeId": "no" }),
        ),
        (
            "session/set_model",
            json!({ "sessionId": session, "modelId": "no" }),
        ),
        ("session/set_config_option", set("effort", json!("no"))),
        ("session/set_config_option", set("no", json!("x"))),
    ] {
        assert_eq!(editor.code(method, &params).await, -32602, "{params}");
    }
    editor.prompt(&session, "mode:plan").await.unwrap();
    let updates = editor.updates();
    let kinds: Vec<Value> = { updates.iter().rev().take(2) }
        .map(|update| update["sessionUpdate"].clone())
        .collect();
    assert_eq!(kinds, ["config_option_update", "current_mode_update"]);
    editor.leave().await;

    let editor = Editor::stored(folder.path()).await;
    let loaded = editor.call("session/resume", &open(&session)).await;
    assert_eq!(loaded["modes"]["currentModeId"], "plan");
    assert_eq!(
        values(&loaded["configOptions"]),
        [json!("plan"), json!("large"), json!("high"), json!(false)]
    );
}

#[tokio::test]
async fn options_that_a_client_does_not_know_are_not_sent() {
    let editor = Editor::with(json!({}), Settings::default()).await;
    let new = editor.call("session/new", &json!({ "cwd": W })).await;
    assert_eq!(new["configOptions"].as_array().unwrap().len(), 3);
    let plain = editor
        .call("session/new", &json!({ "cwd": format!("{W}/plain") }))
        .await;
    let members: Vec<&String> = plain.as_object().unwrap().keys().collect();
    assert_eq!(members, ["sessionId"]);
    let params = json!({ "sessionId": plain["sessionId"], "modeId": "ask" });
    assert_eq!(editor.code("session/set_mode", &params).await, -32601);
}

#[tokio::test]
async fn a_loaded_session_replays_everything_before_the_answer() {
    let folder = tempfile::tempdir().unwrap();
    let editor = Editor::stored(folder.path()).await;
    let session = editor.session(W).await;
    editor
        .prompt(&session, "think:a say:b say:c tool plan")
        .await
        .unwrap();
    editor.prompt(&session, "done say:d").await.unwrap();
    assert!(
        editor
            .updates()
            .iter()
            .any(|update| update["title"] == "think:a say:b say:c tool plan")
    );
    editor.kill().await;

    let editor = Editor::stored(folder.path()).await;
    editor.call("session/load", &open(&session)).await;
    let seen = editor.seen.lock().unwrap().clone();
    let answer = seen.iter().position(|frame| frame["id"] == 2).unwrap();
    let replayed: Vec<Value> = { seen[..answer].iter() }
        .filter(|frame| frame["method"] == "session/update")
        .map(|frame| {
            assert_eq!(frame["params"]["sessionId"], session);
            let update = &frame["params"]["update"];
            json!([update["sessionUpdate"], update["content"]["text"]])
        })
        .collect();
    assert_eq!(
        replayed,
        [
            json!(["user_message_chunk", "think:a say:b say:c tool plan"]),
            json!(["agent_thought_chunk", "a"]),
            json!(["agent_message_chunk", "bc"]),
            json!(["tool_call", null]),
            json!(["plan", null]),
            json!(["user_message_chunk", "done say:d"]),
            json!(["tool_call_update", null]),
            json!(["agent_message_chunk", "d"]),
        ]
    );
    // Loading what is open is the same again; resuming it replays nothing.
    editor.forget();
    editor.call("session/load", &open(&session)).await;
    assert_eq!(editor.text("agent_message_chunk"), "bcd");
    editor.forget();
    editor.call("session/resume", &open(&session)).await;
    assert_eq!(editor.text("agent_message_chunk"), "");
    editor.prompt(&session, "say:e").await.unwrap();
    assert_eq!(editor.text("agent_message_chunk"), "e");
}

#[tokio::test]
async fn tool_calls_of_a_killed_agent_have_failed() {
    let folder = tempfile::tempdir().unwrap();
    let editor = Editor::stored(folder.path()).await;
    let session = editor.session(W).await;
    let params = crate::support::payload(&crate::editor::prompt(&session, "tool say:begun wait"));
    let asked = editor
        .peer()
        .ask("session/prompt", Some(params))
        .await
        .unwrap();
    editor
        .until(|seen| {
            seen.iter()
                .any(|frame| frame["params"]["update"]["content"]["text"] == "begun")
        })
        .await;
    // The task of the turn goes on until its client is gone.
    editor.leave().await;
    drop(asked);
    let editor = Editor::stored(folder.path()).await;
    editor.call("session/load", &open(&session)).await;
    let mut updates = editor.updates();
    updates.retain(|update| update["sessionUpdate"] == "tool_call_update");
    let last = updates.pop().unwrap();
    let expected =
        json!({ "sessionUpdate": "tool_call_update", "toolCallId": "t1", "status": "failed" });
    assert_eq!(last, expected);
    assert_eq!(editor.text("agent_message_chunk"), "begunstopping");
}

#[tokio::test]
async fn sessions_are_listed_closed_and_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let editor = Editor::stored(folder.path()).await;
    let (one, other) = (editor.session(W).await, editor.session(X).await);
    editor.prompt(&one, "title:Hello").await.unwrap();
    let all = editor.call("session/list", &json!({})).await;
    assert_eq!(all["sessions"].as_array().unwrap().len(), 2);
    let here = editor.call("session/list", &json!({ "cwd": W })).await;
    assert_eq!(here["sessions"][0]["title"], "Hello");
    assert_eq!(here["sessions"][0]["sessionId"], one);
    assert_eq!(here["sessions"].as_array().unwrap().len(), 1);
    assert_eq!(
        editor
            .code("session/list", &json!({ "cwd": "relative" }))
            .await,
        -32602
    );

    // Another process cannot have what is open.
    let second = Editor::stored(folder.path()).await;
    assert_eq!(second.code("session/load", &open(&one)).await, -31902);
    assert_eq!(
        second
            .code("session/delete", &json!({ "sessionId": one }))
            .await,
        -31902
    );
    editor
        .call("session/close", &json!({ "sessionId": one }))
        .await;
    assert_eq!(
        editor
            .prompt(&one, "say:x")
            .await
            .unwrap_err()
            .code
            .number(),
        -31900
    );
    assert_eq!(
        editor
            .code("session/close", &json!({ "sessionId": one }))
            .await,
        -31900
    );
    second.call("session/load", &open(&one)).await;
    second
        .call("session/delete", &json!({ "sessionId": one }))
        .await;
    second
        .call("session/delete", &json!({ "sessionId": one }))
        .await;
    second
        .call("session/delete", &json!({ "sessionId": "../x" }))
        .await;
    assert_eq!(second.code("session/load", &open(&one)).await, -31900);
    let left = second.call("session/list", &json!({})).await;
    assert_eq!(left["sessions"][0]["sessionId"], other);
    assert_eq!(left["sessions"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_session_is_closed_in_the_middle_of_its_turn() {
    let editor = Editor::new().await;
    let session = editor.session(W).await;
    let turn = editor.prompt(&session, "say:begun wait");
    let params = json!({ "sessionId": session });
    let closing = async {
        editor
            .until(|seen| seen.iter().any(|frame| frame.to_string().contains("begun")))
            .await;
        editor.call("session/close", &params).await
    };
    let (result, _) = tokio::join!(turn, closing);
    assert_eq!(result.unwrap()["stopReason"], "cancelled");
}

#[tokio::test]
async fn a_session_that_does_not_begin_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let editor = Editor::stored(folder.path()).await;
    let new = |cwd: &str| json!({ "cwd": cwd, "mcpServers": [] });
    assert_eq!(
        editor
            .code("session/new", &new(&format!("{W}/refused")))
            .await,
        -31701
    );
    assert_eq!(
        editor
            .code("session/new", &new(&format!("{W}/login")))
            .await,
        -32000
    );
    let left = editor.call("session/list", &json!({})).await;
    assert_eq!(left["sessions"], json!([]));
    let panicked = editor
        .try_call("session/new", &new(&format!("{W}/panic")))
        .await
        .unwrap_err();
    assert_eq!(panicked.code.number(), -32603);
    assert!(!format!("{panicked:?}").contains("hunter2"));
    editor.session(W).await;
}

#[tokio::test]
async fn a_full_history_takes_no_further_prompts() {
    let folder = tempfile::tempdir().unwrap();
    let store = tenon_acp::agent::Store::open(folder.path())
        .unwrap()
        .with_history_limit(300);
    let settings = Settings {
        store: Some(store),
        ..Settings::default()
    };
    let editor = Editor::with(json!({}), settings).await;
    let session = editor.session(W).await;
    editor.prompt(&session, "large:300").await.unwrap();
    let error = editor.prompt(&session, "say:x").await.unwrap_err();
    assert_eq!(error.code.number(), -31901);
    let other = editor.session(W).await;
    editor.prompt(&other, "say:x").await.unwrap();
}
