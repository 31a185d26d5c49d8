//! Attributes with invalid values, or that a configuration must not set.

use serde_json::json;
use tenon_tfplugin::proto::tfplugin6::*;
use tenon_values::{Type, Value};

use crate::blocks::{ACTION, DATA_SOURCE, EPHEMERAL, RESOURCE, Shape, Shapes, shown, value, with};
use crate::stage::Stage;

/// The diagnostics about these attributes in a block of each kind.
async fn told(stage: &Stage, shapes: &Shapes, more: &[(&str, Value)]) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    for shape in [&shapes.resource, &shapes.data_source, &shapes.action] {
        let has = |name: &str| shape.attributes.iter().any(|one| one.name == name);
        if more.iter().all(|(name, _)| has(name)) {
            let block = shape.block(&[("path", Value::from("a")), ("props", value("{}"))]);
            let config = shape.encode(&with(&block, more));
            all.push(shown(&validated(stage, shapes, shape, config).await));
        }
    }
    all
}

/// The diagnostics about a block of one kind.
async fn validated(
    stage: &Stage,
    shapes: &Shapes,
    shape: &Shape,
    config: Option<DynamicValue>,
) -> Vec<Diagnostic> {
    let mut client = stage.client();
    if shape.ty == shapes.resource.ty {
        let request = validate_resource_config::Request {
            type_name: RESOURCE.to_owned(),
            config,
            client_capabilities: None,
        };
        let answer = client.validate_resource_config(request).await.unwrap();
        return answer.into_inner().diagnostics;
    }
    if shape.ty == shapes.action.ty {
        let request = validate_action_config::Request {
            type_name: ACTION.to_owned(),
            config,
        };
        let answer = client.validate_action_config(request).await.unwrap();
        return answer.into_inner().diagnostics;
    }
    // Data sources and ephemeral resources have the same attributes.
    let request = validate_data_resource_config::Request {
        type_name: DATA_SOURCE.to_owned(),
        config: config.clone(),
    };
    let data = client.validate_data_resource_config(request).await.unwrap();
    let request = validate_ephemeral_resource_config::Request {
        type_name: EPHEMERAL.to_owned(),
        config,
    };
    let ephemeral = client.validate_ephemeral_resource_config(request).await;
    let ephemeral = ephemeral.unwrap().into_inner().diagnostics;
    let data = data.into_inner().diagnostics;
    assert_eq!(shown(&data), shown(&ephemeral));
    data
}

#[tokio::test]
async fn read_only_attributes_and_null_props_are_refused_in_every_block() {
    let stage = Stage::new(json!({})).await;
    let shapes = Shapes::of(&stage).await;
    for (name, values) in [
        ("id", vec![Value::from("a"), Value::unknown(Type::String)]),
        ("state", vec![value("{}"), Value::unknown(Type::Dynamic)]),
        ("sensitive_state", vec![value("5")]),
        ("modified_props", vec![value("[]")]),
        ("result", vec![value("{}"), Value::unknown(Type::Dynamic)]),
        ("sensitive_result", vec![value("{}")]),
    ] {
        for given in values {
            let told = told(&stage, &shapes, &[(name, given)]).await;
            assert_eq!(told.len(), 1, "{name}");
            for said in told {
                let expected = format!("error at .{name}: Read-only attribute is set: ");
                assert_eq!(said.len(), 1, "{said:?}");
                assert!(said[0].starts_with(&expected), "{said:?}");
                assert!(said[0].contains("Remove it"), "{said:?}");
            }
        }
    }
    for null in [Value::NULL, Value::null(Type::String)] {
        let told = told(&stage, &shapes, &[("props", null)]).await;
        assert_eq!(told.len(), 3);
        for said in told {
            assert_eq!(said.len(), 1, "{said:?}");
            let expected = "error at .props: Required attribute is null: ";
            assert!(said[0].starts_with(expected), "{said:?}");
        }
    }
    stage.end().await;
}

#[tokio::test]
async fn the_version_of_write_only_props_is_a_whole_number() {
    let stage = Stage::new(json!({})).await;
    let shapes = Shapes::of(&stage).await;
    let version = |number: &str| ("write_only_props_version", value(number));
    for number in ["1.5", "9223372036854775808", "1e400"] {
        let told = told(&stage, &shapes, &[version(number)]).await;
        let said = &told[0][0];
        assert!(
            said.starts_with("error at .write_only_props_version"),
            "{said}"
        );
    }
    for number in ["1", "-1", "0", "1e3"] {
        let told = told(&stage, &shapes, &[version(number)]).await;
        assert_eq!(told, [Vec::<String>::new()], "{number}");
    }
    let compared = ("write_only_props_detect_changes", Value::TRUE);
    let told = told(&stage, &shapes, &[version("1"), compared]).await;
    let expected =
        "error at .write_only_props_detect_changes: Conflicting settings for write-only props";
    assert!(told[0][0].starts_with(expected), "{told:?}");
    stage.end().await;
}
