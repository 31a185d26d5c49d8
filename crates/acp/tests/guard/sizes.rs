//! Messages of exactly the size that their method allows, and of one byte more.

use serde_json::{Value, json};
use tenon_acp::guard::{Files, Settings};
use tenon_protocols::acp::Profile;

use super::everything;
use super::raw::Raw;

const KB: usize = 1024;
const MB: usize = 1024 * KB;
/// A name that both profiles take.
const SESSION: &str = "0198a7c1-1111-7222-8333-444455556666";

/// Params or a result of exactly this size.
fn padded(mut value: Value, size: usize) -> Value {
    value["_meta"] = json!({ "x": "" });
    let rest = size - value.to_string().len();
    value["_meta"]["x"] = json!("x".repeat(rest));
    assert_eq!(value.to_string().len(), size);
    value
}

fn settings(profile: Profile) -> Settings {
    Settings {
        profile,
        ..Settings::default()
    }
}

async fn open(settings: Settings, cwd: &str) -> Raw {
    let mut raw = Raw::new(settings);
    raw.initialize(everything(), "a").await;
    raw.client_calls("n", "session/new", json!({ "cwd": cwd, "mcpServers": [] }))
        .await;
    raw.agent_answers(json!({ "sessionId": SESSION })).await;
    raw.client.read().await;
    raw
}

#[track_caller]
fn assert_too_large(refused: &Value, method: &str, limit: usize) {
    let error = &refused["error"];
    assert_eq!(error["code"], -32600, "{method}");
    let data = json!({ "reason": "message_too_large", "method": method, "limit": limit, "size": limit + 1 });
    assert_eq!(error["data"], data);
}

#[tokio::test]
async fn a_call_of_the_editor_may_have_exactly_the_size_of_its_method() {
    for profile in [Profile::V1, Profile::Seed] {
        let mut raw = Raw::new(settings(profile));
        let initialize = json!({ "protocolVersion": 1 });
        let text = [json!({ "type": "text", "text": "go" })];
        for (method, params, limit, result) in [
            (
                "initialize",
                initialize,
                10 * KB,
                json!({ "protocolVersion": 1, "agentCapabilities": { "loadSession": true } }),
            ),
            (
                "session/new",
                json!({ "cwd": "/", "mcpServers": [] }),
                50 * KB,
                json!({ "sessionId": SESSION }),
            ),
            (
                "session/load",
                json!({ "sessionId": SESSION, "cwd": "/", "mcpServers": [] }),
                50 * KB,
                json!({}),
            ),
            (
                "session/prompt",
                json!({ "sessionId": SESSION, "prompt": text }),
                MB,
                json!({ "stopReason": "end_turn" }),
            ),
        ] {
            raw.client_calls("l", method, padded(params.clone(), limit + 1))
                .await;
            assert_too_large(&raw.client.read().await, method, limit);
            raw.client_calls("e", method, padded(params, limit)).await;
            assert_eq!(raw.agent_answers(result).await["method"], method);
            assert!(raw.client.read().await["result"].is_object(), "{method}");
        }
    }
}

#[tokio::test]
async fn a_file_may_have_exactly_the_size_of_its_method() {
    for profile in [Profile::V1, Profile::Seed] {
        let folder = tempfile::tempdir().unwrap();
        let cwd = folder.path().canonicalize().unwrap();
        let mut raw = open(settings(profile), cwd.to_str().unwrap()).await;
        let path = cwd.join("file").display().to_string();
        let write = json!({ "sessionId": SESSION, "path": path, "content": "x" });
        let write_file = "fs/write_text_file";
        raw.agent_calls("l", write_file, padded(write.clone(), 10 * MB + 1))
            .await;
        assert_too_large(&raw.agent.read().await, write_file, 10 * MB);
        raw.agent_calls("e", write_file, padded(write, 10 * MB))
            .await;
        let passed = raw.client_answers(json!({ "result": {} })).await;
        assert_eq!(passed["method"], write_file);
        assert_eq!(raw.agent.read().await["result"], json!({}));
        let read = json!({ "sessionId": SESSION, "path": path });
        for (size, expected) in [(10 * MB, Value::Null), (10 * MB + 1, json!(-31702))] {
            raw.agent_calls("r", "fs/read_text_file", read.clone())
                .await;
            let result = padded(json!({ "content": "x" }), size);
            raw.client_answers(json!({ "result": result })).await;
            let answer = raw.agent.read().await;
            assert_eq!(answer["error"]["code"], expected, "{size}");
        }
    }
}

/// In the other profile larger ones pass, because agents send large diffs.
#[tokio::test]
async fn an_update_may_have_exactly_the_size_of_its_method() {
    for (profile, expected) in [(Profile::V1, [0, 1, 2]), (Profile::Seed, [0, 2, 2])] {
        let mut raw = open(settings(profile), "/").await;
        let chunk = |text: &str| json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": text } });
        for (number, size) in [100 * KB, 100 * KB + 1, 1000].into_iter().enumerate() {
            let update = json!({ "sessionId": SESSION, "update": chunk(&number.to_string()) });
            let params = padded(update, size);
            let event = json!({ "jsonrpc": "2.0", "method": "session/update", "params": params });
            raw.agent.write(&event.to_string()).await;
        }
        let mut seen = Vec::new();
        while seen.last() != Some(&json!("2")) {
            let update = raw.client.read().await;
            seen.push(update["params"]["update"]["content"]["text"].clone());
        }
        let mut expected = expected.map(|number| json!(number.to_string())).to_vec();
        expected.dedup();
        assert_eq!(seen, expected, "{profile:?}");
    }
}

/// A log that is too large as a whole.
#[tokio::test]
async fn a_part_of_a_large_file_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let cwd = folder.path().canonicalize().unwrap();
    let log = std::fs::File::create(cwd.join("log")).unwrap();
    std::io::Write::write_all(&mut &log, b"one\ntwo\n").unwrap();
    log.set_len(20 * MB as u64).unwrap();
    let path = cwd.join("log").display().to_string();
    let part = json!({ "sessionId": SESSION, "path": path, "line": 2, "limit": 1 });
    let whole = json!({ "sessionId": SESSION, "path": path });
    for files in [Files::Client, Files::Guard] {
        let settings = Settings {
            files,
            ..Settings::default()
        };
        let mut raw = open(settings, cwd.to_str().unwrap()).await;
        raw.agent_calls("r", "fs/read_text_file", part.clone())
            .await;
        if files == Files::Client {
            raw.client_answers(json!({ "result": { "content": "two\n" } }))
                .await;
        }
        let answer = raw.agent.read().await;
        assert_eq!(answer["result"]["content"], "two\n", "{files:?}: {answer}");
        raw.agent_calls("w", "fs/read_text_file", whole.clone())
            .await;
        if files == Files::Client {
            let large = padded(json!({ "content": "" }), 20 * MB);
            raw.client_answers(json!({ "result": large })).await;
        }
        assert_eq!(raw.agent.read().await["error"]["code"], -31702);
    }
}
