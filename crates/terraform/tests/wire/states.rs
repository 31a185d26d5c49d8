//! States from elsewhere, of other versions and other providers, and configurations made of them.

use std::collections::HashMap;

use serde_json::json;
use tenon_tfplugin::proto::tfplugin6::*;
use tenon_values::Value;

use crate::blocks::{RESOURCE, assert_error, assert_none, part, texts, value};
use crate::core::Core;

pub(crate) fn raw(text: &str) -> Option<RawState> {
    Some(RawState {
        json: text.as_bytes().to_vec(),
        ..RawState::default()
    })
}

async fn upgrade(
    core: &Core,
    version: i64,
    raw_state: Option<RawState>,
) -> upgrade_resource_state::Response {
    let request = upgrade_resource_state::Request {
        type_name: RESOURCE.to_owned(),
        version,
        raw_state,
    };
    core.stage
        .client()
        .upgrade_resource_state(request)
        .await
        .unwrap()
        .into_inner()
}

#[tokio::test]
async fn a_state_of_upstream_is_taken_over() {
    let core = Core::new(json!({})).await;
    let text = r#"{"id": "./hello.txt", "path": "./f.ts", "config_file": null, "later": [1],
        "permissions": {"all": true, "allow": null, "deny": null},
        "props": {"value": {"l": ["a"], "n": 0.1}, "type": ["object", {"l": ["list", "string"], "n": "number"}]},
        "state": {"value": "s", "type": "string"}, "sensitive_state": null,
        "write_only_props": null, "write_only_props_version": 3}"#;
    let upgraded = upgrade(&core, 0, raw(text)).await;
    assert_none(&upgraded.diagnostics);
    let state = core
        .shapes
        .resource
        .decode(upgraded.upgraded_state.as_ref());
    assert_eq!(part(&part(&state, "props"), "l"), texts(&["a"]));
    assert_eq!(part(&part(&state, "props"), "n"), value("0.1"));
    assert_eq!(part(&state, "write_only_props_version"), Value::from(3));
    assert!(part(&state, "modified_props").is_null() && part(&state, "command").is_null());
    core.stage.end().await;
}

#[tokio::test]
async fn states_that_do_not_fit_are_refused() {
    let core = Core::new(json!({})).await;
    let flat = RawState {
        flatmap: HashMap::from([("id".to_owned(), "a".to_owned())]),
        ..RawState::default()
    };
    let table: [(i64, Option<RawState>, &[&str]); 8] = [
        (1, raw("{}"), &["State of a newer provider", "version 1"]),
        (i64::MAX, raw("{}"), &["newer"]),
        (0, None, &["Unreadable state"]),
        (0, Some(flat), &["Unreadable state", "0.12"]),
        (0, raw("{"), &["Unreadable state"]),
        (0, raw("[]"), &["Unreadable state"]),
        (0, raw(r#"{"id": {}}"#), &["Unreadable state", "id"]),
        (
            0,
            raw(r#"{"props": {"value": 1, "type": "colour"}}"#),
            &["Unreadable state"],
        ),
    ];
    for (version, state, words) in table {
        let upgraded = upgrade(&core, version, state).await;
        assert_error(&upgraded.diagnostics, words);
        assert!(upgraded.upgraded_state.is_none());
    }
    core.stage.end().await;
}

#[tokio::test]
async fn only_the_same_type_moves_here() {
    let core = Core::new(json!({})).await;
    let state = r#"{"id": "a", "path": "./f.ts", "props": {"value": 1, "type": "number"}}"#;
    let ask = async |source_type_name: &str, source_schema_version: i64, text: &str| {
        let request = move_resource_state::Request {
            source_provider_address: "registry.terraform.io/brad-jones/denobridge".to_owned(),
            source_type_name: source_type_name.to_owned(),
            source_schema_version,
            source_state: raw(text),
            source_private: b"{}".to_vec(),
            target_type_name: RESOURCE.to_owned(),
            ..Default::default()
        };
        core.stage
            .client()
            .move_resource_state(request)
            .await
            .unwrap()
            .into_inner()
    };
    let moved = ask(RESOURCE, 0, state).await;
    assert_none(&moved.diagnostics);
    let moved_state = core.shapes.resource.decode(moved.target_state.as_ref());
    assert_eq!(part(&moved_state, "id"), Value::from("a"));
    assert_eq!(moved.target_private, b"{}");
    assert!(moved.target_identity.is_some());
    let words = ["Unable to Move Resource State", "null_resource", "import"];
    assert_error(&ask("null_resource", 0, state).await.diagnostics, &words);
    assert_error(&ask(RESOURCE, 1, state).await.diagnostics, &["newer"]);
    assert_error(
        &ask(RESOURCE, 0, "").await.diagnostics,
        &["Unreadable state"],
    );
    assert_error(
        &ask(RESOURCE, 0, "{]").await.diagnostics,
        &["Unreadable state"],
    );
    core.stage.end().await;
}

#[tokio::test]
async fn a_configuration_is_made_of_a_state() {
    let core = Core::new(json!({})).await;
    let config = core.config(&[("props", value(r#"{"a": 1}"#)), ("reuse", Value::FALSE)]);
    let held = core.change(&core.nothing(), &config).await;
    let request = generate_resource_config::Request {
        type_name: RESOURCE.to_owned(),
        state: core.shapes.resource.encode(&held.state),
    };
    let generated = core
        .stage
        .client()
        .generate_resource_config(request)
        .await
        .unwrap();
    let generated = generated.into_inner();
    assert_none(&generated.diagnostics);
    assert_eq!(
        core.shapes.resource.decode(generated.config.as_ref()),
        config
    );
    core.stage.end().await;
}
