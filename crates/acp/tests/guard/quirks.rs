//! What particular agents do differently.

use serde_json::json;
use tenon_acp::guard::{Files, Settings};
use tenon_acp::record::{Masks, Record};

use super::everything;
use super::raw::Raw;

#[tokio::test]
async fn an_agent_that_writes_files_itself_is_not_blamed_for_asking() {
    for (agent, refused) in [("OpenCode", 0), ("another", 1)] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.jsonl");
        let settings = Settings {
            record: Some(Record::open(&path, Masks::default()).unwrap()),
            ..Settings::default()
        };
        let mut raw = Raw::open(settings, json!({}), agent).await;
        raw.prompt().await;
        let write = json!({ "sessionId": "s", "path": "/a", "content": "x" });
        raw.agent_calls("1", "fs/write_text_file", write).await;
        assert_eq!(raw.agent.read().await["error"]["code"], -32601, "{agent}");
        assert_eq!(raw.guard.summary().refused, refused, "{agent}");
        let recorded = std::fs::read_to_string(&path).unwrap();
        let answer = r#""from":"guard","to":"agent","message":{"error":{"code":-32601"#;
        assert!(recorded.contains(answer), "{agent}: {recorded}");
    }
}

/// Whoever takes the name of such an agent gets no more errors than others.
#[tokio::test(start_paused = true)]
async fn errors_for_an_agent_that_writes_files_itself_are_limited() {
    let mut raw = Raw::open(Settings::default(), json!({}), "OpenCode").await;
    raw.prompt().await;
    let started = tokio::time::Instant::now();
    for _ in 0..120 {
        let write = json!({ "sessionId": "s", "path": "/a", "content": "x" });
        raw.agent_calls("1", "fs/write_text_file", write).await;
        assert_eq!(raw.agent.read().await["error"]["code"], -32601);
    }
    // Sixty at once, then ten in a second.
    let took = started.elapsed().as_secs();
    assert!((5..8).contains(&took), "{took} s");
}

#[tokio::test]
async fn an_agent_that_reads_before_it_creates_gets_an_empty_file() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing").display().to_string();
    let read = json!({ "sessionId": "s", "path": missing });
    for files in [Files::Client, Files::Guard] {
        for agent in ["gemini-cli", "another"] {
            let settings = Settings {
                files,
                ..Settings::default()
            };
            let mut raw = Raw::open(settings, everything(), agent).await;
            raw.prompt().await;
            raw.agent_calls("1", "fs/read_text_file", read.clone())
                .await;
            if files == Files::Client {
                let error = json!({ "error": { "code": -32002, "message": "Resource not found" } });
                raw.client_answers(error).await;
            }
            let answer = raw.agent.read().await;
            match agent {
                "gemini-cli" => assert_eq!(answer["result"]["content"], ""),
                _ => assert!(answer["error"]["code"].is_i64(), "{answer}"),
            }
        }
    }
}

#[tokio::test]
async fn an_agent_that_does_not_know_cancelled_requests_is_not_sent_them() {
    for agent in [
        "OpenCode",
        "@zed-industries/claude-code-acp",
        "gemini-cli",
        "another",
    ] {
        let mut raw = Raw::open(Settings::default(), json!({}), agent).await;
        raw.client_calls("v", "_vendor/slow", json!({})).await;
        let call = raw.agent.read().await;
        raw.client_sends("$/cancel_request", json!({ "requestId": "v" }))
            .await;
        let cancelled = raw.client.read().await;
        assert_eq!(
            (&cancelled["id"], &cancelled["error"]["code"]),
            (&json!("v"), &json!(-32800))
        );
        raw.client_calls("w", "_vendor/next", json!({})).await;
        let next = raw.agent.read().await;
        match agent {
            "another" => {
                assert_eq!(next["method"], "$/cancel_request");
                assert_eq!(next["params"]["requestId"], call["id"]);
            }
            _ => assert_eq!(next["method"], "_vendor/next", "{agent}"),
        }
    }
}
