//! Errors: their codes, their data, and what they say.

use tenon_rpc::{CallError, ErrorCode, Format, Router, RpcError};

use crate::exact::assert_fits;
use crate::place::{Place, json};

/// The error that a handler returns, as it goes over the wire.
async fn on_the_wire(error: RpcError) -> String {
    let place = Place::new();
    let router = Router::new(error).on_raw("fail", |context, _| async move { Err(context.state) });
    let _server = place.serve(router);
    let mut raw = place.raw().await;
    raw.ask(r#"{"jsonrpc":"2.0","id":1,"method":"fail"}"#).await
}

#[tokio::test]
async fn each_has_its_code_and_message() {
    let numbered = |number| RpcError::new(ErrorCode::Number(number), "m");
    for (error, expected) in [
        (RpcError::internal("m"), r#"{"code":-32603,"message":"m"}"#),
        (
            RpcError::invalid_params("m"),
            r#"{"code":-32602,"message":"m"}"#,
        ),
        (
            RpcError::invalid_request("m"),
            r#"{"code":-32600,"message":"m"}"#,
        ),
        (
            RpcError::method_not_found("x", Format::Json),
            r#"{"code":-32601,"message":"Method not found","data":{"method":"x"}}"#,
        ),
        (
            RpcError::new(ErrorCode::PARSE_ERROR, "m"),
            r#"{"code":-32700,"message":"m"}"#,
        ),
        (
            RpcError::new(ErrorCode::SERVER_ERROR, "m"),
            r#"{"code":-32000,"message":"m"}"#,
        ),
        (numbered(0), r#"{"code":0,"message":"m"}"#),
        (numbered(-32099), r#"{"code":-32099,"message":"m"}"#),
        (
            numbered(i64::MAX),
            r#"{"code":9223372036854775807,"message":"m"}"#,
        ),
        (
            numbered(1).with_data(json("null")),
            r#"{"code":1,"message":"m","data":null}"#,
        ),
        (
            numbered(1).with_data(json("{\"a\":1.0}")),
            r#"{"code":1,"message":"m","data":{"a":1.0}}"#,
        ),
        (RpcError::internal(""), r#"{"code":-32603,"message":""}"#),
        (
            RpcError::internal("\"ä\n"),
            r#"{"code":-32603,"message":"\"ä\n"}"#,
        ),
        // A name stays readable where codes are numbers. Orchard's names mean no more than others here.
        (
            RpcError::new(ErrorCode::Name("disk_full".into()), "m"),
            r#"{"code":-32000,"message":"m","data":{"code":"disk_full"}}"#,
        ),
        (
            RpcError::new(ErrorCode::Name("unknown_method".into()), "m"),
            r#"{"code":-32000,"message":"m","data":{"code":"unknown_method"}}"#,
        ),
    ] {
        let expected = format!(r#"{{"jsonrpc":"2.0","id":1,"error":{expected}}}"#);
        assert_fits(&on_the_wire(error).await, &expected);
    }
}

#[tokio::test]
async fn a_client_reads_errors_of_the_server() {
    let place = Place::new();
    let raw_server = place.raw_server();
    let client = place.client().await;
    let mut raw = raw_server.accept().await;
    for (sent, code, message, data) in [
        (
            r#"{"code":-32001,"message":"m","data":[1.0]}"#,
            -32001,
            "m",
            Some("[1.0]"),
        ),
        (r#"{"code":5,"message":"m"}"#, 5, "m", None),
        // Peers that leave out the one or the other.
        (r#"{"message":"m"}"#, -32000, "m", None),
        (r#"{"code":5}"#, 5, "(no message)", None),
        (
            r#"{"code":5,"message":"m","data":null}"#,
            5,
            "m",
            Some("null"),
        ),
    ] {
        let call = client.call_raw("fail", None);
        let answer = async {
            let request = raw.receive().await.unwrap();
            let id: serde_json::Value = serde_json::from_str(&request).unwrap();
            let answer = format!(r#"{{"jsonrpc":"2.0","id":{},"error":{sent}}}"#, id["id"]);
            raw.send(&answer).await;
        };
        let (outcome, ()) = tokio::join!(call, answer);
        let CallError::Answered(error) = outcome.unwrap_err() else {
            panic!("{sent}: it was answered");
        };
        let expected = RpcError {
            code: ErrorCode::Number(code),
            message: message.into(),
            data: data.map(json),
        };
        assert_eq!(error, expected, "{sent}");
    }
}

#[test]
fn an_error_says_what_happened_and_its_code() {
    let error = RpcError::new(ErrorCode::Number(-32001), "no disk");
    assert_eq!(error.to_string(), "no disk (code -32001)");
    let error = CallError::Answered(error.with_data(json("\"secret\"")));
    assert_eq!(
        error.to_string(),
        "the peer answered with an error: no disk (code -32001)",
        "data is for programs"
    );
}
