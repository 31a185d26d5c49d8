//! Data sources and functions, which only read.

use serde_json::{Value as Json, json};
use tenon_tfplugin::proto::tfplugin6::{DynamicValue, call_function, read_data_source};
use tenon_values::{Type, Value, msgpack};

use crate::blocks::{DATA_SOURCE, Shapes, assert_error, packed, part, shown, value};
use crate::stage::Stage;

pub(crate) async fn look(
    stage: &Stage,
    shapes: &Shapes,
    props: Value,
) -> read_data_source::Response {
    let shape = &shapes.data_source;
    let path = Value::from(stage.puppet().as_str());
    let request = read_data_source::Request {
        type_name: DATA_SOURCE.to_owned(),
        config: shape.encode(&shape.block(&[("path", path), ("props", props)])),
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
async fn a_data_source_is_what_the_script_finds() {
    let warning = json!([{"severity": "warning", "summary": "old", "propPath": ["props", "a"]}]);
    let stage = Stage::new(json!({"read": [
        {},
        {"result": {"result": [1, "a"], "sensitiveResult": {"k": 1}, "diagnostics": warning}},
        {"result": null},
        {"result": {}},
    ]}))
    .await;
    let shapes = Shapes::of(&stage).await;
    let props = value(r#"{"a": 1e-7}"#);
    let read = look(&stage, &shapes, props.clone()).await;
    let state = shapes.data_source.decode(read.state.as_ref());
    assert_eq!(
        (part(&state, "result"), part(&state, "props")),
        (props.clone(), props.clone())
    );
    assert!(part(&state, "sensitive_result").is_null());
    let read = look(&stage, &shapes, props.clone()).await;
    let state = shapes.data_source.decode(read.state.as_ref());
    assert_eq!(part(&state, "result"), value(r#"[1, "a"]"#));
    assert_eq!(part(&state, "sensitive_result"), value(r#"{"k": 1}"#));
    assert_eq!(
        shown(&read.diagnostics),
        ["warning at .props[\"a\"]: old: "]
    );
    let read = look(&stage, &shapes, props.clone()).await;
    assert_error(
        &read.diagnostics,
        &["read answers with an object, and not with null"],
    );
    assert!(read.state.is_none());
    // A script without a result has most likely forgotten it.
    let read = look(&stage, &shapes, props.clone()).await;
    let state = shapes.data_source.decode(read.state.as_ref());
    assert!(part(&state, "result").is_null());
    let said = shown(&read.diagnostics);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].starts_with("warning at .path: Answer without a result: "),
        "{said:?}"
    );
    assert!(said[0].contains("{\"result\": null}"), "{said:?}");
    assert_eq!(stage.heard_of("read")[0], json!({"props": {"a": 1e-7}}));
    stage.end().await;
}

#[tokio::test]
async fn an_error_of_a_data_source_has_its_place() {
    let error = json!([{"severity": "error", "summary": "bad", "propPath": ["props", "list", 1]}]);
    let stage = Stage::new(json!({"read": [
        {"result": {"result": 1, "diagnostics": error}},
        {"error": {"code": -32000, "message": "thrown"}},
        {"exit": 3},
    ]}))
    .await;
    let shapes = Shapes::of(&stage).await;
    let props = || value(r#"{"list": [1, 2]}"#);
    let read = look(&stage, &shapes, props()).await;
    assert_error(&read.diagnostics, &["error at .props[\"list\"][1]: bad"]);
    assert!(read.state.is_none());
    let read = look(&stage, &shapes, props()).await;
    assert_error(&read.diagnostics, &["Failed to read data source: thrown"]);
    let read = look(&stage, &shapes, props()).await;
    // Its process died, so another one was called, which starts with its first order.
    assert_error(&read.diagnostics, &["bad"]);
    assert_eq!(stage.processes().len(), 2);
    stage.end().await;
}

async fn call(stage: &Stage, name: &str, arguments: &[DynamicValue]) -> call_function::Response {
    let request = call_function::Request {
        name: name.to_owned(),
        arguments: arguments.to_vec(),
    };
    stage
        .client()
        .call_function(request)
        .await
        .unwrap()
        .into_inner()
}

fn text(text: &str) -> DynamicValue {
    packed(&Value::from(text), &Type::String)
}

fn any(value: &Value) -> DynamicValue {
    packed(value, &Type::Dynamic)
}

#[tokio::test]
async fn a_function_gets_its_arguments() {
    let stage = Stage::new(json!({})).await;
    let set = Value::set(Type::Number, vec![2.into(), 1.into()]).unwrap();
    let arguments = [
        text(&stage.puppet()),
        text("greet"),
        any(&value(r#"{"a": 0.1}"#)),
        any(&Value::NULL),
        any(&Value::null(Type::String)),
        any(&set),
    ];
    let called = call(&stage, "call", &arguments).await;
    assert_eq!(called.error, None);
    let params = json!({"name": "greet", "arguments": [{"a": 0.1}, null, null, [1, 2]]});
    assert_eq!(stage.heard(), [("call".to_owned(), params.clone())]);
    let result = msgpack::decode(&called.result.unwrap().msgpack, &Type::Dynamic).unwrap();
    // An array of one type comes back as a list, one of several types as a tuple.
    let numbers = Value::list(Type::Number, vec![1.into(), 2.into()]).unwrap();
    let arguments = vec![value(r#"{"a": 0.1}"#), Value::NULL, Value::NULL, numbers];
    let arguments = ("arguments", Value::tuple(arguments));
    assert_eq!(result, Value::object([arguments, ("name", "greet".into())]));
    stage.end().await;
}

#[tokio::test]
async fn an_error_of_a_function_is_at_its_argument() {
    let at = |path: Json| {
        json!({"result": {"diagnostics": [
        {"severity": "error", "summary": "bad", "detail": "so", "propPath": path}]}})
    };
    let stage = Stage::new(json!({"call": [
        at(json!(["arguments", "0"])), at(json!(["arguments", 9])), at(json!(["name"])), at(json!(null)),
        at(json!(["arguments", 0, "tags", 1])),
        {"error": {"code": -32601, "message": "Method not found"}},
    ]}))
    .await;
    let arguments = [text(&stage.puppet()), text("f"), any(&Value::TRUE)];
    for (place, word) in [
        (Some(2), "bad: so"),
        (None, "bad: so"),
        (Some(1), "bad: so"),
        (None, "bad: so"),
        (Some(2), "bad: so (at arguments[0].tags[1])"),
        (None, "has no method call"),
    ] {
        let error = call(&stage, "call", &arguments).await.error.unwrap();
        assert_eq!(error.function_argument, place, "{error:?}");
        assert!(error.text.contains(word), "{error:?}");
    }
    stage.end().await;
}

/// Terraform shows one text for one argument.
#[tokio::test]
async fn all_errors_of_a_function_are_shown() {
    let error = |summary: &str, path: Json| json!({"severity": "error", "summary": summary, "propPath": path});
    let thrown =
        |path: Json| json!({"error": {"code": 7, "message": "odd", "data": {"propPath": path}}});
    let stage = Stage::new(json!({"call": [
        {"result": {"diagnostics": [
            error("first.", json!(null)), {"severity": "warning", "summary": "not this"},
            error("second.", json!(["arguments", 1, "tags"])), error("third", json!(["name"])),
        ]}},
        thrown(json!(["arguments", "0"])),
        thrown(json!(["arguments", 0, "tags", 1])),
        {"result": {}},
    ]}))
    .await;
    let arguments = [
        text(&stage.puppet()),
        text("f"),
        any(&Value::TRUE),
        any(&Value::TRUE),
    ];
    for (place, words) in [
        (
            Some(3),
            "first.\nsecond (at arguments[1].tags)\nthird (at name)",
        ),
        (Some(2), "odd (code 7)"),
        (Some(2), "\n\nArgument: arguments[0].tags[1]"),
        (None, "puppet.py answered without a result"),
    ] {
        let error = call(&stage, "call", &arguments).await.error.unwrap();
        assert_eq!(error.function_argument, place, "{error:?}");
        assert!(error.text.contains(words), "{error:?}");
        assert!(!error.text.contains("not this"), "{error:?}");
    }
    stage.end().await;
}

/// Requests that no Terraform sends.
#[tokio::test]
async fn wrong_calls_of_functions_are_refused() {
    let stage = Stage::new(json!({})).await;
    let junk = DynamicValue {
        msgpack: vec![0xc1],
        json: Vec::new(),
    };
    let path = text(&stage.puppet());
    let null = packed(&Value::null(Type::String), &Type::String);
    let unknown = packed(&Value::unknown(Type::String), &Type::String);
    let table: [(&str, Vec<DynamicValue>, Option<i64>); 8] = [
        ("other", vec![], None),
        ("call", vec![], Some(0)),
        ("call", vec![path.clone()], Some(1)),
        ("call", vec![null, text("f")], Some(0)),
        ("call", vec![unknown, text("f")], Some(0)),
        ("call", vec![path.clone(), junk.clone()], Some(1)),
        ("call", vec![path, text("f"), junk], Some(2)),
        ("call", vec![text("./gone.py"), text("f")], Some(0)),
    ];
    for (name, arguments, place) in table {
        let error = call(&stage, name, &arguments).await.error.unwrap();
        assert_eq!(error.function_argument, place, "{error:?}");
        assert!(!error.text.is_empty());
    }
    assert_eq!(stage.heard(), []);
    stage.end().await;
}
