//! Plans: the calls of the script, and the answers to Terraform.

use serde_json::json;
use tenon_values::{Type, Value};

use crate::blocks::{assert_error, assert_none, part, shown, value, with};
use crate::core::{Action, Core};

#[tokio::test]
async fn a_resource_from_its_first_plan_to_its_end() {
    let core = Core::new(json!({})).await;
    let config = core.config(&[("props", value(r#"{"a": [1, 0.1, "x", null, true]}"#))]);
    let planned = core.plan(&core.nothing(), &config).await;
    assert_none(&planned.diagnostics);
    for unknown in ["id", "state", "sensitive_state"] {
        assert!(!part(&planned.state, unknown).is_known(), "{unknown}");
    }
    assert_eq!(
        part(&planned.state, "write_only_props_version"),
        Value::from(1)
    );
    let made = core.apply(&planned).await;
    assert_none(&made.diagnostics);
    assert_eq!(part(&made.state, "id"), Value::from("one"));
    assert_eq!(core.plan(&made, &config).await.action, Action::Nothing);
    let read = core.read(&made).await;
    assert_eq!(read.state, made.state);

    let other = core.config(&[("props", value(r#"{"a": []}"#))]);
    let planned = core.plan(&made, &other).await;
    assert_eq!(planned.action, Action::Update);
    assert_eq!(part(&planned.state, "id"), Value::from("one"));
    let changed = core.apply(&planned).await;
    assert_eq!(part(&changed.state, "state"), value(r#"{"made": "again"}"#));

    let gone = Value::null(core.shapes.resource.ty.clone());
    let gone = core.change(&changed, &gone).await;
    assert!(gone.state.is_null() && gone.private.is_empty() && gone.identity.is_none());

    let heard = core.stage.heard();
    let heard: Vec<_> = { heard.iter() }
        .filter(|(method, _)| method != "modifyPlan")
        .cloned()
        .collect();
    let first = json!({"a": [1, 0.1, "x", null, true]});
    let expected = [
        ("create", json!({"props": first})),
        ("read", json!({"id": "one", "props": first})),
        (
            "update",
            json!({"id": "one", "nextProps": {"a": []}, "currentProps": first,
                "currentState": {"made": "yes"}}),
        ),
        (
            "delete",
            json!({"id": "one", "props": {"a": []}, "state": {"made": "again"}}),
        ),
    ];
    assert_eq!(
        heard,
        expected.map(|(method, params)| (method.to_owned(), params))
    );
    core.stage.end().await;
}

#[tokio::test]
async fn the_script_is_asked_about_every_change_of_props() {
    let orders = json!({
        "create": {"with": {"sensitiveState": {"key": "abcdef"}}},
        "modifyPlan": {"result": {"noChanges": true}}
    });
    let core = Core::new(orders).await;
    let config = core.config(&[("props", value(r#"{"a": 1}"#))]);
    let made = core.change(&core.nothing(), &config).await;
    // The script is not called if the props are unchanged.
    assert_eq!(core.plan(&made, &config).await.action, Action::Nothing);
    let slower = with(&config, &[("timeout", 9.into())]);
    assert_eq!(core.plan(&made, &slower).await.action, Action::Update);
    let other = core.config(&[("props", value(r#"{"a": 2}"#))]);
    assert_eq!(core.plan(&made, &other).await.action, Action::Update);
    let gone = Value::null(core.shapes.resource.ty.clone());
    assert_eq!(core.plan(&made, &gone).await.action, Action::Delete);
    let state = json!({"made": "yes"});
    let expected = [
        json!({"planType": "create", "nextProps": {"a": 1}}),
        json!({"id": "one", "planType": "update", "nextProps": {"a": 2}, "currentProps": {"a": 1},
            "currentState": state, "currentSensitiveState": {"key": "abcdef"}}),
        json!({"id": "one", "planType": "delete", "nextProps": null, "currentProps": {"a": 1},
            "currentState": state, "currentSensitiveState": {"key": "abcdef"}}),
    ];
    assert_eq!(core.stage.heard_of("modifyPlan"), expected);
    core.stage.end().await;
}

#[tokio::test]
async fn a_script_without_modify_plan_is_asked_once() {
    let core = Core::new(json!({})).await;
    for number in 0..3 {
        let config = core.config(&[("props", Value::from(number))]);
        let planned = core.plan(&core.nothing(), &config).await;
        assert_none(&planned.diagnostics);
        assert!(part(&planned.state, "modified_props").is_null());
    }
    assert_eq!(core.stage.heard_of("modifyPlan").len(), 1);
    core.stage.end().await;
}

#[tokio::test]
async fn a_replacement_is_one_of_the_props() {
    let core = Core::new(json!({
        "modifyPlan": {"result": {"requiresReplacement": true,
            "diagnostics": [{"severity": "warning", "summary": "new", "detail": "one"}]}}
    }))
    .await;
    let config = core.config(&[("props", value(r#"{"a": 1}"#))]);
    let planned = core.plan(&core.nothing(), &config).await;
    assert_eq!(planned.action, Action::Create);
    assert_eq!(shown(&planned.diagnostics), ["warning: new: one"]);
    let made = core.apply(&planned).await;
    let other = core.config(&[("props", value(r#"{"a": 2}"#))]);
    let planned = core.plan(&made, &other).await;
    assert_eq!(planned.action, Action::Replace);
    assert_eq!(shown(&planned.diagnostics), ["warning: new: one"]);
    core.stage.end().await;
}

#[tokio::test]
async fn an_unknown_script_is_asked_when_it_is_known() {
    let core = Core::new(json!({"modifyPlan": {"result": null}})).await;
    let config = core.config(&[("props", value("{}"))]);
    let unknown = with(&config, &[("path", Value::unknown(Type::String))]);
    let planned = core.plan(&core.nothing(), &unknown).await;
    assert_none(&planned.diagnostics);
    assert!(!part(&planned.state, "modified_props").is_known());
    assert_eq!(core.stage.heard(), []);
    let made = core.change(&core.nothing(), &config).await;
    assert!(part(&made.state, "modified_props").is_null());
    core.stage.end().await;
}

#[tokio::test]
async fn errors_of_a_plan_are_shown_where_they_are() {
    let core = Core::new(json!({
        "modifyPlan": [
            {"error": {"code": -32000, "message": "no disk", "data": {"propPath": ["props", "a"]}},
                "stderr": ["looking for a disk"]},
            {"result": {"noChanges": true, "diagnostics": [
                {"severity": "error", "summary": "bad", "detail": "a", "propPath": ["nextProps", "a", "b"]},
                {"severity": "fatal", "summary": "odd"}]}},
        ]
    }))
    .await;
    let config = core.config(&[("props", value(r#"{"a": {"b": 1}}"#))]);
    let planned = core.plan(&core.nothing(), &config).await;
    let words = [
        "error at .props[\"a\"]: Failed to modify plan: no disk",
        "puppet.py",
        "looking for",
    ];
    assert_error(&planned.diagnostics, &words);
    let planned = core.plan(&core.nothing(), &config).await;
    let expected = ["error at .props[\"a\"][\"b\"]: bad: a", "warning: odd: "];
    assert_eq!(shown(&planned.diagnostics), expected);
    core.stage.end().await;
}
