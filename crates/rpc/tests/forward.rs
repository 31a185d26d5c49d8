//! A proxy between two connections: what goes through it, and how.

mod ext_names;
mod raw_peer;

use std::sync::{Arc, Mutex};

use ext_names::EXT_NAMES;
use raw_peer::{RawPeer, watched};
use serde_json::{Value, json};
use tenon_rpc::forward::{Forward, Slot};
use tenon_rpc::{
    Connection, Dialect, ErrorCode, Options, Payload, Router,
    options::{Cancel, EventOrder, Withdrawal},
};

const LINES: Dialect = Dialect::JsonRpcLines;

const CANCEL: Cancel = Cancel {
    method: "stop",
    field: "requestId",
};

fn options() -> Options {
    Options {
        events: EventOrder::InTurn { except: &[] },
        withdrawals: &[Withdrawal {
            cancel: CANCEL,
            is_answered: true,
        }],
        ..Options::default()
    }
}

/// A proxy, and what is on both sides of it.
struct Proxy {
    editor: RawPeer,
    agent: RawPeer,
    left: Connection,
    right: Connection,
}

impl Proxy {
    fn new(dialects: [Dialect; 2], options: [Options; 2]) -> Proxy {
        Proxy::with(dialects, options, 64 * 1024, |router, _| router)
    }

    fn with(
        [left, right]: [Dialect; 2],
        [left_options, right_options]: [Options; 2],
        capacity: usize,
        intercept: impl FnOnce(Router, Forward<Slot>) -> Router,
    ) -> Proxy {
        let (to_agent, to_editor) = Forward::pair();
        let router = Router::new(()).forwarding(&to_agent);
        let router = Arc::new(intercept(router, to_agent.clone()));
        let (editor, left) = RawPeer::connect(left, router, left_options, capacity);
        let router = Arc::new(Router::new(()).forwarding(&to_editor));
        let (agent, right) = RawPeer::connect(right, router, right_options, capacity);
        to_agent.connect(right.peer());
        to_editor.connect(left.peer());
        Proxy {
            editor,
            agent,
            left,
            right,
        }
    }

    fn lines() -> Proxy {
        Proxy::new([LINES; 2], [options(), options()])
    }
}

async fn line(peer: &mut RawPeer) -> String {
    watched(peer.line()).await.expect("a line")
}

fn value(line: &str) -> Value {
    serde_json::from_str(line).expect("JSON")
}

/// Numbers, escapes and blanks that decoding and encoding would not leave as they are.
const PARAMS: &str =
    r#"{ "n": 1.00, "big": 123456789012345678901234567890, "s": "\u00e9", "a":[ ]}"#;

#[tokio::test]
async fn a_call_goes_through_both_ways_with_its_bytes_untouched() {
    let Proxy {
        mut editor,
        mut agent,
        left: _left,
        right: _right,
    } = Proxy::lines();
    let (mut one, mut other) = (&mut editor, &mut agent);
    for _ in 0..2 {
        let call =
            format!("{{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"m\",\"params\":{PARAMS}}}\n");
        one.send(call).await;
        let request = line(other).await;
        assert!(
            request.ends_with(&format!("\"params\":{PARAMS}}}")),
            "{request}"
        );
        let id = value(&request)["id"].clone();
        assert_eq!(id, json!(1), "each side numbers its own calls");
        let answer = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{PARAMS}}}\n");
        other.send(answer).await;
        let answer = line(one).await;
        assert!(
            answer.ends_with(&format!("\"result\":{PARAMS}}}")),
            "{answer}"
        );
        assert_eq!(value(&answer)["id"], "x");
        (one, other) = (other, one);
    }
}

#[tokio::test]
async fn an_error_keeps_its_code_message_and_data() {
    let mut proxy = Proxy::lines();
    proxy
        .editor
        .send("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"m\"}\n")
        .await;
    line(&mut proxy.agent).await;
    let error = r#"{"code":-31999,"message":"no \u00e9","data":{ "why": 1.0 }}"#;
    let answer = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{error}}}\n");
    proxy.agent.send(answer).await;
    let answer = line(&mut proxy.editor).await;
    assert!(answer.contains("\"data\":{ \"why\": 1.0 }"), "{answer}");
    let answer = value(&answer);
    assert_eq!(answer["id"], 7);
    assert_eq!(answer["error"]["code"], -31999);
    assert_eq!(answer["error"]["message"], "no é");
}

/// Whatever else is in a cancellation goes with it; only the id is another one.
#[tokio::test]
async fn a_cancellation_is_passed_on_with_the_right_id() {
    let mut proxy = Proxy::lines();
    for id in ["a", "b"] {
        let call = format!("{{\"jsonrpc\":\"2.0\",\"id\":\"{id}\",\"method\":\"work\"}}\n");
        proxy.editor.send(call).await;
        line(&mut proxy.agent).await;
    }
    let cancel = r#"{"jsonrpc":"2.0","method":"stop","params":{"requestId":"b","reason": 1.0}}"#;
    let unknown = cancel.replace("\"b\"", "\"never\"");
    proxy.editor.send(format!("{unknown}\n{cancel}\n")).await;
    let passed_on = line(&mut proxy.agent).await;
    let expected = cancel.replace("\"requestId\":\"b\"", "\"requestId\":2");
    assert_eq!(passed_on, expected);
    let answer = value(&line(&mut proxy.editor).await);
    assert_eq!(answer["id"], "b");
    assert_eq!(
        answer["error"]["code"],
        json!(ErrorCode::CANCELLED.number())
    );
    // The other one goes on, and nothing else was said to the agent.
    proxy
        .agent
        .send("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":0}\n")
        .await;
    assert_eq!(value(&line(&mut proxy.editor).await)["id"], "a");
    proxy.left.close().await;
    proxy.right.close().await;
    assert_eq!(proxy.agent.rest().await.len(), 0);
}

/// Two protocols with different words for it.
#[tokio::test]
async fn a_cancellation_is_translated_for_the_other_side() {
    let cancelled_by = |method| Options {
        cancel: Some(Cancel {
            method,
            field: "id",
        }),
        ..Options::default()
    };
    let options = [cancelled_by("$/left"), cancelled_by("$/right")];
    let mut proxy = Proxy::new([LINES; 2], options);
    proxy
        .editor
        .send("{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"work\"}\n")
        .await;
    line(&mut proxy.agent).await;
    let cancel = "{\"jsonrpc\":\"2.0\",\"method\":\"$/left\",\"params\":{\"id\":5}}\n";
    proxy.editor.send(cancel).await;
    let passed_on = line(&mut proxy.agent).await;
    let expected = r#"{"jsonrpc":"2.0","method":"$/right","params":{"id":1}}"#;
    assert_eq!(passed_on, expected);
    assert_eq!(
        value(&line(&mut proxy.editor).await)["error"]["code"],
        -32800
    );
}

/// An editor that reads nothing for a while gets everything, and the answer last.
#[tokio::test(start_paused = true)]
async fn progress_comes_before_the_answer_even_if_the_caller_does_not_read() {
    const EVENTS: usize = 200;
    let small = || Options {
        queue: 4,
        waiting_bytes: 4 * 1024,
        ..options()
    };
    let mut proxy = Proxy::with([LINES; 2], [small(), small()], 256, |router, _| router);
    proxy
        .editor
        .send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"work\"}\n")
        .await;
    line(&mut proxy.agent).await;
    let mut writer = proxy.agent.take_writer();
    let told = tokio::spawn(async move {
        use tokio::io::AsyncWriteExt;
        for number in 0..EVENTS {
            let event =
                format!("{{\"jsonrpc\":\"2.0\",\"method\":\"progress\",\"params\":[{number}]}}\n");
            writer.write_all(event.as_bytes()).await.expect("open");
        }
        let answer = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":null}\n";
        writer.write_all(answer).await.expect("open");
        writer
    });
    // Everybody waits for the editor by now.
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    for number in 0..EVENTS {
        let event = value(&line(&mut proxy.editor).await);
        assert_eq!(event["params"], json!([number]));
    }
    assert_eq!(value(&line(&mut proxy.editor).await)["id"], 1);
    watched(told).await.expect("no panic");
}

/// An agent that does not read holds up the editor instead of filling the proxy's memory.
#[tokio::test(start_paused = true)]
async fn a_side_that_sends_faster_than_the_other_reads_is_slowed_down() {
    let small = || Options {
        queue: 4,
        waiting_bytes: 4 * 1024,
        limits: tenon_rpc::options::Limits {
            frame: 1024,
            ..tenon_rpc::options::Limits::default()
        },
        ..options()
    };
    let mut proxy = Proxy::with([LINES; 2], [small(), small()], 256, |router, _| router);
    let event = "{\"jsonrpc\":\"2.0\",\"method\":\"event\"}\n";
    let mut sent = 0;
    while !raw_peer::stands_still(proxy.editor.send(event)).await {
        sent += 1;
        assert!(sent < 10_000, "nobody is held up");
    }
    for _ in 0..sent {
        assert_eq!(line(&mut proxy.agent).await, event.trim());
    }
}

#[tokio::test]
async fn a_call_fails_when_the_other_side_goes() {
    let mut proxy = Proxy::lines();
    proxy
        .editor
        .send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"work\"}\n")
        .await;
    line(&mut proxy.agent).await;
    drop(proxy.agent);
    let answer = value(&line(&mut proxy.editor).await);
    assert_eq!(answer["error"]["code"], -32603, "{answer}");
    watched(proxy.right.closed()).await;
    // Nor does one wait that comes afterwards.
    proxy
        .editor
        .send("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"work\"}\n")
        .await;
    let answer = value(&line(&mut proxy.editor).await);
    assert_eq!(answer["id"], 2, "{answer}");
    assert_eq!(answer["error"]["code"], -32603, "{answer}");
}

#[tokio::test]
async fn messages_wait_until_the_other_side_is_connected() {
    let (to_agent, _to_editor) = Forward::pair();
    let router = Arc::new(Router::new(()).forwarding(&to_agent));
    let (mut editor, _left) = RawPeer::connect(LINES, router, options(), 1024);
    let first = "{\"jsonrpc\":\"2.0\",\"method\":\"first\"}\n";
    let given_up = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"given up\"}\n";
    let stop = "{\"jsonrpc\":\"2.0\",\"method\":\"stop\",\"params\":{\"requestId\":1}}\n";
    let last = "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"last\"}\n";
    editor.send([first, given_up, stop, last].concat()).await;
    assert_eq!(value(&line(&mut editor).await)["error"]["code"], -32800);
    let (mut agent, right) = RawPeer::connect(LINES, Arc::new(Router::new(())), options(), 1024);
    to_agent.connect(right.peer());
    assert_eq!(value(&line(&mut agent).await)["method"], "first");
    assert_eq!(value(&line(&mut agent).await)["method"], "last");
}

#[tokio::test]
async fn params_and_answers_are_converted_between_formats() {
    let mut proxy = Proxy::new([LINES, Dialect::MsgpackRpc], [options(), options()]);
    let call = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"echo\",\"params\":{\"n\":1}}\n";
    proxy.editor.send(call).await;
    let request = watched(proxy.agent.frame()).await.expect("a request");
    let mut bytes = &request.bytes[..];
    let request = rmpv::decode::read_value(&mut bytes).expect("msgpack");
    assert_eq!(request.to_string(), "[0, 1, \"echo\", {\"n\": 1}]");
    proxy.agent.send([0x94, 1, 1, 0xc0, 0x92, 1, 2]).await;
    assert_eq!(
        value(&line(&mut proxy.editor).await)["result"],
        json!([1, 2])
    );
}

#[tokio::test]
async fn ext_types_are_converted_with_the_names_of_both_connections() {
    let named = || Options {
        ext_names: EXT_NAMES,
        ..options()
    };
    let mut proxy = Proxy::new([LINES, Dialect::MsgpackRpc], [named(), named()]);
    let params = r#"[{"$unknown":true},{"$unknown":{"null":false}}]"#;
    let call = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{params}}}"#);
    proxy.editor.send(call + "\n").await;
    let request = watched(proxy.agent.frame()).await.expect("a request");
    let unknown = b"\x92\xd4\x00\x00\xc7\x03\x0c\x81\x01\xc2";
    assert!(request.bytes.ends_with(unknown), "{:?}", request.bytes);
    proxy
        .agent
        .send([&[0x94, 1, 1, 0xc0], &unknown[..]].concat())
        .await;
    let answer = line(&mut proxy.editor).await;
    assert!(
        answer.ends_with(&format!("\"result\":{params}}}")),
        "{answer}"
    );
    // An event goes the same way.
    let event = [&[0x93, 2, 0xa1, b'e'], &unknown[..]].concat();
    proxy.agent.send(event).await;
    let event = line(&mut proxy.editor).await;
    assert!(
        event.ends_with(&format!("\"params\":{params}}}")),
        "{event}"
    );
}

/// A proxy that changes one message and watches another; the rest is none of its business.
#[tokio::test]
async fn single_messages_can_be_changed() {
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let watching = seen.clone();
    let mut proxy = Proxy::with(
        [LINES; 2],
        [options(), options()],
        1024,
        |router, to_agent| {
            router
                .on_raw("prompt", move |context, _| {
                    let to_agent = to_agent.clone();
                    async move {
                        let call = tenon_rpc::Call {
                            id: context.id,
                            method: context.method,
                            params: Payload::from_json("[\"changed\"]").ok(),
                            peer: context.peer,
                        };
                        to_agent.call(call).await
                    }
                })
                .wrap(move |call, next| {
                    watching.lock().unwrap().push(call.method.to_string());
                    next.run(call)
                })
        },
    );
    for method in ["prompt", "other"] {
        let call =
            format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{method}\",\"params\":[1]}}\n");
        proxy.editor.send(call).await;
    }
    assert_eq!(
        value(&line(&mut proxy.agent).await)["params"],
        json!(["changed"])
    );
    assert_eq!(value(&line(&mut proxy.agent).await)["params"], json!([1]));
    assert_eq!(*seen.lock().unwrap(), ["prompt", "other"]);
    // What was changed is cancelled like everything else.
    let stop = "{\"jsonrpc\":\"2.0\",\"method\":\"stop\",\"params\":{\"requestId\":1}}\n";
    proxy.editor.send(stop).await;
    assert_eq!(value(&line(&mut proxy.agent).await)["method"], "stop");
}

/// One call to one peer, without a proxy around it.
#[tokio::test]
async fn a_single_call_is_forwarded() {
    let (mut agent, right) = RawPeer::connect(LINES, Arc::new(Router::new(())), options(), 1024);
    let peer = right.peer();
    let router = Router::new(()).fallback(move |call, ()| {
        let peer = peer.clone();
        async move { tenon_rpc::forward::forward(call, &peer).await }
    });
    let (mut editor, _left) = RawPeer::connect(LINES, Arc::new(router), options(), 1024);
    editor
        .send("{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"m\"}\n")
        .await;
    line(&mut agent).await;
    agent
        .send("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[1.0]}\n")
        .await;
    let answer = line(&mut editor).await;
    assert_eq!(answer, r#"{"jsonrpc":"2.0","id":9,"result":[1.0]}"#);
}
