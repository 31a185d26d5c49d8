//! What is refused before anything runs.

use serde_json::json;
use tenon_tfplugin::proto::tfplugin6::*;
use tenon_values::{Type, Value};

use crate::blocks::{
    ACTION, DATA_SOURCE, EPHEMERAL, RESOURCE, Shapes, assert_error, assert_none, shown, texts,
    value,
};
use crate::stage::Stage;

/// Attributes and their values.
type Given<'a> = &'a [(&'a str, Value)];

/// What is said about a block of each kind.
async fn validated(
    stage: &Stage,
    shapes: &Shapes,
    given: &[(&str, Value)],
) -> [Vec<Diagnostic>; 5] {
    let mut client = stage.client();
    let resource = validate_resource_config::Request {
        type_name: RESOURCE.to_owned(),
        config: shapes.resource.encode(&shapes.resource.block(given)),
        client_capabilities: None,
    };
    let data = validate_data_resource_config::Request {
        type_name: DATA_SOURCE.to_owned(),
        config: shapes.data_source.encode(&shapes.data_source.block(given)),
    };
    let ephemeral = validate_ephemeral_resource_config::Request {
        type_name: EPHEMERAL.to_owned(),
        config: shapes.ephemeral.encode(&shapes.ephemeral.block(given)),
    };
    let action = validate_action_config::Request {
        type_name: ACTION.to_owned(),
        config: shapes.action.encode(&shapes.action.block(given)),
    };
    let plan = plan_action::Request {
        action_type: ACTION.to_owned(),
        config: action.config.clone(),
        client_capabilities: None,
    };
    let planned = client.plan_action(plan).await.unwrap().into_inner();
    assert!(planned.deferred.is_none());
    [
        client
            .validate_resource_config(resource)
            .await
            .unwrap()
            .into_inner()
            .diagnostics,
        client
            .validate_data_resource_config(data)
            .await
            .unwrap()
            .into_inner()
            .diagnostics,
        client
            .validate_ephemeral_resource_config(ephemeral)
            .await
            .unwrap()
            .into_inner()
            .diagnostics,
        client
            .validate_action_config(action)
            .await
            .unwrap()
            .into_inner()
            .diagnostics,
        planned.diagnostics,
    ]
}

#[tokio::test]
async fn what_cannot_be_run_is_refused_in_every_block() {
    let stage = Stage::new(json!({})).await;
    let shapes = Shapes::of(&stage).await;
    let props = || ("props", value("{}"));
    let null = Value::null(Type::String);
    let with_null = Value::list(Type::String, vec![null]).unwrap();
    let table: [(Given, &[&str]); 10] = [
        (
            &[props()],
            &["error at .path", "Neither path nor command is set"],
        ),
        (
            &[props(), ("path", "a".into()), ("command", texts(&["a"]))],
            &["error at .command", "Remove one of them"],
        ),
        (
            &[props(), ("path", "".into())],
            &["error at .path", "empty"],
        ),
        (
            &[props(), ("command", texts(&[]))],
            &["error at .command", "empty"],
        ),
        (&[props(), ("command", with_null)], &["error at .command"]),
        (
            &[props(), ("path", "a".into()), ("timeout", 0.into())],
            &["error at .timeout", "0 is not a positive number of seconds"],
        ),
        (
            &[props(), ("path", "a".into()), ("timeout", value("-1.5"))],
            &[
                "error at .timeout",
                "-1.5 is not a positive number of seconds",
            ],
        ),
        (
            &[props(), ("path", "a".into()), ("timeout", value("1e300"))],
            &["error at .timeout", "not a positive number of seconds"],
        ),
        (
            &[props(), ("path", "a".into()), ("max_in_flight", 0.into())],
            &["error at .max_in_flight", "0 is not a whole number"],
        ),
        (
            &[
                props(),
                ("path", "a".into()),
                ("max_in_flight", value("1.5")),
            ],
            &["error at .max_in_flight", "1.5 is not a whole number"],
        ),
    ];
    for (given, words) in table {
        for diagnostics in validated(&stage, &shapes, given).await {
            assert_error(&diagnostics, words);
        }
    }
    assert_eq!(stage.heard(), []);
    stage.end().await;
}

/// A plan may run where the script is not, and before what names it is known.
#[tokio::test]
async fn what_may_be_run_later_passes() {
    let stage = Stage::new(json!({})).await;
    let shapes = Shapes::of(&stage).await;
    let unknown = Value::unknown(Type::String);
    let table: [&[(&str, Value)]; 4] = [
        &[("path", "./nowhere.ts".into()), ("props", value("{}"))],
        &[
            ("path", unknown.clone()),
            ("props", Value::unknown(Type::Dynamic)),
        ],
        &[
            ("path", unknown.clone()),
            ("command", Value::unknown(Type::list(Type::String))),
            ("props", value("{}")),
        ],
        &[
            ("command", Value::list(Type::String, vec![unknown]).unwrap()),
            ("props", value("[]")),
        ],
    ];
    for given in table {
        for diagnostics in validated(&stage, &shapes, given).await {
            assert_none(&diagnostics);
        }
    }
    stage.end().await;
}

#[tokio::test]
async fn write_only_props_need_a_terraform_that_knows_them() {
    let stage = Stage::new(json!({})).await;
    let shapes = Shapes::of(&stage).await;
    let block = [
        ("path", Value::from("a")),
        ("props", value("{}")),
        ("write_only_props", value(r#"{"password": "hunter2"}"#)),
    ];
    let mut client = stage.client();
    let mut validate = async |write_only_attributes_allowed: bool| {
        let request = validate_resource_config::Request {
            type_name: RESOURCE.to_owned(),
            config: shapes.resource.encode(&shapes.resource.block(&block)),
            client_capabilities: Some(ClientCapabilities {
                write_only_attributes_allowed,
                ..ClientCapabilities::default()
            }),
        };
        let answer = client.validate_resource_config(request).await.unwrap();
        answer.into_inner().diagnostics
    };
    assert_none(&validate(true).await);
    let refused = validate(false).await;
    let words = [
        "error at .write_only_props",
        "WriteOnly Attribute Not Allowed",
        "1.11",
    ];
    assert_error(&refused, &words);
    assert!(!shown(&refused)[0].contains("hunter2"));
    stage.end().await;
}
