//! Handlers: what they get, and what their callers get.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use tenon_ipc::FromClient;
use tenon_rpc::{CallError, ErrorCode, Router, RpcError, methods};

use crate::exact::assert_fits;
use crate::place::{Place, json};

#[derive(Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
struct Search {
    text: String,
    limit: u32,
}

methods! {
    /// Adds two numbers.
    Add = "add" ((i64, i64)) -> i64;
    /// Answers with what it was asked.
    Look = "look" (Search) -> Search;
    /// Always fails.
    Fail = "fail" (()) -> ();
}

#[tokio::test]
async fn a_typed_handler_gets_and_gives_types() {
    let place = Place::new();
    let router = Router::new(()).on(Look, |_, search| async move { Ok(search) });
    let _server = place.serve(router);
    let client = place.client().await;
    let search = || Search {
        text: "ä".into(),
        limit: 5,
    };
    assert_eq!(client.call(Look, search()).await.unwrap(), search());
}

#[tokio::test]
async fn absent_params_are_those_that_were_not_given() {
    let place = Place::new();
    let router = Router::new(()).on(Look, |_, search| async move { Ok(search) });
    let _server = place.serve(router);
    let mut raw = place.raw().await;
    for params in ["", r#","params":null"#, r#","params":{}"#] {
        let call = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"look"{params}}}"#);
        let expected = r#"{"jsonrpc":"2.0","id":1,"result":{"text":"","limit":0}}"#;
        assert_fits(&raw.ask(&call).await, expected);
    }
}

#[tokio::test]
async fn invalid_params_are_an_error_and_nothing_runs() {
    let place = Place::new();
    let router = Router::new(()).on(Add, |_, _| async { panic!("it must not run") });
    let _server = place.serve(router);
    let client = place.client().await;
    let call = client.call_raw("add", Some(json("[1,\"two\"]"))).await;
    let CallError::Answered(error) = call.unwrap_err() else {
        panic!("it was answered");
    };
    assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
    assert!(error.message.starts_with("Invalid params: "), "{error}");
    assert!(error.message.contains("string, expected i"), "{error}");
    // They may be secrets.
    assert!(!error.message.contains("two"), "it quotes them: {error}");
}

#[tokio::test]
async fn an_error_goes_to_the_caller_as_it_is() {
    let place = Place::new();
    let failure = || RpcError::new(ErrorCode::Number(1234), "no disk").with_data(json("[1.0]"));
    let router = Router::new(()).on(Fail, move |_, ()| async move { Err(failure()) });
    let _server = place.serve(router);
    let client = place.client().await;
    let CallError::Answered(error) = client.call(Fail, ()).await.unwrap_err() else {
        panic!("it was answered");
    };
    assert_eq!(error, failure());
}

#[tokio::test]
async fn the_last_handler_of_a_name_is_the_one() {
    let place = Place::new();
    let router = Router::new(())
        .on(Add, |_, (a, b)| async move { Ok(a - b) })
        .on(Add, |_, (a, b)| async move { Ok(a + b) });
    let _server = place.serve(router);
    assert_eq!(place.client().await.call(Add, (2, 1)).await.unwrap(), 3);
}

#[tokio::test]
async fn a_handler_knows_the_call_and_its_client() {
    let place = Place::new();
    let router = Router::new("state").on_raw("who", |context, _| async move {
        let (session, id) = (context.session(), &context.id);
        let number = session.number();
        let known = format!("{} {id} {} {number}", context.state, context.method);
        Ok(json(&format!("{known:?}")))
    });
    let server = place.serve(router);
    let (mut one, mut two) = (place.raw().await, place.raw().await);
    let answer = one.ask(r#"{"jsonrpc":"2.0","id":7,"method":"who"}"#).await;
    assert_fits(
        &answer,
        r#"{"jsonrpc":"2.0","id":7,"result":"state 7 who 1"}"#,
    );
    let answer = two
        .ask(r#"{"jsonrpc":"2.0","id":"a","method":"who"}"#)
        .await;
    let expected = r#"{"jsonrpc":"2.0","id":"a","result":"state \"a\" who 2"}"#;
    assert_fits(&answer, expected);
    assert_eq!(server.stop(Duration::ZERO).await.cut_off, 0);
}

#[tokio::test]
async fn the_fallback_handles_unknown_methods() {
    let place = Place::new();
    let router = Router::new(())
        .on(Add, |_, (a, b)| async move { Ok(a + b) })
        .fallback(|call, ()| async move { Ok(json(&format!("\"{}?\"", call.method))) });
    let _server = place.serve(router);
    let client = place.client().await;
    assert_eq!(client.call(Add, (2, 1)).await.unwrap(), 3);
    let other = client.call_raw("other", None).await.unwrap();
    assert_eq!(other, json("\"other?\""));
}
