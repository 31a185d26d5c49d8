//! What a script says when something is wrong.

use tenon_plugin::denobridge::{Data, Outcome, Script};

use crate::accounts::script;
use crate::conversation::converse;

/// The one answer to a call, as a tree.
async fn answer(method: &str, params: &str) -> serde_json::Value {
    let call = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"{method}","params":{params}}}"#);
    let answers = converse(script(), &[&call]).await;
    assert_eq!(answers.len(), 1, "{answers:?}");
    serde_json::from_str(&answers[0]).unwrap()
}

#[tokio::test]
async fn what_does_not_fit_is_pointed_at() {
    let cases: [(&str, &str, &[&str]); 9] = [
        ("create", r#"{"props":{"name":7}}"#, &["props", "name"]),
        ("create", r#"{"props":{}}"#, &["props"]),
        ("create", r#"{"props":null}"#, &["props"]),
        (
            "read",
            r#"{"id":"a","props":{"name":"a","age":256}}"#,
            &["props", "age"],
        ),
        ("read", r#"{"props":{"name":[]}}"#, &["props", "name"]),
        (
            "update",
            r#"{"id":"a","nextProps":{"name":"a"},"currentProps":{"name":"b"},"currentState":null}"#,
            &["nextProps", "name"],
        ),
        (
            "update",
            r#"{"id":"a","nextProps":{"name":"a"},"currentProps":null,"currentState":{"number":-1}}"#,
            &["currentState", "number"],
        ),
        ("open", r#"{"props":"ada"}"#, &["props"]),
        (
            "call",
            r#"{"name":"add","arguments":[1,"two"]}"#,
            &["arguments", "1"],
        ),
    ];
    for (method, params, path) in cases {
        let answer = answer(method, params).await;
        let told = &answer["result"]["diagnostics"][0];
        assert_eq!(told["severity"], "error", "{answer}");
        assert_eq!(told["propPath"], serde_json::json!(path), "{answer}");
        assert_eq!(answer["result"].as_object().unwrap().len(), 1, "{answer}");
    }
}

#[tokio::test]
async fn secrets_are_quoted_nowhere() {
    for (method, params) in [
        (
            "create",
            r#"{"props":{"name":"a"},"writeOnlyProps":{"password":["hunter2"]}}"#,
        ),
        (
            "create",
            r#"{"props":{"name":"a"},"writeOnlyProps":"hunter2"}"#,
        ),
        (
            "update",
            r#"{"id":"a","nextProps":{"name":"a"},"currentProps":null,"currentState":null,"currentSensitiveState":{"hunter2":1}}"#,
        ),
        ("renew", r#"{"privateData":{"number":"hunter2"}}"#),
        ("close", r#"{"privateData":"hunter2"}"#),
        ("close", r#""hunter2""#),
    ] {
        let answer = answer(method, params).await;
        let is_refused = answer["result"]["diagnostics"][0]["severity"] == "error"
            || answer["error"]["code"] == -32602;
        assert!(is_refused, "{answer}");
        assert!(!answer.to_string().contains("hunter2"), "{answer}");
    }
}

#[tokio::test]
async fn failures_are_errors_with_their_text() {
    let cases = [
        (
            "create",
            r#"{"props":{"name":"fail"}}"#,
            -32000,
            "invalid digit found in string",
        ),
        ("create", r#"{"props":{"name":"panic"}}"#, -32603, ""),
        (
            "call",
            r#"{"name":"panic","arguments":["ada"]}"#,
            -32603,
            "",
        ),
        ("create", r#"{}"#, -32602, "the params of create"),
        (
            "call",
            r#"{"name":"ad","arguments":[]}"#,
            -32000,
            "did you mean add?",
        ),
        (
            "call",
            r#"{"name":"divide","arguments":[0,0]}"#,
            -32000,
            "the result cannot be written",
        ),
        (
            "modifyPlan",
            r#"{"planType":"update","nextProps":{}}"#,
            -32000,
            "no id",
        ),
        ("destroy", "{}", -32601, "Method not found"),
    ];
    for (method, params, code, message) in cases {
        let answer = answer(method, params).await;
        assert_eq!(answer["error"]["code"], code, "{answer}");
        let text = answer["error"]["message"].as_str().unwrap_or_default();
        assert!(text.contains(message), "{answer}");
    }
}

#[tokio::test]
async fn a_script_has_no_more_than_it_was_given() {
    let script = || Script::new().function("one", |(): ()| async { Ok(1) });
    for method in [
        "create",
        "read",
        "modifyPlan",
        "open",
        "renew",
        "close",
        "invoke",
    ] {
        let call = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"{method}","params":{{}}}}"#);
        let answers = converse(script(), &[&call]).await;
        assert!(answers[0].contains("-32601"), "{answers:?}");
    }
    let only_data = || Script::new().data_source(|(): ()| async { Ok(Data::new(())) });
    let read = r#"{"jsonrpc":"2.0","id":7,"method":"read","params":{"id":"a","props":null}}"#;
    let answers = converse(only_data(), &[read]).await;
    assert!(answers[0].contains("-32601"), "{answers:?}");
    let call = r#"{"jsonrpc":"2.0","id":7,"method":"call","params":{"name":"a","arguments":[]}}"#;
    let answers = converse(only_data(), &[call]).await;
    assert!(answers[0].contains("-32601"), "{answers:?}");
}

#[test]
#[should_panic(expected = "there are two functions for \"invoke\"")]
fn two_actions_are_refused() {
    let _two = script().action(|_, (): ()| async { Ok(Outcome::done()) });
}

#[test]
#[should_panic(expected = "there are two data sources")]
fn two_data_sources_are_refused() {
    let _two = script().data_source(|(): ()| async { Ok(Data::new(())) });
}

#[test]
#[should_panic(expected = "there are two functions called \"add\"")]
fn two_functions_of_one_name_are_refused() {
    let _two = script().function("add", |(): ()| async { Ok(()) });
}
