//! What a script says when something is wrong.

use tenon_plugin::Plugin;

use crate::accounts::plugin;
use crate::conversation::converse;

/// The one answer to a call, as a tree.
async fn answer(method: &str, params: &str) -> serde_json::Value {
    let call = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"{method}","params":{params}}}"#);
    let answers = converse(plugin(), &[&call]).await;
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
            "did you mean `add`?",
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

/// The answer to a call of a plugin that has other things.
async fn refused(plugin: Plugin, method: &str, params: &str) -> serde_json::Value {
    let call = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"{method}","params":{params}}}"#);
    let answers = converse(plugin, &[&call]).await;
    let answer: serde_json::Value = serde_json::from_str(&answers[0]).unwrap();
    answer["error"].clone()
}

#[tokio::test]
async fn a_plugin_has_no_more_than_it_was_given() {
    let plugin = || Plugin::new("small", "1").function("one", "", |(): ()| async { Ok(1) });
    for (method, kind) in [
        ("create", "resource"),
        ("read", "data source"),
        ("update", "resource"),
        ("delete", "resource"),
        ("modifyPlan", "resource"),
        ("open", "ephemeral resource"),
        ("renew", "ephemeral resource"),
        ("close", "ephemeral resource"),
        ("invoke", "action"),
    ] {
        let error = refused(plugin(), method, "{}").await;
        assert_eq!(error["code"], -32601, "{error}");
        let expected =
            format!("Method not found: the plugin small has no {kind}; it offers the function one");
        assert_eq!(error["message"], *expected, "{error}");
    }
    let only_data =
        || Plugin::new("data", "1").data_source("nothing", "", |_, (): ()| async { Ok(()) });
    for (method, params) in [
        ("read", r#"{"id":"a","props":null}"#),
        ("call", r#"{"name":"a","arguments":[]}"#),
    ] {
        let error = refused(only_data(), method, params).await;
        assert_eq!(error["code"], -32601, "{error}");
        let message = error["message"].as_str().unwrap();
        assert!(
            message.ends_with("it offers the data source nothing"),
            "{message}"
        );
    }
}

#[tokio::test]
async fn a_call_that_could_be_for_several_is_refused() {
    let two = plugin().action("other", "", |_, (): ()| async { Ok(()) });
    let error = refused(two, "invoke", r#"{"props":{"name":"ada"}}"#).await;
    assert_eq!(error["code"], -32000, "{error}");
    let message = error["message"].as_str().unwrap();
    assert!(
        message.contains("several actions (greet, other)"),
        "{message}"
    );
}

#[tokio::test]
async fn too_many_arguments_are_refused() {
    let answer = answer("call", r#"{"name":"add","arguments":[1,2,3]}"#).await;
    let told = &answer["result"]["diagnostics"][0];
    assert_eq!(told["summary"], "too many arguments", "{answer}");
    assert_eq!(told["detail"], "add takes 2, but 3 are given", "{answer}");
}

#[tokio::test]
async fn a_write_only_attribute_among_the_others_is_refused() {
    let answer = answer("create", r#"{"props":{"name":"ada","password":"hunter2"}}"#).await;
    let told = &answer["result"]["diagnostics"][0];
    assert_eq!(told["summary"], "\"password\" is write-only", "{answer}");
    assert!(!answer.to_string().contains("hunter2"), "{answer}");
}

#[test]
#[should_panic(expected = "there are two actions called \"greet\"")]
fn two_actions_of_one_name_are_refused() {
    let _two = plugin().action("greet", "", |_, (): ()| async { Ok(()) });
}

#[test]
#[should_panic(expected = "there are two data sources called \"length\"")]
fn two_data_sources_of_one_name_are_refused() {
    let _two = plugin().data_source("length", "", |_, (): ()| async { Ok(()) });
}

#[test]
#[should_panic(expected = "there are two functions called \"add\"")]
fn two_functions_of_one_name_are_refused() {
    let _two = plugin().function("add", "", |(): ()| async { Ok(()) });
}
