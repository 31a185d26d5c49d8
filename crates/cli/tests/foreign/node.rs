//! Node with vscode-jsonrpc, the library of the Language Server Protocol's inventors:
//! JSON-RPC behind Content-Length headers, with cancellation.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use tenon_host::{PluginCommand, Process, Start};
use tenon_ipc::{Client, ClientSettings, Events, Framing, ProgressParams, Received};
use tenon_protocols::Protocol;
use tenon_rpc::{Dialect, ErrorCode, Peer, Router};

use crate::exchanges::Params::Named;
use crate::exchanges::{answers_in_any_order, events_arrive, events_both_ways};
use crate::host::{answering, host, refused};
use crate::server::serve_here;
use crate::support::mark::Mark;
use crate::support::tools;
use crate::support::trial::{call, run_with, start, stop, trial, wait_for};

/// How many events are sent each way.
const EVENTS: usize = 1000;

/// Where the helper programs look for vscode-jsonrpc.
const MODULES: &str = "NODE_MODULES_HERE";

#[tokio::test]
async fn client_whose_pipes_are_sockets() {
    trial(tools::node_with_vscode_jsonrpc(), async |tool, mark| {
        let (node, modules) = tool;
        let client = tools::helper("node_client.mjs");
        for args in [&["pipe", "--dialect", "json-rpc-headers"][..], &["pipe"]] {
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
        let peer = plugin.peer();
        values_come_back(&peer).await;
        answers_in_any_order(&peer, Named).await;
        events_both_ways(&peer, &seen, EVENTS, Named).await;
        errors(&peer).await;
        calls_us_back(&peer).await;
        dropped_calls_are_cancelled(&peer).await;
        stop(plugin).await;
    })
    .await;
}

/// The server finds out by itself that the client sends headers.
#[tokio::test]
async fn client_of_a_server() {
    trial(tools::node_with_vscode_jsonrpc(), async |tool, mark| {
        let (node, modules) = tool;
        let folder = tempfile::tempdir().expect("a folder");
        let server = serve_here(&folder.path().join("server.sock"));
        let client = tools::helper("node_client.mjs");
        let words = [
            client.as_os_str(),
            "socket".as_ref(),
            server.path().as_ref(),
        ];
        run_with(&node, words, &[(MODULES, modules.as_os_str())], mark).await;
        let ended = server.stop(Duration::from_secs(10)).await;
        assert_eq!(ended.cut_off, 0, "it has left");
    })
    .await;
}

/// The other way round: our client, and vscode-jsonrpc behind a socket.
#[tokio::test]
async fn server_with_content_length() {
    trial(tools::node_with_vscode_jsonrpc(), async |tool, mark| {
        let folder = tempfile::tempdir().expect("a folder");
        let socket = folder.path().join("node.sock");
        let process = listen(&tool, &socket, mark).await;
        let client = connect(&socket, answering(())).await;
        let peer = client.peer().await.expect("a server");
        values_come_back(&peer).await;
        answers_in_any_order(&peer, Named).await;
        events_come(&client).await;
        events_arrive(&peer, EVENTS, Named).await;
        errors(&peer).await;
        calls_us_back(&peer).await;
        dropped_calls_are_cancelled(&peer).await;
        progress_comes_before_the_answer(&client).await;
        client.close().await;
        drop(process);
    })
    .await;
}

async fn listen(tool: &(PathBuf, PathBuf), socket: &Path, mark: &Mark) -> Process {
    let command = command(tool)
        .arg("socket")
        .arg(socket)
        .variable(Mark::VARIABLE, mark.value());
    let (process, _) = Process::spawn(&command).unwrap_or_else(|error| panic!("{error}"));
    wait_for(socket).await;
    process
}

async fn connect<S>(socket: &Path, router: Router<S>) -> Client
where
    S: Clone + Send + Sync + 'static,
{
    let settings = ClientSettings {
        framing: Framing::Headers,
        ..ClientSettings::default()
    };
    let name = socket.to_str().expect("a plain path");
    let client = Client::connect_with(name, router, settings).await;
    client.expect("a connection")
}

async fn events_come(client: &Client) {
    let mut events = client.events();
    let peer = client.peer().await.expect("a server");
    let result = call(&peer, "emit", json!({ "count": EVENTS })).await;
    assert_eq!(result.expect("a count"), json!(EVENTS));
    for number in Named.events(EVENTS) {
        assert_eq!(next_params(&mut events, "tick").await, number);
    }
}

async fn progress_comes_before_the_answer(client: &Client) {
    let mut events = client.events();
    let peer = client.peer().await.expect("a server");
    for token in [json!("text é"), json!(42)] {
        let params = json!({ "token": token, "steps": 3 });
        let result = call(&peer, "work", params).await;
        assert_eq!(result.expect("an answer"), json!("done"));
        for step in 1..=3 {
            let params = next_params(&mut events, "$/progress").await;
            let params: ProgressParams = serde_json::from_value(params).expect("progress");
            assert_eq!(json!(params.token), token);
            assert_eq!(params.value, json!({ "step": step }));
        }
    }
}

/// The params of the next event, which has come already: it was sent before the answer.
async fn next_params(events: &mut Events, method: &str) -> Value {
    match events.next().await {
        Some(Received::Event(event)) if event.method == method => {
            event.params.expect("params").decode().expect("JSON")
        }
        other => panic!("not {method}: {other:?}"),
    }
}

fn command((node, modules): &(PathBuf, PathBuf)) -> PluginCommand {
    PluginCommand::new(node)
        .arg(tools::helper("node_plugin.mjs"))
        .variable(MODULES, Path::new(modules))
}

async fn values_come_back(peer: &Peer) {
    let texts = json!([
        "é",
        "😀",
        "\"\\\u{0}\n\u{2028}",
        "Content-Length: 5\r\n\r\n"
    ]);
    let nested = json!({ "a": { "b": [1, -2, 3.5, null, true] }, "": {} });
    let large = json!({ "large": "é".repeat(500_000) });
    for value in [texts, nested, large] {
        let result = call(peer, "echo", json!([value])).await;
        assert_eq!(result.expect("an echo"), value);
    }
    let result = peer.call_raw("nothing", None).await;
    assert!(result.expect("a result").is_null());
}

async fn errors(peer: &Peer) {
    let error = refused(call(peer, "fail", json!({})).await);
    let data: Option<Value> = error.data.map(|data| data.decode().expect("JSON"));
    assert_eq!(error.code, ErrorCode::Number(7));
    assert_eq!(error.message, "no\nway");
    assert_eq!(data, Some(json!({ "why": "é" })));
    let error = refused(call(peer, "throw", json!({})).await);
    assert!(error.message.contains("thrown"), "{error}");
    let error = refused(call(peer, "nope", json!({})).await);
    assert_eq!(error.code, ErrorCode::METHOD_NOT_FOUND);
}

async fn calls_us_back(peer: &Peer) {
    let params = json!({ "method": "nested", "params": { "é": [1] } });
    let result = call(peer, "ask", params).await;
    assert_eq!(result.expect("our own answer"), json!({ "é": [1] }));
    let error = refused(call(peer, "ask", json!({ "method": "refuse" })).await);
    assert_eq!(error.message, "ask again later");
    assert_eq!(error.code, ErrorCode::Number(7));
    let error = refused(call(peer, "ask", json!({ "method": "nobody" })).await);
    assert_eq!(error.code, ErrorCode::METHOD_NOT_FOUND);
}

/// A caller that stops waiting for a call sends a cancellation.
async fn dropped_calls_are_cancelled(peer: &Peer) {
    for expected in 1..=3 {
        let waiting = call(peer, "wait", json!({}));
        let outcome = tokio::time::timeout(Duration::from_millis(50), waiting).await;
        assert!(outcome.is_err(), "{outcome:?}");
        let cancelled = call(peer, "cancelled", json!({})).await;
        assert_eq!(cancelled.expect("a count"), json!(expected));
    }
}
