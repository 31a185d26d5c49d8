//! What is recorded.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tenon_acp::guard::{OnSummary, Settings, Summary};
use tenon_acp::record::{Content, Masks, Record, Source, read, verify};

use super::actors::{Agent, Stage, json_payload};
use super::raw::Raw;
use super::{call, chunk, everything, permission, policy};

#[tokio::test]
async fn everything_is_recorded_without_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("record.jsonl");
    let record = Some(Record::open(&path, Masks::default()).unwrap());
    let agent = Agent::new(|peer, _| async move {
        peer.send_raw(
            "session/update",
            Some(json_payload(&chunk("the key is hunter2-hunter2"))),
        )
        .await
        .unwrap();
        Ok(json_payload(&json!({ "stopReason": "end_turn" })))
    });
    let stage = Stage::open(
        agent,
        Settings {
            record,
            ..Settings::default()
        },
    )
    .await;
    let server = json!({ "name": "a", "command": "/x", "args": [], "env": [{ "name": "KEY", "value": "hunter2-hunter2" }] });
    call(
        stage.editor(),
        "session/new",
        &json!({ "cwd": "/", "mcpServers": [server] }),
    )
    .await
    .unwrap();
    stage.prompt("go").await.unwrap();
    assert!(call(stage.editor(), "no/such", &json!({})).await.is_err());
    let (summary, hash) = stage.finish().await;
    assert_eq!(summary.turns, 1);
    let verdict = verify(std::fs::File::open(&path).unwrap()).unwrap();
    assert!(
        verdict.is_complete && verdict.problem.is_none(),
        "{verdict:?}"
    );
    assert_eq!(Some(verdict.sha256), hash);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(!text.contains("hunter2"), "{text}");
    for part in ["session/prompt", "the key is", "stopReason", "summary"] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[tokio::test]
async fn what_the_guard_answers_itself_is_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.jsonl");
    let settings = Settings {
        record: Some(Record::open(&path, Masks::default()).unwrap()),
        ..policy("default = \"deny\"")
    };
    let mut raw = Raw::open(settings, json!({}), "a").await;
    raw.prompt().await;
    raw.agent_calls("mine", "session/request_permission", permission("t", "/a"))
        .await;
    assert_eq!(
        raw.agent.read().await["result"]["outcome"]["optionId"],
        "no"
    );
    raw.client_calls(
        "theirs",
        "session/prompt",
        json!({ "sessionId": "x", "prompt": [] }),
    )
    .await;
    raw.client.read().await;
    raw.guard.finish().await.unwrap();
    let answers = read(std::fs::File::open(&path).unwrap())
        .map(|item| item.unwrap().content)
        .filter_map(|content| match content {
            Content::Message {
                from: Source::Guard,
                to,
                message,
                ..
            } => {
                let message: Value = serde_json::from_str(message.get()).unwrap();
                Some((to, message["id"].clone()))
            }
            _ => None,
        });
    let expected = [
        (Some(Source::Agent), json!("mine")),
        (Some(Source::Client), json!("theirs")),
        // The turn that the guard did not wait for.
        (Some(Source::Client), json!("p")),
    ];
    assert_eq!(answers.collect::<Vec<_>>(), expected);
}

/// Whatever an agent calls a secret, what it does and says is recorded.
#[tokio::test]
async fn an_agent_cannot_hide_what_it_does() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.jsonl");
    let masks = Masks::default();
    let settings = Settings {
        record: Some(Record::open(&path, masks.clone()).unwrap()),
        masks,
        ..Settings::default()
    };
    let mut raw = Raw::open(settings, everything(), "a").await;
    raw.prompt().await;
    let token = json!([{ "name": "X_TOKEN", "value": "git push" }]);
    let refused = json!({ "sessionId": "s", "command": " ", "env": token });
    assert_eq!(raw.creates(refused).await, -32602);
    let server =
        json!({ "name": "a", "command": "/x", "args": ["--token", "git push"], "env": token });
    let forged = json!({ "cwd": "/", "mcpServers": [server] });
    raw.agent_calls("f", "session/new", forged).await;
    assert_eq!(raw.agent.read().await["error"]["code"], -32601);
    let accepted = json!({ "sessionId": "s", "command": "git push", "env": token });
    assert_eq!(raw.creates(accepted).await, 0);
    let said = json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": "now git push" } });
    raw.agent_updates("s", said).await;
    raw.client.read().await;
    let (summary, _) = raw.guard.finish().await.unwrap();
    let run = summary.all_run();
    assert!(run.iter().any(|line| line.ends_with("git push")), "{run:?}");
    assert!(!run.iter().any(|line| line.contains("=git")), "{run:?}");
    let text = std::fs::read_to_string(&path).unwrap();
    for part in [r#""text":"now git push""#, r#""command":"git push""#] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(!text.contains(r#""value":"git push""#), "{text}");
}

/// Of a line that is not a message only the beginning is recorded, and later sessions find an intact record.
#[tokio::test]
async fn long_stray_lines_are_recorded_in_short() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.jsonl");
    const SIZE: usize = 1 << 20;
    for session in 1..=2 {
        let settings = Settings {
            record: Some(Record::open(&path, Masks::default()).unwrap()),
            ..Settings::default()
        };
        let mut raw = Raw::open(settings, json!({}), "a").await;
        raw.prompt().await;
        raw.agent.write(&"\u{1}".repeat(SIZE)).await;
        raw.agent_updates("s", json!({ "sessionUpdate": "plan", "entries": [] }))
            .await;
        raw.client.read().await;
        raw.guard.finish().await.unwrap();
        let verdict = verify(std::fs::File::open(&path).unwrap()).unwrap();
        assert!(verdict.is_complete, "{verdict:?}");
        assert_eq!(verdict.sessions.len(), session);
    }
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.len() < SIZE / 8, "{} bytes", text.len());
    assert_eq!(text.matches(&format!("... ({SIZE} bytes)")).count(), 2);
}

/// Editors kill their agents, so nothing that is known may wait for the end.
#[tokio::test]
async fn the_summary_is_known_during_the_session_and_recorded_when_it_is_closed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.jsonl");
    let seen: Arc<Mutex<Vec<Summary>>> = Arc::default();
    let kept = seen.clone();
    let settings = Settings {
        record: Some(Record::open(&path, Masks::default()).unwrap()),
        on_summary: OnSummary::new(move |summary| kept.lock().unwrap().push(summary.clone())),
        ..policy("default = \"deny\"")
    };
    let last = || {
        let seen = seen.lock().unwrap();
        let last = seen.last().unwrap();
        (seen.len(), last.sessions, last.turns, last.denied)
    };
    let mut raw = Raw::open(settings, json!({}), "a").await;
    assert_eq!(last(), (1, 1, 0, 0));
    let prompt = raw.prompt().await;
    raw.agent_calls("q", "session/request_permission", permission("t", "/a"))
        .await;
    raw.agent.read().await;
    let end =
        json!({ "jsonrpc": "2.0", "id": prompt["id"], "result": { "stopReason": "end_turn" } });
    raw.agent.write(&end.to_string()).await;
    raw.client.read().await;
    assert_eq!(last(), (2, 1, 1, 1));
    raw.client_calls("c", "session/close", json!({ "sessionId": "s" }))
        .await;
    raw.agent_answers(json!({})).await;
    raw.client.read().await;
    assert_eq!(last(), (3, 1, 1, 1));
    // The guard is killed here.
    let notes =
        read(std::fs::File::open(&path).unwrap()).filter_map(|item| match item.unwrap().content {
            Content::Note(note) => serde_json::from_str::<Value>(note.get()).ok(),
            _ => None,
        });
    let summaries: Vec<Value> = notes
        .filter_map(|note| note.get("summary").cloned())
        .collect();
    assert_eq!(summaries.len(), 1);
    assert_eq!(summaries[0]["denied"], 1);
    drop(raw);
}
