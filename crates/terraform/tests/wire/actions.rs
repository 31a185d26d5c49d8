//! Actions, and the order of their progress.

use serde_json::json;
use tenon_tfplugin::proto::tfplugin6::Diagnostic;
use tenon_tfplugin::proto::tfplugin6::invoke_action::event::Type as Told;
use tenon_tfplugin::proto::tfplugin6::invoke_action::{Event, Request};
use tenon_values::Value;
use tonic::Streaming;

use crate::blocks::{ACTION, Shapes, assert_error, assert_none, shown, value};
use crate::stage::Stage;

async fn invoke(stage: &Stage, shapes: &Shapes, given: &[(&str, Value)]) -> Streaming<Event> {
    let shape = &shapes.action;
    let usual = [
        ("path", Value::from(stage.puppet().as_str())),
        ("props", value(r#"{"a": 1}"#)),
    ];
    let request = Request {
        action_type: ACTION.to_owned(),
        config: shape.encode(&shape.block(&[&usual, given].concat())),
        client_capabilities: None,
    };
    stage
        .client()
        .invoke_action(request)
        .await
        .unwrap()
        .into_inner()
}

/// The progress, and the outcome. Exactly one event has the outcome, the last one.
async fn all(mut events: Streaming<Event>) -> (Vec<String>, Vec<Diagnostic>) {
    let mut progress = Vec::new();
    loop {
        let event = events.message().await.unwrap();
        match event
            .expect("an end")
            .r#type
            .expect("an empty event makes Terraform panic")
        {
            Told::Progress(told) => progress.push(told.message),
            Told::Completed(completed) => {
                assert_eq!(events.message().await.unwrap(), None);
                return (progress, completed.diagnostics);
            }
        }
    }
}

#[tokio::test]
async fn progress_comes_in_order_and_before_the_end() {
    let told: Vec<_> = (0..300).map(|number| format!("step {number}")).collect();
    let stage = Stage::new(json!({"invoke": {"progress": told}})).await;
    let shapes = Shapes::of(&stage).await;
    for reuse in [Value::TRUE, Value::FALSE] {
        let (progress, diagnostics) = all(invoke(&stage, &shapes, &[("reuse", reuse)]).await).await;
        assert_none(&diagnostics);
        assert_eq!(progress, told);
    }
    assert_eq!(stage.heard_of("invoke")[0], json!({"props": {"a": 1}}));
    stage.end().await;
}

#[tokio::test]
async fn line_ends_are_left_to_terraform() {
    let stage = Stage::new(json!({"invoke": {"progress": ["a\r", "b\n", "", "c\r\n"]}})).await;
    let shapes = Shapes::of(&stage).await;
    let (progress, _) = all(invoke(&stage, &shapes, &[]).await).await;
    assert_eq!(progress, ["a", "b", "", "c"]);
    stage.end().await;
}

/// Progress messages have no id, so each action of a script runs in its own process.
#[tokio::test]
async fn progress_of_several_actions_is_not_mixed_up() {
    let stage = Stage::new(json!({"invoke": {"progress": ["one", "two"], "gate": "go"}})).await;
    let shapes = Shapes::of(&stage).await;
    let mut running = Vec::new();
    for _ in 0..4 {
        running.push(invoke(&stage, &shapes, &[]).await);
    }
    stage.until_heard("invoke", 4).await;
    stage.open("go");
    for events in running {
        let (progress, diagnostics) = all(events).await;
        assert_none(&diagnostics);
        assert_eq!(progress, ["one", "two"]);
    }
    assert_eq!(stage.processes().len(), 4);
    stage.end().await;
}

#[tokio::test]
async fn an_action_ends_as_the_script_says() {
    let warning = json!([{"severity": "warning", "summary": "late"}]);
    let error = json!([{"severity": "error", "summary": "bad", "propPath": ["props", "a"]}]);
    let stage = Stage::new(json!({"invoke": [
        {"result": {"diagnostics": warning}},
        {"result": {"done": false}},
        {"result": null},
        {"result": {"done": true, "diagnostics": error}},
        {"error": {"code": -32000, "message": "thrown"}, "progress": ["begun"]},
    ]}))
    .await;
    let shapes = Shapes::of(&stage).await;
    let (_, said) = all(invoke(&stage, &shapes, &[]).await).await;
    assert_eq!(shown(&said), ["warning: late: "]);
    for _ in 0..2 {
        let (_, said) = all(invoke(&stage, &shapes, &[]).await).await;
        assert_error(&said, &["Failed to complete action", "done"]);
    }
    let (_, said) = all(invoke(&stage, &shapes, &[]).await).await;
    // Terraform shows no line of an action's block.
    assert_error(&said, &["error at .props[\"a\"]: bad: Attribute: props.a"]);
    let (progress, said) = all(invoke(&stage, &shapes, &[]).await).await;
    assert_error(&said, &["Failed to invoke action: thrown"]);
    assert_eq!(progress, ["begun"]);
    stage.end().await;
}

/// An action may have been done when its process dies, so it is not repeated.
#[tokio::test]
async fn an_action_is_never_repeated() {
    let stage = Stage::new(json!({"invoke": {"progress": ["begun"], "exit": 9}})).await;
    let shapes = Shapes::of(&stage).await;
    let (progress, said) = all(invoke(&stage, &shapes, &[]).await).await;
    assert_error(
        &said,
        &["Failed to invoke action", "ended before it answered"],
    );
    assert_eq!(progress, ["begun"]);
    assert_eq!(stage.heard_of("invoke").len(), 1);
    stage.end().await;
}

/// Terraform may disconnect during an action; the next call is served.
#[tokio::test]
async fn a_disconnect_during_an_action_does_not_block_the_next_call() {
    let stage = Stage::new(json!({"invoke": {"progress": ["begun"], "gate": "go"}})).await;
    let shapes = Shapes::of(&stage).await;
    let mut events = invoke(&stage, &shapes, &[]).await;
    assert!(events.message().await.unwrap().is_some());
    drop(events);
    stage.open("go");
    let (progress, said) = all(invoke(&stage, &shapes, &[]).await).await;
    assert_none(&said);
    assert_eq!(progress, ["begun"]);
    stage.end().await;
}
