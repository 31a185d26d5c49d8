//! Questions that a client leaves open.

use std::time::Duration;

use serde_json::{Value, json};
use tenon_acp::guard::{Files, Settings};
use tenon_acp::record::{Masks, Record};

use super::raw::Raw;
use super::{chosen, everything, permission, policy};

#[tokio::test(start_paused = true)]
async fn questions_of_a_cancelled_turn_are_answered_for_a_client_that_does_not() {
    let capabilities = json!({ "elicitation": { "form": {} } });
    let mut raw = Raw::open(Settings::default(), capabilities, "a").await;
    raw.prompt().await;
    raw.agent_calls("1", "session/request_permission", permission("t", "/a"))
        .await;
    let form = json!({ "sessionId": "s", "mode": "form", "message": "?", "requestedSchema": {} });
    raw.agent_calls("2", "elicitation/create", form).await;
    let asked = [raw.client.read().await, raw.client.read().await];
    raw.client_sends("session/cancel", json!({ "sessionId": "s" }))
        .await;
    assert_eq!(raw.agent.read().await["method"], "session/cancel");
    let mut answers = [raw.agent.read().await, raw.agent.read().await];
    answers.sort_by_key(|answer| answer["id"].to_string());
    let cancelled = json!({ "outcome": { "outcome": "cancelled" } });
    assert_eq!(answers[0]["result"], cancelled);
    assert_eq!(answers[1]["result"]["action"], "cancel");
    // The editor is told that its answers are no longer needed.
    let mut told = [raw.client.read().await, raw.client.read().await];
    told.sort_by_key(|event| event["params"]["requestId"].to_string());
    for (event, call) in told.iter().zip(&asked) {
        assert_eq!(event["method"], "$/cancel_request");
        assert_eq!(event["params"]["requestId"], call["id"]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_answers_in_time_is_heard() {
    let mut raw = Raw::open(Settings::default(), json!({}), "a").await;
    raw.prompt().await;
    raw.agent_calls("1", "session/request_permission", permission("t", "/a"))
        .await;
    let call = raw.client.read().await;
    raw.client_sends("session/cancel", json!({ "sessionId": "s" }))
        .await;
    assert_eq!(raw.agent.read().await["method"], "session/cancel");
    let answer = json!({ "jsonrpc": "2.0", "id": call["id"], "result": { "outcome": { "outcome": "cancelled" }, "own": true } });
    raw.client.write(&answer.to_string()).await;
    assert_eq!(raw.agent.read().await["result"]["own"], true);
}

/// An agent might take any answer for a permission.
#[tokio::test]
async fn an_answer_that_was_not_offered_is_cancelled() {
    let mut raw = Raw::open(Settings::default(), json!({}), "a").await;
    raw.prompt().await;
    raw.agent_calls("1", "session/request_permission", permission("t", "/a"))
        .await;
    raw.client_answers(chosen("not-offered")).await;
    let answer = raw.agent.read().await;
    assert_eq!(
        answer["result"],
        json!({ "outcome": { "outcome": "cancelled" } })
    );
}

const RULES: &str = r#"
default = "ask"
rule "sources" {
  action = "allow"
  path   = ["src/**"]
}
rule "notes" {
  action = "ask"
  path   = ["notes/**"]
}
"#;

fn write(path: &str) -> Value {
    json!({ "sessionId": "s", "path": path, "content": "new" })
}

/// Editors write and run what they are given, so the guard asks in place of the agent.
#[tokio::test]
async fn what_a_rule_asks_about_is_asked_by_the_guard() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::write(root.join("a"), "old").unwrap();
    let path = root.join("a").display().to_string();
    let record = root.join("r.jsonl");
    let settings = Settings {
        record: Some(Record::open(&record, Masks::default()).unwrap()),
        ..policy(RULES)
    };
    let cwd = root.display().to_string();
    let mut raw = Raw::open_in(settings, everything(), "a", &cwd).await;
    raw.prompt().await;
    raw.agent_calls("1", "fs/write_text_file", write(&path))
        .await;
    let asked = raw.client_answers(chosen("allow")).await;
    assert_eq!(asked["method"], "session/request_permission");
    let call = &asked["params"]["toolCall"];
    assert_eq!(call["kind"], "edit");
    // The agent does not know the name of this tool call, so it cannot change what is shown.
    let name = call["toolCallId"].as_str().unwrap();
    let secret = name.strip_prefix("tenon-guard-0-").unwrap();
    assert_eq!(secret.len(), 16, "{name}");
    let diff = json!([{ "type": "diff", "path": path, "oldText": "old", "newText": "new" }]);
    assert_eq!(call["content"], diff);
    let passed = raw.client_answers(json!({ "result": {} })).await;
    assert_eq!(passed["params"], write(&path));
    assert_eq!(raw.agent.read().await["id"], "1");
    // It is allowed for the session.
    raw.agent_calls("2", "fs/write_text_file", write(&path))
        .await;
    let passed = raw.client_answers(json!({ "result": {} })).await;
    assert_eq!(passed["method"], "fs/write_text_file");
    raw.agent.read().await;
    let run = json!({ "sessionId": "s", "command": "make", "args": ["a b"] });
    raw.agent_calls("3", "terminal/create", run).await;
    let asked = raw.client_answers(chosen("reject")).await;
    let input = &asked["params"]["toolCall"]["rawInput"];
    assert_eq!(input["command"], "make 'a b'");
    let refused = raw.agent.read().await;
    assert_eq!(refused["error"]["code"], -31701);
    let details = &refused["error"]["data"]["details"];
    assert_eq!(details, "the user has not allowed this");
    let (summary, _) = raw.guard.finish().await.unwrap();
    let counts = (summary.asked, summary.approved, summary.rejected);
    assert_eq!(counts, (2, 1, 1));
    assert!(summary.undecided.is_empty(), "{summary:?}");
    let text = std::fs::read_to_string(&record).unwrap();
    assert!(text.contains(r#""from":"guard","to":"client""#), "{text}");
    assert!(text.contains(r#""answers":"tenon-guard-0""#), "{text}");
}

#[tokio::test]
async fn what_was_permitted_or_is_not_ruled_is_not_asked_again() {
    let mut raw = Raw::open(policy(RULES), everything(), "a").await;
    raw.prompt().await;
    raw.agent_calls("1", "session/request_permission", permission("t", "/tmp/a"))
        .await;
    raw.client_answers(chosen("yes")).await;
    raw.agent.read().await;
    let read = json!({ "sessionId": "s", "path": "/tmp/b" });
    for (method, params) in [
        ("fs/write_text_file", write("/tmp/a")),
        ("fs/write_text_file", write("/src/main.rs")),
        // Reading needs a rule to be asked about.
        ("fs/read_text_file", read),
    ] {
        raw.agent_calls("2", method, params).await;
        let passed = raw
            .client_answers(json!({ "result": { "content": "" } }))
            .await;
        assert_eq!(passed["method"], method);
        raw.agent.read().await;
    }
    let note = json!({ "sessionId": "s", "path": "/notes/a" });
    let mut permitted = permission("n", "/notes/a");
    permitted["toolCall"]["kind"] = json!("read");
    raw.agent_calls("3", "session/request_permission", permitted)
        .await;
    raw.client_answers(chosen("yes")).await;
    raw.agent.read().await;
    raw.agent_calls("4", "fs/read_text_file", note).await;
    let passed = raw
        .client_answers(json!({ "result": { "content": "" } }))
        .await;
    assert_eq!(passed["method"], "fs/read_text_file");
    raw.agent.read().await;
    // A permission to read is not one to write.
    raw.agent_calls("5", "fs/write_text_file", write("/notes/a"))
        .await;
    let asked = raw.client.read().await;
    assert_eq!(asked["method"], "session/request_permission");
}

/// Nothing is written before the answer, also not by the guard.
#[tokio::test]
async fn the_guard_writes_what_the_user_has_allowed() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let cwd = root.display().to_string();
    let settings = Settings {
        files: Files::Guard,
        ..policy(RULES)
    };
    let mut raw = Raw::open_in(settings, everything(), "a", &cwd).await;
    raw.prompt().await;
    for (option, is_written) in [("reject", false), ("allow", true)] {
        let file = root.join(option);
        let path = file.display().to_string();
        raw.agent_calls("1", "fs/write_text_file", write(&path))
            .await;
        raw.client_answers(chosen(option)).await;
        let answer = raw.agent.read().await;
        assert_eq!(answer["error"].is_null(), is_written, "{answer}");
        assert_eq!(file.exists(), is_written);
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_of_the_guard_is_withdrawn_with_its_turn() {
    let mut raw = Raw::open(policy(RULES), everything(), "a").await;
    raw.prompt().await;
    raw.agent_calls("1", "fs/write_text_file", write("/tmp/a"))
        .await;
    let asked = raw.client.read().await;
    raw.client_sends("session/cancel", json!({ "sessionId": "s" }))
        .await;
    assert_eq!(raw.agent.read().await["method"], "session/cancel");
    assert_eq!(raw.agent.read().await["error"]["code"], -31701);
    let told = raw.client.read().await;
    assert_eq!(told["method"], "$/cancel_request");
    assert_eq!(told["params"]["requestId"], asked["id"]);
}

/// Whoever has cancelled a turn answers no more questions of it, and the agent would wait forever.
#[tokio::test(start_paused = true)]
async fn nothing_is_asked_after_a_turn_was_cancelled() {
    let capabilities = json!({ "fs": { "writeTextFile": true }, "elicitation": { "form": {} } });
    let mut raw = Raw::open(policy(RULES), capabilities, "a").await;
    let prompt = raw.prompt().await;
    raw.client_sends("session/cancel", json!({ "sessionId": "s" }))
        .await;
    assert_eq!(raw.agent.read().await["method"], "session/cancel");
    raw.agent_calls("1", "session/request_permission", permission("t", "/a"))
        .await;
    let cancelled = json!({ "outcome": { "outcome": "cancelled" } });
    assert_eq!(raw.agent.read().await["result"], cancelled);
    let form = json!({ "sessionId": "s", "mode": "form", "message": "?", "requestedSchema": {} });
    raw.agent_calls("2", "elicitation/create", form.clone())
        .await;
    assert_eq!(raw.agent.read().await["result"]["action"], "cancel");
    raw.agent_calls("3", "fs/write_text_file", write("/tmp/a"))
        .await;
    let refused = raw.agent.read().await;
    assert_eq!(refused["error"]["code"], -31701, "{refused}");
    let end =
        json!({ "jsonrpc": "2.0", "id": prompt["id"], "result": { "stopReason": "cancelled" } });
    raw.agent.write(&end.to_string()).await;
    // The client was asked nothing until then.
    assert_eq!(raw.client.read().await["result"]["stopReason"], "cancelled");
    let summary = raw.guard.summary();
    assert_eq!((summary.asked, summary.denied), (0, 1));
    // Agents may ask between turns.
    raw.agent_calls("4", "elicitation/create", form).await;
    assert_eq!(raw.client.read().await["method"], "elicitation/create");
}

/// A question may belong to a call of the client instead of a session, and the user thinks about it as long.
#[tokio::test(start_paused = true)]
async fn a_question_that_belongs_to_no_session_pauses_every_limit() {
    const HOUR: Duration = Duration::from_secs(3600);
    let capabilities = json!({ "elicitation": { "form": {} } });
    let mut raw = Raw::open(Settings::default(), capabilities, "a").await;
    let prompt = raw.prompt().await;
    raw.client_calls("m", "session/new", json!({ "cwd": "/", "mcpServers": [] }))
        .await;
    let new = raw.agent.read().await;
    let form = json!({ "requestId": "m", "mode": "form", "message": "?", "requestedSchema": {} });
    raw.agent_calls("1", "elicitation/create", form).await;
    let asked = raw.client.read().await;
    assert_eq!(asked["method"], "elicitation/create");
    tokio::time::sleep(HOUR).await;
    let answer = json!({ "jsonrpc": "2.0", "id": asked["id"], "result": { "action": "decline" } });
    raw.client.write(&answer.to_string()).await;
    assert_eq!(raw.agent.read().await["result"]["action"], "decline");
    raw.agent_writes_answer(&new, json!({ "result": { "sessionId": "t" } }))
        .await;
    let opened = raw.client.read().await;
    assert_eq!(opened["result"]["sessionId"], "t", "{opened}");
    // After it the limits hold again.
    let answered = tokio::time::Instant::now();
    tokio::time::sleep(Duration::from_secs(290)).await;
    assert_eq!(raw.agent.read().await["method"], "session/cancel");
    let silent = answered.elapsed().as_secs();
    assert!((299..302).contains(&silent), "{silent} s");
    raw.agent_writes_answer(&prompt, json!({ "result": { "stopReason": "cancelled" } }))
        .await;
    assert_eq!(raw.client.read().await["error"]["code"], -32001);
}
