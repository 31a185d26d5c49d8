//! An MCP server.

use serde_json::{Value, json};

use crate::converse;

fn request(id: u32, method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

fn initialize(version: &str) -> Value {
    let params = json!({
        "protocolVersion": version,
        "capabilities": {},
        "clientInfo": { "name": "test", "version": "1" },
    });
    request(0, "initialize", params)
}

/// What a server answers after `initialize`.
async fn ask(method: &str, params: Value) -> Value {
    let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let lines = [
        initialize("2025-06-18"),
        initialized,
        request(1, method, params),
    ];
    let mut answer = converse(&lines).await.remove(1);
    match answer["error"].take() {
        Value::Null => answer["result"].take(),
        error => error,
    }
}

async fn call(name: &str, arguments: Value) -> Value {
    ask(
        "tools/call",
        json!({ "name": name, "arguments": arguments }),
    )
    .await
}

#[tokio::test]
async fn the_version_is_the_clients_if_it_is_known() {
    for (asked, answered) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-06-18", "2025-06-18"),
        ("2099-01-01", "2025-11-25"),
    ] {
        let answers = converse(&[initialize(asked)]).await;
        assert_eq!(
            answers[0]["result"],
            json!({
                "protocolVersion": answered,
                "capabilities": { "tools": {} },
                "serverInfo": { "name": "tools", "version": "1.2.3" },
            })
        );
    }
    assert_eq!(ask("ping", json!({})).await, json!({}));
}

#[tokio::test]
async fn tools_have_schemas() {
    let listed = ask("tools/list", json!({})).await;
    let tools = listed["tools"].as_array().unwrap();
    let tool = |name: &str| tools.iter().find(|tool| tool["name"] == name).unwrap();
    assert_eq!(tools.len(), 11);
    assert_eq!(
        *tool("greet"),
        json!({
            "name": "greet",
            "description": "Greets somebody.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "name": { "type": "string", "description": "Whom to greet." },
                    "greeting": { "type": "string", "default": "hello" },
                    "suffix": { "type": ["string", "null"] },
                },
                "required": ["name"],
                "additionalProperties": false,
            },
            "outputSchema": {
                "type": "object",
                "properties": { "result": { "type": "string" } },
                "required": ["result"],
                "additionalProperties": false,
            },
            "annotations": { "readOnlyHint": true },
        })
    );
    assert_eq!(
        tool("login")["outputSchema"],
        json!({
            "type": "object",
            "properties": {
                "user": { "type": "string" },
                "token": { "type": "string" },
                "nickname": { "type": ["string", "null"] },
            },
            "required": ["token", "user"],
            "additionalProperties": false,
        })
    );
    assert_eq!(
        tool("login")["annotations"],
        json!({ "idempotentHint": true })
    );
    assert_eq!(
        tool("join")["inputSchema"]["properties"]["parts"],
        json!({ "type": ["array", "null"], "items": { "type": "string" } })
    );
    // What may be null says so, or clients would refuse the result.
    assert_eq!(
        tool("holes")["outputSchema"]["additionalProperties"],
        json!({ "type": ["string", "null"] })
    );
    assert_eq!(
        tool("nothing")["outputSchema"]["properties"]["result"],
        json!({ "type": ["boolean", "null"] })
    );
    assert!(tool("count").get("outputSchema").is_none());
}

#[tokio::test]
async fn results_are_a_text_and_an_object() {
    assert_eq!(
        call("greet", json!({ "name": "you" })).await,
        json!({
            "content": [{ "type": "text", "text": "hello, you" }],
            "structuredContent": { "result": "hello, you" },
        })
    );
    let given = json!({ "user": "ada", "password": "open sesame" });
    assert_eq!(
        call("login", given).await["structuredContent"],
        json!({ "user": "ada", "token": "t1", "nickname": null })
    );
    assert_eq!(
        call("count", json!({})).await,
        json!({ "content": [{ "type": "text", "text": "done" }] })
    );
    let holes = call("holes", json!({})).await;
    assert_eq!(holes["structuredContent"], json!({ "a": null }));
}

#[tokio::test]
async fn a_failure_is_a_result_and_a_wrong_argument_is_an_error() {
    assert_eq!(
        call("login", json!({ "user": "ada", "password": "x" })).await,
        json!({
            "content": [{ "type": "text", "text": "the password is wrong\nask for another" }],
            "isError": true,
        })
    );
    let crashed = call("crash", json!({})).await;
    assert_eq!(crashed["isError"], true);
    assert!(!crashed.to_string().contains("hunter2"), "{crashed}");
    let error = call("greet", json!({ "name": ["x"] })).await;
    assert_eq!(
        (&error["code"], &error["data"]["path"]),
        (&json!(-32602), &json!(["name"]))
    );
    let error = ask("tools/call", json!({ "name": "gret" })).await;
    assert_eq!(
        error,
        json!({ "code": -32602, "message": "unknown tool `gret`; did you mean `greet`?" })
    );
    let error = ask("prompts/list", json!({})).await;
    assert_eq!(error["code"], -32601);
}

#[tokio::test]
async fn progress_is_sent_to_those_who_ask_for_it() {
    let counted = |meta: Value| {
        request(
            1,
            "tools/call",
            json!({ "name": "count", "arguments": {}, "_meta": meta }),
        )
    };
    for token in [json!("t"), json!(7)] {
        let lines = [
            initialize("2025-06-18"),
            counted(json!({ "progressToken": token })),
        ];
        let answers = converse(&lines).await;
        let told: Vec<&Value> = answers.iter().filter(|one| one["id"].is_null()).collect();
        assert_eq!(told.len(), 3);
        assert_eq!(told[0]["method"], "notifications/progress");
        assert_eq!(
            told[2]["params"],
            json!({ "progressToken": token, "progress": 3, "message": "step 3" })
        );
    }
    let answers = converse(&[initialize("2025-06-18"), counted(json!({}))]).await;
    assert_eq!(answers.len(), 2);
}

#[tokio::test]
async fn a_call_that_is_cancelled_is_not_answered() {
    let cancel = json!({
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": { "requestId": 1, "reason": "changed my mind" },
    });
    let answers = converse(&[
        initialize("2025-06-18"),
        request(1, "tools/call", json!({ "name": "wait" })),
        cancel,
        request(2, "ping", json!({})),
    ])
    .await;
    let ids: Vec<&Value> = answers.iter().map(|answer| &answer["id"]).collect();
    assert_eq!(ids, [&json!(0), &json!(2)]);
}
