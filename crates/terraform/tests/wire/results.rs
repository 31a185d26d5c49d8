//! The types and numbers of results.

use serde_json::{Value as Json, json};
use tenon_values::{Type, Value};

use crate::blocks::{Shapes, assert_none, part, value, with};
use crate::core::{Action, Core, Held};
use crate::data::look;
use crate::ephemeral::open;
use crate::stage::Stage;

fn ty(text: &str) -> Type {
    text.parse().unwrap()
}

/// A result, and the type that it has with upstream, where upstream did not crash.
const ARRAYS: [(&str, &str); 9] = [
    (r#"["10.0.0.1", "10.0.0.2"]"#, "list(string)"),
    ("[]", "list(any)"),
    ("[1, null]", "list(number)"),
    ("[[1, 2], [3]]", "list(list(number))"),
    ("[[], [1]]", "list(list(number))"),
    (r#"[{"a": 1}, {"a": 2}]"#, "list(object({ a = number }))"),
    (r#"[{"a": null}, {"a": 2}]"#, "list(object({ a = number }))"),
    (r#"[1, "a"]"#, "tuple([number, string])"),
    (
        r#"[{"a": 1}, {"b": 2}]"#,
        "tuple([object({ a = number }), object({ b = number })])",
    ),
];

#[tokio::test]
async fn arrays_of_one_type_are_lists_as_upstream_has_them() {
    for (array, expected) in ARRAYS {
        let sent: Json = serde_json::from_str(&format!("{{\"ips\": {array}}}")).unwrap();
        let result = json!({"result": {"result": sent, "sensitiveResult": sent}});
        let state = json!({"with": {"state": sent, "sensitiveState": sent}});
        let stage = Stage::new(json!({"read": result, "open": result})).await;
        let shapes = Shapes::of(&stage).await;
        let looked = look(&stage, &shapes, value("{}")).await;
        let looked = shapes.data_source.decode(looked.state.as_ref());
        let opened = open(&stage, &shapes).await;
        let opened = shapes.ephemeral.decode(opened.result.as_ref());
        for block in [looked, opened] {
            for name in ["result", "sensitive_result"] {
                let ips = part(&part(&block, name), "ips");
                assert_eq!(ips.ty(), ty(expected), "{array} in {name}");
            }
        }
        stage.end().await;

        let core = Core::new(json!({"create": state, "update": state, "read": state})).await;
        let config = core.config(&[("props", value("{}"))]);
        let made = core.change(&core.nothing(), &config).await;
        let read = core.read(&made).await;
        assert_eq!(read.state, made.state);
        let other = core.config(&[("props", value(r#"{"a": 1}"#))]);
        let changed = core.change(&read, &other).await;
        for block in [&made.state, &changed.state] {
            for name in ["state", "sensitive_state"] {
                let ips = part(&part(block, name), "ips");
                assert_eq!(ips.ty(), ty(expected), "{array} in {name}");
            }
        }
        core.stage.end().await;
    }
}

/// States of versions that stored all arrays as tuples stay unchanged until something changes: with
/// another type, a change would be planned for everything that depends on them.
#[tokio::test]
async fn tuples_in_a_state_stay_while_they_fit() {
    let state = |ips: Json| json!({"with": {"state": {"ips": ips}}});
    let core = Core::new(json!({
        "read": [state(json!(["a", "b"])), state(json!(["a", "c"])), state(json!(["a", "b", "c"]))],
    }))
    .await;
    let config = core.config(&[("props", value("{}"))]);
    let made = core.change(&core.nothing(), &config).await;
    let old = value(r#"{"ips": ["a", "b"]}"#);
    let old = Held {
        state: with(&made.state, &[("state", old)]),
        ..made
    };
    let same = core.read(&old).await;
    assert_eq!(same.state, old.state);
    assert_eq!(core.plan(&same, &config).await.action, Action::Nothing);
    let ips = |held: &Held| part(&part(&held.state, "state"), "ips").ty();
    assert_eq!(ips(&core.read(&old).await), ty("tuple([string, string])"));
    assert_eq!(ips(&core.read(&old).await), ty("list(string)"));
    core.stage.end().await;
}

/// A literal in a configuration is a tuple, and props that are read must be the same.
#[tokio::test]
async fn arrays_in_props_are_tuples_as_literals_are() {
    let props = json!({"ips": ["a", "b"]});
    let core = Core::new(json!({"read": {"with": {"props": props}}})).await;
    let made = core
        .change(&core.nothing(), &core.config(&[("props", value("{}"))]))
        .await;
    let imported = Held {
        state: with(&made.state, &[("props", Value::NULL)]),
        ..made
    };
    let read = core.read(&imported).await;
    assert_eq!(part(&read.state, "props"), value(&props.to_string()));
    let config = core.config(&[("props", value(&props.to_string()))]);
    assert_eq!(core.plan(&read, &config).await.action, Action::Nothing);
    core.stage.end().await;
}

/// What a script in JavaScript returns for numbers that a double cannot represent.
#[tokio::test]
async fn numbers_that_are_the_same_double_are_not_a_change() {
    let third = Value::from(1).divide(&Value::from(3)).unwrap();
    for (number, returned, is_same) in [
        (third.clone(), json!(1.0 / 3.0), true),
        (third, json!(0.333), false),
        (
            value("9007199254740993"),
            json!(9_007_199_254_740_992_u64),
            true,
        ),
        (
            value("9007199254740993"),
            json!(9_007_199_254_740_994_u64),
            false,
        ),
        // Only a program with exact integers writes this one.
        (
            value("1234567890123456789"),
            json!(1_234_567_890_123_456_790_u64),
            false,
        ),
        (value("0.1"), json!(0.1), true),
        (value("1e-400"), json!(0), true),
        (value("1e400"), json!(null), true),
        (value("5"), json!(null), false),
    ] {
        let read = json!({"props": {"n": returned, "list": [returned]}});
        let modified = json!({"result": {"modifiedProps": read["props"]}});
        let orders = json!({"read": {"with": read}, "modifyPlan": modified});
        let core = Core::new(orders).await;
        let list = Value::tuple(vec![number.clone()]);
        let props = Value::object([("n", number.clone()), ("list", list)]);
        let config = core.config(&[("props", props.clone())]);
        let planned = core.plan(&core.nothing(), &config).await;
        assert_none(&planned.diagnostics);
        let modified = part(&planned.state, "modified_props");
        assert_eq!(modified.is_null(), is_same, "{number} and {returned}");

        let made = core.apply(&planned).await;
        let bare = with(&made.state, &[("modified_props", Value::NULL)]);
        let read = core
            .read(&Held {
                state: bare,
                ..made
            })
            .await;
        assert_eq!(
            part(&read.state, "props") == props,
            is_same,
            "{number} and {returned}"
        );
        core.stage.end().await;
    }
}

/// Another number in the configuration is a change, even if it is the same double.
#[tokio::test]
async fn another_number_in_the_configuration_is_a_change() {
    let core = Core::new(json!({})).await;
    let config = |number: &str| core.config(&[("props", value(&format!("{{\"n\": {number}}}")))]);
    let made = core
        .change(&core.nothing(), &config("9007199254740992"))
        .await;
    let planned = core.plan(&made, &config("9007199254740993")).await;
    assert_eq!(planned.action, Action::Update);
    core.stage.end().await;
}
