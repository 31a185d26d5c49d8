//! Reading a resource: values that changed, and values that must stay the same.

use serde_json::{Value as Json, json};
use tenon_values::{Type, Value};

use crate::blocks::{assert_error, assert_none, part, shown, value, with};
use crate::core::{Action, Core, Held};

/// A resource with state, whose script answers this to `read`.
async fn made(read: Json) -> (Core, Held) {
    let created = json!({"id": "one", "state": {"n": 1}, "sensitiveState": {"s": 2}});
    let core = Core::new(json!({"create": {"result": created}, "read": read})).await;
    let config = core.config(&[("props", value(r#"{"a": 1}"#))]);
    let held = core.change(&core.nothing(), &config).await;
    (core, held)
}

#[tokio::test]
async fn what_is_absent_stays() {
    for result in [
        json!({}),
        json!({"exists": true}),
        json!({"exists": null, "more": 1}),
    ] {
        let (core, held) = made(json!({"result": result})).await;
        let read = core.read(&held).await;
        assert_none(&read.diagnostics);
        assert_eq!(read.state, held.state);
        assert_eq!(read.private, held.private);
        core.stage.end().await;
    }
}

#[tokio::test]
async fn null_is_null() {
    let nulls = json!({"props": null, "state": null, "sensitiveState": null});
    let (core, held) = made(json!({"result": nulls})).await;
    let read = core.read(&held).await;
    assert_none(&read.diagnostics);
    for name in ["props", "state", "sensitive_state"] {
        assert!(part(&read.state, name).is_null(), "{name}");
    }
    assert_eq!(part(&read.state, "id"), Value::from("one"));
    core.stage.end().await;
}

#[tokio::test]
async fn a_resource_that_no_longer_exists_is_removed_from_the_state() {
    let (core, held) = made(json!({"result": {"exists": false, "props": {"a": 1}}})).await;
    let read = core.read(&held).await;
    assert_none(&read.diagnostics);
    assert!(read.state.is_null());
    core.stage.end().await;
}

#[tokio::test]
async fn drift_is_seen_and_mended() {
    let now = json!({"props": {"a": 2}, "state": {"n": 3}, "sensitiveState": "t"});
    let (core, held) = made(json!({"result": now})).await;
    let read = core.read(&held).await;
    assert_eq!(part(&read.state, "props"), value(r#"{"a": 2}"#));
    assert_eq!(part(&read.state, "state"), value(r#"{"n": 3}"#));
    assert_eq!(part(&read.state, "sensitive_state"), Value::from("t"));
    let config = core.config(&[("props", value(r#"{"a": 1}"#))]);
    assert_eq!(core.plan(&read, &config).await.action, Action::Update);
    core.stage.end().await;
}

#[tokio::test]
async fn a_failed_read_changes_nothing() {
    let error =
        json!([{"severity": "error", "summary": "offline", "propPath": ["currentProps", "a"]}]);
    let (core, held) = made(json!([
        {"result": {"exists": false, "diagnostics": error}},
        {"error": {"code": -32000, "message": "thrown"}},
    ]))
    .await;
    for words in [
        ["error at .props[\"a\"]: offline"],
        ["Failed to read resource: thrown"],
    ] {
        let read = core.read(&held).await;
        assert_error(&read.diagnostics, &words);
        assert_eq!(read.state, held.state);
    }
    core.stage.end().await;
}

#[tokio::test]
async fn warnings_do_not_stand_in_the_way() {
    let warning = json!([{"severity": "warning", "summary": "old"}]);
    let (core, held) = made(json!({"result": {"state": 5, "diagnostics": warning}})).await;
    let read = core.read(&held).await;
    // Terraform does not name the resource if its block is gone, so the provider does.
    let resource = "Resource: denobridge_resource with id \"one\"";
    assert_eq!(
        shown(&read.diagnostics),
        [format!("warning: old: {resource}")]
    );
    assert_eq!(part(&read.state, "state"), Value::from(5));
    core.stage.end().await;
}

/// JSON has only arrays and objects; the more specific types of configurations must not change.
#[tokio::test]
async fn types_stay_as_they_are() {
    let text = |text: &str| Value::from(text);
    let inner = Value::map(Type::Number, [("a", value("0.1")), ("b", value("1e400"))]).unwrap();
    let table = [
        Value::list(Type::String, vec![text("b"), text("a")]).unwrap(),
        Value::set(Type::String, vec![text("b"), text("a")]).unwrap(),
        Value::list(Type::String, Vec::new()).unwrap(),
        Value::map(Type::String, [("k", text("v"))]).unwrap(),
        Value::map(Type::Bool, Vec::<(&str, Value)>::new()).unwrap(),
        Value::tuple(vec![text("a"), Value::from(1), Value::NULL]),
        Value::list(inner.ty(), vec![inner.clone(), inner]).unwrap(),
        value("0.1"),
        value("12345678901234567890123456789.123456789"),
        value("-0"),
        Value::null(Type::String),
        Value::object([(
            "deep",
            Value::set(Type::Number, vec![3.into(), 1.into()]).unwrap(),
        )]),
    ];
    let core = Core::new(json!({})).await;
    for props in table {
        let config = core.config(&[("props", props.clone())]);
        let held = core.change(&core.nothing(), &config).await;
        let read = core.read(&held).await;
        assert_none(&read.diagnostics);
        assert_eq!(part(&read.state, "props"), props, "{}", props.ty());
        assert_eq!(
            core.plan(&read, &config).await.action,
            Action::Nothing,
            "{props}"
        );
    }
    core.stage.end().await;
}

#[tokio::test]
async fn reading_a_null_state_returns_null() {
    let core = Core::new(json!({})).await;
    let read = core.read(&core.nothing()).await;
    assert!(read.state.is_null() && read.diagnostics.is_empty());
    core.stage.end().await;
}

/// A state whose script no longer exists is read with an error, and nothing is lost.
#[tokio::test]
async fn a_missing_script_loses_nothing() {
    let (core, held) = made(json!({})).await;
    let lost = Held {
        state: with(&held.state, &[("path", "./gone.py".into())]),
        ..held
    };
    let read = core.read(&lost).await;
    assert_error(
        &read.diagnostics,
        &["error at .path", "no script at ./gone.py"],
    );
    assert_eq!(read.state, lost.state);
    core.stage.end().await;
}
