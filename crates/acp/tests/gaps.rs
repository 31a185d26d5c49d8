//! What peers leave undone or do unasked, and what the guard does about it.

#[path = "guard/actors.rs"]
#[allow(dead_code, reason = "the other tests of the guard use the rest")]
mod actors;
#[path = "guard/raw.rs"]
mod raw;

use serde_json::{Value, json};
use tenon_acp::guard::{Files, Settings};
use tenon_acp::policy::Policy;
use tenon_acp::record::{Content, Masks, Record, Source, read};
use tenon_hcl::Source as Text;

use actors::{Agent, Stage, json_payload};
use raw::Raw;

fn everything() -> Value {
    json!({ "fs": { "readTextFile": true, "writeTextFile": true }, "terminal": true })
}

fn policy(text: &str) -> Settings {
    Settings {
        policy: Policy::parse(&Text::new("policy.hcl", text)).unwrap(),
        ..Settings::default()
    }
}

fn permission(id: &str, path: &str) -> Value {
    json!({ "sessionId": "s", "toolCall": { "toolCallId": id, "kind": "edit", "title": "Edit", "rawInput": { "path": path } }, "options": [
        { "optionId": "yes", "name": "Yes", "kind": "allow_once" },
        { "optionId": "all", "name": "All", "kind": "allow_always" },
        { "optionId": "no", "name": "No", "kind": "reject_once" },
    ] })
}

fn chosen(option: &str) -> Value {
    json!({ "result": { "outcome": { "outcome": "selected", "optionId": option } } })
}

fn edited(id: &str, path: &str) -> Value {
    json!({ "sessionUpdate": "tool_call_update", "toolCallId": id, "kind": "edit", "status": "completed",
        "content": [{ "type": "diff", "path": path, "newText": "x" }] })
}

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
async fn events_with_an_id_that_is_null_are_not_answered() {
    let mut raw = Raw::open(Settings::default(), json!({}), "a").await;
    raw.prompt().await;
    let cancel =
        r#"{"jsonrpc":"2.0","id":null,"method":"session/cancel","params":{"sessionId":"s"}}"#;
    raw.client.write(cancel).await;
    let event = raw.agent.read().await;
    let expected =
        json!({ "jsonrpc": "2.0", "method": "session/cancel", "params": { "sessionId": "s" } });
    assert_eq!(event, expected, "it has no id on its way on");
    let update = r#"{"jsonrpc":"2.0","id":null,"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[]}}}"#;
    raw.agent.write(update).await;
    assert_eq!(raw.client.read().await["method"], "session/update");
    // A call needs an id.
    let call = r#"{"jsonrpc":"2.0","id":null,"method":"session/list","params":{}}"#;
    raw.client.write(call).await;
    let refused = raw.client.read().await;
    assert_eq!(
        (&refused["id"], &refused["error"]["code"]),
        (&Value::Null, &json!(-32600))
    );
    raw.agent_calls("1", "_vendor/x", json!({})).await;
    let passed = raw.client.read().await;
    assert_eq!(
        passed["method"], "_vendor/x",
        "the agent got no answers either"
    );
}

#[tokio::test(start_paused = true)]
async fn whoever_causes_many_errors_waits_for_them() {
    let stage = Stage::open(Agent::silent(), Settings::default()).await;
    let started = tokio::time::Instant::now();
    for _ in 0..120 {
        let wrong = json_payload(&json!({ "sessionId": "none", "prompt": [] }));
        let answer = stage.editor().call_raw("session/prompt", Some(wrong)).await;
        assert!(answer.is_err());
    }
    // Sixty at once, then ten in a second.
    let took = started.elapsed().as_secs();
    assert!((5..8).contains(&took), "{took} s");
}

#[tokio::test]
async fn lines_that_are_too_long_do_not_end_a_session() {
    let mut raw = Raw::open(Settings::default(), json!({}), "a").await;
    let long = "x".repeat(65 * 1024 * 1024);
    let writing = async {
        let call = format!(
            r#"{{"jsonrpc":"2.0","id":"long","method":"session/prompt","params":{{"text":"{long}"}}}}"#
        );
        raw.client.write(&call).await;
    };
    writing.await;
    let answer = raw.client.read().await;
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
    raw.agent
        .write(&format!(
            r#"{{"jsonrpc":"2.0","method":"session/update","params":"{long}"}}"#
        ))
        .await;
    raw.prompt().await;
}

#[tokio::test]
async fn an_unknown_session_can_be_loaded_only_if_the_agent_knows_it() {
    let mut raw = Raw::open(Settings::default(), json!({}), "a").await;
    let load = json!({ "sessionId": "gone", "cwd": "/", "mcpServers": [] });
    raw.client_calls("l", "session/load", load).await;
    let call = raw.agent.read().await;
    let error = json!({ "code": -32603, "message": "Internal error", "data": { "details": "Session not found" } });
    let answer = json!({ "jsonrpc": "2.0", "id": call["id"], "error": error });
    raw.agent.write(&answer.to_string()).await;
    assert_eq!(
        raw.client.read().await["error"],
        error,
        "as the agent says it"
    );
    let prompt = json!({ "sessionId": "gone", "prompt": [] });
    raw.client_calls("p", "session/prompt", prompt).await;
    let refused = raw.client.read().await;
    assert_eq!(refused["error"]["code"], -31900);
    assert_eq!(refused["error"]["data"]["acpCode"], -32002);
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
            } => {
                let message: Value = serde_json::from_str(message.get()).unwrap();
                Some((to, message["id"].clone()))
            }
            _ => None,
        });
    let expected = [
        (Some(Source::Agent), json!("mine")),
        (Some(Source::Client), json!("theirs")),
    ];
    assert_eq!(answers.collect::<Vec<_>>(), expected);
}
