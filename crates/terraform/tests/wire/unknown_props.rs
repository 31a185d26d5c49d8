//! Props that are not known while a plan is made: what the script is given for them, and that a
//! script that cannot cope does not stop the plan.

use serde_json::{Value as Json, json};
use tenon_tfplugin::proto::tfplugin6::Diagnostic;
use tenon_values::{Type, Value};

use crate::blocks::{assert_error, assert_none, part, shown, value, with};
use crate::core::{Action, Core};

fn unknown(ty: &str) -> Value {
    Value::unknown(ty.parse().unwrap())
}

/// A known name, and something that is known only after apply.
fn half_known() -> Value {
    let unknown = Value::unknown(Type::String).refine_not_null().unwrap();
    Value::object([("later", unknown), ("name", "a".into())])
}

#[track_caller]
fn assert_warning(diagnostics: &[Diagnostic], words: &[&str]) {
    let lines = shown(diagnostics);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].starts_with("warning"), "{lines:?}");
    for word in words {
        assert!(lines[0].contains(word), "no {word:?} in {}", lines[0]);
    }
}

#[tokio::test]
async fn what_is_unknown_is_the_empty_value_of_its_type_and_listed() {
    let core = Core::new(json!({"modifyPlan": {"result": null}})).await;
    let list = Value::tuple(vec![1.into(), unknown("any")]);
    let map = Value::map(Type::String, [("k", unknown("string"))]).unwrap();
    let props = Value::object([
        ("bool", unknown("bool")),
        ("list", list),
        ("map", map),
        ("number", unknown("number")),
        (
            "object",
            unknown("object({ a = string, b = list(string) })"),
        ),
        (
            "string",
            Value::unknown(Type::String).refine_not_null().unwrap(),
        ),
    ]);
    let planned = core
        .plan(&core.nothing(), &core.config(&[("props", props)]))
        .await;
    assert_none(&planned.diagnostics);
    assert!(!part(&planned.state, "modified_props").is_known());
    let planned = core
        .plan(&core.nothing(), &core.config(&[("props", unknown("any"))]))
        .await;
    assert_none(&planned.diagnostics);
    let paths: Vec<Vec<&str>> = [
        &["bool"][..],
        &["list", "1"],
        &["map", "k"],
        &["number"],
        &["object"],
        &["string"],
    ]
    .map(|path| [&["nextProps"], path].concat())
    .into();
    let expected = [
        json!({
            "planType": "create",
            "nextProps": {"bool": false, "list": [1, ""], "map": {"k": ""}, "number": 0,
                "object": {"a": "", "b": []}, "string": ""},
            "unknownProps": paths,
        }),
        json!({"planType": "create", "nextProps": {}, "unknownProps": [["nextProps"]]}),
    ];
    assert_eq!(core.stage.heard_of("modifyPlan"), expected);
    core.stage.end().await;
}

#[tokio::test]
async fn errors_about_what_is_unknown_are_dropped_and_others_are_warnings() {
    let error = |path: Json| json!({"severity": "error", "summary": "bad", "propPath": path});
    let core = Core::new(json!({"modifyPlan": [
        {"result": {"modifiedProps": {"a": "guess"}, "diagnostics": [
            error(json!(["nextProps", "later"])), error(json!(["props", "later", 1, "c"])),
            {"severity": "warning", "summary": "kept", "propPath": ["nextProps", "later"]}]}},
        {"result": {"diagnostics": [error(json!(["props", "name"]))]}},
        // As Zod reports what is wrong with the whole.
        {"result": {"diagnostics": [{"severity": "error", "summary": "Zod Validation Issue",
            "detail": "Invalid input"}]}},
        {"result": {"diagnostics": [error(json!(["props", "name"]))]}},
    ]}))
    .await;
    let config = core.config(&[("props", half_known())]);
    let planned = core.plan(&core.nothing(), &config).await;
    assert_eq!(
        shown(&planned.diagnostics),
        ["warning at .props[\"later\"]: kept: "]
    );
    let note = "Not known yet: props.later. The script reports this error with placeholders";
    let planned = core.plan(&core.nothing(), &config).await;
    assert_warning(
        &planned.diagnostics,
        &["warning at .props[\"name\"]: bad: ", note],
    );
    let planned = core.plan(&core.nothing(), &config).await;
    let words = ["warning: Zod Validation Issue: ", note, "Invalid input"];
    assert_warning(&planned.diagnostics, &words);
    // When everything is known an error is one.
    let known = core.config(&[("props", value(r#"{"name": "a"}"#))]);
    let planned = core.plan(&core.nothing(), &known).await;
    assert_error(&planned.diagnostics, &["error at .props[\"name\"]: bad: "]);
    core.stage.end().await;
}

/// A schema that refuses the placeholder keeps the script from saying whether an update is one.
#[tokio::test]
async fn an_update_without_advice_is_worth_a_warning() {
    let error = json!([{"severity": "error", "summary": "bad", "propPath": ["props", "later"]}]);
    let core = Core::new(json!({"modifyPlan": [
        {"result": null},
        {"result": {"diagnostics": error}},
        {"result": {"diagnostics": error, "requiresReplacement": true}},
    ]}))
    .await;
    let known = core.config(&[("props", value(r#"{"later": "b", "name": "a"}"#))]);
    let held = core.change(&core.nothing(), &known).await;
    let config = core.config(&[("props", half_known())]);
    let planned = core.plan(&held, &config).await;
    let words = [
        "Plan without the script's advice",
        "props.later",
        "inconsistent final plan",
    ];
    assert_warning(&planned.diagnostics, &words);
    assert_eq!(planned.action, Action::Update);
    let planned = core.plan(&held, &config).await;
    assert_none(&planned.diagnostics);
    assert_eq!(planned.action, Action::Replace);
    core.stage.end().await;
}

/// Whatever a script does with placeholders, the plan that upstream would make is made.
#[tokio::test]
async fn a_script_that_fails_with_placeholders_does_not_stop_the_plan() {
    let thrown = json!({"error": {"code": -32603, "message": "Internal error"},
        "stderr": ["uncaught error TypeError: nextProps.later.map is not a function"]});
    for (order, words) in [
        (
            thrown,
            &["TypeError: nextProps.later.map is not a function"][..],
        ),
        (
            json!({"error": {"code": -32000, "message": "no name"}}),
            &["no name"],
        ),
        (
            json!({"exit": 3, "stderr": ["Uncaught"]}),
            &["exit status: 3", "Uncaught"],
        ),
        (json!({"result": 5}), &["answers with an object"]),
        (
            json!({"result": {"requiresReplacement": "yes"}}),
            &["requiresReplacement"],
        ),
        (json!({"hang": true}), &["within 1s"]),
    ] {
        let core = Core::new(json!({"modifyPlan": order.clone()})).await;
        // Only the one that hangs has a limit: others may take long on a busy machine.
        let limit = order.get("hang").map(|_| ("timeout", Value::from(1)));
        let config = |props: Value| {
            let given = [Some(("props", props)), limit.clone()];
            core.config(&given.into_iter().flatten().collect::<Vec<_>>())
        };
        let planned = core.plan(&core.nothing(), &config(half_known())).await;
        let note = "Not known yet: props.later. The script failed with placeholders";
        let words = [&["Failed to modify plan", note][..], words].concat();
        assert_warning(&planned.diagnostics, &words);
        assert_eq!(planned.action, Action::Create);
        assert!(!shown(&planned.diagnostics)[0].contains("inconsistent"));

        // When everything is known it stops the plan.
        let props = value(r#"{"later": "b", "name": "a"}"#);
        let known = config(props.clone());
        let refused = core.plan(&core.nothing(), &known).await;
        assert_error(&refused.diagnostics, &["Failed to modify plan"]);

        // The same for an update, which may turn out to be a replacement.
        let unlimited = core.config(&[("props", props)]);
        let held = core.apply(&planned_create(&core, &unlimited).await).await;
        let planned = core.plan(&held, &config(half_known())).await;
        assert_warning(
            &planned.diagnostics,
            &[note, "inconsistent final plan", "again"],
        );
        assert_eq!(planned.action, Action::Update);
        core.stage.end().await;
    }
}

/// A plan of a script that is not asked.
async fn planned_create(core: &Core, config: &Value) -> crate::core::Planned {
    let unknown = with(config, &[("path", Value::unknown(Type::String))]);
    let planned = core.plan(&core.nothing(), &unknown).await;
    assert_none(&planned.diagnostics);
    planned.with_config(config)
}

/// A script that cannot even be started is broken whatever is known.
#[tokio::test]
async fn a_script_that_cannot_be_started_stops_the_plan() {
    let core = Core::new(json!({})).await;
    let broken = core.stage.write("broken.py", "import sys; sys.exit(4)\n");
    let path = ("path", Value::from(broken.to_str().unwrap()));
    let config = with(&core.config(&[("props", half_known())]), &[path]);
    let planned = core.plan(&core.nothing(), &config).await;
    assert_error(
        &planned.diagnostics,
        &["error at .path: Failed to start script"],
    );
    core.stage.end().await;
}
