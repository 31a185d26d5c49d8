//! The examples, as real processes: here providers, in `examples/` scripts for Terraform.

#[path = "examples/debug_log.rs"]
mod debug_log;
#[path = "examples/file_resource.rs"]
mod file_resource;
#[path = "examples/other_scripts.rs"]
mod other_scripts;
#[path = "examples/program.rs"]
mod program;
#[path = "examples/script.rs"]
mod script;
#[path = "examples/signals.rs"]
mod signals;

use std::path::PathBuf;
use std::time::Duration;

use program::{Ended, foreign, in_time, run, rust, start};
use script::Script;
use serde_json::{Value, json};
use tenon_protocols::orchard::{DescribeResult, ProviderSchema};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// The greeter in every language.
fn greeters() -> Vec<PathBuf> {
    let others = [
        foreign("python3", "providers/python/greeter.py"),
        foreign("bash", "providers/bash/greeter.sh"),
    ];
    std::iter::once(rust("greeter"))
        .chain(others.into_iter().flatten())
        .collect()
}

/// The answers, in order.
fn answers(ended: &Ended) -> Vec<Value> {
    assert!(ended.status.success(), "{}\n{}", ended.status, ended.stderr);
    let parse = |line: &str| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"));
    ended.stdout.lines().map(parse).collect()
}

fn greet(attributes: &Value) -> String {
    let params = json!({ "action": "greet", "attrs": attributes });
    json!({ "id": 7, "method": "execute", "params": params }).to_string()
}

#[tokio::test]
async fn all_greeters_greet_alike() {
    let cases = [
        (json!({ "name": "you" }), "hello, you"),
        (
            json!({ "name": "you", "greeting": null, "loud": null }),
            "hello, you",
        ),
        (
            json!({ "greeting": "good day", "name": "you", "loud": true }),
            "GOOD DAY, YOU",
        ),
        (json!({ "name": "", "greeting": "", "loud": false }), ", "),
        (
            json!({ "name": "a \"b\" \\c\n{\"name\":\"d\"}" }),
            "hello, a \"b\" \\c\n{\"name\":\"d\"}",
        ),
        (json!({ "name": "n\n\"é", "loud": true }), "HELLO, N\n\"É"),
    ];
    let lines: Vec<String> = cases
        .iter()
        .map(|(attributes, _)| greet(attributes))
        .collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    for greeter in greeters() {
        let ended = run(&greeter, &[], &lines).await;
        let expected: Vec<Value> = { cases.iter() }
            .map(|(_, text)| json!({ "id": 7, "result": { "outputs": { "text": text } } }))
            .collect();
        assert_eq!(answers(&ended), expected, "{}", greeter.display());
    }
}

#[tokio::test]
async fn all_greeters_refuse_alike() {
    let cases = [
        (greet(&json!({})), "validation_failed"),
        (greet(&json!({ "name": null })), "validation_failed"),
        (
            greet(&json!({ "name": "you", "nmae": "you" })),
            "validation_failed",
        ),
        (greet(&json!({ "name": ["you"] })), "validation_failed"),
        (
            greet(&json!({ "name": "you", "loud": "very" })),
            "validation_failed",
        ),
        (greet(&json!("you")), "invalid_request"),
        (
            r#"{"id":7,"method":"execute","params":{"attrs":{}}}"#.into(),
            "invalid_request",
        ),
        (
            r#"{"id":7,"method":"execute","params":{"action":"gret"}}"#.into(),
            "unknown_action",
        ),
        (r#"{"id":7,"method":"cancel"}"#.into(), "unknown_method"),
        (r#"{"id":7,"method":7}"#.into(), "invalid_request"),
    ];
    let lines: Vec<&str> = cases.iter().map(|(line, _)| line.as_str()).collect();
    for greeter in greeters() {
        let found = answers(&run(&greeter, &[], &lines).await);
        assert_eq!(found.len(), cases.len(), "{}: {found:?}", greeter.display());
        for (answer, (line, code)) in found.iter().zip(&cases) {
            let found = (&answer["id"], &answer["error"]["code"]);
            assert_eq!(
                found,
                (&json!(7), &json!(code)),
                "{} for {line}",
                greeter.display()
            );
            assert!(answer["error"]["message"].is_string() && answer.get("result").is_none());
        }
    }
}

#[tokio::test]
async fn all_greeters_go_through_a_whole_life() {
    let lines = [
        r#"{"id":1,"method":"describe","params":{}}"#,
        r#"{"id":2,"method":"configure","params":{"config":{}}}"#,
        "",
        "this is not a message",
        r#"{"id":3,"method":"execute","params":{"action":"greet","attrs":{"name":"you"}}}"#,
        r#"{"id":4,"method":"shutdown","params":{}}"#,
    ];
    let mut schemas: Vec<ProviderSchema> = Vec::new();
    for greeter in greeters() {
        let name = greeter.display();
        let found = answers(&run(&greeter, &[], &lines).await);
        let ids: Vec<&Value> = found.iter().map(|answer| &answer["id"]).collect();
        assert_eq!(ids, [1, 2, 0, 3, 4], "{name}");
        assert_eq!(found[2]["error"]["code"], "invalid_request", "{name}");
        let described: DescribeResult = serde_json::from_value(found[0]["result"].clone()).unwrap();
        assert_eq!(described.schema.check(), Ok(()), "{name}");

        let ended = run(&greeter, &["schema"], &[]).await;
        assert!(ended.status.success() && ended.stderr.is_empty(), "{name}");
        let printed: ProviderSchema = serde_json::from_str(&ended.stdout).unwrap();
        assert_eq!(printed.differences(&described.schema), Vec::<String>::new());
        schemas.push(printed);
    }
    for schema in &schemas[1..] {
        assert_eq!(schemas[0].differences(schema), Vec::<String>::new());
    }
}

/// The same program, without a word about who is calling.
#[tokio::test]
async fn one_program_serves_scenarios_and_terraform() {
    let greeter = rust("greeter");
    let ended = run(&greeter, &[], &[&greet(&json!({ "name": "you" }))]).await;
    let outputs = json!({ "text": "hello, you" });
    assert_eq!(answers(&ended)[0]["result"]["outputs"], outputs);

    let mut script = Script::program(&greeter, &[]);
    let health = script.result("health", &json!({})).await;
    assert_eq!(health, json!({ "ok": true }));
    let call = |arguments: Value| json!({ "name": "greeting", "arguments": arguments });
    for (arguments, text) in [
        (json!(["you"]), "hello, you"),
        (json!(["you", "good day", true]), "GOOD DAY, YOU"),
        (json!(["you", null]), "hello, you"),
    ] {
        let answer = script.result("call", &call(arguments)).await;
        assert_eq!(answer, json!({ "result": text }));
    }
    let done = script
        .result("invoke", &json!({ "props": { "name": "you" } }))
        .await;
    assert_eq!(done, json!({ "done": true }));
    let answer = script.call("create", &json!({ "props": {} })).await;
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(
        message.ends_with("has no resource; it offers the action greet and the function greeting"),
        "{message}"
    );
    script.end().await;
}

#[tokio::test]
async fn wrong_usage_is_reported_on_stderr() {
    for greeter in greeters() {
        for args in [&["serve"][..], &["schema", "now"]] {
            let ended = run(&greeter, args, &[]).await;
            assert_eq!(ended.status.code(), Some(2), "{}", greeter.display());
            assert_eq!(ended.stdout, "");
            assert!(
                ended.stderr.starts_with("usage: greeter"),
                "{}",
                ended.stderr
            );
        }
    }
}

#[tokio::test]
async fn the_end_of_stdin_is_a_quiet_end() {
    for greeter in greeters() {
        let ended = run(&greeter, &[], &[]).await;
        assert!(ended.status.success(), "{}", greeter.display());
        assert_eq!((ended.stdout.as_str(), ended.stderr.as_str()), ("", ""));
    }
}

/// The host is gone without a word, but something else still holds the other end of stdin.
#[tokio::test]
async fn a_closed_stdout_ends_the_plugin_quietly() {
    let greeter = rust("greeter");
    let mut child = start(&greeter, &[]);
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    // More than once: a process that another test is just starting may hold a copy of our end of
    // stdout until it is there.
    let ask = async {
        let describe = b"{\"id\":1,\"method\":\"describe\"}\n";
        while stdin.write_all(describe).await.is_ok() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let (status, ()) = in_time(&greeter, async { tokio::join!(child.wait(), ask) }).await;
    let status = status.unwrap();
    assert!(status.success(), "{status}");
    let mut stderr = String::new();
    let mut pipe = child.stderr.take().unwrap();
    in_time(&greeter, pipe.read_to_string(&mut stderr))
        .await
        .unwrap();
    assert_eq!(stderr, "");
    drop(stdin);
}

#[tokio::test]
async fn shutdown_ends_a_provider_whose_stdin_stays_open() {
    let greeter = rust("greeter");
    let mut child = start(&greeter, &[]);
    let mut stdin = child.stdin.take().unwrap();
    let shutdown = b"{\"id\":1,\"method\":\"shutdown\"}\n";
    stdin.write_all(shutdown).await.unwrap();
    let output = in_time(&greeter, child.wait_with_output()).await.unwrap();
    assert!(output.status.success(), "{}", output.status);
    assert_eq!(output.stdout, b"{\"id\":1,\"result\":{}}\n");
    drop(stdin);
}

#[tokio::test]
async fn stray_prints_and_panics_do_not_break_the_wire() {
    let execute = |action: &str| {
        json!({ "id": 1, "method": "execute", "params": { "action": action } }).to_string()
    };
    let lines = ["print", "panic", "print"].map(execute);
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let ended = run(&rust("misbehaving"), &[], &lines).await;
    let done = json!({ "id": 1, "result": { "outputs": {} } });
    let found = answers(&ended);
    assert_eq!(found.len(), 3);
    assert_eq!((&found[0], &found[2]), (&done, &done));
    assert_eq!(found[1]["error"]["code"], "outcome_unknown");
    assert_eq!(
        ended.stderr.matches("a stray print\n").count(),
        2,
        "{}",
        ended.stderr
    );
    assert!(ended.stderr.contains("as asked"), "{}", ended.stderr);
}
