//! Props that a script changes in `modifyPlan`.

use serde_json::{Value as Json, json};
use tenon_values::Value;

use crate::blocks::{assert_error, assert_none, part, value};
use crate::core::{Action, Core};

/// A puppet with these answers to consecutive calls of `modifyPlan`.
async fn core(answers: &[Json]) -> Core {
    let orders: Vec<_> = { answers.iter() }
        .map(|modified| json!({"result": {"modifiedProps": modified}}))
        .collect();
    Core::new(json!({"modifyPlan": orders})).await
}

#[tokio::test]
async fn the_script_works_with_what_it_made_of_them() {
    let full = json!({"size": 1, "colour": "red"});
    let core = core(std::slice::from_ref(&full)).await;
    let config = core.config(&[("props", value(r#"{"size": 1}"#))]);
    let made = core.change(&core.nothing(), &config).await;
    assert_eq!(part(&made.state, "props"), value(r#"{"size": 1}"#));
    let modified = value(&full.to_string());
    assert_eq!(part(&made.state, "modified_props"), modified);
    assert_eq!(core.plan(&made, &config).await.action, Action::Nothing);
    let read = core.read(&made).await;
    assert_eq!(read.state, made.state);
    let gone = Value::null(core.shapes.resource.ty.clone());
    core.change(&read, &gone).await;
    let props = |method: &str| core.stage.heard_of(method)[0]["props"].clone();
    assert_eq!(
        [props("create"), props("read"), props("delete")],
        [(); 3].map(|()| full.clone())
    );
    core.stage.end().await;
}

#[tokio::test]
async fn modified_props_that_stay_the_same_are_not_a_change() {
    let full = json!({"size": 1, "colour": "red"});
    // Created with the full props, then: the same as before; the same as the new configuration.
    let core = core(&[full.clone(), full.clone(), json!({"size": 3})]).await;
    let config = core.config(&[("props", value(r#"{"size": 1}"#))]);
    let made = core.change(&core.nothing(), &config).await;
    let other = core.config(&[("props", value(r#"{"size": 1, "tint": null}"#))]);
    let planned = core.plan(&made, &other).await;
    assert_none(&planned.diagnostics);
    assert_eq!(planned.action, Action::Nothing);
    let other = core.config(&[("props", value(r#"{"size": 3}"#))]);
    let planned = core.plan(&made, &other).await;
    assert_eq!(planned.action, Action::Update);
    assert!(part(&planned.state, "modified_props").is_null());
    let changed = core.apply(&planned).await;
    assert_none(&changed.diagnostics);
    let update = &core.stage.heard_of("update")[0];
    assert_eq!(update["currentProps"], full);
    assert_eq!(update["nextProps"], json!({"size": 3}));
    core.stage.end().await;
}

/// The same props in another spelling: neither digits nor order is a change.
#[tokio::test]
async fn the_same_props_in_another_spelling_are_not_a_change() {
    let core = core(&[json!({"b": [1, 2], "a": 0.1})]).await;
    let list = Value::list(tenon_values::Type::Number, vec![1.into(), 2.into()]).unwrap();
    let props = Value::object([("a", value("0.1")), ("b", list)]);
    let config = core.config(&[("props", props)]);
    let planned = core.plan(&core.nothing(), &config).await;
    assert!(part(&planned.state, "modified_props").is_null());
    core.stage.end().await;
}

#[tokio::test]
async fn a_change_of_what_was_made_of_them_is_an_update() {
    let core = core(&[json!({"v": 1}), json!({"v": 2})]).await;
    let first = core.config(&[("props", value(r#"{"a": 1}"#))]);
    let made = core.change(&core.nothing(), &first).await;
    let second = core.config(&[("props", value(r#"{"a": 2}"#))]);
    let changed = core.change(&made, &second).await;
    assert_eq!(part(&changed.state, "modified_props"), value(r#"{"v": 2}"#));
    let update = &core.stage.heard_of("update")[0];
    assert_eq!(update["currentProps"], json!({"v": 1}));
    assert_eq!(update["nextProps"], json!({"v": 2}));
    // They are removed with the drift that the script reports.
    assert_eq!(core.plan(&changed, &second).await.action, Action::Nothing);
    core.stage.end().await;
}

#[tokio::test]
async fn drift_is_drift_of_what_was_made_of_them() {
    let orders = json!({
        "modifyPlan": {"result": {"modifiedProps": {"size": 1, "colour": "red"}}},
        "read": {"result": {"props": {"size": 1, "colour": "blue"}}}
    });
    let core = Core::new(orders).await;
    let config = core.config(&[("props", value(r#"{"size": 1}"#))]);
    let made = core.change(&core.nothing(), &config).await;
    let read = core.read(&made).await;
    assert_none(&read.diagnostics);
    assert_eq!(
        part(&read.state, "props"),
        value(r#"{"size": 1, "colour": "blue"}"#)
    );
    let planned = core.plan(&read, &config).await;
    assert_eq!(planned.action, Action::Update);
    let mended = core.apply(&planned).await;
    let update = &core.stage.heard_of("update")[0];
    assert_eq!(update["currentProps"]["colour"], "blue");
    assert_eq!(update["nextProps"]["colour"], "red");
    assert_eq!(part(&mended.state, "props"), value(r#"{"size": 1}"#));
    core.stage.end().await;
}

#[tokio::test]
async fn null_is_nothing_made_of_them() {
    let core = core(&[Json::Null]).await;
    let config = core.config(&[("props", value(r#"{"a": 1}"#))]);
    let made = core.change(&core.nothing(), &config).await;
    assert!(part(&made.state, "modified_props").is_null());
    assert_eq!(core.plan(&made, &config).await.action, Action::Nothing);
    core.stage.end().await;
}

#[tokio::test]
async fn what_can_be_no_value_is_an_error() {
    let deep = "[".repeat(200) + &"]".repeat(200);
    let line = format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{{"modifiedProps":{deep}}}}}"#);
    let core = Core::new(json!({"modifyPlan": {"line": line}})).await;
    let config = core.config(&[("props", value("{}"))]);
    let planned = core.plan(&core.nothing(), &config).await;
    assert_error(&planned.diagnostics, &["nest"]);
    core.stage.end().await;
}
