//! An ipc service.

use serde_json::{Value, json};
use tenon_protocols::Protocol;
use tenon_rpc::{Connection, Dialect, Format, Io, Payload, Router};

use crate::converse;
use crate::plugin::plugin;

fn request(id: u32, method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

/// The answer to one call, without the envelope.
async fn call(method: &str, params: Value) -> Value {
    let mut answer = converse(&[request(1, method, params)]).await.remove(0);
    match answer["error"].take() {
        Value::Null => answer["result"].take(),
        error => error,
    }
}

#[tokio::test]
async fn functions_take_arguments_by_name_or_by_position() {
    assert_eq!(
        call("greet", json!({ "name": "you" })).await,
        json!("hello, you")
    );
    assert_eq!(
        call("greet", json!(["you", "hi", "!"])).await,
        json!("hi, you!")
    );
    assert_eq!(
        call("greet", json!(["you", null])).await,
        json!("hello, you")
    );
    assert_eq!(call("join", json!(["-", "a", "b"])).await, json!("a-b"));
    assert_eq!(call("join", json!(["-"])).await, json!(""));
    let named = json!({ "separator": "-", "parts": ["a", "b"] });
    assert_eq!(call("join", named).await, json!("a-b"));
    let rules = json!({ "rules": [{ "port": 1 }, { "port": 2, "is_open": false }] });
    assert_eq!(call("open", rules).await, json!([1]));
    assert_eq!(call("nothing", Value::Null).await, Value::Null);
}

#[tokio::test]
async fn errors_do_not_quote_secrets() {
    for params in [
        json!({ "user": "ada", "password": "hunter2\n" }),
        json!(["ada", "hunter2\n"]),
    ] {
        let error = call("refuse", params).await;
        assert_eq!(error["message"], "ada has \"(sensitive)\"");
        assert!(!error.to_string().contains("hunter2"), "{error}");
    }
}

#[tokio::test]
async fn a_number_is_not_a_string() {
    for (params, path) in [
        (json!({ "name": 42 }), "name"),
        (json!(["you", true]), "greeting"),
    ] {
        let error = call("greet", params).await;
        assert_eq!(error["code"], -32602);
        assert_eq!(error["data"]["path"], json!([path]));
    }
}

#[tokio::test]
async fn no_digit_is_lost() {
    let (here, there) = Io::pair();
    let served = tokio::spawn(plugin().serve_on(there));
    let client = Connection::start(here, Dialect::JsonRpcLines, Router::new(()));
    let exact = client.peer().call_raw("exact", None).await.unwrap();
    assert_eq!(&exact.bytes()[..], b"12345678901234567890.5");
    drop(client);
    served.await.unwrap().unwrap();
}

#[tokio::test]
async fn actions_return_their_outputs_and_their_failures() {
    let given = json!({ "user": "ada", "password": "open sesame" });
    assert_eq!(
        call("login", given).await,
        json!({ "user": "ada", "token": "t1", "nickname": null })
    );
    assert_eq!(
        call("login", json!({ "user": "ada", "password": "x" })).await,
        json!({
            "code": -32000,
            "message": "the password is wrong",
            "data": { "code": "denied", "detail": "ask for another" },
        })
    );
    assert_eq!(call("count", json!({})).await, Value::Null);
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_named() {
    for (method, params, message, path) in [
        (
            "greet",
            json!({}),
            "name: a value is required",
            json!(["name"]),
        ),
        (
            "greet",
            json!({ "nmae": "you" }),
            "nmae: it is not supported; did you mean `name`?",
            json!(["nmae"]),
        ),
        (
            "open",
            json!({ "rules": [{ "port": 1 }, { "port": "x" }] }),
            "rules.1.port: a number is required",
            json!(["rules", 1, "port"]),
        ),
        // It fits the schema, but not the type.
        (
            "open",
            json!({ "rules": [{ "port": 70_000 }] }),
            "rules.0.port: ",
            json!(["rules", 0, "port"]),
        ),
        (
            "login",
            json!({ "user": "ada", "password": ["hunter2"] }),
            "password: ",
            json!(["password"]),
        ),
    ] {
        let error = call(method, params).await;
        assert_eq!(error["code"], -32602, "{error}");
        assert_eq!(error["data"]["path"], path, "{error}");
        let found = error["message"].as_str().unwrap();
        assert!(found.starts_with(message), "{found}");
        assert!(!found.contains("hunter2"), "{found}");
    }
    let error = call("greet", json!(["a", "b", "c", "d"])).await;
    assert_eq!(
        error["message"],
        "too many arguments: greet takes 3, but 4 are given"
    );
    let error = call("greet", json!("you")).await;
    assert_eq!(
        error["message"],
        "the arguments must be an object or an array"
    );
}

#[tokio::test]
async fn a_panic_fails_its_call_and_is_not_quoted() {
    let error = call("crash", json!({})).await;
    assert_eq!(
        error,
        json!({ "code": -32000, "message": "the function panicked; see stderr for the place" })
    );
}

#[tokio::test]
async fn an_unknown_method_is_answered_with_what_there_is() {
    let error = call("gret", json!({})).await;
    assert_eq!(error["code"], -32601);
    assert_eq!(
        error["message"],
        "unknown method `gret`; did you mean `greet`?"
    );
    let error = call("publish_everything", json!({})).await;
    assert_eq!(
        error["message"],
        "unknown method `publish_everything`; the plugin has count, crash, exact, greet, holes, join, login, nothing, open, refuse, wait"
    );
}

#[tokio::test]
async fn a_call_can_be_cancelled() {
    let cancel = json!({ "jsonrpc": "2.0", "method": "$/cancelRequest", "params": { "id": 1 } });
    let answers = converse(&[
        request(1, "wait", json!({})),
        cancel,
        request(2, "greet", json!(["you"])),
    ])
    .await;
    assert_eq!(answers[0]["error"]["code"], -32800);
    assert_eq!(answers[1]["result"], "hello, you");
}

#[tokio::test]
async fn headers_are_another_way_to_write_the_same() {
    let (here, there) = Io::pair();
    let served = tokio::spawn(plugin().serve_on(there));
    let client = Connection::start(here, Dialect::JsonRpcHeaders, Router::new(()));
    let params = Payload::encode(Format::Json, &json!({ "name": "you" })).unwrap();
    let answer = client.peer().call_raw("greet", Some(params)).await.unwrap();
    assert_eq!(&answer.bytes()[..], b"\"hello, you\"");
    Protocol::Ipc.end(&client.peer()).await;
    drop(client);
    served.await.unwrap().unwrap();
}
