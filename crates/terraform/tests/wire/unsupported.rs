//! What Terraform's protocol has and this provider has not, and unknown types of blocks.

use serde_json::json;
use tenon_tfplugin::proto::tfplugin6::*;

use crate::blocks::{Shapes, assert_error};
use crate::stage::Stage;

const NO_STATES: &[&str] = &["Not supported", "does not store states", "backend"];

#[tokio::test]
async fn states_are_not_kept() {
    let stage = Stage::new(json!({})).await;
    let mut client = stage.client();
    macro_rules! refused {
        ($call:ident, $request:expr) => {
            let answer = client.$call($request).await.unwrap().into_inner();
            assert_error(&answer.diagnostics, NO_STATES);
        };
    }
    refused!(
        validate_state_store_config,
        validate_state_store::Request::default()
    );
    refused!(
        configure_state_store,
        configure_state_store::Request::default()
    );
    refused!(lock_state, lock_state::Request::default());
    refused!(unlock_state, unlock_state::Request::default());
    refused!(get_states, get_states::Request::default());
    refused!(delete_state, delete_state::Request::default());
    let chunks = vec![write_state_bytes::RequestChunk::default(); 3];
    refused!(write_state_bytes, tokio_stream::iter(chunks));
    let answers = client.read_state_bytes(read_state_bytes::Request::default());
    let mut answers = answers.await.unwrap().into_inner();
    let answer = answers.message().await.unwrap().unwrap();
    assert_error(&answer.diagnostics, NO_STATES);
    assert!(answers.message().await.unwrap().is_none());
    stage.end().await;
}

#[tokio::test]
async fn nothing_can_be_listed() {
    let stage = Stage::new(json!({})).await;
    let mut client = stage.client();
    let words = &["Not supported", "denobridge_resource cannot be listed"];
    let request = validate_list_resource_config::Request {
        type_name: "denobridge_resource".into(),
        ..Default::default()
    };
    let answer = client.validate_list_resource_config(request).await.unwrap();
    assert_error(&answer.into_inner().diagnostics, words);
    let request = list_resource::Request {
        type_name: "denobridge_resource".into(),
        ..Default::default()
    };
    let mut events = client.list_resource(request).await.unwrap().into_inner();
    let event = events.message().await.unwrap().unwrap();
    assert_error(&event.diagnostic, words);
    assert!(events.message().await.unwrap().is_none());
    stage.end().await;
}

/// Work for another type would be done with a script that it does not mean.
#[tokio::test]
#[expect(
    clippy::needless_update,
    reason = "some requests have no fields but those that are given"
)]
async fn unknown_types_are_refused() {
    let stage = Stage::new(json!({})).await;
    let shapes = Shapes::of(&stage).await;
    let path = || ("path", stage.puppet().as_str().into());
    let resource = shapes.resource.encode(&shapes.resource.block(&[path()]));
    let data = shapes
        .data_source
        .encode(&shapes.data_source.block(&[path()]));
    let action = shapes.action.encode(&shapes.action.block(&[path()]));
    let mut client = stage.client();
    let words = &["other_thing"];
    macro_rules! refused {
        ($call:ident, $module:ident { $($name:ident: $value:expr),* }) => {
            let request = $module::Request { $($name: $value),*, ..Default::default() };
            let answer = client.$call(request).await.unwrap().into_inner();
            assert_error(&answer.diagnostics, words);
        };
    }
    let name = || "other_thing".to_owned();
    refused!(
        validate_resource_config,
        validate_resource_config {
            type_name: name(),
            config: resource.clone()
        }
    );
    refused!(
        upgrade_resource_state,
        upgrade_resource_state {
            type_name: name(),
            raw_state: Some(RawState {
                json: b"{}".to_vec(),
                ..Default::default()
            })
        }
    );
    refused!(
        upgrade_resource_identity,
        upgrade_resource_identity {
            type_name: name(),
            raw_identity: Some(RawState {
                json: b"{}".to_vec(),
                ..Default::default()
            })
        }
    );
    refused!(
        read_resource,
        read_resource {
            type_name: name(),
            current_state: resource.clone()
        }
    );
    refused!(
        plan_resource_change,
        plan_resource_change {
            type_name: name(),
            config: resource.clone(),
            proposed_new_state: resource.clone()
        }
    );
    refused!(
        apply_resource_change,
        apply_resource_change {
            type_name: name(),
            config: resource.clone(),
            planned_state: resource.clone()
        }
    );
    refused!(
        import_resource_state,
        import_resource_state {
            type_name: name(),
            id: r#"{"id":"a","path":"p"}"#.to_owned()
        }
    );
    refused!(
        move_resource_state,
        move_resource_state {
            target_type_name: name(),
            source_type_name: "denobridge_resource".to_owned()
        }
    );
    refused!(
        generate_resource_config,
        generate_resource_config {
            type_name: name(),
            state: resource.clone()
        }
    );
    refused!(
        validate_data_resource_config,
        validate_data_resource_config {
            type_name: name(),
            config: data.clone()
        }
    );
    refused!(
        read_data_source,
        read_data_source {
            type_name: name(),
            config: data.clone()
        }
    );
    refused!(
        validate_ephemeral_resource_config,
        validate_ephemeral_resource_config {
            type_name: name(),
            config: data.clone()
        }
    );
    refused!(
        open_ephemeral_resource,
        open_ephemeral_resource {
            type_name: name(),
            config: data.clone()
        }
    );
    refused!(
        renew_ephemeral_resource,
        renew_ephemeral_resource {
            type_name: name(),
            private: None
        }
    );
    refused!(
        close_ephemeral_resource,
        close_ephemeral_resource {
            type_name: name(),
            private: None
        }
    );
    refused!(
        validate_action_config,
        validate_action_config {
            type_name: name(),
            config: action.clone()
        }
    );
    refused!(
        plan_action,
        plan_action {
            action_type: name(),
            config: action.clone()
        }
    );
    let request = invoke_action::Request {
        action_type: name(),
        config: action,
        ..Default::default()
    };
    let mut events = client.invoke_action(request).await.unwrap().into_inner();
    let event = events.message().await.unwrap().unwrap();
    let Some(invoke_action::event::Type::Completed(completed)) = event.r#type else {
        panic!("{event:?}");
    };
    assert_error(&completed.diagnostics, words);
    assert_eq!(stage.heard(), []);
    stage.end().await;
}
