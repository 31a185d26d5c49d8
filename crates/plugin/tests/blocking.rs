//! Work that blocks its thread, in a plugin whose calls all run on one.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tenon_plugin::{Failure, Plugin, blocking};
use tenon_rpc::Io;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// What blocks stops waiting then, so that a test ends although its plugin does not.
const WATCHDOG: Duration = Duration::from_secs(30);

/// A plugin whose action `wait` blocks a thread until the function `release` is called.
fn plugin() -> Plugin<()> {
    let (release, released): (Sender<()>, Receiver<()>) = channel();
    let released = Arc::new(Mutex::new(released));
    Plugin::new("blocks", "1.0.0")
        .action("wait", "", move |_, ()| {
            let released = released.clone();
            async move {
                let waited = blocking(move || released.lock().unwrap().recv_timeout(WATCHDOG));
                let waited = waited.await;
                waited.map_err(|_| Failure::new("nobody has called release"))
            }
        })
        .function("release", "", move |()| {
            let sent = release.send(()).is_ok();
            async move { Ok(sent) }
        })
        .action("crash", "", |_, ()| async {
            blocking(|| panic!("it broke") as ()).await;
            Ok(())
        })
}

/// What the plugin answers to these lines, in the order of its answers.
async fn converse(lines: &[Value]) -> Vec<Value> {
    let (here, there) = tokio::io::duplex(64 * 1024);
    let (mut reader, mut writer) = tokio::io::split(here);
    let host = async move {
        for line in lines {
            let line = format!("{line}\n");
            writer.write_all(line.as_bytes()).await.unwrap();
        }
        writer.shutdown().await.unwrap();
        let mut answers = String::new();
        reader.read_to_string(&mut answers).await.unwrap();
        answers
    };
    let (served, answers) = tokio::join!(plugin().serve_on(Io::from(there)), host);
    served.unwrap();
    let lines = answers.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn call(id: u32, method: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method })
}

#[tokio::test]
async fn other_calls_are_answered_while_an_action_blocks() {
    let answers = converse(&[call(1, "wait"), call(2, "release")]).await;
    assert_eq!(
        answers,
        [
            json!({ "jsonrpc": "2.0", "id": 2, "result": true }),
            json!({ "jsonrpc": "2.0", "id": 1, "result": null }),
        ]
    );
}

#[tokio::test]
async fn a_ping_is_answered_while_a_tool_blocks() {
    let tool = |id: u32, name: &str| {
        let params = json!({ "name": name, "arguments": {} });
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
    };
    let params = json!({ "protocolVersion": "2025-06-18" });
    let begin = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
    let lines = [begin, tool(1, "wait"), call(2, "ping"), tool(3, "release")];
    let answers = converse(&lines).await;
    let ids: Vec<&Value> = answers.iter().map(|answer| &answer["id"]).collect();
    let place = |id: u32| ids.iter().position(|one| **one == json!(id)).unwrap();
    assert!(place(2) < place(1), "{answers:?}");
    assert_eq!(answers[place(1)]["result"]["isError"], Value::Null);
}

#[tokio::test]
async fn a_panic_in_blocking_work_fails_its_call() {
    let answers = converse(&[call(1, "crash")]).await;
    assert_eq!(
        answers[0]["error"]["message"],
        "the action panicked; see stderr for the place"
    );
    assert_eq!(answers[0]["error"]["data"]["code"], "outcome_unknown");
}
