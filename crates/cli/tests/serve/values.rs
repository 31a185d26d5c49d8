//! What comes through a server as it went in, whatever the plugin speaks.

use std::fmt::Write;

use insta::assert_snapshot;
use serde_json::{Value, json};
use tenon_rpc::Dialect;

use crate::serving::Serving;
use crate::wire::Wire;

/// Runs a test with a plugin of each dialect.
async fn in_every_dialect(mut test: impl FnMut(&str, &mut Wire)) {
    for dialect in Dialect::ALL.map(Dialect::name) {
        let options = format!("--dialect {dialect} -- tenon echo --dialect {dialect}");
        let serving = Serving::start(&options).await;
        test(dialect, &mut serving.wire());
        serving.stop().await;
    }
}

#[tokio::test]
async fn values_come_back_as_they_went() {
    let value = json!([
        null,
        true,
        -1,
        1.5,
        "é😀\n\"\u{0}\u{2028}",
        9_007_199_254_740_993_u64,
        u64::MAX,
        i64::MIN,
        { "b": {}, "a": [], "": "" },
    ]);
    in_every_dialect(|dialect, wire| {
        let answer = wire.answer(json!(1), "echo", value.clone());
        assert_eq!(answer["result"], value, "{dialect}");
        assert_eq!(wire.answer(json!(2), "add", json!([1, 2]))["result"], 3);
    })
    .await;
}

/// Between JSON and JSON not even the text of a number changes.
#[tokio::test]
async fn numbers_are_not_touched() {
    let numbers = "[123456789012345678901234567890,1.0,1e3,-0,0.1000,-1E-7]";
    in_every_dialect(|dialect, wire| {
        if dialect == "msgpack-rpc" {
            return;
        }
        wire.send(&format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"echo","params":{numbers}}}"#
        ));
        let expected = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{numbers}}}"#);
        assert_eq!(wire.line(), expected, "{dialect}");
    })
    .await;
}

/// In msgpack these are a byte string and two ext types, one of which has a name.
#[tokio::test]
async fn spelled_values_come_back_as_they_went() {
    let serving = Serving::start("--dialect msgpack-rpc -- tenon echo").await;
    let value = json!([{ "$binary": "aGk=" }, { "$ext": [5, "aGk="] }, { "$unknown": true }]);
    let answer = serving.wire().answer(json!(1), "echo", value.clone());
    assert_eq!(answer["result"], value);
    serving.stop().await;
}

#[tokio::test]
async fn large_values() {
    // 5 MiB, in characters of two bytes.
    let large = json!(["é".repeat(5 * 512 * 1024)]);
    in_every_dialect(|dialect, wire| {
        let answer = wire.answer(json!(1), "echo", large.clone());
        // Not `assert_eq!`, which would print them.
        assert!(answer["result"] == large, "{dialect}");
        let text = wire.answer(json!(2), "text", json!({ "length": 5 * 1024 * 1024 }));
        let length = text["result"].as_str().map(str::len);
        assert_eq!(length, Some(5 * 1024 * 1024), "{dialect}");
    })
    .await;
}

/// A client that speaks JSON-RPC gets errors of JSON-RPC, whatever the plugin's look like.
#[tokio::test]
async fn errors() {
    let mut answers = String::new();
    in_every_dialect(|dialect, wire| {
        let error = json!({ "code": 7, "message": "as asked: é", "data": { "why": [1] } });
        let calls = [
            ("fail", error),
            ("fail", json!({ "code": -32050, "message": "without data" })),
            ("nope", json!({})),
            ("add", json!({ "a": 1 })),
            ("panic", Value::Null),
        ];
        for (method, params) in calls {
            let answer = wire.answer(json!(1), method, params);
            let code = &answer["error"]["code"];
            assert!(code.is_i64(), "{dialect}: JSON-RPC has numbers: {code}");
            writeln!(answers, "{dialect:17} {method:5} {}", answer["error"]).expect("memory");
        }
    })
    .await;
    assert_snapshot!(answers);
}

/// What JSON has no form for is spelled out, and is the real thing for the plugin.
#[tokio::test]
async fn values_that_only_msgpack_has() {
    let serving = Serving::start("--dialect msgpack-rpc --record record -- tenon echo").await;
    let mut wire = serving.wire();
    let spelled = json!([
        { "$binary": "AAEC/w==" },
        { "$ext": [5, "AQ=="] },
        { "$map": [[1, "one"]] },
        { "$float": "NaN" },
    ]);
    let answer = wire.answer(json!(1), "echo", spelled.clone());
    assert_eq!(answer["result"], spelled);
    assert_eq!(serving.frames("out"), [json!([0, 1, "echo", spelled])]);
    let wrong = wire.answer(json!(2), "echo", json!([{ "$binary": "?" }]));
    assert_eq!(wrong["error"]["code"], -32602, "{wrong}");
    // And what only JSON has cannot be passed on.
    wire.send(r#"{"jsonrpc":"2.0","id":3,"method":"echo","params":[1e400]}"#);
    assert_eq!(wire.message()["error"]["code"], -32602);
    assert_eq!(wire.answer(json!(4), "add", json!([1, 2]))["result"], 3);
    serving.stop().await;
}

#[tokio::test]
async fn framings() {
    for framing in ["detect", "headers"] {
        let serving = Serving::start(&format!("--framing {framing} -- tenon echo")).await;
        let mut wire = serving.wire();
        let request = r#"{"jsonrpc":"2.0","id":1,"method":"add","params":[1,2]}"#;
        let length = request.len();
        wire.send_bytes(format!("Content-Length: {length}\r\n\r\n{request}").as_bytes());
        wire.finish();
        assert_eq!(
            wire.rest(),
            "Content-Length: 35\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":3}",
            "{framing}"
        );
        serving.stop().await;
    }
    let serving = Serving::start("--framing lines -- tenon echo").await;
    let mut wire = serving.wire();
    wire.send("Content-Length: 54\r");
    assert_eq!(wire.message()["error"]["code"], -32700);
    assert_eq!(wire.answer(json!(1), "add", json!([1, 2]))["result"], 3);
    serving.stop().await;
}
