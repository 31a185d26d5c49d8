//! Node with vscode-jsonrpc, the library of the Language Server Protocol's inventors:
//! JSON-RPC behind Content-Length headers, with cancellation.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use tenon_host::{Plugin, PluginCommand, Start};
use tenon_protocols::Protocol;
use tenon_rpc::{Dialect, ErrorCode, Format, Payload};
use tokio::task::JoinSet;

use crate::host::{Seen, host, refused};
use crate::tools;
use crate::trial::{call, run_with, start, stop, trial};

/// Where the helper programs look for vscode-jsonrpc.
const MODULES: &str = "NODE_MODULES_HERE";

#[tokio::test]
async fn client_whose_pipes_are_sockets() {
    trial(tools::node_with_vscode_jsonrpc(), async |tool, mark| {
        let (node, modules) = tool;
        let client = tools::helper("node_client.mjs");
        for args in [&["--dialect", "json-rpc-headers"][..], &[]] {
            let words = std::iter::once(client.as_os_str()).chain(args.iter().map(OsStr::new));
            run_with(&node, words, &[(MODULES, modules.as_os_str())], mark).await;
        }
    })
    .await;
}

#[tokio::test]
async fn plugin_with_content_length() {
    trial(tools::node_with_vscode_jsonrpc(), async |tool, mark| {
        let mut options = Start::new(Dialect::JsonRpcHeaders);
        options.options.cancel = Protocol::Ipc.host_options().cancel;
        let (router, seen) = host();
        let plugin = start(command(&tool), options, router, mark).await;
        values_come_back(&plugin).await;
        answers_in_any_order(&plugin).await;
        events_both_ways(&plugin, &seen).await;
        errors(&plugin).await;
        calls_us_back(&plugin).await;
        dropped_calls_are_taken_back(&plugin).await;
        stop(plugin).await;
    })
    .await;
}

fn command((node, modules): &(PathBuf, PathBuf)) -> PluginCommand {
    PluginCommand::new(node)
        .arg(tools::helper("node_plugin.mjs"))
        .variable(MODULES, Path::new(modules))
}

async fn values_come_back(plugin: &Plugin) {
    let peer = plugin.peer();
    let texts = json!([
        "é",
        "😀",
        "\"\\\u{0}\n\u{2028}",
        "Content-Length: 5\r\n\r\n"
    ]);
    let nested = json!({ "a": { "b": [1, -2, 3.5, null, true] }, "": {} });
    let large = json!({ "large": "é".repeat(500_000) });
    for value in [texts, nested, large] {
        let result = call(&peer, "echo", json!([value])).await;
        assert_eq!(result.expect("an echo"), value);
    }
    let result = peer.call_raw("nothing", None).await;
    assert!(result.expect("a result").is_null());
}

/// Many calls at once, answered in the opposite order.
async fn answers_in_any_order(plugin: &Plugin) {
    const COUNT: usize = 200;
    let mut calls = JoinSet::new();
    for number in 0..COUNT {
        let peer = plugin.peer();
        calls.spawn(async move {
            let params = json!({ "count": COUNT, "number": number });
            let result = call(&peer, "hold", params).await;
            assert_eq!(result.expect("an answer"), json!(number));
        });
    }
    assert_eq!(calls.join_all().await.len(), COUNT);
}

async fn events_both_ways(plugin: &Plugin, seen: &Seen) {
    const COUNT: usize = 1000;
    let numbers: Vec<Value> = (0..COUNT).map(|n| json!({ "number": n })).collect();
    let result = call(&plugin.peer(), "emit", json!({ "count": COUNT })).await;
    assert_eq!(result.expect("a count"), json!(COUNT));
    assert_eq!(seen.take(), numbers);
    for number in &numbers {
        let params = Payload::encode(Format::Json, number).expect("params");
        let sent = plugin.peer().send_raw("tick", Some(params)).await;
        sent.expect("an open connection");
    }
    let theirs = call(&plugin.peer(), "seen", json!({})).await;
    assert_eq!(theirs.expect("all events"), Value::Array(numbers));
}

async fn errors(plugin: &Plugin) {
    let peer = plugin.peer();
    let error = refused(call(&peer, "fail", json!({})).await);
    let data: Option<Value> = error.data.map(|data| data.decode().expect("JSON"));
    assert_eq!(error.code, ErrorCode::Number(7));
    assert_eq!(error.message, "no\nway");
    assert_eq!(data, Some(json!({ "why": "é" })));
    let error = refused(call(&peer, "throw", json!({})).await);
    assert!(error.message.contains("thrown"), "{error}");
    let error = refused(call(&peer, "nope", json!({})).await);
    assert_eq!(error.code, ErrorCode::METHOD_NOT_FOUND);
}

async fn calls_us_back(plugin: &Plugin) {
    let peer = plugin.peer();
    let params = json!({ "method": "nested", "params": { "é": [1] } });
    let result = call(&peer, "ask", params).await;
    assert_eq!(result.expect("our own answer"), json!({ "é": [1] }));
    let error = refused(call(&peer, "ask", json!({ "method": "refuse" })).await);
    assert_eq!(error.message, "ask again later");
    assert_eq!(error.code, ErrorCode::Number(7));
    let error = refused(call(&peer, "ask", json!({ "method": "nobody" })).await);
    assert_eq!(error.code, ErrorCode::METHOD_NOT_FOUND);
}

/// Whoever stops waiting for a call tells the other side.
async fn dropped_calls_are_taken_back(plugin: &Plugin) {
    let peer = plugin.peer();
    for expected in 1..=3 {
        let waiting = call(&peer, "wait", json!({}));
        let outcome = tokio::time::timeout(Duration::from_millis(50), waiting).await;
        assert!(outcome.is_err(), "{outcome:?}");
        let cancelled = call(&peer, "cancelled", json!({})).await;
        assert_eq!(cancelled.expect("a count"), json!(expected));
    }
}
