//! Ephemeral resources, and their private data between calls.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value as Json, json};
use tenon_tfplugin::proto::tfplugin6::{
    close_ephemeral_resource, open_ephemeral_resource, renew_ephemeral_resource,
};
use tenon_values::Value;

use crate::blocks::{EPHEMERAL, Shapes, assert_error, assert_none, part, shown, value};
use crate::stage::{Heard, Stage};

pub(crate) async fn open(stage: &Stage, shapes: &Shapes) -> open_ephemeral_resource::Response {
    let shape = &shapes.ephemeral;
    let path = Value::from(stage.puppet().as_str());
    let given = [("path", path), ("props", value(r#"{"a": 1}"#))];
    let request = open_ephemeral_resource::Request {
        type_name: EPHEMERAL.to_owned(),
        config: shape.encode(&shape.block(&given)),
        client_capabilities: None,
    };
    let opened = stage.client().open_ephemeral_resource(request).await;
    opened.unwrap().into_inner()
}

async fn renew(stage: &Stage, private: Option<Vec<u8>>) -> renew_ephemeral_resource::Response {
    let request = renew_ephemeral_resource::Request {
        type_name: EPHEMERAL.to_owned(),
        private,
    };
    let renewed = stage.client().renew_ephemeral_resource(request).await;
    renewed.unwrap().into_inner()
}

pub(crate) async fn close(
    stage: &Stage,
    private: Option<Vec<u8>>,
) -> close_ephemeral_resource::Response {
    let request = close_ephemeral_resource::Request {
        type_name: EPHEMERAL.to_owned(),
        private,
    };
    let closed = stage.client().close_ephemeral_resource(request).await;
    closed.unwrap().into_inner()
}

/// A part of private data, as upstream writes it.
fn kept(private: Option<&[u8]>, name: &str) -> Json {
    let all: Json = serde_json::from_slice(private.unwrap()).unwrap();
    let Some(text) = all[name].as_str() else {
        return Json::Null;
    };
    serde_json::from_slice(&STANDARD.decode(text).unwrap()).unwrap()
}

#[tokio::test]
async fn the_newest_private_data_reach_close() {
    let stage = Stage::new(json!({
        "open": {"result": {"result": {"token": "t"}, "sensitiveResult": "s",
            "renewAt": 1735891200.75, "privateData": {"lease": 1}}},
        "renew": [
            {"result": {"renewAt": 1735891300000i64, "privateData": {"lease": 2}}},
            {"result": {}},
        ],
    }))
    .await;
    let shapes = Shapes::of(&stage).await;
    let opened = open(&stage, &shapes).await;
    assert_none(&opened.diagnostics);
    let result = shapes.ephemeral.decode(opened.result.as_ref());
    assert_eq!(part(&result, "result"), value(r#"{"token": "t"}"#));
    assert_eq!(part(&result, "sensitive_result"), Value::from("s"));
    // Configured values must be returned unchanged.
    assert_eq!(part(&result, "props"), value(r#"{"a": 1}"#));
    assert_eq!(opened.renew_at.unwrap().seconds, 1_735_891_200);
    let private = opened.private.as_deref();
    assert_eq!(kept(private, "data"), json!({"lease": 1}));
    let config = kept(private, "config");
    assert_eq!(config["DenoScriptPath"], stage.puppet());

    let renewed = renew(&stage, opened.private.clone()).await;
    assert_none(&renewed.diagnostics);
    assert_eq!(renewed.renew_at.unwrap().seconds, 1_735_891_300);
    assert_eq!(
        kept(renewed.private.as_deref(), "data"),
        json!({"lease": 2})
    );
    let renewed = renew(&stage, renewed.private).await;
    assert_eq!(renewed.renew_at, None);
    assert_eq!(
        kept(renewed.private.as_deref(), "data"),
        json!({"lease": 2})
    );
    // Terraform keeps the first result.
    assert_none(&close(&stage, opened.private).await.diagnostics);

    let first = json!({"privateData": {"lease": 1}});
    let second = json!({"privateData": {"lease": 2}});
    let expected = [
        ("open", json!({"props": {"a": 1}})),
        ("renew", first),
        ("renew", second.clone()),
        ("close", second),
    ];
    assert_eq!(
        stage.heard(),
        expected.map(|(method, params)| (method.to_owned(), params))
    );
    stage.end().await;
}

#[tokio::test]
async fn without_private_data_nothing_is_passed() {
    let stage = Stage::new(json!({})).await;
    let shapes = Shapes::of(&stage).await;
    let opened = open(&stage, &shapes).await;
    assert_none(&opened.diagnostics);
    assert_eq!(opened.renew_at, None);
    // The puppet cannot be renewed.
    let renewed = renew(&stage, opened.private.clone()).await;
    assert_none(&renewed.diagnostics);
    assert_eq!(renewed.renew_at, None);
    assert_none(&close(&stage, renewed.private).await.diagnostics);
    assert_eq!(stage.heard_of("renew"), [json!({})]);
    assert_eq!(stage.heard_of("close"), [json!({})]);
    stage.end().await;
}

/// As terraform-provider-denobridge v0.4.1 writes them.
#[tokio::test]
async fn private_data_of_upstream_are_read() {
    let stage = Stage::new(json!({"renew": {"result": {"privateData": [2]}}})).await;
    let config = json!({"DenoBinaryPath": "/usr/bin/deno", "DenoScriptPath": stage.puppet(),
        "DenoConfigPath": "", "DenoPermissions": null});
    let private = json!({
        "config": STANDARD.encode(config.to_string()),
        "data": STANDARD.encode("[1]"),
        ".internal": STANDARD.encode("true"),
    });
    let private = private.to_string().into_bytes();
    assert_none(&renew(&stage, Some(private.clone())).await.diagnostics);
    assert_none(&close(&stage, Some(private)).await.diagnostics);
    let expected = ["renew", "close"].map(|name| (name.to_owned(), json!({"privateData": [1]})));
    assert_eq!(stage.heard(), expected);
    stage.end().await;
}

/// Another process of the provider also counts from the start.
#[tokio::test]
async fn private_data_of_another_process_are_not_mistaken() {
    let orders = |data: &str| json!({"open": {"with": {"privateData": data}}});
    let (first, second) = (
        Stage::new(orders("first")).await,
        Stage::new(orders("second")).await,
    );
    let shapes = Shapes::of(&first).await;
    let opened = open(&first, &shapes).await;
    open(&second, &shapes).await;
    assert_none(&close(&second, opened.private).await.diagnostics);
    assert_eq!(first.heard_of("close"), [json!({"privateData": "first"})]);
    assert_eq!(second.heard_of("close"), Vec::<Json>::new());
    // It uses the script of the first one, so it counts as the first one's.
    second.end().await;
    first.end().await;
}

#[tokio::test]
async fn closing_is_done_when_the_script_says_so() {
    let warning = json!([{"severity": "warning", "summary": "late", "propPath": ["props"]}]);
    let table: [(Json, &[&str]); 6] = [
        (json!({"result": null}), &[]),
        (json!({"line": r#"{"jsonrpc":"2.0","id":$ID}"#}), &[]),
        (
            json!({"error": {"code": -32601, "message": "Method not found"}}),
            &[],
        ),
        (
            json!({"result": {"diagnostics": warning}}),
            &["warning: late: "],
        ),
        (
            json!({"result": {"done": false}}),
            &["error: Failed to close ephemeral resource"],
        ),
        (
            json!({"error": {"code": -1, "message": "no"}}),
            &["error: Failed to close ephemeral resource: no"],
        ),
    ];
    let orders: Vec<_> = table.iter().map(|(order, _)| order.clone()).collect();
    let stage = Stage::new(json!({"close": orders})).await;
    let shapes = Shapes::of(&stage).await;
    for (order, expected) in table {
        let private = open(&stage, &shapes).await.private;
        let said = shown(&close(&stage, private).await.diagnostics);
        assert_eq!(said.len(), expected.len(), "{order}: {said:?}");
        for (said, expected) in said.iter().zip(expected) {
            assert!(said.starts_with(expected), "{order}: {said:?}");
        }
    }
    stage.end().await;
}

#[tokio::test]
async fn errors_are_reported_and_invalid_answers_are_refused() {
    let error = json!([{"severity": "error", "summary": "bad", "propPath": ["props", "a"]}]);
    let stage = Stage::new(json!({
        "open": [{"result": {"diagnostics": error}}, {"error": {"code": 1, "message": "thrown"}}],
        "renew": {"error": {"code": 1, "message": "expired"}},
    }))
    .await;
    let shapes = Shapes::of(&stage).await;
    let opened = open(&stage, &shapes).await;
    assert_error(&opened.diagnostics, &["error at .props[\"a\"]: bad"]);
    let failed = open(&stage, &shapes).await;
    assert_error(
        &failed.diagnostics,
        &["Failed to open ephemeral resource: thrown"],
    );
    if opened.private.is_some() {
        let renewed = renew(&stage, opened.private).await;
        assert_error(
            &renewed.diagnostics,
            &["Failed to renew ephemeral resource: expired"],
        );
    }
    let not_base64 = json!({"config": "?"}).to_string().into_bytes();
    let no_script = json!({"config": STANDARD.encode("{}")})
        .to_string()
        .into_bytes();
    for junk in [
        None,
        Some(b"{".to_vec()),
        Some(b"[]".to_vec()),
        Some(not_base64),
        Some(no_script),
    ] {
        let renewed = renew(&stage, junk.clone()).await;
        assert_eq!(renewed.diagnostics.len(), 1, "{junk:?}");
        assert_eq!(close(&stage, junk).await.diagnostics.len(), 1);
    }
    assert_eq!(stage.heard_of("close"), Vec::<Json>::new());
    stage.end().await;
}

/// The private data of the calls of `close`.
fn closed(heard: &[Heard]) -> Vec<Json> {
    let closed = heard.iter().filter(|(method, _)| method == "close");
    closed
        .map(|(_, params)| params["privateData"].clone())
        .collect()
}

/// Terraform closes nothing after an error or Ctrl-C.
#[tokio::test]
async fn what_is_left_open_is_closed_when_the_provider_ends() {
    let error = json!([{"severity": "error", "summary": "bad"}]);
    let stage = Stage::new(json!({
        "open": [
            {"result": {"result": 1, "privateData": "first"}},
            {"result": {"result": 1, "privateData": "second"}},
            {"result": {"privateData": "half open", "diagnostics": error}},
            {"result": {"diagnostics": error}},
        ],
        "renew": {"result": {"privateData": "renewed"}},
    }))
    .await;
    let shapes = Shapes::of(&stage).await;
    let first = open(&stage, &shapes).await;
    let second = open(&stage, &shapes).await;
    assert_none(&renew(&stage, second.private).await.diagnostics);
    for _ in 0..2 {
        assert_error(&open(&stage, &shapes).await.diagnostics, &["bad"]);
    }
    assert_none(&close(&stage, first.private).await.diagnostics);
    assert_eq!(closed(&stage.heard()), ["first"]);
    let mut closed = closed(&stage.end_and_hear().await);
    closed.sort_by_key(Json::to_string);
    assert_eq!(closed, ["first", "half open", "renewed"]);
}

#[tokio::test]
async fn a_time_that_cannot_be_read_does_not_lose_the_lease() {
    let answer =
        |data: i64| json!({"result": {"result": 1, "renewAt": "soon", "privateData": data}});
    let stage = Stage::new(json!({"open": answer(1), "renew": answer(2)})).await;
    let shapes = Shapes::of(&stage).await;
    let opened = open(&stage, &shapes).await;
    let problem = "\"soon\" is not a time in seconds";
    assert_error(
        &opened.diagnostics,
        &["renewAt in the answer to open", problem, "puppet.py"],
    );
    assert_eq!(kept(opened.private.as_deref(), "data"), json!(1));
    let renewed = renew(&stage, opened.private).await;
    assert_error(
        &renewed.diagnostics,
        &["renewAt in the answer to renew", problem],
    );
    assert_eq!(kept(renewed.private.as_deref(), "data"), json!(2));
    assert_eq!(closed(&stage.end_and_hear().await), [json!(2)]);
}

#[tokio::test]
async fn an_answer_without_a_result_is_a_warning() {
    let stage = Stage::new(json!({"open": [{"result": {}}, {"result": {"result": null}}]})).await;
    let shapes = Shapes::of(&stage).await;
    let said = shown(&open(&stage, &shapes).await.diagnostics);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].starts_with("warning at .path: Answer without a result: "),
        "{said:?}"
    );
    assert_none(&open(&stage, &shapes).await.diagnostics);
    stage.end().await;
}

#[tokio::test]
async fn a_time_is_always_one_that_terraform_can_read() {
    let times = [
        json!(-5),
        json!(1e300),
        json!(253_402_300_800i64),
        json!("1735891200"),
        json!(null),
    ];
    let orders: Vec<_> = { times.iter() }
        .map(|time| json!({"with": {"renewAt": time}}))
        .collect();
    let stage = Stage::new(json!({"open": orders})).await;
    let shapes = Shapes::of(&stage).await;
    for time in times {
        let opened = open(&stage, &shapes).await;
        assert_none(&opened.diagnostics);
        let seconds = opened.renew_at.map(|at| at.seconds);
        assert_eq!(seconds.is_none(), time.is_null());
        assert!(
            seconds.is_none_or(|seconds| (0..=253_402_300_799).contains(&seconds)),
            "{time}"
        );
    }
    stage.end().await;
}
