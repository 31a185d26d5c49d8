//! Rules, and what was done compared with what was decided.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tenon_acp::guard::Settings;
use tenon_acp::policy::Policy;
use tenon_acp::record::{Masks, Record};
use tenon_hcl::Source;

use super::actors::{Agent, Stage, json_payload};
use super::raw::Raw;
use super::{call, chosen, everything, permission, policy, value};

#[tokio::test]
async fn the_policy_answers_requests_for_permission() {
    const POLICY: &str = r#"
rule "no" {
  action  = "deny"
  command = ["rm *"]
}
rule "yes" {
  action  = "allow"
  command = ["ls*"]
}
"#;
    let answers = Arc::new(Mutex::new(Vec::new()));
    let seen = answers.clone();
    let agent = Agent::new(move |peer, _| {
        let seen = seen.clone();
        async move {
            for command in ["ls -l", "ls; rm -rf /", "make"] {
                let announced = json!({ "sessionId": "s", "update": { "sessionUpdate": "tool_call", "toolCallId": command, "title": "Run", "kind": "execute", "rawInput": { "command": command } } });
                peer.send_raw("session/update", Some(json_payload(&announced)))
                    .await
                    .unwrap();
                let request = json!({ "sessionId": "s", "toolCall": { "toolCallId": command }, "options": [
                    { "optionId": "a", "name": "Always", "kind": "allow_always" },
                    { "optionId": "o", "name": "Once", "kind": "allow_once" },
                    { "optionId": "r", "name": "No", "kind": "reject_once" },
                ] });
                let answer = call(&peer, "session/request_permission", &request)
                    .await
                    .unwrap();
                seen.lock()
                    .unwrap()
                    .push(value(&answer)["outcome"]["optionId"].clone());
            }
            Ok(json_payload(&json!({ "stopReason": "end_turn" })))
        }
    });
    let policy = Policy::parse(&Source::new("policy.hcl", POLICY)).unwrap();
    let stage = Stage::open(
        agent,
        Settings {
            policy,
            ..Settings::default()
        },
    )
    .await;
    stage.prompt("go").await.unwrap();
    // The editor would have chosen "a".
    assert_eq!(*answers.lock().unwrap(), ["o", "r", "a"]);
    assert_eq!(stage.asked(), 1, "the editor was asked once");
    let summary = stage.guard().summary();
    assert_eq!((summary.allowed, summary.denied, summary.asked), (1, 1, 1));
}

/// The three messages that tell what happened: the question, the call of the client, and the report.
#[tokio::test]
async fn what_is_done_is_compared_with_what_was_decided() {
    const RULES: &str = r#"
rule "sources" {
  action = "allow"
  path   = ["src/**"]
}
rule "secrets" {
  action = "deny"
  path   = ["**/.env"]
}
"#;
    let mut raw = Raw::open(policy(RULES), everything(), "a").await;
    raw.prompt().await;
    // Approved, and done by the agent.
    raw.agent_calls(
        "1",
        "session/request_permission",
        permission("t1", "/approved"),
    )
    .await;
    raw.client_answers(chosen("yes")).await;
    raw.agent.read().await;
    raw.agent_updates("s", edited("t1", "/approved")).await;
    // Rejected, and done by the agent, and by the client for it.
    raw.agent_calls(
        "2",
        "session/request_permission",
        permission("t2", "/rejected"),
    )
    .await;
    raw.client.read().await;
    raw.client_answers(chosen("no")).await;
    raw.agent.read().await;
    raw.agent_updates("s", edited("t2", "/rejected")).await;
    // Nobody was asked.
    raw.agent_updates("s", edited("t3", "/unasked")).await;
    raw.agent_updates("s", edited("t3", "/unasked")).await;
    // A rule allows it, and a rule denies it.
    raw.agent_updates("s", edited("t4", "/src/a.rs")).await;
    raw.agent_updates("s", edited("t5", "/w/.env")).await;
    let run = json!({ "sessionUpdate": "tool_call", "toolCallId": "t6", "title": "Run", "kind": "execute", "status": "completed", "rawInput": { "command": "make" } });
    raw.agent_updates("s", run).await;
    let read = json!({ "sessionUpdate": "tool_call", "toolCallId": "t7", "title": "Read", "kind": "read", "status": "completed", "locations": [{ "path": "/etc/hosts" }] });
    raw.agent_updates("s", read).await;
    for _ in 0..7 {
        raw.client.read().await;
    }
    let summary = raw.guard.summary();
    assert_eq!(
        (summary.asked, summary.approved, summary.rejected),
        (2, 1, 1)
    );
    let names = |list: &std::collections::BTreeMap<String, u64>| -> Vec<String> {
        list.keys().cloned().collect()
    };
    assert_eq!(names(&summary.undecided), ["/unasked", "make"]);
    assert_eq!(names(&summary.against), ["/rejected", "/w/.env"]);
    assert_eq!(summary.undecided["/unasked"], 1, "it is completed once");
    assert_eq!(names(&summary.reported.read), ["/etc/hosts"]);
    assert_eq!(names(&summary.reported.run), ["make"]);
    assert_eq!(summary.reported.written.len(), 5);
}

#[tokio::test]
async fn writes_of_the_client_are_compared_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.jsonl");
    let settings = Settings {
        record: Some(Record::open(&path, Masks::default()).unwrap()),
        ..Settings::default()
    };
    let mut raw = Raw::open(settings, everything(), "a").await;
    raw.prompt().await;
    let write = |path: &str| json!({ "sessionId": "s", "path": path, "content": "x" });
    raw.agent_calls(
        "1",
        "session/request_permission",
        permission("t1", "/tmp/a"),
    )
    .await;
    raw.client_answers(chosen("yes")).await;
    raw.agent.read().await;
    raw.agent_calls("2", "fs/write_text_file", write("/tmp/a"))
        .await;
    raw.client_answers(json!({ "result": {} })).await;
    raw.agent.read().await;
    raw.agent_calls("3", "fs/write_text_file", write("/tmp/b"))
        .await;
    raw.client_answers(json!({ "result": {} })).await;
    raw.agent.read().await;
    let run = json!({ "sessionId": "s", "command": "rm", "args": ["-r", "x"] });
    raw.agent_calls("4", "terminal/create", run).await;
    raw.client_answers(json!({ "result": { "terminalId": "t" } }))
        .await;
    raw.agent.read().await;
    // After "always" the agent does not ask again.
    raw.agent_calls(
        "5",
        "session/request_permission",
        permission("t2", "/tmp/c"),
    )
    .await;
    raw.client_answers(chosen("all")).await;
    raw.agent.read().await;
    raw.agent_calls("6", "fs/write_text_file", write("/tmp/d"))
        .await;
    raw.client_answers(json!({ "result": {} })).await;
    raw.agent.read().await;
    let (summary, _) = raw.guard.finish().await.unwrap();
    let undecided: Vec<&String> = summary.undecided.keys().collect();
    assert_eq!(undecided, ["/tmp/b", "rm -r x"]);
    assert!(summary.against.is_empty());
    let text = std::fs::read_to_string(&path).unwrap();
    let note =
        r#""note":{"undecided":{"sessionId":"s","deed":"written","name":"/tmp/b","by":"client"}}"#;
    assert!(text.contains(note), "{text}");
}

fn edited(id: &str, path: &str) -> Value {
    json!({ "sessionUpdate": "tool_call_update", "toolCallId": id, "kind": "edit", "status": "completed",
        "content": [{ "type": "diff", "path": path, "newText": "x" }] })
}

/// The client says `/link/p`, and the agent is told `/real/p` by the system.
#[tokio::test]
async fn rules_hold_under_each_name_of_the_folder() {
    const RULES: &str = r#"
rule "secrets" {
  action = "deny"
  path   = ["secrets/**"]
}
rule "notes" {
  action = "ask"
  path   = ["notes/**"]
}
"#;
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    for name in ["real/p/secrets", "real/p/notes", "real/x"] {
        std::fs::create_dir_all(root.join(name)).unwrap();
    }
    std::fs::write(root.join("real/p/secrets/k"), "").unwrap();
    std::os::unix::fs::symlink("real", root.join("link")).unwrap();
    for given in ["link/p", "real/x/../p"] {
        let cwd = root.join(given).display().to_string();
        let mut raw = Raw::open_in(policy(RULES), everything(), "a", &cwd).await;
        raw.prompt().await;
        let at = |name: &str| root.join("real/p").join(name).display().to_string();
        let read = json!({ "sessionId": "s", "path": at("secrets/k") });
        raw.agent_calls("1", "fs/read_text_file", read).await;
        let refused = raw.agent.read().await;
        assert_eq!(refused["error"]["code"], -31701, "{given}: {refused}");
        assert_eq!(refused["error"]["data"]["rule"], "secrets");
        let run = json!({ "sessionId": "s", "command": "ls", "cwd": at("secrets") });
        assert_eq!(raw.creates(run).await, -31701, "{given}");
        raw.agent_calls(
            "2",
            "session/request_permission",
            permission("t", &at("secrets/k")),
        )
        .await;
        let answer = raw.agent.read().await;
        assert_eq!(answer["result"]["outcome"]["optionId"], "no", "{given}");
        let write = json!({ "sessionId": "s", "path": at("notes/a"), "content": "" });
        raw.agent_calls("3", "fs/write_text_file", write).await;
        let asked = raw.client.read().await;
        assert_eq!(asked["method"], "session/request_permission", "{given}");
    }
}
