//! What a plugin refuses, and what it says then.

use serde_json::json;
use tenon_plugin::{Plugin, attributes};
use tenon_protocols::seasonings::calls::blamed_argument;
use tenon_rpc::{CallError, Router};

use crate::accounts::plugin;
use crate::host::{Host, connect, raw};

#[tokio::test]
async fn an_error_of_a_function_points_at_its_argument() {
    let host = Host::of(plugin().0).await;
    for (arguments, argument, text) in [
        (json!({"text": ""}), "text", "the text is empty"),
        (
            json!({"text": "a", "limit": 300}),
            "limit",
            "the number does not fit",
        ),
        (
            json!({"text": {}}),
            "text",
            "arguments.text in the params of functions/call: ",
        ),
        (json!({}), "text", "the attribute \"text\" is required"),
        (json!({"text": null}), "text", "a value is required"),
    ] {
        let params = json!([{"name": "slug", "arguments": arguments}]);
        let Err(CallError::Answered(error)) = host.raw("functions/call", params).await else {
            panic!("{arguments}");
        };
        assert_eq!(
            blamed_argument(&error).as_deref(),
            Some(argument),
            "{error:?}"
        );
        assert!(error.message.starts_with(text), "{}", error.message);
    }
    let params = json!([{"name": "slog", "arguments": {}}]);
    let (code, text) = host.error("functions/call", params).await;
    assert_eq!(
        (code, &*text),
        (-32002, "unknown function `slog`; did you mean `slug`?")
    );
    host.end().await;
}

#[tokio::test]
async fn a_panic_fails_its_own_call_alone() {
    let host = Host::of(plugin().0).await;
    let params = |text: &str| json!([{"name": "slug", "arguments": {"text": text}}]);
    let (code, _) = host.error("functions/call", params("panic")).await;
    assert_eq!(code, -32603);
    let answer = host.raw("functions/call", params("a b")).await.unwrap();
    assert_eq!(answer, json!({"result": "a-b"}));
    host.end().await;
}

#[tokio::test]
async fn a_configuration_is_checked_by_the_authors_types() {
    let host = Host::of(plugin().0).await;
    let validate = async |kind: &str, name: &str, config: serde_json::Value| {
        let params = json!([{"kind": kind, "type": name, "config": config}]);
        host.raw("resources/validate", params).await.unwrap()
    };
    let rules = json!([{"port": 80}, {"port": 70000}]);
    let wrong = validate("resource", "account", json!({"name": "a", "rules": rules})).await;
    let wrong = &wrong["diagnostics"][0];
    assert_eq!(wrong["severity"], "error");
    assert_eq!(wrong["path"], json!(["rules", 1, "port"]));
    let fine = json!({"name": "a", "rules": [{"port": 80}]});
    assert_eq!(validate("resource", "account", fine).await, json!({}));
    let later = json!({"name": {"$unknown": true}, "quota": 300});
    assert_eq!(validate("resource", "account", later).await, json!({}));
    assert_eq!(
        validate("data", "look", json!({"name": "a"})).await,
        json!({})
    );
    let wrong = validate("ephemeral", "lease", json!({"seconds": -1})).await;
    assert_eq!(wrong["diagnostics"][0]["path"], json!(["seconds"]));
    assert_eq!(
        validate("provider", "", json!({"first": 1})).await,
        json!({})
    );
    let wrong = validate("provider", "", json!({"first": 300})).await;
    assert_eq!(wrong["diagnostics"][0]["path"], json!(["first"]));
    let params = json!([{"kind": "else", "type": "account", "config": {}}]);
    let (code, text) = host.error("resources/validate", params).await;
    assert_eq!(code, -32602);
    assert!(text.contains("\"else\""), "{text}");
    host.end().await;
}

#[tokio::test]
async fn failures_and_unknown_names_are_errors() {
    let host = Host::of(plugin().0).await;
    let create = |name: &str| {
        let planned = json!({"name": name, "quota": 1, "rules": []});
        json!([{"type": "account", "prior": null, "planned": planned, "config": planned}])
    };
    let (code, text) = host.error("resources/applyChange", create("fail")).await;
    assert_eq!((code, &*text), (-32000, "it is broken\ncompletely"));
    for (method, params, expected) in [
        (
            "resources/read",
            json!([{"type": "acount", "state": null}]),
            (-32002, "did you mean `account`?"),
        ),
        (
            "resources/readData",
            json!([{"type": "x", "config": {}}]),
            (-32002, "unknown data source `x`"),
        ),
        (
            "resources/open",
            json!([{"type": "x", "config": {}}]),
            (-32002, "unknown ephemeral resource `x`"),
        ),
        (
            "resources/read",
            json!([{}]),
            (
                -32602,
                "type in the params of resources/read: it is missing",
            ),
        ),
        (
            "resources/read",
            json!([1, 2]),
            (-32602, "the params of resources/read"),
        ),
        (
            "resources/import",
            json!([{"type": "account", "id": ""}]),
            (-32000, "the id is empty"),
        ),
        (
            "resources/applyChange",
            json!([{"type": "account", "prior": {"name": "a"}, "planned": null, "config": null}]),
            (-32000, "terraform state rm"),
        ),
        (
            "resources/applyChange",
            json!([{"type": "account", "prior": null, "planned": {"nmae": "a"}, "config": null}]),
            (-32602, "planned in the params of resources/applyChange"),
        ),
        (
            "resources/close",
            json!([{"type": "lease", "private": {"$binary": "eHg="}}]),
            (0, ""),
        ),
        ("resources/later", json!([{}]), (-32601, "Method not found")),
        (
            "storage/read",
            json!([{"path": "a"}]),
            (-32601, "Method not found"),
        ),
        (
            "middleware/postPlan",
            json!([{}]),
            (-32601, "Method not found"),
        ),
        ("anything", json!([{}]), (-32601, "Method not found")),
    ] {
        if expected.0 == 0 {
            let answer = host.raw(method, params).await.unwrap();
            assert_eq!(answer["diagnostics"][0]["summary"], "invalid private data");
            continue;
        }
        let (code, text) = host.error(method, params).await;
        assert_eq!(code, expected.0, "{method}: {text}");
        assert!(text.contains(expected.1), "{method}: {text}");
    }
    host.end().await;
}

attributes! {
    struct Reserved { count: u8 }
}

/// Terraform would never set such an attribute.
#[tokio::test]
async fn an_offer_that_terraform_cannot_use_is_refused_at_the_start() {
    let plugin =
        Plugin::new("wrong", "1").data_source("one", "", |_, _: Reserved| async { Ok(()) });
    let (connection, served) = connect(plugin, Router::new(()));
    let refused = raw(&connection.peer(), "init", json!([{}]))
        .await
        .unwrap_err();
    let text = refused.to_string();
    assert!(
        text.contains("data_sources.one.count: Terraform reserves this name"),
        "{text}"
    );
    drop(connection);
    served.await.unwrap().unwrap();
}
