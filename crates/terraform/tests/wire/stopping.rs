//! Ctrl-C: what runs gets a moment, nothing new begins, and what cleans up still does.

use serde_json::json;
use tenon_terraform::proto::tfplugin6::{apply_resource_change, stop_provider};
use tenon_values::Value;

use crate::blocks::{RESOURCE, Shapes, assert_error, assert_none, value};
use crate::ephemeral::{close, open};
use crate::stage::{Stage, is_running};

async fn stop(stage: &Stage) {
    let request = stop_provider::Request::default();
    let answer = stage.client().stop_provider(request).await.unwrap();
    assert_eq!(answer.into_inner().error, "");
}

/// A create of a resource, without a plan.
async fn create(stage: &Stage, shapes: &Shapes) -> apply_resource_change::Response {
    let shape = &shapes.resource;
    let path = Value::from(stage.puppet().as_str());
    let block = shape.block(&[("path", path), ("props", value("{}"))]);
    let request = apply_resource_change::Request {
        type_name: RESOURCE.to_owned(),
        prior_state: shape.encode(&Value::null(shape.ty.clone())),
        planned_state: shape.encode(&block),
        config: shape.encode(&block),
        ..Default::default()
    };
    let answer = stage.client().apply_resource_change(request).await;
    answer.unwrap().into_inner()
}

#[tokio::test]
async fn what_runs_may_finish() {
    let stage = Stage::new(json!({"create": {"gate": "go"}})).await;
    let shapes = Shapes::of(&stage).await;
    let stopped = async {
        stage.until_heard("create", 1).await;
        stop(&stage).await;
        stage.open("go");
    };
    let (created, ()) = tokio::join!(create(&stage, &shapes), stopped);
    assert_none(&created.diagnostics);
    assert!(!shapes.resource.decode(created.new_state.as_ref()).is_null());
    stage.end().await;
}

#[tokio::test]
async fn what_takes_too_long_is_interrupted_and_its_script_ended() {
    let stage = Stage::new(json!({"create": {"hang": true}})).await;
    let shapes = Shapes::of(&stage).await;
    let stopped = async {
        stage.until_heard("create", 1).await;
        stop(&stage).await;
    };
    let (created, ()) = tokio::join!(create(&stage, &shapes), stopped);
    assert_error(
        &created.diagnostics,
        &["Failed to create resource", "interrupted", "puppet.py"],
    );
    let gone = async {
        while stage.processes().into_iter().any(is_running) {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    };
    let gone = tokio::time::timeout(std::time::Duration::from_secs(20), gone).await;
    assert!(gone.is_ok(), "the script that was interrupted lives on");
    stage.end().await;
}

#[tokio::test]
async fn nothing_new_begins() {
    let stage = Stage::new(json!({})).await;
    let shapes = Shapes::of(&stage).await;
    stop(&stage).await;
    let refused = create(&stage, &shapes).await;
    assert_error(&refused.diagnostics, &["interrupted"]);
    assert_eq!(stage.heard(), []);
    assert!(stage.processes().is_empty(), "a script was started for it");
    stage.end().await;
}

#[tokio::test]
async fn what_is_open_is_closed() {
    let stage = Stage::new(json!({"open": {"with": {"privateData": 7}}})).await;
    let shapes = Shapes::of(&stage).await;
    let opened = open(&stage, &shapes).await;
    stop(&stage).await;
    assert_none(&close(&stage, opened.private).await.diagnostics);
    assert_eq!(stage.heard_of("close"), [json!({"privateData": 7})]);
    stage.end().await;
}

/// A script that is being started when Ctrl-C comes does not hold Terraform up.
#[tokio::test]
async fn a_start_is_interrupted_as_well() {
    let stage = Stage::new(json!({"health": {"hang": true}})).await;
    let shapes = Shapes::of(&stage).await;
    let stopped = async {
        while stage.processes().is_empty() {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        stop(&stage).await;
    };
    let (created, ()) = tokio::join!(create(&stage, &shapes), stopped);
    assert_error(&created.diagnostics, &["interrupted"]);
    stage.end().await;
}
