//! Python's own json: in JSON-RPC, on lines and behind headers, and in Orchard's envelope.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tenon_host::{Plugin, PluginCommand, Start};
use tenon_rpc::{CallError, Dialect, ErrorCode, Payload};

use crate::exchanges::Params::Named;
use crate::exchanges::{answers_in_any_order, events_both_ways};
use crate::host::{host, refused};
use crate::msgpack;
use crate::server::serve_here;
use crate::support::mark::Mark;
use crate::support::tools;
use crate::support::trial::{call, run, serve, start, stop, trial};

#[tokio::test]
async fn plugin_in_json_rpc() {
    trial(tools::python(), async |python, mark| {
        plugin(&python, Dialect::JsonRpcLines, mark).await;
    })
    .await;
}

#[tokio::test]
async fn plugin_in_orchards_envelope() {
    trial(tools::python(), async |python, mark| {
        plugin(&python, Dialect::Orchard, mark).await;
    })
    .await;
}

async fn plugin(python: &Path, dialect: Dialect, mark: &Mark) {
    let command = PluginCommand::new(python)
        .arg(tools::helper("lines_plugin.py"))
        .arg(dialect.name());
    let (router, seen) = host();
    let plugin = start(command, Start::new(dialect), router, mark).await;
    values_come_back(&plugin).await;
    answers_in_any_order(&plugin.peer(), Named).await;
    events_both_ways(&plugin.peer(), &seen, 1000, Named).await;
    errors(&plugin, dialect).await;
    calls_us_back(&plugin).await;
    text_on_stdout_is_skipped_and_an_unreadable_answer_fails_its_call(&plugin).await;
    stop(plugin).await;
}

async fn values_come_back(plugin: &Plugin) {
    let texts = json!([
        "é",
        "😀",
        "\u{1f468}\u{200d}\u{1f469}",
        "\"\\\u{0}\n\u{7f}\u{2028}"
    ]);
    let nested = json!({ "a": { "b": [1, -2, 3.5, null, true] }, "": {} });
    for value in [texts, nested, json!([]), json!(["x".repeat(300_000)])] {
        let result = call(&plugin.peer(), "echo", value.clone()).await;
        assert_eq!(result.expect("an echo"), value);
    }
    // More digits than any machine number has, which Python keeps and so do we.
    let exact = "[123456789012345678901234567890,18446744073709551615]";
    let params = Payload::from_json(exact).expect("JSON");
    let result = plugin.peer().call_raw("echo", Some(params)).await;
    let result = result.expect("an echo");
    let without_spaces = String::from_utf8_lossy(result.bytes()).replace(' ', "");
    assert_eq!(without_spaces, exact);
}

async fn errors(plugin: &Plugin, dialect: Dialect) {
    let error = refused(call(&plugin.peer(), "fail", json!({})).await);
    let data: Option<String> = error.data.map(|data| data.decode().expect("a text"));
    let code = match dialect {
        Dialect::Orchard => ErrorCode::Name("execute_failed".into()),
        _ => ErrorCode::Number(7),
    };
    assert_eq!(error.code, code);
    assert_eq!(error.message, "no\nway");
    assert_eq!(data.as_deref(), Some("because é"));
    let error = refused(call(&plugin.peer(), "fly", json!({})).await);
    assert_eq!(error.message, "what is fly");
    assert!(error.data.is_none_or(|data| data.is_null()));
}

async fn calls_us_back(plugin: &Plugin) {
    let peer = plugin.peer();
    let params = json!({ "method": "nested", "params": { "é": [1] } });
    let result = call(&peer, "ask", params).await;
    assert_eq!(result.expect("our own answer"), json!({ "é": [1] }));
    // It passes our errors on as they came, so both directions show in one.
    let error = refused(call(&peer, "ask", json!({ "method": "refuse", "params": {} })).await);
    assert_eq!(error.message, "ask again later");
    let error = refused(call(&peer, "ask", json!({ "method": "nobody", "params": {} })).await);
    assert_eq!(
        error.code.number(),
        ErrorCode::METHOD_NOT_FOUND.number(),
        "{error}"
    );
}

/// What a plugin prints by mistake is skipped, and can be quoted later. An answer that cannot be
/// read fails its call.
async fn text_on_stdout_is_skipped_and_an_unreadable_answer_fails_its_call(plugin: &Plugin) {
    let peer = plugin.peer();
    assert!(peer.stray().is_none());
    let result = call(&peer, "print", json!({})).await;
    assert_eq!(result.expect("an answer"), Value::Null);
    let stray = peer.stray().expect("what it printed").to_string();
    assert!(stray.contains("I forgot that stdout is taken"), "{stray}");
    let call = call(&peer, "not_a_number", json!({}));
    match call.await {
        Err(CallError::Malformed(what)) => assert!(what.contains("cannot be read"), "{what}"),
        other => panic!("NaN is not JSON: {other:?}"),
    }
}

#[tokio::test]
async fn client_on_pipes() {
    trial(tools::python(), async |python, mark| {
        for dialect in ["json-rpc", "json-rpc-headers", "orchard"] {
            client(&python, [dialect, "pipe", "--dialect", dialect], mark).await;
            // The first bytes tell as well.
            client(&python, [dialect, "pipe"], mark).await;
        }
    })
    .await;
}

async fn client<const N: usize>(python: &Path, args: [&str; N], mark: &Mark) {
    let mut words = vec![OsString::from(tools::helper("lines_client.py"))];
    words.extend(args.map(OsString::from));
    run(python, words, mark).await;
}

/// Many clients at once on one socket, in different dialects.
#[tokio::test]
async fn clients_on_one_socket() {
    let tools = tools::python().and_then(|python| Ok((python, tools::python_with_msgpack()?)));
    trial(tools, async |(python, with_msgpack), mark| {
        let folder = tempfile::tempdir().expect("a folder");
        let socket = folder.path().join("echo.sock");
        let server = serve(&socket, mark).await;
        let path = socket.to_str().expect("a plain path");
        tokio::join!(
            client(&python, ["json-rpc", "socket", path], mark),
            client(&python, ["orchard", "socket", path], mark),
            client(&python, ["json-rpc", "socket", path], mark),
            msgpack::client(&with_msgpack, ["socket", path], mark),
        );
        drop(server);
    })
    .await;
}

/// Python's own sockets and JSON, in both framings, with a server for many.
#[tokio::test]
async fn clients_of_a_server() {
    trial(tools::python(), async |python, mark| {
        for dialect in ["json-rpc", "json-rpc-headers"] {
            let folder = tempfile::tempdir().expect("a folder");
            let server = serve_here(&folder.path().join("server.sock"));
            let path = server.path().to_str().expect("a plain path");
            client(&python, [dialect, "socket", path], mark).await;
            let ended = server.stop(Duration::from_secs(10)).await;
            assert_eq!(ended.cut_off, 0, "{dialect}: it has left");
        }
    })
    .await;
}

/// What arrives when the plugin is started by a line in a shell, as people do: `sh -c 'python3 ..'`.
#[tokio::test]
async fn plugin_behind_a_shell() {
    trial(tools::python(), async |python, mark| {
        let script = "echo starting >&2; \"$PYTHON\" \"$PLUGIN\" json-rpc; echo ended >&2";
        let variables = BTreeMap::from([
            ("PYTHON", python.into_os_string()),
            ("PLUGIN", tools::helper("lines_plugin.py").into_os_string()),
        ]);
        let command = PluginCommand::new("sh").args(["-c", script]);
        let command = variables
            .into_iter()
            .fold(command, |command, (name, value)| {
                command.variable(name, value)
            });
        let (router, _) = host();
        let plugin = start(command, Start::new(Dialect::JsonRpcLines), router, mark).await;
        calls_us_back(&plugin).await;
        let stderr = plugin.process().stderr().clone();
        stop(plugin).await;
        assert_eq!(stderr.lines(), ["starting", "ended"]);
    })
    .await;
}
