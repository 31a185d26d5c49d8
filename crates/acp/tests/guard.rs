//! The guard between a scripted editor and a scripted agent, in memory.

#[path = "guard/actors.rs"]
mod actors;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use actors::{Agent, RawPeer, Stage, data, json_payload};
use serde_json::{Value, json};
use tenon_acp::guard::{Files, Guard, Limits, Settings};
use tenon_acp::policy::Policy;
use tenon_acp::record::{Masks, Record, verify};
use tenon_hcl::Source;
use tenon_protocols::acp::{Profile, Side};
use tenon_rpc::{CallError, Payload, Peer, RpcError};

/// The error of a call.
fn error(outcome: Result<Payload, CallError>) -> RpcError {
    match outcome {
        Err(CallError::Answered(error)) => error,
        other => panic!("{other:?}"),
    }
}

fn code(outcome: Result<Payload, CallError>) -> i64 {
    error(outcome).code.number()
}

fn value(payload: &Payload) -> Value {
    payload.decode().unwrap()
}

async fn call(peer: &Peer, method: &'static str, params: &Value) -> Result<Payload, CallError> {
    peer.call_raw(method, Some(json_payload(params))).await
}

fn chunk(text: &str) -> Value {
    json!({ "sessionId": "s", "update": { "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": text } } })
}

#[tokio::test]
async fn what_is_allowed_passes_byte_for_byte_and_in_order() {
    const PROMPT: &str = r#"{ "prompt":[{"type":"text","text":"h\u0069"} ],"sessionId":"s", "_meta":{"n":1.00,"big":12345678901234567890}}"#;
    const UPDATE: &str = r#"{"update":{"x":[1e2 , 1.50],"sessionUpdate":"agent_message_chunk","content":{"text":"\u0061","type":"text"}},"sessionId":"s"}"#;
    const RESULT: &str = r#"{"usage":{"n":1.0},"stopReason":"end_turn" }"#;
    let agent = Agent::new(|peer, params| async move {
        assert_eq!(params.bytes(), PROMPT);
        for _ in 0..3 {
            let update = Payload::from_json(UPDATE).unwrap();
            peer.send_raw("session/update", Some(update)).await.unwrap();
        }
        Ok(Payload::from_json(RESULT).unwrap())
    });
    let stage = Stage::open(agent, Settings::default()).await;
    let prompt = Payload::from_json(PROMPT).unwrap();
    let result = stage
        .editor()
        .call_raw("session/prompt", Some(prompt))
        .await
        .unwrap();
    assert_eq!(result.bytes(), RESULT);
    assert_eq!(
        stage.updates(),
        [UPDATE; 3],
        "they arrive before the answer"
    );
    let echo = r#"{"deep":[ 1.0 ]}"#;
    let reply = stage
        .editor()
        .call_raw("_vendor/echo", Some(Payload::from_json(echo).unwrap()))
        .await;
    assert_eq!(reply.unwrap().bytes(), echo, "extensions pass");
}

#[tokio::test]
async fn both_sides_are_held_to_what_the_other_supports() {
    let codes = Arc::new(Mutex::new(Vec::new()));
    let seen = codes.clone();
    let agent = Agent::new(move |peer, _| {
        let seen = seen.clone();
        async move {
            let file = json!({ "sessionId": "s", "path": "/w/a" });
            let run = json!({ "sessionId": "s", "command": "ls" });
            let outcomes = [
                call(&peer, "fs/read_text_file", &file).await,
                call(&peer, "terminal/create", &run).await,
                call(
                    &peer,
                    "session/prompt",
                    &json!({ "sessionId": "s", "prompt": [] }),
                )
                .await,
            ];
            seen.lock().unwrap().extend(outcomes.map(code));
            Ok(json_payload(&json!({ "stopReason": "end_turn" })))
        }
    });
    let stage = Stage::open_with(agent, Settings::default(), json!({ "terminal": false })).await;
    let editor = stage.editor();
    assert_eq!(
        code(
            call(
                editor,
                "session/load",
                &json!({ "sessionId": "s", "cwd": "/w", "mcpServers": [] })
            )
            .await
        ),
        -32601
    );
    assert_eq!(
        code(
            call(
                editor,
                "fs/read_text_file",
                &json!({ "sessionId": "s", "path": "/w" })
            )
            .await
        ),
        -32601
    );
    let image = json!({ "sessionId": "s", "prompt": [{ "type": "image", "data": "", "mimeType": "image/png" }] });
    assert_eq!(code(call(editor, "session/prompt", &image).await), -32602);
    stage.prompt("go").await.unwrap();
    assert_eq!(*codes.lock().unwrap(), [-32601, -32601, -32601]);
}

#[tokio::test]
async fn wrong_messages_and_wrong_states_are_answered() {
    let agent = Agent::new(|_, params| async move {
        match value(&params)["prompt"][0]["text"] == "wait" {
            true => std::future::pending().await,
            false => Ok(json_payload(&json!({ "stopReason": "end_turn" }))),
        }
    });
    let stage = Stage::open(agent, Settings::default()).await;
    let editor = stage.editor();
    assert_eq!(
        code(call(editor, "initialize", &json!({ "protocolVersion": 1 })).await),
        -32600
    );
    assert_eq!(
        code(
            call(
                editor,
                "session/prompt",
                &json!({ "sessionId": "none", "prompt": [] })
            )
            .await
        ),
        -31900
    );
    assert_eq!(
        code(call(editor, "session/prompt", &json!({ "sessionId": "s" })).await),
        -32602
    );
    assert_eq!(
        code(
            call(
                editor,
                "session/new",
                &json!({ "cwd": "relative", "mcpServers": [] })
            )
            .await
        ),
        -32602
    );
    let wait = json!({ "sessionId": "s", "prompt": [{ "type": "text", "text": "wait" }] });
    let first = {
        editor
            .ask("session/prompt", Some(json_payload(&wait)))
            .await
    }
    .unwrap();
    let locked = error(stage.prompt("two").await);
    assert_eq!(
        (locked.code.number(), &*locked.message),
        (-31902, "Session locked")
    );
    assert_eq!(data(&locked)["sessionId"], "s");
    // Dropping a call cancels it. The session must not stay locked.
    drop(first);
    stage.settle().await;
    stage.prompt("three").await.unwrap();
}

#[tokio::test]
async fn updates_for_unknown_sessions_and_wrong_updates_are_dropped() {
    let agent = Agent::new(|peer, _| async move {
        let stray =
            json!({ "sessionId": "none", "update": { "sessionUpdate": "plan", "entries": [] } });
        let notice = json!({ "sessionId": "s", "update": { "sessionUpdate": "notice", "severity": "info", "title": "x" } });
        for wrong in [
            stray,
            notice,
            json!({ "sessionId": "s", "update": 7 }),
            json!({}),
        ] {
            peer.send_raw("session/update", Some(json_payload(&wrong)))
                .await
                .unwrap();
        }
        peer.send_raw("session/update", Some(json_payload(&chunk("right"))))
            .await
            .unwrap();
        Ok(json_payload(&json!({ "stopReason": "end_turn" })))
    });
    let stage = Stage::open(agent, Settings::default()).await;
    stage.prompt("go").await.unwrap();
    assert_eq!(stage.updates(), [chunk("right").to_string()]);
    assert_eq!(stage.guard().summary().refused, 4);
}

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
    assert_eq!(summary.denied, 8);
}

#[tokio::test(start_paused = true)]
async fn large_and_frequent_calls_are_refused() {
    let stage = Stage::open(Agent::silent(), Settings::default()).await;
    let large = stage.prompt(&"x".repeat(1024 * 1024)).await;
    let large = error(large);
    assert_eq!(large.code.number(), -32600);
    assert_eq!(data(&large)["reason"], "message_too_large");
    for _ in 0..10 {
        stage.prompt("go").await.unwrap();
    }
    let limited = error(stage.prompt("go").await);
    assert_eq!(
        (limited.code.number(), &*limited.message),
        (-31903, "Rate limit exceeded")
    );
    assert!(data(&limited)["retryAfterMs"].as_u64().unwrap() > 0);
    let limits = Limits {
        rates: false,
        sizes: false,
        ..Limits::default()
    };
    let stage = Stage::open(
        Agent::silent(),
        Settings {
            limits,
            ..Settings::default()
        },
    )
    .await;
    stage.prompt(&"x".repeat(1024 * 1024)).await.unwrap();
    for _ in 0..20 {
        stage.prompt("go").await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_flood_of_chunks_is_joined_and_complete() {
    const COUNT: usize = 3000;
    let agent = Agent::new(|peer, _| async move {
        for number in 0..COUNT {
            peer.send_raw(
                "session/update",
                Some(json_payload(&chunk(&format!("{number} ")))),
            )
            .await
            .unwrap();
        }
        Ok(json_payload(&json!({ "stopReason": "end_turn" })))
    });
    let stage = Stage::open(agent, Settings::default()).await;
    stage.prompt("go").await.unwrap();
    let updates = stage.updates();
    assert!(updates.len() < 500, "{} updates", updates.len());
    let text: String = { updates.iter() }
        .map(|update| serde_json::from_str::<Value>(update).unwrap())
        .map(|update| {
            update["update"]["content"]["text"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    let expected: String = (0..COUNT).map(|number| format!("{number} ")).collect();
    assert_eq!(text, expected);
}

/// What waits is sent without anything else happening.
#[tokio::test(start_paused = true)]
async fn chunks_that_wait_are_sent_in_time() {
    let agent = Agent::new(|peer, _| async move {
        for _ in 0..200 {
            peer.send_raw("session/update", Some(json_payload(&chunk("x"))))
                .await
                .unwrap();
        }
        tokio::time::sleep(Duration::from_secs(60)).await;
        Ok(json_payload(&json!({ "stopReason": "end_turn" })))
    });
    let stage = Stage::open(agent, Settings::default()).await;
    let turn = stage.prompt("go");
    let early = tokio::time::timeout(Duration::from_secs(30), turn).await;
    assert!(early.is_err(), "the turn still runs");
    let updates = stage.updates();
    let texts: usize = { updates.iter() }
        .map(|update| {
            serde_json::from_str::<Value>(update).unwrap()["update"]["content"]["text"]
                .as_str()
                .unwrap()
                .len()
        })
        .sum();
    assert_eq!(texts, 200);
}

#[tokio::test]
async fn an_agent_that_dies_in_a_turn_is_reported() {
    let agent = Agent::new(|peer, _| async move {
        peer.close();
        std::future::pending().await
    });
    let stage = Stage::open(agent, Settings::default()).await;
    let lost = error(stage.prompt("go").await);
    assert_eq!(lost.code.number(), -32603, "-32000 would open a login page");
    assert_eq!(data(&lost)["reason"], "connection_lost");
    assert_eq!(stage.guard().closed().await.0, Side::Agent);
}

#[tokio::test(start_paused = true)]
async fn an_editor_that_leaves_cancels_its_turns() {
    let (sender, mut cancelled) = tokio::sync::mpsc::channel(1);
    let agent = Agent::new(|_, _| std::future::pending()).on_cancel(sender);
    let mut stage = Stage::open(agent, Settings::default()).await;
    let editor = stage.editor().clone();
    let prompt = json_payload(&json!({ "sessionId": "s", "prompt": [] }));
    let asked = editor.ask("session/prompt", Some(prompt)).await.unwrap();
    stage.settle().await;
    stage.leave();
    drop(asked);
    let gone = stage.guard().closed().await;
    assert_eq!(gone.0, Side::Client);
    let session = tokio::time::timeout(Duration::from_secs(10), cancelled.recv()).await;
    assert_eq!(session.unwrap().unwrap(), "s");
}

#[tokio::test(start_paused = true)]
async fn a_silent_agent_times_out() {
    let agent = Agent::new(|_, _| std::future::pending()).mute();
    let mut stage = Stage::new(agent, Settings::default());
    let initialize = call(
        stage.editor(),
        "initialize",
        &json!({ "protocolVersion": 1 }),
    )
    .await;
    let late = error(initialize);
    assert_eq!((late.code.number(), &*late.message), (-32001, "Timeout"));
    assert_eq!(data(&late)["timeoutMs"], 30_000);
    stage.leave();
}

/// The limit of a turn counts the time in which nothing happens.
#[tokio::test(start_paused = true)]
async fn a_turn_times_out_when_nothing_happens() {
    let (sender, mut cancelled) = tokio::sync::mpsc::channel(1);
    let agent = Agent::new(|peer, _| async move {
        // Ten minutes in which something happens, and a question that takes an hour.
        for _ in 0..5 {
            tokio::time::sleep(Duration::from_secs(120)).await;
            peer.send_raw("session/update", Some(json_payload(&chunk("x"))))
                .await
                .unwrap();
        }
        let request =
            json!({ "sessionId": "s", "toolCall": { "toolCallId": "slow" }, "options": [] });
        call(&peer, "session/request_permission", &request)
            .await
            .unwrap();
        std::future::pending().await
    })
    .on_cancel(sender);
    let stage = Stage::open(agent, Settings::default()).await;
    stage.answer_after(Duration::from_secs(3600));
    let started = tokio::time::Instant::now();
    let late = error(stage.prompt("go").await);
    assert_eq!((late.code.number(), &*late.message), (-32001, "Timeout"));
    let expected = Duration::from_secs(600 + 3600 + 300 + 10);
    let took = started.elapsed();
    assert!(
        took >= expected && took < expected + Duration::from_secs(2),
        "{took:?}"
    );
    assert_eq!(cancelled.recv().await.unwrap(), "s", "the agent was told");
}

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
async fn methods_of_later_versions_pass_unless_the_reading_is_strict() {
    let params = json!({ "sessionId": "s" });
    let stage = Stage::open(Agent::silent(), Settings::default()).await;
    assert!(
        call(stage.editor(), "session/status", &params)
            .await
            .is_ok()
    );
    let strict = Settings {
        profile: Profile::Seed,
        ..Settings::default()
    };
    let stage = Stage::open(Agent::silent(), strict).await;
    assert_eq!(
        code(call(stage.editor(), "session/status", &params).await),
        -32601
    );
    assert!(call(stage.editor(), "_vendor/echo", &params).await.is_ok());
}

/// Text on a line, as it comes from a program that has a mistake in it.
#[tokio::test]
async fn broken_lines_are_answered_and_the_connection_goes_on() {
    let (mut raw, client_side) = RawPeer::pair();
    let (_agent, agent_side) = RawPeer::pair();
    let _guard = Guard::start(client_side, agent_side, Settings::default());
    for (line, code) in [
        ("{not json", -32700),
        (
            r#"[{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}]"#,
            -32600,
        ),
        (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, -32600),
        (
            r#"{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"1"}}"#,
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":3,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}"#,
            -32600,
        ),
    ] {
        raw.write(line).await;
        assert_eq!(raw.read().await["error"]["code"], code, "{line}");
    }
}

#[tokio::test]
async fn noise_of_an_agent_does_not_end_the_session() {
    for noise in [
        "Loading model...",
        "",
        "[]",
        r#"[{"jsonrpc":"2.0","id":1,"method":"fs/read_text_file"}]"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#,
        r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}"#,
        r#"{"jsonrpc":"2.0","id":4711,"result":{}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"x","update":{"sessionUpdate":"plan","entries":[]}}}"#,
    ] {
        let (mut client, client_side) = RawPeer::pair();
        let (mut agent, agent_side) = RawPeer::pair();
        let _guard = Guard::start(client_side, agent_side, Settings::default());
        client.write(r#"{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":1}}"#).await;
        let asked = agent.read().await;
        agent.write(noise).await;
        let answer =
            json!({ "jsonrpc": "2.0", "id": asked["id"], "result": { "protocolVersion": 1 } });
        agent.write(&answer.to_string()).await;
        let answer = client.read().await;
        let expected = json!({ "jsonrpc": "2.0", "id": "i", "result": { "protocolVersion": 1 } });
        assert_eq!(answer, expected, "after {noise}");
    }
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

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(48))]

    /// Whatever is sent, and in whichever order, arrives in that order with its bytes.
    #[test]
    fn any_interleaving_of_updates_passes_in_order_and_unchanged(
        picks in proptest::collection::vec(0..KINDS.len(), 0..120),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let sent: Vec<String> = { picks.iter().enumerate() }
                .map(|(number, pick)| KINDS[*pick].replace("NUMBER", &number.to_string()))
                .collect();
            let script = sent.clone();
            let agent = Agent::new(move |peer, _| {
                let script = script.clone();
                async move {
                    for text in script {
                        let name = if text.contains("vendor") { "_vendor/event" } else { "session/update" };
                        peer.send_raw(name, Some(Payload::from_json(text).unwrap())).await.unwrap();
                    }
                    Ok(json_payload(&json!({ "stopReason": "end_turn" })))
                }
            });
            let limits = Limits { rates: false, ..Limits::default() };
            let stage = Stage::open(agent, Settings { limits, ..Settings::default() }).await;
            stage.prompt("go").await.unwrap();
            assert_eq!(stage.updates(), sent);
        });
    }
}

const KINDS: [&str; 7] = [
    r#"{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"NUMBER"}}}"#,
    r#"{ "update": {"content":{"text":"\u0041NUMBER","type":"text"}, "sessionUpdate":"agent_thought_chunk"}, "sessionId":"s" }"#,
    r#"{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"NUMBER","title":"x","rawInput":{"n":1.00}}}"#,
    r#"{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"NUMBER","_meta":{"n":1e2}}}"#,
    r#"{"sessionId":"s","update":{"sessionUpdate":"hologram","n":[NUMBER , 12345678901234567890]}}"#,
    r#"{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[ ]},"_meta":{"x":NUMBER}}"#,
    r#"{"vendor":[ NUMBER ]}"#,
];
