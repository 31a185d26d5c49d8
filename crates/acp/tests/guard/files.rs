//! Files of a session.

use std::sync::{Arc, Mutex};

use serde_json::json;
use tenon_acp::guard::{Files, Settings};
use tenon_acp::policy::Policy;
use tenon_hcl::Source;

use super::actors::{Agent, Stage, json_payload};
use super::raw::Raw;
use super::{call, code, everything, value};

#[tokio::test]
async fn files_stay_in_the_folder_of_the_session() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::create_dir(root.join("w")).unwrap();
    std::fs::write(root.join("secret"), "x").unwrap();
    std::fs::write(root.join("w/a"), "x").unwrap();
    std::os::unix::fs::symlink(root.join("secret"), root.join("w/link")).unwrap();
    let cwd = root.join("w").display().to_string();
    let paths = [
        format!("{cwd}/a"),
        format!("{cwd}/unsaved"),
        format!("{cwd}/link"),
        format!("{cwd}/../secret"),
        "/etc/passwd".into(),
        "a".into(),
    ];
    let outcomes = Arc::new(Mutex::new(Vec::new()));
    let seen = outcomes.clone();
    let agent = Agent::new(move |peer, _| {
        let (seen, paths) = (seen.clone(), paths.clone());
        async move {
            for path in paths {
                for (method, params) in [
                    (
                        "fs/read_text_file",
                        json!({ "sessionId": "s", "path": path }),
                    ),
                    (
                        "fs/write_text_file",
                        json!({ "sessionId": "s", "path": path, "content": "y" }),
                    ),
                ] {
                    let outcome = call(&peer, method, &params).await;
                    seen.lock()
                        .unwrap()
                        .push(outcome.map_or_else(|error| code(Err(error)), |_| 0));
                }
            }
            Ok(json_payload(&json!({ "stopReason": "end_turn" })))
        }
    });
    let stage = Stage::open_in(agent, Settings::default(), &cwd).await;
    stage.prompt("go").await.unwrap();
    let denied = -31701;
    assert_eq!(
        *outcomes.lock().unwrap(),
        [
            0, 0, 0, 0, denied, denied, denied, denied, denied, denied, -32602, -32602
        ]
    );
    let summary = stage.guard().summary();
    assert_eq!(summary.read.len(), 2);
    assert_eq!(summary.written[&format!("{cwd}/a")], 1);
    // A path that is not absolute is wrong, not forbidden.
    assert_eq!((summary.denied, summary.refused), (6, 2));
}

/// By another name, a file is still the one that the policy denies.
#[tokio::test]
async fn a_hard_link_to_a_denied_file_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::write(root.join(".env"), "secret").unwrap();
    std::fs::write(root.join("plain"), "x").unwrap();
    std::fs::hard_link(root.join(".env"), root.join("hard")).unwrap();
    let cwd = root.display().to_string();
    let outcomes = Arc::new(Mutex::new(Vec::new()));
    let (seen, inside) = (outcomes.clone(), cwd.clone());
    let agent = Agent::new(move |peer, _| {
        let (seen, inside) = (seen.clone(), inside.clone());
        async move {
            for name in ["plain", ".env", "hard"] {
                let params = json!({ "sessionId": "s", "path": format!("{inside}/{name}") });
                let outcome = call(&peer, "fs/read_text_file", &params).await;
                let outcome = outcome.map_or_else(|error| code(Err(error)), |_| 0);
                seen.lock().unwrap().push(outcome);
            }
            Ok(json_payload(&json!({ "stopReason": "end_turn" })))
        }
    });
    let rules = "rule \"no\" {\n  action = \"deny\"\n  path = [\"**/.env*\"]\n}\n";
    let settings = Settings {
        policy: Policy::parse(&Source::new("p.hcl", rules)).unwrap(),
        ..Settings::default()
    };
    let stage = Stage::open_in(agent, settings, &cwd).await;
    stage.prompt("go").await.unwrap();
    assert_eq!(*outcomes.lock().unwrap(), [0, -31701, -31701]);
}

/// Nothing can be replaced between the check and the reading, because both are the guard's.
#[tokio::test]
async fn the_guard_can_serve_files_itself() {
    let folder = tempfile::tempdir().unwrap();
    let cwd = folder.path().canonicalize().unwrap().display().to_string();
    std::fs::write(folder.path().join("a"), "one\ntwo\n").unwrap();
    let texts = Arc::new(Mutex::new(Vec::new()));
    let (seen, inside) = (texts.clone(), cwd.clone());
    let agent = Agent::new(move |peer, _| {
        let (seen, inside) = (seen.clone(), inside.clone());
        async move {
            let write = json!({ "sessionId": "s", "path": format!("{inside}/new/b"), "content": "written" });
            call(&peer, "fs/write_text_file", &write).await.unwrap();
            let read = json!({ "sessionId": "s", "path": format!("{inside}/a"), "line": 2 });
            let text = call(&peer, "fs/read_text_file", &read).await.unwrap();
            seen.lock().unwrap().push(value(&text)["content"].clone());
            let missing = json!({ "sessionId": "s", "path": format!("{inside}/none") });
            assert_eq!(
                code(call(&peer, "fs/read_text_file", &missing).await),
                -31700
            );
            let outside = json!({ "sessionId": "s", "path": "/etc/passwd" });
            assert_eq!(
                code(call(&peer, "fs/read_text_file", &outside).await),
                -31701
            );
            Ok(json_payload(&json!({ "stopReason": "end_turn" })))
        }
    });
    let settings = Settings {
        files: Files::Guard,
        ..Settings::default()
    };
    let stage = Stage::open_in(agent, settings, &cwd).await;
    stage.prompt("go").await.unwrap();
    assert_eq!(
        *texts.lock().unwrap(),
        ["two\n"],
        "the editor would have said x"
    );
    assert_eq!(
        std::fs::read_to_string(folder.path().join("new/b")).unwrap(),
        "written"
    );
    let summary = stage.guard().summary();
    assert_eq!((summary.read.len(), summary.written.len()), (1, 1));
}

/// Half a surrogate pair cannot be text, but it is valid JSON: its decoder decides.
#[tokio::test]
async fn half_a_surrogate_pair_in_a_file_passes_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a").display().to_string();
    // Also in a file that is so large that it is not decoded at all.
    for length in [1, 100_000] {
        let content = format!(r#""{}\ud800\n""#, "x".repeat(length));
        let write = format!(
            r#"{{"jsonrpc":"2.0","id":"1","method":"fs/write_text_file","params":{{"sessionId":"s","path":"{path}","content":{content}}}}}"#
        );
        let mut raw = Raw::open(Settings::default(), everything(), "a").await;
        raw.prompt().await;
        raw.agent.write(&write).await;
        let line = raw.client.read_line().await;
        assert!(line.contains(&content), "{}", &line[..200]);
        let (_, params) = write.split_once("\"params\":").unwrap();
        assert!(line.ends_with(params), "byte for byte");
        // What a client has read as well.
        let read = json!({ "sessionId": "s", "path": path });
        raw.agent_calls("2", "fs/read_text_file", read).await;
        let call = raw.client.read().await;
        let answer = format!(
            r#"{{"jsonrpc":"2.0","id":{},"result":{{"content":{content}}}}}"#,
            call["id"]
        );
        raw.client.write(&answer).await;
        let line = raw.agent.read_line().await;
        assert!(line.contains(&content), "{}", &line[..200]);
        // The guard itself cannot write it, and says so.
        let settings = Settings {
            files: Files::Guard,
            ..Settings::default()
        };
        let mut raw = Raw::open(settings, everything(), "a").await;
        raw.prompt().await;
        raw.agent.write(&write).await;
        let refused = raw.agent.read().await;
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
        assert!(!std::path::Path::new(&path).exists());
    }
}

/// The folder is opened before the agent hears of the session, so an agent cannot put a link in its place.
#[tokio::test]
async fn a_folder_that_is_replaced_while_the_session_is_opened_is_not_the_sessions() {
    let place = tempfile::tempdir().unwrap();
    let base = place.path().canonicalize().unwrap();
    let (folder, outside) = (base.join("w"), base.join("outside"));
    for (folder, text) in [(&folder, "inside"), (&outside, "the secret")] {
        std::fs::create_dir(folder).unwrap();
        std::fs::write(folder.join("a"), text).unwrap();
    }
    let settings = Settings {
        files: Files::Guard,
        ..Settings::default()
    };
    let mut raw = Raw::new(settings);
    raw.initialize(everything(), "a").await;
    let new = json!({ "cwd": folder, "mcpServers": [] });
    raw.client_calls("n", "session/new", new).await;
    let call = raw.agent.read().await;
    std::fs::rename(&folder, base.join("old")).unwrap();
    std::os::unix::fs::symlink(&outside, &folder).unwrap();
    let answer = json!({ "jsonrpc": "2.0", "id": call["id"], "result": { "sessionId": "s" } });
    raw.agent.write(&answer.to_string()).await;
    raw.client.read().await;
    raw.prompt().await;
    let file = folder.join("a");
    raw.agent_calls(
        "r",
        "fs/read_text_file",
        json!({ "sessionId": "s", "path": file }),
    )
    .await;
    assert_eq!(raw.agent.read().await["result"]["content"], "inside");
    let write = json!({ "sessionId": "s", "path": file, "content": "changed" });
    raw.agent_calls("w", "fs/write_text_file", write).await;
    assert!(raw.agent.read().await["error"].is_null());
    let read = |name: &str| std::fs::read_to_string(base.join(name)).unwrap();
    assert_eq!(
        (read("old/a"), read("outside/a")),
        ("changed".into(), "the secret".into())
    );
}
