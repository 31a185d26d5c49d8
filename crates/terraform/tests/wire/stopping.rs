//! Ctrl-C: what changes something may finish, nothing new begins, and what cleans up still does.

use serde_json::json;
use tenon_tfplugin::proto::tfplugin6::{apply_resource_change, read_data_source, stop_provider};
use tenon_values::Value;

use crate::blocks::{DATA_SOURCE, RESOURCE, Shapes, assert_error, assert_none, value};
use crate::ephemeral::{close, open};
use crate::stage::{Stage, WATCHDOG, is_running};

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

/// A data source.
async fn look(stage: &Stage, shapes: &Shapes) -> read_data_source::Response {
    let shape = &shapes.data_source;
    let path = Value::from(stage.puppet().as_str());
    let request = read_data_source::Request {
        type_name: DATA_SOURCE.to_owned(),
        config: shape.encode(&shape.block(&[("path", path), ("props", value("{}"))])),
        ..Default::default()
    };
    stage
        .client()
        .read_data_source(request)
        .await
        .unwrap()
        .into_inner()
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

/// What only reads is given up at once; what changes something is waited for, however long it takes:
/// it goes on after the other has been given up.
#[tokio::test]
async fn calls_that_read_are_interrupted_and_calls_that_change_something_finish() {
    let stage = Stage::new(json!({"create": {"gate": "go"}, "read": {"hang": true}})).await;
    let shapes = Shapes::of(&stage).await;
    let stopped = async {
        stage.until_heard("create", 1).await;
        stage.until_heard("read", 1).await;
        stop(&stage).await;
    };
    let (read, ()) = tokio::join!(
        async {
            let (created, read) = tokio::join!(create(&stage, &shapes), async {
                let read = look(&stage, &shapes).await;
                stage.open("go");
                read
            });
            assert_none(&created.diagnostics);
            assert!(!shapes.resource.decode(created.new_state.as_ref()).is_null());
            read
        },
        stopped
    );
    assert_error(
        &read.diagnostics,
        &["Failed to read data source", "interrupted", "puppet.py"],
    );
    // The one that hangs is ended, and the other one may stay.
    let gone = async {
        while stage
            .processes()
            .into_iter()
            .filter(|id| is_running(*id))
            .count()
            > 1
        {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    };
    let gone = tokio::time::timeout(WATCHDOG, gone).await;
    assert!(gone.is_ok(), "the script that was interrupted lives on");
    stage.end().await;
}

/// Terraform's second Ctrl-C: it ends the provider, whatever runs.
#[tokio::test]
async fn no_process_is_left_when_the_provider_ends_during_a_call() {
    let stage = Stage::new(json!({"create": {"hang": true}})).await;
    let shapes = Shapes::of(&stage).await;
    let mut creating = Box::pin(create(&stage, &shapes));
    tokio::select! {
        created = &mut creating => panic!("it hangs: {created:?}"),
        () = stage.until_heard("create", 1) => {}
    }
    stop(&stage).await;
    drop(creating);
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
