//! Applies: what is passed to the script, and what is stored of its answers.

use serde_json::{Value as Json, json};
use tenon_values::{Type, Value};

use crate::blocks::{assert_error, assert_none, part, shown, value, with};
use crate::core::{Core, Held};

fn config(core: &Core) -> Value {
    core.config(&[("props", value(r#"{"name": "web"}"#))])
}

async fn create(core: &Core) -> Held {
    let planned = core.plan(&core.nothing(), &config(core)).await;
    assert_none(&planned.diagnostics);
    core.apply(&planned).await
}

#[tokio::test]
async fn everything_in_an_answer_is_stored() {
    let core = Core::new(json!({"create": {"result": {
        "id": 7,
        "state": {"n": 0.1, "list": [1, "a", null], "empty": {}},
        "sensitiveState": "hush",
        "diagnostics": [{"severity": "warning", "summary": "slow"}],
        "more": "an unknown member"
    }}}))
    .await;
    let made = create(&core).await;
    assert_eq!(shown(&made.diagnostics), ["warning: slow: "]);
    assert_eq!(part(&made.state, "id"), Value::from("7"));
    let expected = value(r#"{"n": 0.1, "list": [1, "a", null], "empty": {}}"#);
    assert_eq!(part(&made.state, "state"), expected);
    assert_eq!(part(&made.state, "sensitive_state"), Value::from("hush"));
    assert!(made.private.is_empty());
    core.stage.end().await;
}

#[tokio::test]
async fn every_member_of_an_answer_is_optional() {
    for result in [
        json!({}),
        json!({"id": null, "state": null, "diagnostics": null}),
    ] {
        let core = Core::new(json!({"create": {"result": result}})).await;
        let made = create(&core).await;
        let said = shown(&made.diagnostics);
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(
            said[0].starts_with("warning: Resource without id"),
            "{said:?}"
        );
        assert_eq!(part(&made.state, "id"), Value::from(""));
        assert!(part(&made.state, "state").is_null());
        core.stage.end().await;
    }
}

/// With an error and a state, Terraform keeps the resource and marks it as tainted.
#[tokio::test]
async fn what_was_made_in_part_is_not_lost() {
    let error = json!([{"severity": "error", "summary": "half", "detail": "done"}]);
    let with_id = json!({"id": "x", "state": {"a": 1}, "diagnostics": error});
    let core = Core::new(json!({"create": [
        {"result": with_id}, {"result": {"diagnostics": error}}
    ]}))
    .await;
    let made = create(&core).await;
    assert_error(&made.diagnostics, &["half: done"]);
    assert_eq!(part(&made.state, "id"), Value::from("x"));
    assert_eq!(part(&made.state, "state"), value(r#"{"a": 1}"#));
    assert!(made.identity.is_some());
    let lost = create(&core).await;
    assert_error(&lost.diagnostics, &["half: done"]);
    assert!(lost.state.is_null() && lost.private.is_empty());
    core.stage.end().await;
}

/// Neither is a resource with an invalid id. Half a surrogate pair cannot be stored, and is replaced.
#[tokio::test]
async fn an_id_that_cannot_be_read_does_not_lose_the_resource() {
    let line =
        r#"{"jsonrpc":"2.0","id":$ID,"result":{"id":"vm-\ud83d","state":{"n":1},"more":"\ud83d"}}"#;
    let core = Core::new(json!({"create": [
        {"line": line}, {"result": {"id": ["a"], "state": {"n": 1}}}
    ]}))
    .await;
    for (id, problem) in [
        ("vm-\u{fffd}", "one half of a surrogate pair"),
        (r#"["a"]"#, "an array instead of a string or a number"),
    ] {
        let made = create(&core).await;
        let words = ["id in the answer to create", problem, "puppet.py"];
        assert_error(&made.diagnostics, &words);
        assert_eq!(part(&made.state, "id"), Value::from(id));
        assert_eq!(part(&made.state, "state"), value(r#"{"n": 1}"#));
    }
    core.stage.end().await;
}

#[tokio::test]
async fn a_thrown_error_is_shown_with_its_evidence() {
    let core = Core::new(json!({"create": [
        {"error": {"code": -32000, "message": "disk full"}, "stderr": ["at line 3"]},
        {"error": {"code": 42, "message": "odd", "data": {"propPath": ["props", "name"]}}},
        {"error": {"code": 42, "message": "odd", "data": {"propPath": ["props", "tags", 0]}}},
        {"error": {"code": 42, "message": "odd", "data": {"propPath": ["props", "tags", -1]}}},
        {"error": {"code": -32601, "message": "Method not found"}},
    ]}))
    .await;
    let failed = create(&core).await;
    assert!(failed.state.is_null());
    let words = [
        "error: Failed to create resource: disk full",
        "Script: ",
        "puppet.py",
        "at line 3",
    ];
    assert_error(&failed.diagnostics, &words);
    let failed = create(&core).await;
    let words = ["error at .props[\"name\"]: Failed to create resource: odd (code 42)"];
    assert_error(&failed.diagnostics, &words);
    let failed = create(&core).await;
    assert_error(&failed.diagnostics, &["error at .props[\"tags\"][0]: "]);
    // Terraform panics at a negative index.
    let failed = create(&core).await;
    assert_error(
        &failed.diagnostics,
        &["error at .props[\"tags\"][\"-1\"]: "],
    );
    assert_error(&create(&core).await.diagnostics, &["has no method create"]);
    core.stage.end().await;
}

#[tokio::test]
async fn a_failed_update_changes_nothing() {
    let error = json!([{"severity": "error", "summary": "no", "propPath": ["nextProps", "name"]}]);
    let core = Core::new(json!({"update": [
        {"result": {"state": {"half": true}, "diagnostics": error}},
        {"error": {"code": -32603, "message": "thrown"}},
    ]}))
    .await;
    let made = create(&core).await;
    let other = core.config(&[("props", value(r#"{"name": "db"}"#))]);
    for words in [
        ["error at .props[\"name\"]: no"],
        ["Failed to update resource: thrown"],
    ] {
        let failed = core.apply(&core.plan(&made, &other).await).await;
        assert_error(&failed.diagnostics, &words);
        assert_eq!(failed.state, made.state);
        assert_eq!(failed.private, made.private);
    }
    core.stage.end().await;
}

#[tokio::test]
async fn a_resource_is_removed_only_if_the_script_says_so() {
    let warning = json!([{"severity": "warning", "summary": "late"}]);
    let error = json!([{"severity": "error", "summary": "locked"}]);
    // The answer, whether the resource is removed, and the diagnostics.
    let table: [(Json, bool, &str); 8] = [
        (json!({"result": {"done": true}}), true, ""),
        (
            json!({"result": {"diagnostics": warning}}),
            true,
            "warning: late",
        ),
        (json!({"result": {"done": false}}), false, "may still exist"),
        (
            json!({"result": {"done": false, "diagnostics": warning}}),
            false,
            "may still exist",
        ),
        (json!({"result": null}), false, "may still exist"),
        (json!({"result": {}}), false, "may still exist"),
        (
            json!({"result": {"done": true, "diagnostics": error}}),
            false,
            "error: locked",
        ),
        (
            json!({"error": {"code": 1, "message": "no"}}),
            false,
            "Failed to delete resource: no",
        ),
    ];
    let orders: Vec<_> = table.iter().map(|(order, ..)| order.clone()).collect();
    let core = Core::new(json!({"delete": orders})).await;
    let made = create(&core).await;
    let gone = Value::null(core.shapes.resource.ty.clone());
    for (order, is_gone, said) in table {
        let after = core.apply(&core.plan(&made, &gone).await).await;
        assert_eq!(after.state.is_null(), is_gone, "{order}");
        let lines = shown(&after.diagnostics).join("\n");
        assert_eq!(lines.is_empty(), said.is_empty(), "{order}: {lines}");
        assert!(lines.contains(said), "{order}: {lines}");
        // Terraform says neither which resource it was nor which attribute.
        let resource = "Resource: denobridge_resource with id \"one\"";
        assert!(lines.is_empty() || lines.contains(resource), "{lines}");
    }
    core.stage.end().await;
}

/// Terraform shows neither the block nor its lines when a resource is deleted.
#[tokio::test]
async fn errors_of_a_delete_name_the_resource_and_the_attribute() {
    let wrong = json!([{"severity": "error", "summary": "in use", "detail": "By b.",
        "propPath": ["props", "tags", "0"]}]);
    let thrown = json!({"error": {"code": 1, "message": "no"}});
    let core = Core::new(json!({
        "delete": {"result": {"diagnostics": wrong}},
        "modifyPlan": [{"result": null}, thrown, {"result": {"diagnostics": wrong}}, {"result": null}],
    }))
    .await;
    let made = create(&core).await;
    let gone = Value::null(core.shapes.resource.ty.clone());
    let resource = "Resource: denobridge_resource with id \"one\"";
    let planned = core.plan(&made, &gone).await;
    assert_error(&planned.diagnostics, &["Failed to modify plan", resource]);
    let words = ["in use: By b.", "Attribute: props.tags[0]", resource];
    assert_error(&core.plan(&made, &gone).await.diagnostics, &words);
    let planned = core.plan(&made, &gone).await;
    assert_error(&core.apply(&planned).await.diagnostics, &words);
    core.stage.end().await;
}

#[tokio::test]
async fn sensitive_state_is_passed_back() {
    let core = Core::new(json!({"create": {"with": {"sensitiveState": {"key": "k"}}}})).await;
    let made = create(&core).await;
    let other = core.config(&[("props", value("{}"))]);
    let changed = core.change(&made, &other).await;
    let gone = Value::null(core.shapes.resource.ty.clone());
    core.change(&made, &gone).await;
    assert_eq!(
        core.stage.heard_of("update")[0]["currentSensitiveState"],
        json!({"key": "k"})
    );
    assert_eq!(
        core.stage.heard_of("delete")[0]["sensitiveState"],
        json!({"key": "k"})
    );
    // The answer to the update does not contain it.
    assert!(part(&changed.state, "sensitive_state").is_null());
    core.stage.end().await;
}

/// Props that are still unknown when they are applied, which no Terraform sends.
#[tokio::test]
async fn unknown_props_are_not_applied() {
    let core = Core::new(json!({})).await;
    let unknown = with(&config(&core), &[("props", Value::unknown(Type::Dynamic))]);
    let planned = core.plan(&core.nothing(), &unknown).await;
    let mut client = core.stage.client();
    let shape = &core.shapes.resource;
    let request = tenon_tfplugin::proto::tfplugin6::apply_resource_change::Request {
        type_name: crate::blocks::RESOURCE.to_owned(),
        prior_state: shape.encode(&core.nothing().state),
        planned_state: shape.encode(&planned.state),
        config: shape.encode(&unknown),
        ..Default::default()
    };
    let response = client
        .apply_resource_change(request)
        .await
        .unwrap()
        .into_inner();
    assert_error(&response.diagnostics, &["known"]);
    assert_eq!(core.stage.heard_of("create"), Vec::<Json>::new());
    core.stage.end().await;
}
