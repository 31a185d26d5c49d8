//! What particular agents do differently.

use serde_json::json;
use tenon_acp::guard::{Files, Settings};

use super::everything;
use super::raw::Raw;

#[tokio::test]
async fn an_agent_that_writes_files_itself_is_not_blamed_for_asking() {
    for (agent, refused) in [("OpenCode", 0), ("another", 1)] {
        let mut raw = Raw::open(Settings::default(), json!({}), agent).await;
        raw.prompt().await;
        let write = json!({ "sessionId": "s", "path": "/a", "content": "x" });
        raw.agent_calls("1", "fs/write_text_file", write).await;
        assert_eq!(raw.agent.read().await["error"]["code"], -32601, "{agent}");
        assert_eq!(raw.guard.summary().refused, refused, "{agent}");
    }
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
