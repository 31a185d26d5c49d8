//! The numbers of the summary, and what is listed as done against a decision.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tenon_acp::guard::{Files, Settings};

use super::raw::Raw;
use super::{chosen, everything, policy};

const RULES: &str = r#"
rule "push" {
  action  = "deny"
  command = ["git push*"]
}
rule "status" {
  action  = "allow"
  command = ["git status*"]
}
"#;

fn names(list: &BTreeMap<String, u64>) -> Vec<&str> {
    list.keys().map(String::as_str).collect()
}

fn asks(id: &str, kind: &str, command: &str) -> Value {
    json!({ "sessionId": "s", "toolCall": { "toolCallId": id, "kind": kind, "title": id, "rawInput": { "command": command } }, "options": [
        { "optionId": "yes", "name": "Yes", "kind": "allow_once" },
        { "optionId": "all", "name": "All", "kind": "allow_always" },
        { "optionId": "no", "name": "No", "kind": "reject_once" },
    ] })
}

fn reports(id: &str, kind: &str, status: &str, input: Value) -> Value {
    json!({ "sessionUpdate": "tool_call_update", "toolCallId": id, "kind": kind, "status": status, "rawInput": input })
}

fn ran(id: &str, command: &str) -> Value {
    reports(id, "execute", "completed", json!({ "command": command }))
}

/// The agent asks, and the policy answers.
async fn is_answered(raw: &mut Raw, question: Value) -> Value {
    raw.agent_calls("q", "session/request_permission", question)
        .await;
    raw.agent.read().await["result"]["outcome"]["optionId"].clone()
}

/// The agent asks, and the user answers.
async fn is_asked(raw: &mut Raw, question: Value, option: &str) {
    raw.agent_calls("q", "session/request_permission", question)
        .await;
    raw.client_answers(chosen(option)).await;
    raw.agent.read().await;
}

#[tokio::test]
async fn everything_is_counted_once() {
    let mut raw = Raw::open(policy(RULES), everything(), "a").await;
    raw.prompt().await;
    assert_eq!(
        is_answered(&mut raw, asks("1", "execute", "git status")).await,
        "yes"
    );
    assert_eq!(
        is_answered(&mut raw, asks("2", "execute", "git push")).await,
        "no"
    );
    is_asked(&mut raw, asks("3", "execute", "make"), "yes").await;
    is_asked(&mut raw, asks("4", "execute", "make install"), "no").await;
    // One file under two names, once by the client and once by the agent.
    let read = json!({ "sessionId": "s", "path": "/w/./a" });
    raw.agent_calls("5", "fs/read_text_file", read).await;
    raw.client_answers(json!({ "result": { "content": "x" } }))
        .await;
    raw.agent.read().await;
    let updates = [
        reports("6", "read", "completed", json!({ "path": "/w/a" })),
        ran("1", "git status"),
        ran("3", "make"),
        // It was rejected, and was not done.
        reports(
            "4",
            "execute",
            "failed",
            json!({ "command": "make install" }),
        ),
        // A command that reads a file does both.
        reports(
            "7",
            "read",
            "completed",
            json!({ "command": "cat b", "path": "/w/b" }),
        ),
    ];
    let count = updates.len();
    for update in updates {
        raw.agent_updates("s", update).await;
    }
    for _ in 0..count {
        raw.client.read().await;
    }
    let summary = raw.guard.summary();
    let answered = (summary.asked, summary.approved, summary.rejected);
    assert_eq!(answered, (2, 1, 1));
    assert_eq!(
        (summary.allowed, summary.denied, summary.refused),
        (1, 1, 0)
    );
    assert_eq!(names(&summary.read), ["/w/a"]);
    assert_eq!(summary.all_read(), ["/w/a", "/w/b"]);
    assert_eq!(summary.all_run(), ["cat b", "git status", "make"]);
    assert!(summary.all_written().is_empty());
    assert_eq!(names(&summary.undecided), ["cat b"]);
    assert!(summary.against.is_empty(), "{:?}", summary.against);
}

#[tokio::test]
async fn denied_and_rejected_commands_that_are_run_all_the_same_are_listed() {
    let mut raw = Raw::open(policy(RULES), everything(), "a").await;
    raw.prompt().await;
    // The user allows commands for the whole session. What a rule denies stays denied.
    is_asked(&mut raw, asks("1", "execute", "ls"), "all").await;
    is_asked(&mut raw, asks("2", "execute", "make  install"), "no").await;
    assert_eq!(
        is_answered(&mut raw, asks("3", "read", "git push")).await,
        "no"
    );
    let updates = [
        ran("4", "sudo git push origin"),
        // Another spelling, and another tool call.
        ran("5", "make 'install'"),
        // Whatever kind the agent states.
        reports(
            "6",
            "think",
            "completed",
            json!({ "command": "git push a" }),
        ),
        reports("7", "read", "completed", json!({ "command": "git push b" })),
        // It was run, and has failed.
        json!({ "sessionUpdate": "tool_call_update", "toolCallId": "8", "kind": "execute", "status": "failed",
            "rawInput": { "command": "git push c" }, "rawOutput": { "output": "", "metadata": { "exit": 1 } } }),
        // The same tool call for one more command.
        ran("9", "ls"),
        ran("9", "git push d"),
    ];
    let count = updates.len();
    for update in updates {
        raw.agent_updates("s", update).await;
    }
    for _ in 0..count {
        raw.client.read().await;
    }
    let summary = raw.guard.summary();
    assert_eq!(
        names(&summary.against),
        [
            "git push a",
            "git push b",
            "git push c",
            "git push d",
            "make 'install'",
            "sudo git push origin"
        ]
    );
    assert!(summary.undecided.is_empty(), "{:?}", summary.undecided);
}

#[tokio::test]
async fn a_file_that_is_not_given_is_denied_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("inside");
    std::fs::create_dir(&inside).unwrap();
    for files in [Files::Client, Files::Guard] {
        let settings = Settings {
            files,
            ..Settings::default()
        };
        let mut raw = Raw::new(settings);
        raw.initialize(everything(), "a").await;
        raw.client_calls(
            "n",
            "session/new",
            json!({ "cwd": inside, "mcpServers": [] }),
        )
        .await;
        raw.agent_answers(json!({ "sessionId": "s" })).await;
        raw.client.read().await;
        raw.prompt().await;
        for path in ["/etc/passwd", "relative"] {
            let read = json!({ "sessionId": "s", "path": path });
            raw.agent_calls("r", "fs/read_text_file", read).await;
            assert!(raw.agent.read().await["error"].is_object());
        }
        let summary = raw.guard.summary();
        assert_eq!((summary.denied, summary.refused), (1, 1), "{files:?}");
        assert!(summary.read.is_empty());
    }
}

/// A question that the client leaves open when it cancels the turn was not answered with yes.
#[tokio::test(start_paused = true)]
async fn a_question_that_is_given_up_is_rejected() {
    let mut raw = Raw::open(policy(RULES), everything(), "a").await;
    raw.prompt().await;
    raw.agent_calls(
        "q",
        "session/request_permission",
        asks("1", "execute", "make"),
    )
    .await;
    raw.client.read().await;
    raw.client_sends("session/cancel", json!({ "sessionId": "s" }))
        .await;
    raw.agent.read().await;
    assert_eq!(
        raw.agent.read().await["result"]["outcome"]["outcome"],
        "cancelled"
    );
    raw.agent_updates("s", ran("1", "make")).await;
    while raw.client.read().await["method"] != "session/update" {}
    let summary = raw.guard.summary();
    assert_eq!((summary.asked, summary.rejected), (1, 1));
    assert_eq!(names(&summary.against), ["make"]);
}

/// The user has seen `ls`, and not what was said before it.
#[tokio::test]
async fn an_approval_covers_what_its_request_states() {
    const RULES: &str = r#"
rule "x" {
  action  = "deny"
  command = ["x*"]
}
"#;
    let mut raw = Raw::open(policy(RULES), everything(), "a").await;
    raw.prompt().await;
    let hidden = reports("t", "execute", "pending", json!({ "command": "$X" }));
    raw.agent_updates("s", hidden).await;
    raw.client.read().await;
    is_asked(&mut raw, asks("t", "execute", "ls"), "yes").await;
    // It may be denied, so it needs a permission.
    let create = json!({ "sessionId": "s", "command": "$X" });
    raw.agent_calls("c", "terminal/create", create).await;
    assert_eq!(raw.agent.read().await["error"]["code"], -31701);
    let done =
        json!({ "sessionUpdate": "tool_call_update", "toolCallId": "t", "status": "completed" });
    raw.agent_updates("s", done).await;
    raw.client.read().await;
    assert_eq!(names(&raw.guard.summary().undecided), ["$X"]);
}

#[tokio::test]
async fn an_approval_does_not_cover_what_is_done_later() {
    let mut raw = Raw::open(Settings::default(), everything(), "a").await;
    raw.prompt().await;
    is_asked(&mut raw, asks("t", "execute", "ls"), "yes").await;
    raw.agent_updates("s", ran("t", "make install")).await;
    raw.client.read().await;
    let summary = raw.guard.summary();
    assert_eq!(names(&summary.undecided), ["make install"]);
    // What was rejected is against it, whatever it is called.
    is_asked(&mut raw, asks("u", "execute", "ls"), "no").await;
    raw.agent_updates("s", ran("u", "make all")).await;
    raw.client.read().await;
    assert!(names(&raw.guard.summary().against).contains(&"make all"));
}

#[tokio::test]
async fn always_does_not_hold_where_a_rule_asks_or_doubts() {
    const RULES: &str = r#"
rule "ask" {
  action  = "ask"
  command = ["make*"]
}
rule "deny" {
  action  = "deny"
  command = ["git push*"]
}
"#;
    let mut raw = Raw::open(policy(RULES), everything(), "a").await;
    raw.prompt().await;
    is_asked(&mut raw, asks("t", "execute", "ls"), "all").await;
    for command in ["cat x", "make"] {
        raw.agent_updates("s", ran(command, command)).await;
        raw.client.read().await;
    }
    assert_eq!(names(&raw.guard.summary().undecided), ["make"]);
    let create = json!({ "sessionId": "s", "command": "git $X" });
    raw.agent_calls("c", "terminal/create", create).await;
    assert_eq!(raw.agent.read().await["error"]["code"], -31701);
}

#[tokio::test]
async fn a_file_that_is_read_although_a_rule_denies_it_is_listed() {
    const RULES: &str = r#"
rule "secrets" {
  action = "deny"
  path   = ["**/.env*"]
}
"#;
    let mut raw = Raw::open(policy(RULES), everything(), "a").await;
    raw.prompt().await;
    let files = json!({ "files": ["/w/.env", "/w/main.rs"] });
    let read = reports("t", "read", "completed", files);
    raw.agent_updates("s", read).await;
    raw.client.read().await;
    let summary = raw.guard.summary();
    assert_eq!(names(&summary.against), ["/w/.env"]);
    assert!(summary.undecided.is_empty(), "{summary:?}");
}

/// It was done in an earlier run of the agent.
#[tokio::test]
async fn the_history_of_a_session_is_not_counted() {
    let mut raw = Raw::open(Settings::default(), everything(), "a").await;
    let load = json!({ "sessionId": "old", "cwd": "/", "mcpServers": [] });
    raw.client_calls("l", "session/load", load).await;
    let call = raw.agent.read().await;
    raw.agent_updates("old", ran("t", "make")).await;
    raw.client.read().await;
    let answer = json!({ "jsonrpc": "2.0", "id": call["id"], "result": null });
    raw.agent.write(&answer.to_string()).await;
    raw.client.read().await;
    raw.agent_updates("old", ran("u", "cargo test")).await;
    raw.client.read().await;
    let summary = raw.guard.summary();
    assert_eq!(names(&summary.reported.run), ["cargo test"]);
    assert_eq!(names(&summary.undecided), ["cargo test"]);
}
