//! Python with the package msgpack: msgpack-rpc both ways.

use std::ffi::OsString;
use std::path::Path;

use serde_json::{Value, json};
use tenon_host::{Plugin, PluginCommand, Start};
use tenon_rpc::{Dialect, ErrorCode, Format, Payload, Router};

use crate::exchanges::Params::Positional;
use crate::exchanges::{answers_in_any_order, events_both_ways};
use crate::host::{Seen, host, refused};
use crate::support::mark::Mark;
use crate::support::tools;
use crate::support::trial::{call, run, start, stop, trial};

#[tokio::test]
async fn plugin_in_msgpack_rpc() {
    trial(tools::python_with_msgpack(), async |python, mark| {
        let (router, seen) = host();
        let plugin = plugin(&python, &[], router, mark).await;
        values_come_back(&plugin).await;
        answers_in_any_order(&plugin.peer(), Positional).await;
        events_both_ways(&plugin.peer(), &seen, 1000, Positional).await;
        errors(&plugin).await;
        calls_us_back(&plugin).await;
        stop(plugin).await;
    })
    .await;
}

/// Each byte arrives by itself: every place in a message is one where it can be cut.
#[tokio::test]
async fn plugin_that_writes_byte_by_byte() {
    trial(tools::python_with_msgpack(), async |python, mark| {
        let (router, seen) = host();
        let plugin = plugin(&python, &["bytewise"], router, mark).await;
        values_come_back(&plugin).await;
        events_both_ways(&plugin.peer(), &seen, 50, Positional).await;
        errors(&plugin).await;
        calls_us_back(&plugin).await;
        stop(plugin).await;
    })
    .await;
}

async fn plugin(python: &Path, args: &[&str], router: Router<Seen>, mark: &Mark) -> Plugin {
    let command = PluginCommand::new(python)
        .arg(tools::helper("msgpack_plugin.py"))
        .args(args.iter().copied());
    start(command, Start::new(Dialect::MsgpackRpc), router, mark).await
}

/// The value in msgpack, from how it is spelled in JSON.
fn spelled(value: &Value) -> Payload {
    let json = Payload::encode(Format::Json, value).expect("JSON");
    json.to_format(Format::Msgpack).expect("a spelling")
}

/// How a value is spelled in JSON.
fn spelling(payload: &Payload) -> Value {
    let json = payload.to_format(Format::Json).expect("msgpack");
    json.decode().expect("JSON")
}

async fn values_come_back(plugin: &Plugin) {
    let peer = plugin.peer();
    let kinds = peer.call_raw("kinds", None).await.expect("an answer");
    // A timestamp is ext -1: 30 bits of nanoseconds, then 34 of seconds.
    assert_eq!(
        spelling(&kinds),
        json!([
            { "$binary": "AP8=" },
            { "$ext": [5, "aGk="] },
            { "$ext": [-1, "AAAH0AAAAAE="] },
            { "$map": [[1, "one"]] },
            u64::MAX,
        ])
    );
    let params = json!([
        { "$binary": "AP8=" }, { "$ext": [5, "aGk="] }, { "$ext": [-1, "AAAH0AAAAAE="] },
        null, true, -1, u64::MAX, 1.5, "é😀", [], {},
    ]);
    let types = peer.call_raw("type_of", Some(spelled(&params))).await;
    let types: Vec<String> = types.expect("types").decode().expect("texts");
    assert_eq!(
        types.join(" "),
        "bytes ExtType Timestamp NoneType bool int int float str list dict"
    );
    let back = peer.call_raw("echo", Some(spelled(&params))).await;
    assert_eq!(spelling(&back.expect("an echo")), params);
    // Here each byte of text is a system call, if the plugin writes them one by one.
    let long = json!(["x".repeat(3000)]);
    assert_eq!(call(&peer, "echo", long.clone()).await.expect("echo"), long);
}

/// Whatever a peer takes for an error, its text arrives.
async fn errors(plugin: &Plugin) {
    let peer = plugin.peer();
    let forms = [
        (json!("no"), -32000, "no", None),
        (json!([7, "no"]), 7, "no", None),
        (json!([7, "no", [1]]), 7, "no", Some(json!([1]))),
        (
            json!({ "code": 7, "message": "no", "data": 1 }),
            7,
            "no",
            Some(json!(1)),
        ),
        (
            json!(404),
            -32000,
            "an error in an unknown form",
            Some(json!(404)),
        ),
    ];
    for (form, code, message, data) in forms {
        let error = refused(call(&peer, "fail", json!([form])).await);
        assert_eq!(error.code, ErrorCode::Number(code), "{form}");
        assert_eq!(error.message, message, "{form}");
        assert_eq!(error.data.as_ref().map(spelling), data, "{form}");
    }
    assert_eq!(
        refused(call(&peer, "fly", json!([])).await).message,
        "what is fly"
    );
}

async fn calls_us_back(plugin: &Plugin) {
    let peer = plugin.peer();
    let inner = json!([{ "$ext": [5, "aGk="] }, { "$binary": "AP8=" }]);
    let params = json!(["nested", inner]);
    let result = peer.call_raw("ask", Some(spelled(&params))).await;
    assert_eq!(spelling(&result.expect("our own answer")), inner);
    // It passes our errors on as they came, so both directions show in one.
    let error = refused(call(&peer, "ask", json!(["refuse", []])).await);
    assert_eq!(
        (error.code, error.message.as_str()),
        (ErrorCode::Number(7), "ask again later")
    );
    let error = refused(call(&peer, "ask", json!(["nobody", []])).await);
    assert_eq!(error.code, ErrorCode::METHOD_NOT_FOUND);
}

#[tokio::test]
async fn client_on_pipes() {
    trial(tools::python_with_msgpack(), async |python, mark| {
        client(&python, ["pipe", "--dialect", "msgpack-rpc"], mark).await;
        // The first byte tells as well.
        client(&python, ["pipe"], mark).await;
    })
    .await;
}

pub(crate) async fn client<const N: usize>(python: &Path, args: [&str; N], mark: &Mark) {
    let mut words = vec![OsString::from(tools::helper("msgpack_client.py"))];
    words.extend(args.map(OsString::from));
    run(python, words, mark).await;
}
