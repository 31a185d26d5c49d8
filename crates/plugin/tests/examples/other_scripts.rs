//! The other scripts for Terraform: functions, secrets that no state holds, and an action.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::script::Script;

#[tokio::test]
async fn functions_need_no_permissions() {
    let Some(mut script) = Script::deno("terraform/functions/text.ts", &[]) else {
        return;
    };
    for (name, arguments, result) in [
        ("slug", json!(["Crème brûlée!"]), json!("creme-brulee")),
        ("shorten", json!(["a long story", 6]), json!("a lon…")),
        ("shorten", json!(["short", 5]), json!("short")),
        ("words", json!(["b a  b"]), json!({ "a": 1, "b": 2 })),
    ] {
        let params = json!({ "name": name, "arguments": arguments });
        let found = script.result("call", &params).await;
        assert_eq!(found, json!({ "result": result }), "{params}");
    }
    for (arguments, place) in [(json!([7, 6]), "0"), (json!(["a", 0.5]), "1")] {
        let params = json!({ "name": "shorten", "arguments": arguments });
        let told = script.result("call", &params).await["diagnostics"][0].take();
        assert_eq!(told["severity"], "error", "{told}");
        assert_eq!(told["propPath"], json!(["arguments", place]), "{told}");
    }
    let params = json!({ "name": "slgu", "arguments": [] });
    let answer = script.call("call", &params).await;
    let message = answer["error"]["message"].as_str().unwrap_or_default();
    assert!(message.contains("slug, shorten, words"), "{answer}");
    script.end().await;
}

#[tokio::test]
async fn a_token_is_good_until_it_is_closed() {
    let Some(mut script) = Script::python("terraform/token/lease.py") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let props =
        |seconds: Value| json!({ "props": { "folder": folder.path(), "seconds": seconds } });
    let refused = script.result("open", &props(json!("long"))).await;
    assert_eq!(
        refused["diagnostics"][0]["propPath"],
        json!(["props", "seconds"])
    );

    let opened = script.result("open", &props(json!(600))).await;
    let until = opened["result"]["until"].as_i64().unwrap();
    assert_eq!(opened["renewAt"], until - 300);
    let private = json!({ "privateData": opened["privateData"] });
    let file = PathBuf::from(opened["privateData"]["path"].as_str().unwrap());
    let lease = || -> Value { serde_json::from_slice(&fs::read(&file).unwrap()).unwrap() };
    assert_eq!(lease()["token"], opened["sensitiveResult"]["token"]);

    fs::write(&file, json!({ "token": "t", "until": 1 }).to_string()).unwrap();
    let renewed = script.result("renew", &private).await;
    let until = lease()["until"].as_i64().unwrap();
    assert_eq!(renewed["renewAt"], until - 300);
    assert_eq!((&lease()["token"], until > 1), (&json!("t"), true));

    for _ in ["once", "and again"] {
        assert_eq!(
            script.result("close", &private).await,
            json!({ "done": true })
        );
        assert!(!file.exists());
    }
    script.end().await;
}

#[tokio::test]
async fn a_password_is_kept_nowhere() {
    let Some(mut script) = Script::python("terraform/token/account.py") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let props = json!({ "folder": folder.path(), "user": "ada" });
    for secret in [json!(null), json!({ "password": "hunter2" })] {
        let params = json!({ "props": props, "writeOnlyProps": secret });
        let refused = script.result("create", &params).await;
        let path = json!(["writeOnlyProps", "password"]);
        assert_eq!(refused["diagnostics"][0]["propPath"], path);
        assert!(!refused.to_string().contains("hunter2"), "{refused}");
    }
    let secret = |password: &str| json!({ "password": password });
    let params = json!({ "props": props, "writeOnlyProps": secret("correct horse") });
    let created = script.result("create", &params).await;
    assert_eq!(created["state"], json!({ "changes": 0 }));
    let id = created["id"].as_str().unwrap();
    let before = fs::read_to_string(id).unwrap();

    let known = json!({ "id": id, "props": props });
    assert_eq!(script.result("read", &known).await, json!({}));
    let params = json!({
        "id": id, "nextProps": props, "nextWriteOnlyProps": secret("battery staple"),
        "currentProps": props, "currentState": { "changes": 0 },
    });
    let updated = script.result("update", &params).await;
    assert_eq!(updated, json!({ "state": { "changes": 1 } }));
    let after = fs::read_to_string(id).unwrap();
    assert_ne!(before, after);
    for text in [before, after, created.to_string(), updated.to_string()] {
        assert!(
            !text.contains("horse") && !text.contains("staple"),
            "{text}"
        );
    }

    let plan = |next: Value| json!({ "id": id, "planType": "update", "nextProps": next, "currentProps": props });
    let kept = script.result("modifyPlan", &plan(props.clone())).await;
    assert_eq!(kept, json!({ "noChanges": true }));
    let moved = plan(json!({ "folder": folder.path(), "user": "grace" }));
    let replaced = script.result("modifyPlan", &moved).await;
    assert_eq!(replaced, json!({ "requiresReplacement": true }));

    let existing = json!({ "id": id, "props": props, "state": { "changes": 1 } });
    assert_eq!(
        script.result("delete", &existing).await,
        json!({ "done": true })
    );
    assert_eq!(
        script.result("read", &known).await,
        json!({ "exists": false })
    );
    script.end().await;
}

/// Answers this many posts, and returns what was posted.
async fn webhook(listener: TcpListener, count: usize) -> Vec<Value> {
    let mut posted = Vec::new();
    for _ in 0..count {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = String::new();
        let body = loop {
            let mut chunk = [0; 1024];
            let read = stream.read(&mut chunk).await.unwrap();
            assert_ne!(read, 0, "{request}");
            request.push_str(std::str::from_utf8(&chunk[..read]).unwrap());
            // The body is one JSON object, and nothing follows it.
            if let Some((_, body)) = request.split_once("\r\n\r\n")
                && let Ok(body) = serde_json::from_str(body)
            {
                break body;
            }
        };
        posted.push(body);
        let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        stream.write_all(answer).await.unwrap();
    }
    posted
}

#[tokio::test]
async fn an_action_reports_its_progress() {
    let Some(mut script) = Script::python("terraform/notify/notify.py") else {
        return;
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let server = tokio::spawn(webhook(listener, 2));
    let invoke = |messages: Value| json!({ "props": { "url": url, "messages": messages } });

    let wrong = script.result("invoke", &invoke(json!(["a", 7]))).await;
    assert_eq!(
        wrong["diagnostics"][0]["propPath"],
        json!(["props", "messages", "1"])
    );

    let first = script.call("invoke", &invoke(json!(["one", "two"]))).await;
    let told = [first, script.next().await];
    for (event, message) in told.iter().zip(["sending 1 of 2", "sending 2 of 2"]) {
        let expected = json!({
            "jsonrpc": "2.0", "method": "invokeProgress", "params": { "message": message },
        });
        assert_eq!(*event, expected);
    }
    assert_eq!(script.next().await["result"], json!({ "done": true }));
    let posted = server.await.unwrap();
    assert_eq!(posted, [json!({ "text": "one" }), json!({ "text": "two" })]);

    // The peer is gone.
    let progress = script.call("invoke", &invoke(json!(["three"]))).await;
    assert_eq!(progress["method"], "invokeProgress");
    let failed = script.next().await;
    assert_eq!(failed["error"]["code"], -32000, "{failed}");
    script.end().await;
}
