//! The messages of ACP: what is read is written again without a loss, and fits the official schema.
#![cfg(feature = "acp")]

#[path = "acp/schema.rs"]
mod schema;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tenon_protocols::acp::*;
use tenon_rpc::{EventKind, Format, Method, Payload};

/// The examples of the message specification.
fn specification() -> Vec<Value> {
    serde_json::from_str(include_str!("data/acp/specification.json")).unwrap()
}

/// One message of every kind, with all members, as text: parsing it would change numbers.
fn messages() -> Vec<(String, Option<Raw>, Option<Raw>)> {
    #[derive(serde::Deserialize)]
    struct Line {
        method: String,
        params: Option<Raw>,
        result: Option<Raw>,
    }
    let lines: Vec<Line> = serde_json::from_str(include_str!("data/acp/messages.json")).unwrap();
    let lines = lines.into_iter();
    lines
        .map(|line| (line.method, line.params, line.result))
        .collect()
}

/// Reads a text as a type, and writes it again.
fn again<T: Serialize + DeserializeOwned>(text: &str) -> String {
    let value: T = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    serde_json::to_string(&value).unwrap()
}

fn call<M: Method>(_: M, is_result: bool, text: &str) -> String {
    match is_result {
        true => again::<M::Result>(text),
        false => again::<M::Params>(text),
    }
}

fn event<E: EventKind>(_: E, text: &str) -> String {
    again::<E::Params>(text)
}

/// The params or the result of a method, read and written by its types.
fn written(method: &str, is_result: bool, text: &str) -> String {
    macro_rules! by_name {
        (calls $($call:ident)+; events $($event:ident)+) => {
            match method {
                $(<$call as Method>::NAME => call($call, is_result, text),)+
                $(<$event as EventKind>::NAME => event($event, text),)+
                other => panic!("no types for {other}"),
            }
        };
    }
    by_name! {
        calls Initialize Authenticate Logout NewSession LoadSession ResumeSession ListSessions DeleteSession
            CloseSession SetMode SetModel SetConfigOption Prompt RequestPermission ReadTextFile WriteTextFile
            CreateTerminal TerminalOutputs WaitForExit KillTerminal ReleaseTerminal CreateElicitation;
        events Cancel Update ElicitationComplete CancelRequest
    }
}

fn value(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// The tokens of a JSON text, sorted: what is left when members may be in another order.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = { text.split(['{', '}', '[', ']', ',', ':']) }
        .map(|token| token.trim().to_owned())
        .filter(|token| !token.is_empty())
        .collect();
    tokens.sort();
    tokens
}

/// An error of the strict reading, as it is sent.
fn error(failure: Failure, data: Value) -> Value {
    let error = failure.error(Profile::Seed, data);
    let mut sent = json!({ "code": error.code.number(), "message": error.message });
    if let Some(data) = &error.data {
        sent["data"] = data.decode().unwrap();
    }
    sent
}

#[test]
fn every_example_of_the_specification_is_read_checked_and_written() {
    let examples = specification();
    assert_eq!(examples.len(), 35);
    for example in examples {
        let name = example["method"].as_str().unwrap();
        let entry = method(name).unwrap();
        let payload = |value: &Value| Payload::encode(Format::Json, value).unwrap();
        if let Some(update) = example.get("update") {
            assert_eq!(value(&again::<SessionUpdate>(&update.to_string())), *update);
            continue;
        }
        let message = &example["message"];
        if let Some(params) = message.get("params") {
            entry.check_params(Some(&payload(params))).unwrap();
            let written = written(name, false, &params.to_string());
            assert_eq!(value(&written), *params, "{name}");
            assert_eq!(message.get("id").is_none(), entry.is_event);
        } else if let Some(result) = message.get("result") {
            entry.check_result(&payload(result)).unwrap();
            let written = written(name, true, &result.to_string());
            assert_eq!(value(&written), *result, "{name}");
        } else {
            let code = message["error"]["code"].as_i64().unwrap();
            let failure = Failure::ALL.iter().find(|failure| failure.code() == code);
            let data = message["error"]["data"].clone();
            assert_eq!(error(*failure.unwrap(), data), message["error"], "{name}");
        }
    }
}

#[test]
fn every_message_is_read_and_written_without_a_loss() {
    let messages = messages();
    for entry in METHODS {
        let is_there = messages.iter().any(|(method, ..)| method == entry.name);
        assert!(is_there, "{} has no example", entry.name);
    }
    for (method, params, result) in &messages {
        for (is_result, part) in [(false, params), (true, result)] {
            let Some(part) = part else { continue };
            let written = written(method, is_result, part.text());
            assert_eq!(value(&written), value(part.text()), "{method}");
            assert_eq!(tokens(&written), tokens(part.text()), "{method}");
        }
    }
}

#[test]
fn the_table_has_all_methods_of_version_1() {
    assert_eq!(METHODS.len(), 26, "25 and session/set_model");
    assert_eq!(METHODS.iter().filter(|entry| entry.is_event).count(), 4);
    let of = |side| METHODS.iter().filter(move |entry| entry.to == Some(side));
    assert_eq!(of(Side::Agent).count(), 14);
    assert_eq!(of(Side::Client).count(), 11);
    let names: std::collections::BTreeSet<_> = METHODS.iter().map(|entry| entry.name).collect();
    assert_eq!(names.len(), METHODS.len());
    assert_eq!(method("session/prompt").unwrap().size, Some(1024 * 1024));
    assert!(method("_vendor/thing").is_none());
}

/// What this version does not know passes as it is: members, kinds, words, and nulls that mean "clear".
#[test]
fn unknown_members_kinds_and_words_are_kept_byte_for_byte() {
    let update = r#"{"sessionUpdate":"hologram","n":1.00,"deep":{"b":1e2,"a":[null , 12345678901234567890]}}"#;
    assert_eq!(again::<SessionUpdate>(update), update);
    let chunk = r#"{"sessionUpdate":"agent_message_chunk","content":{"type":"smell","x": 1.0},"_meta":{"n":1.00},"new":[1e2]}"#;
    assert_eq!(again::<SessionUpdate>(chunk), chunk);
    let info = r#"{"sessionUpdate":"session_info_update","title":null}"#;
    assert_eq!(again::<SessionUpdate>(info), info);
    let SessionUpdate::SessionInfoUpdate(mut read) = serde_json::from_str(info).unwrap() else {
        panic!("it is an update of the session's information");
    };
    assert!(read.title.is_none() && read.rest.is_null("title"));
    read.title = Some("new".into());
    assert_eq!(serde_json::to_string(&read).unwrap(), r#"{"title":"new"}"#);
    let call = r#"{"toolCallId":"t","title":"x","kind":"teleport","status":"vanished"}"#;
    assert_eq!(again::<ToolCall>(call), call);
    let method = r#"{"type":"env_var","id":"a","name":"b","vars":[1]}"#;
    assert_eq!(again::<AuthMethod>(method), method);
    let agent = r#"{"id":"a","name":"b","type":"agent"}"#;
    assert_eq!(again::<AuthMethod>(agent), agent);
}

/// A reader that takes the first of two members and one that takes the last would see different messages.
#[test]
fn duplicate_members_are_refused() {
    for text in [
        r#"{"sessionId":"s","path":"/a","path":"/etc/passwd"}"#,
        r#"{"sessionId":"s","path":"/a","p\u0061th":"/etc/passwd"}"#,
        r#"{"sessionId":"s","path":"/a","line":null,"line":1}"#,
        r#"{"sessionId":"s","path":"/a","line":1,"line":1}"#,
    ] {
        let error = serde_json::from_str::<ReadTextFileParams>(text).unwrap_err();
        assert!(error.to_string().contains("duplicate field"), "{error}");
    }
    let text = r#"{"type":"text","type":"image","text":"x"}"#;
    let error = serde_json::from_str::<ContentBlock>(text).unwrap_err();
    assert!(error.to_string().contains("duplicate field"), "{error}");
}

#[test]
fn messages_that_do_not_fit_are_refused_without_quoting_them() {
    for (name, params, problem) in [
        ("initialize", r#"{}"#, "missing field `protocolVersion`"),
        ("initialize", r#"{"protocolVersion":"1"}"#, "invalid type"),
        ("initialize", r#"{"protocolVersion":99999}"#, "u16"),
        (
            "session/prompt",
            r#"{"sessionId":"s"}"#,
            "missing field `prompt`",
        ),
        (
            "session/prompt",
            r#"{"sessionId":"s","prompt":"hi"}"#,
            "sequence",
        ),
        (
            "session/prompt",
            r#"{"sessionId":"s","prompt":[{"text":"hi"}]}"#,
            "missing field `type`",
        ),
        ("session/prompt", r#"[]"#, "expected an object"),
        (
            "session/update",
            r#"{"sessionId":"s","update":7}"#,
            "object",
        ),
        ("session/cancel", r#"null"#, "missing field `sessionId`"),
        (
            "fs/read_text_file",
            r#"{"sessionId":"s","path":"/a","line":-1}"#,
            "u32",
        ),
        (
            "elicitation/create",
            r#"{"message":"x"}"#,
            "missing field `mode`",
        ),
    ] {
        let payload = Payload::from_json(params).unwrap();
        let error = method(name)
            .unwrap()
            .check_params(Some(&payload))
            .unwrap_err();
        assert!(error.to_string().contains(problem), "{name}: {error}");
    }
    let secret = Payload::from_json(r#"{"cwd":{"token":"hunter2"}}"#).unwrap();
    let error = method("session/new")
        .unwrap()
        .check_params(Some(&secret))
        .unwrap_err();
    assert!(!error.to_string().contains("hunter2"), "{error}");
    assert!(method("logout").unwrap().check_params(None).is_ok());
}

/// Peers answer `null` for an empty object, and the Python SDK even for a list.
#[test]
fn null_is_an_empty_result() {
    assert_eq!(again::<Empty>("null"), "{}");
    assert_eq!(again::<OpenSessionResult>("null"), "{}");
    let null = Payload::null(Format::Json);
    method("session/list").unwrap().check_result(&null).unwrap();
}

#[test]
fn servers_in_the_old_form_become_servers_of_version_1() {
    let old = json!({ "name": "weather", "type": "local", "command": ["bun", "x", "weather"], "environment": { "A": "b" } });
    let server: McpServer = serde_json::from_value(old).unwrap();
    let new = json!({ "name": "weather", "command": "bun", "args": ["x", "weather"], "env": [{ "name": "A", "value": "b" }] });
    assert_eq!(serde_json::to_value(server.into_v1()).unwrap(), new);
}

#[test]
fn views_borrow_what_a_proxy_needs() {
    let text = r#"{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a\u0062"},"messageId":"m"},"x":1}"#;
    let payload = Payload::from_json(text).unwrap();
    let update: view::Update<'_> = payload.decode_borrowed().unwrap();
    assert_eq!(
        (&*update.session_id, &*update.update.kind),
        ("s", "agent_message_chunk")
    );
    assert_eq!(update.update.message_id.as_deref(), Some("m"));
    assert_eq!(
        update.update.content.unwrap().get(),
        r#"{"type":"text","text":"a\u0062"}"#
    );
    assert!(matches!(update.session_id, std::borrow::Cow::Borrowed(_)));
}

/// The codes and texts of the specification.
#[test]
fn the_errors_are_those_of_the_specification() {
    let table = [
        (-32700, "Parse error"),
        (-32600, "Invalid Request"),
        (-32601, "Method not found"),
        (-32602, "Invalid params"),
        (-32603, "Internal error"),
        (-32000, "Connection lost"),
        (-32001, "Timeout"),
        (-31900, "Session not found"),
        (-31901, "Session expired"),
        (-31902, "Session locked"),
        (-31800, "Tool not found"),
        (-31801, "Tool disabled"),
        (-31802, "Tool timeout"),
        (-31700, "File not found"),
        (-31701, "Permission denied"),
        (-31702, "File too large"),
        (-31600, "MCP server error"),
        (-31601, "MCP server unavailable"),
    ];
    for (code, message) in table {
        let failure = Failure::ALL
            .iter()
            .find(|failure| failure.code() == code)
            .unwrap();
        assert_eq!(failure.message(), message);
        let error = failure.error(Profile::Seed, Value::Null);
        assert_eq!((error.code.number(), &*error.message), (code, message));
        assert!(!failure.about().is_empty());
    }
}

/// The official JSON Schema accepts everything that we write.
#[test]
#[cfg_attr(
    windows,
    ignore = "the validator needs Node, which is not installed under Wine"
)]
fn every_message_fits_the_official_schema() {
    let mut values = Vec::new();
    for (method, params, result) in messages() {
        for (part, text) in [("params", params), ("result", result)] {
            let Some(text) = text else { continue };
            let written = written(&method, part == "result", text.text());
            values.push((method.clone(), part, value(&written)));
        }
    }
    for example in specification() {
        let method = example["method"].as_str().unwrap();
        if let Some(update) = example.get("update") {
            let params = json!({ "sessionId": "s", "update": update }).to_string();
            values.push((
                method.to_owned(),
                "params",
                value(&written(method, false, &params)),
            ));
        }
        if let Some(failed) = example.pointer("/message/error") {
            values.push((method.to_owned(), "error", failed.clone()));
        }
        for part in ["params", "result"] {
            if let Some(text) = example.pointer(&format!("/message/{part}")) {
                let mut text = text.to_string();
                if method == "session/new" && part == "params" {
                    // These examples have the form of earlier versions.
                    let mut params: NewSessionParams = serde_json::from_str(&text).unwrap();
                    let servers = params.mcp_servers.take().unwrap_or_default();
                    params.mcp_servers =
                        Some(servers.into_iter().map(McpServer::into_v1).collect());
                    text = serde_json::to_string(&params).unwrap();
                }
                let written = written(method, part == "result", &text);
                values.push((method.to_owned(), part, value(&written)));
            }
        }
    }
    for failure in Failure::ALL {
        let failed = error(*failure, json!({ "details": "x" }));
        values.push(("any".to_owned(), "error", failed));
    }
    let Some(verdicts) = schema::verdicts(&values) else {
        return;
    };
    assert_eq!(verdicts.len(), values.len());
    for ((method, part, value), verdict) in values.iter().zip(verdicts) {
        let expected = match &**method {
            "session/set_model" => "unknown",
            _ => "ok",
        };
        assert_eq!(verdict, expected, "{part} of {method}: {value}");
    }
}

/// Without this, a validator that accepts everything would go unnoticed.
#[test]
#[cfg_attr(
    windows,
    ignore = "the validator needs Node, which is not installed under Wine"
)]
fn the_official_schema_refuses_what_is_wrong() {
    let wrong = [
        ("session/new", "params", json!({ "cwd": "/w" })),
        ("session/prompt", "result", json!({ "stopReason": "tired" })),
        ("any", "error", json!({ "code": "-31700", "message": "x" })),
        (
            "session/update",
            "params",
            json!({ "sessionId": "s", "update": { "sessionUpdate": "current_mode_update", "modeId": "x" } }),
        ),
    ];
    let wrong = wrong.map(|(method, part, value)| (method.to_owned(), part, value));
    let Some(verdicts) = schema::verdicts(&wrong) else {
        return;
    };
    for ((method, ..), verdict) in wrong.iter().zip(verdicts) {
        assert!(
            verdict != "ok" && verdict != "unknown",
            "{method}: {verdict}"
        );
    }
}
