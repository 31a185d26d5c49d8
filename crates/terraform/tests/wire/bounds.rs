//! Limits: what exceeds them is refused with an error, and the provider goes on.

use serde_json::json;
use tenon_tfplugin::proto::tfplugin6::{
    DynamicValue, plan_resource_change, validate_resource_config,
};
use tenon_values::{Type, Value, msgpack};

use crate::blocks::{RESOURCE, assert_error, assert_none, part, shown, value, with};
use crate::core::{Action, Core, Held};

/// The created resource, as Terraform stores it.
fn held(core: &Core, props: Value) -> Held {
    let config = core.config(&[("props", props)]);
    Held {
        state: with(&config, &[("id", "x".into())]),
        ..core.nothing()
    }
}

#[tokio::test]
async fn a_document_of_a_hundred_mebibytes_is_refused() {
    let core = Core::new(json!({})).await;
    let props = Value::from("x".repeat(100 << 20).as_str());
    let config = core
        .shapes
        .resource
        .encode(&core.config(&[("props", props)]));
    let request = plan_resource_change::Request {
        type_name: RESOURCE.to_owned(),
        proposed_new_state: config.clone(),
        config,
        ..Default::default()
    };
    let planned = core.stage.client().plan_resource_change(request).await;
    let planned = planned.unwrap().into_inner();
    let said = shown(&planned.diagnostics);
    assert_error(&planned.diagnostics, &["bytes"]);
    assert!(said[0].len() < 2000, "an error is no place for a document");
    assert_eq!(core.stage.heard(), []);
    core.stage.end().await;
}

#[tokio::test]
async fn a_document_of_eight_mebibytes_passes() {
    let core = Core::new(json!({})).await;
    let config = core.config(&[("props", Value::from("x".repeat(8 << 20).as_str()))]);
    let made = core.change(&core.nothing(), &config).await;
    let read = core.read(&made).await;
    assert_none(&read.diagnostics);
    assert_eq!(core.plan(&read, &config).await.action, Action::Nothing);
    core.stage.end().await;
}

/// Sizes between the limits of a value and of a line: there is an answer in any case.
#[tokio::test]
async fn a_document_of_twenty_mebibytes_is_answered() {
    let core = Core::new(json!({})).await;
    let before = held(&core, Value::from("x".repeat(20 << 20).as_str()));
    let read = core.read(&before).await;
    assert_eq!(read.state, before.state);
    let said = shown(&read.diagnostics);
    assert!(
        said.iter().all(|line| line.len() < 4000),
        "an error is no place for a document"
    );
    core.stage.end().await;
}

#[tokio::test]
async fn a_line_over_the_limit_fails_its_call_alone() {
    let long = json!({"long": "state", "size": 17 << 20});
    let core = Core::new(json!({"create": long, "read": long})).await;
    let config = core.config(&[("props", value("{}"))]);
    let made = core.apply(&core.plan(&core.nothing(), &config).await).await;
    assert_error(
        &made.diagnostics,
        &["Failed to create resource", "puppet.py"],
    );
    assert!(shown(&made.diagnostics)[0].len() < 4000);
    let before = held(&core, value("{}"));
    let read = core.read(&before).await;
    assert_error(&read.diagnostics, &["Failed to read resource"]);
    assert_eq!(read.state, before.state);
    // The next call gets another process.
    let gone = Value::null(core.shapes.resource.ty.clone());
    assert!(core.change(&before, &gone).await.state.is_null());
    core.stage.end().await;
}

fn nested(depth: usize) -> Value {
    (0..depth).fold(Value::from(1), |inner, _| Value::tuple(vec![inner]))
}

/// The limits of values and of frames differ; between them, no call may wait forever.
#[tokio::test]
async fn every_depth_is_answered() {
    let core = Core::new(json!({})).await;
    let passes = held(&core, nested(100));
    assert_none(&core.read(&passes).await.diagnostics);
    for depth in 118..=132 {
        let Ok(bytes) = msgpack::encode(&nested(depth), &Type::Dynamic) else {
            continue;
        };
        if msgpack::decode(&bytes, &Type::Dynamic).is_err() {
            continue;
        }
        let before = held(&core, nested(depth));
        let shape = &core.shapes.resource;
        let bytes = msgpack::encode(&before.state, &shape.ty).unwrap();
        if msgpack::decode(&bytes, &shape.ty).is_err() {
            continue;
        }
        let read = core.read(&before).await;
        assert_eq!(read.state, before.state, "{depth}");
    }
    core.stage.end().await;
}

/// Deeper than any decoder goes, in bytes that our own encoder would not write.
#[tokio::test]
async fn a_million_levels_are_refused() {
    let core = Core::new(json!({})).await;
    let levels = 1_000_000;
    let mut map = vec![0x81, 0xa5];
    map.extend(b"props");
    let msgpack = [map, vec![0x92; levels]].concat();
    let json = [br#"{"props":"#.to_vec(), vec![b'['; levels]].concat();
    let packed = DynamicValue {
        msgpack,
        json: Vec::new(),
    };
    let text = DynamicValue {
        msgpack: Vec::new(),
        json,
    };
    for (sent, summary) in [(packed, "Value too large"), (text, "Unreadable value")] {
        let request = validate_resource_config::Request {
            type_name: RESOURCE.to_owned(),
            config: Some(sent),
            client_capabilities: None,
        };
        let answer = core
            .stage
            .client()
            .validate_resource_config(request)
            .await
            .unwrap();
        assert_error(&answer.into_inner().diagnostics, &[summary]);
    }
    core.stage.end().await;
}

#[tokio::test]
async fn huge_numbers_are_kept_or_refused() {
    let core = Core::new(json!({})).await;
    for text in [
        "1e400",
        "-1e-400",
        "1e5000",
        "123456789012345678901234567890.1234567890123456789",
    ] {
        let config = core.config(&[("props", value(text))]);
        let made = core.change(&core.nothing(), &config).await;
        let read = core.read(&made).await;
        assert_none(&read.diagnostics);
        assert_eq!(part(&read.state, "props"), value(text));
        assert_eq!(
            core.plan(&read, &config).await.action,
            Action::Nothing,
            "{text}"
        );
    }
    core.stage.end().await;
    // A short text that would expand to a gigabyte of digits.
    let line =
        r#"{"jsonrpc":"2.0","id":$ID,"result":{"state":[1e999999999,-1e999999999,1e-999999999]}}"#;
    let core = Core::new(json!({"read": {"line": line}})).await;
    let before = held(&core, value("{}"));
    let read = core.read(&before).await;
    assert_error(&read.diagnostics, &["state"]);
    assert_eq!(read.state, before.state);
    core.stage.end().await;
}

#[tokio::test]
async fn a_flood_of_stderr_is_cut_in_the_error() {
    let lines: Vec<_> = (0..20_000).map(|number| format!("line {number}")).collect();
    let core =
        Core::new(json!({"create": {"stderr": lines, "error": {"code": 1, "message": "no"}}}))
            .await;
    let config = core.config(&[("props", value("{}"))]);
    let failed = core.apply(&core.plan(&core.nothing(), &config).await).await;
    let said = shown(&failed.diagnostics);
    assert_error(&failed.diagnostics, &["Failed to create resource: no"]);
    assert!(said[0].len() < 8000, "{}", said[0].len());
    core.stage.end().await;
}
