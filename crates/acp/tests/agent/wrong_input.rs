//! What a client should not send.

use serde_json::{Value, json};
use tenon_acp::agent::acp::{ContentBlock, StopReason};
use tenon_acp::agent::{About, Agent, AgentError, Io, Settings, Store, Turn, serve};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};

use crate::actor::Actor;
use crate::editor::{Editor, everything};
use crate::support::{W, X, within};

/// A client that writes lines.
struct Lines {
    reader: BufReader<tokio::io::ReadHalf<DuplexStream>>,
    writer: tokio::io::WriteHalf<DuplexStream>,
}

impl Lines {
    async fn new(settings: Settings) -> Lines {
        Lines::with(Actor, settings).await
    }

    async fn with(agent: impl Agent, settings: Settings) -> Lines {
        let (here, there) = tokio::io::duplex(1024 * 1024);
        tokio::spawn(async move { serve(agent, Io::from(there), settings).await });
        let (reader, writer) = tokio::io::split(here);
        let mut lines = Lines {
            reader: BufReader::new(reader),
            writer,
        };
        lines
            .write(
                r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}"#,
            )
            .await;
        assert_eq!(lines.read().await["result"]["protocolVersion"], 1);
        lines
    }

    async fn write(&mut self, line: &str) {
        self.writer.write_all(line.as_bytes()).await.unwrap();
        self.writer.write_all(b"\n").await.unwrap();
    }

    async fn read(&mut self) -> Value {
        let mut line = String::new();
        within(self.reader.read_line(&mut line)).await.unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// The answer to a line, without what the session says on its own.
    async fn answer(&mut self, line: &str) -> Value {
        self.write(line).await;
        loop {
            let frame = self.read().await;
            if frame.get("method").is_none() {
                return frame;
            }
        }
    }
}

#[tokio::test]
async fn frames_that_are_not_messages_are_answered_and_the_session_continues() {
    let mut lines = Lines::new(Settings::default()).await;
    for (line, id, code) in [
        ("{not json", json!(null), -32700),
        ("[]", json!(null), -32600),
        (
            r#"[{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/w"}}]"#,
            json!(null),
            -32600,
        ),
        (r#"{"jsonrpc":"2.0","id":5}"#, json!(5), -32600),
        (
            r#"{"jsonrpc":"2.0","id":null,"method":"session/new","params":{"cwd":"/w"}}"#,
            json!(null),
            -32600,
        ),
        (
            r#"{"jsonrpc":"2.0","id":6,"method":"no/such"}"#,
            json!(6),
            -32601,
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"_no_such","params":{}}"#,
            json!(7),
            -32601,
        ),
        (
            r#"{"jsonrpc":"2.0","id":8,"method":"session/update","params":{}}"#,
            json!(8),
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":9,"method":"session/new","params":{}}"#,
            json!(9),
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":10,"method":"session/new","params":{"cwd":7}}"#,
            json!(10),
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":11,"method":"session/new","params":{"cwd":"/w","cwd":"/x"}}"#,
            json!(11),
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":12,"method":"session/new"}"#,
            json!(12),
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":13,"method":"initialize","params":{"protocolVersion":1}}"#,
            json!(13),
            -32600,
        ),
    ] {
        let answer = lines.answer(line).await;
        assert_eq!(answer["error"]["code"], code, "{line}: {answer}");
        assert_eq!(answer["id"], id, "{line}: {answer}");
    }
    let echo = lines
        .answer(r#"{"jsonrpc":"2.0","id":"x","method":"_echo","params":{"n":1.00}}"#)
        .await;
    assert_eq!(echo["result"], json!({ "n": 1.00 }));
    let new = lines
        .answer(
            &r#"{"jsonrpc":"2.0","id":20,"method":"session/new","params":{"cwd":"/w"}}"#
                .replace("/w", W),
        )
        .await;
    assert!(new["result"]["sessionId"].is_string(), "{new}");
}

#[tokio::test]
async fn the_first_call_is_initialize() {
    let editor = Editor::connect(Settings::default());
    let new = json!({ "cwd": W, "mcpServers": [] });
    assert_eq!(editor.code("session/new", &new).await, -32600);
    assert_eq!(editor.code("initialize", &json!({})).await, -32602);
    editor
        .call("initialize", &json!({ "protocolVersion": 1 }))
        .await;
    editor.call("session/new", &new).await;
}

#[tokio::test]
async fn states_that_do_not_allow_a_call_have_their_codes() {
    let folder = tempfile::tempdir().unwrap();
    let editor = Editor::stored(folder.path()).await;
    let unknown = "00000000-0000-4000-8000-000000000000";
    for id in [unknown, "invalid", "../../etc/passwd", "a/b", "a\u{e9}"] {
        let load = json!({ "sessionId": id, "cwd": W, "mcpServers": [] });
        for method in ["session/load", "session/resume"] {
            let error = editor.try_call(method, &load).await.unwrap_err();
            assert_eq!(
                (error.code.number(), &*error.message),
                (-31900, "Session not found"),
                "{id}"
            );
            let data: Value = error.data.unwrap().decode().unwrap();
            assert_eq!(data, json!({ "sessionId": id, "acpCode": -32002 }));
        }
        assert_eq!(
            editor.prompt(id, "say:x").await.unwrap_err().code.number(),
            -31900
        );
        let mode = json!({ "sessionId": id, "modeId": "ask" });
        assert_eq!(editor.code("session/set_mode", &mode).await, -31900);
    }
    for id in ["", "a\u{0}b", &"x".repeat(300)] {
        assert_eq!(
            editor.prompt(id, "say:x").await.unwrap_err().code.number(),
            -32602,
            "{id:?}"
        );
    }
    for cwd in ["relative", "", &format!("{W}/a\u{0}b")] {
        let new = json!({ "cwd": cwd, "mcpServers": [] });
        assert_eq!(editor.code("session/new", &new).await, -32602, "{cwd:?}");
    }
}

#[tokio::test]
async fn content_that_the_agent_has_not_stated_is_refused() {
    let editor = Editor::new().await;
    let session = editor.session(W).await;
    for block in [
        json!({ "type": "image", "data": "", "mimeType": "image/png" }),
        json!({ "type": "audio", "data": "", "mimeType": "audio/wav" }),
        json!({ "type": "resource", "resource": { "uri": "file:///x", "text": "" } }),
    ] {
        let params = json!({ "sessionId": session, "prompt": [block] });
        assert_eq!(
            editor.code("session/prompt", &params).await,
            -32602,
            "{params}"
        );
    }
    let servers = json!([{ "type": "http", "name": "a", "url": "http://x", "headers": [] }]);
    let new = json!({ "cwd": W, "mcpServers": servers });
    assert_eq!(editor.code("session/new", &new).await, -32602);
    let new = json!({ "cwd": W, "mcpServers": [], "additionalDirectories": [X] });
    assert_eq!(editor.code("session/new", &new).await, -32602);
    let local = json!([{ "name": "weather", "type": "local", "command": ["bun", "x"] }]);
    editor
        .call("session/new", &json!({ "cwd": W, "mcpServers": local }))
        .await;
}

#[tokio::test]
async fn messages_over_the_limits_are_refused() {
    let editor = Editor::new().await;
    let session = editor.session(W).await;
    let large = "x".repeat(1024 * 1024);
    let error = editor.prompt(&session, &large).await.unwrap_err();
    assert_eq!(error.code.number(), -32600);
    let data: Value = error.data.unwrap().decode().unwrap();
    assert_eq!(data["reason"], "message_too_large");
    let new = json!({ "cwd": W, "mcpServers": [], "_meta": { "x": "y".repeat(50 * 1024) } });
    assert_eq!(editor.code("session/new", &new).await, -32600);
    for number in 0..10 {
        editor
            .prompt(&session, &format!("say:{number}"))
            .await
            .unwrap();
    }
    let error = editor.prompt(&session, "say:x").await.unwrap_err();
    assert_eq!(error.code.number(), -31903);
    let data: Value = error.data.unwrap().decode().unwrap();
    assert!(data["retryAfterMs"].as_u64().unwrap() > 0);
    // Each session has its own limit.
    let other = editor.session(W).await;
    editor.prompt(&other, "say:x").await.unwrap();
    let settings = Settings {
        sizes: false,
        rates: false,
        ..Settings::default()
    };
    let editor = Editor::with(everything(), settings).await;
    let session = editor.session(W).await;
    for _ in 0..20 {
        editor.prompt(&session, "say:x").await.unwrap();
    }
    assert_eq!(
        editor
            .prompt(&session, &large)
            .await
            .unwrap_err()
            .code
            .number(),
        -32603
    );
}

/// Whoever causes many errors waits for them.
#[tokio::test(start_paused = true)]
async fn errors_are_answered_slowly_if_there_are_many() {
    let editor = Editor::new().await;
    let before = tokio::time::Instant::now();
    for _ in 0..660 {
        assert_eq!(editor.code("no/such", &json!({})).await, -32601);
    }
    assert!(before.elapsed().as_secs() >= 50, "{:?}", before.elapsed());
}

#[tokio::test(start_paused = true)]
async fn lines_that_are_not_messages_are_answered_slowly_if_there_are_many() {
    let mut lines = Lines::new(Settings::default()).await;
    let before = tokio::time::Instant::now();
    for _ in 0..160 {
        let answer = lines.answer("{").await;
        assert_eq!(answer["error"]["code"], -32700, "{answer}");
    }
    assert!(before.elapsed().as_secs() >= 9, "{:?}", before.elapsed());
}

#[tokio::test]
async fn a_line_that_is_too_long_does_not_end_the_session() {
    let mut lines = Lines::new(Settings::default()).await;
    let long = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"_echo","params":"{}"}}"#,
        "x".repeat(65 * 1024 * 1024)
    );
    let answer = lines.answer(&long).await;
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
    let echo = lines
        .answer(r#"{"jsonrpc":"2.0","id":2,"method":"_echo","params":[1]}"#)
        .await;
    assert_eq!(echo["result"], json!([1]));
}

#[tokio::test]
async fn an_event_with_the_id_null_is_an_event() {
    let mut lines = Lines::new(Settings::default()).await;
    let new = lines
        .answer(
            &r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/w"}}"#
                .replace("/w", W),
        )
        .await;
    let session = &new["result"]["sessionId"];
    let prompt = json!({ "jsonrpc": "2.0", "id": 2, "method": "session/prompt",
        "params": { "sessionId": session, "prompt": [{ "type": "text", "text": "wait" }] } });
    lines.write(&prompt.to_string()).await;
    let cancel = json!({ "jsonrpc": "2.0", "id": null, "method": "session/cancel", "params": { "sessionId": session } });
    lines.write(&cancel.to_string()).await;
    loop {
        let frame = lines.read().await;
        assert_eq!(frame["error"], Value::Null, "{frame}");
        if frame["id"] == 2 {
            assert_eq!(frame["result"]["stopReason"], "cancelled");
            break;
        }
    }
}

#[tokio::test]
async fn a_store_that_cannot_be_written_fails_the_session_without_its_path() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions");
    let settings = Settings {
        store: Some(Store::open(&path).unwrap()),
        ..Settings::default()
    };
    let editor = Editor::with(everything(), settings).await;
    std::fs::remove_dir_all(&path).unwrap();
    let error = editor
        .try_call("session/new", &json!({ "cwd": W, "mcpServers": [] }))
        .await;
    let error = error.unwrap_err();
    assert_eq!(error.code.number(), -32603);
    assert!(!format!("{error:?}").contains("sessions"), "{error:?}");
}

/// An agent that takes sounds.
struct Listener;

impl Agent for Listener {
    fn about(&self) -> About {
        let mut about = About::new("listener", "1.0.0");
        let prompts = &mut about.capabilities.prompt_capabilities;
        prompts.get_or_insert_default().audio = Some(true);
        about
    }

    async fn prompt(&self, _: Turn, _: Vec<ContentBlock>) -> Result<StopReason, AgentError> {
        Ok(StopReason::EndTurn)
    }
}

/// The limit for sounds is not one for text.
#[tokio::test]
async fn the_text_of_a_prompt_has_a_limit_for_an_agent_that_takes_sounds() {
    let mut lines = Lines::with(Listener, Settings::default()).await;
    let call = |method: &str, params: Value| {
        json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string()
    };
    let new = call("session/new", json!({ "cwd": W, "mcpServers": [] }));
    let session = lines.answer(&new).await["result"]["sessionId"].clone();
    let sound =
        |size: usize| json!({ "type": "audio", "mimeType": "audio/wav", "data": "x".repeat(size) });
    let text = |size: usize| json!({ "type": "text", "text": " ".repeat(size) });
    for (prompt, reason) in [
        (json!([sound(2 * 1024 * 1024), text(1000)]), Value::Null),
        (
            json!([sound(2 * 1024 * 1024), text(1024 * 1024)]),
            json!("message_too_large"),
        ),
        (json!([sound(33 * 1024 * 1024)]), json!("media_too_large")),
    ] {
        let params = json!({ "sessionId": session, "prompt": prompt });
        let answer = lines.answer(&call("session/prompt", params)).await;
        assert_eq!(answer["error"]["data"]["reason"], reason);
        assert_eq!(answer["result"].is_object(), reason.is_null());
    }
}
