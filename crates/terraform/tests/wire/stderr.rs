//! What scripts write to stderr, and in whose errors it is shown.

use serde_json::json;
use tenon_tfplugin::proto::tfplugin6::configure_provider;
use tenon_values::Value;

use crate::blocks::{Shapes, assert_error, assert_none, shown, value};
use crate::core::{Core, Held};
use crate::ephemeral::{close, open};
use crate::stage::Stage;

/// The error of a create.
async fn create_fails(core: &Core, given: &[(&str, Value)]) -> String {
    let config = core.config(&[&[("props", value("{}"))], given].concat());
    let failed = core.apply(&core.plan(&core.nothing(), &config).await).await;
    assert!(failed.state.is_null());
    shown(&failed.diagnostics).join("\n")
}

fn thrown() -> serde_json::Value {
    json!({"code": -32000, "message": "no"})
}

/// A process has one call after the other; each error has what was written during its own.
#[tokio::test]
async fn an_error_shows_what_was_written_during_its_call() {
    let loud = |words: &str| json!({"stderr": [words], "print": [words], "error": thrown()});
    let core = Core::new(json!({"create": [
        {"stderr": ["the password is first-call"], "print": ["stray first-call"]},
        loud("second-call"),
        {"write_stderr": "no newline first-call", "print": ["stray first-call"]},
        loud("fourth-call"),
        {"stderr": ["fifth-call"], "exit": 3},
    ]}))
    .await;
    let config = core.config(&[("props", value("{}"))]);
    core.change(&core.nothing(), &config).await;
    let failed = create_fails(&core, &[]).await;
    assert_eq!(failed.matches("second-call").count(), 2, "{failed}");
    assert!(!failed.contains("first-call"), "{failed}");
    core.change(&core.nothing(), &config).await;
    let failed = create_fails(&core, &[]).await;
    assert_eq!(failed.matches("fourth-call").count(), 2, "{failed}");
    assert!(!failed.contains("first-call"), "{failed}");
    // Also where the process dies, although the reason may have been written before.
    let failed = create_fails(&core, &[]).await;
    assert!(
        failed.contains("fifth-call") && failed.contains("exit status: 3"),
        "{failed}"
    );
    assert!(failed.contains("other calls before"), "{failed}");
    for other in ["first", "second", "fourth"] {
        assert!(!failed.contains(&format!("{other}-call")), "{failed}");
    }
    assert_eq!(core.stage.processes().len(), 1);
    core.stage.end().await;
}

/// Nothing tells which of the calls wrote a line.
#[tokio::test]
async fn of_several_calls_in_a_process_no_error_shows_it() {
    let core = Core::new(json!({
        "create": {"stderr": ["the password is create"], "print": ["stray create"], "gate": "go"},
        "update": {"stderr": ["update"], "error": thrown()},
    }))
    .await;
    let many = ("max_in_flight", Value::from(9));
    let config = core.config(&[("props", value("{}")), many.clone()]);
    let held = Held {
        state: crate::blocks::with(&config, &[("id", "x".into())]),
        ..core.nothing()
    };
    let other = core.config(&[("props", value("1")), many]);
    let failed = async {
        core.stage.until_heard("create", 1).await;
        let failed = core.apply(&core.plan(&held, &other).await).await;
        core.stage.open("go");
        shown(&failed.diagnostics).join("\n")
    };
    let planned = core.plan(&core.nothing(), &config).await;
    let (created, failed) = tokio::join!(core.apply(&planned), failed);
    assert_none(&created.diagnostics);
    assert!(failed.contains("stderr is not shown"), "{failed}");
    assert!(!failed.contains("create"), "{failed}");
    // Alone in its process, a call has its lines again.
    let failed = core.apply(&core.plan(&held, &other).await).await;
    assert_error(&failed.diagnostics, &["stderr:\n  update"]);
    core.stage.end().await;
}

#[tokio::test]
async fn a_setting_keeps_it_out_of_errors() {
    let orders = json!({"create": {"stderr": ["written"], "error": thrown()}});
    let core = Core::new(orders).await;
    assert!(create_fails(&core, &[]).await.contains("written"));
    let shape = &core.shapes.provider;
    for (setting, is_shown) in [
        (Value::FALSE, false),
        (Value::TRUE, true),
        (Value::NULL, true),
    ] {
        let request = configure_provider::Request {
            config: shape.encode(&shape.block(&[("stderr_in_errors", setting)])),
            ..configure_provider::Request::default()
        };
        let answer = core.stage.client().configure_provider(request).await;
        assert_none(&answer.unwrap().into_inner().diagnostics);
        let failed = create_fails(&core, &[]).await;
        assert_eq!(failed.contains("written"), is_shown, "{failed}");
    }
    let broken = "import sys\nsys.exit('written')\n";
    let broken = core.stage.write("broken.py", broken);
    let request = configure_provider::Request {
        config: shape.encode(&shape.block(&[("stderr_in_errors", Value::FALSE)])),
        ..configure_provider::Request::default()
    };
    core.stage
        .client()
        .configure_provider(request)
        .await
        .unwrap();
    let config = core.config(&[("props", value("{}"))]);
    let path = Value::from(broken.to_str().unwrap());
    let config = crate::blocks::with(&config, &[("path", path)]);
    let failed = core.plan(&core.nothing(), &config).await;
    assert_error(&failed.diagnostics, &["Failed to start script"]);
    assert!(!shown(&failed.diagnostics).concat().contains("written"));
    core.stage.end().await;
}

/// Whoever closes an ephemeral resource need not have opened it.
#[tokio::test]
async fn private_data_are_masked_in_it() {
    let stage = Stage::new(json!({"open": {"with": {"privateData": {"key": "key-4711"}}}})).await;
    let shapes = Shapes::of(&stage).await;
    let opened = open(&stage, &shapes).await;
    let orders = json!({"close": {"stderr": ["closing key-4711"], "error": thrown()}});
    stage.write("orders.json", &orders.to_string());
    let other = Stage::beside(&stage).await;
    stage.end().await;
    let closed = close(&other, opened.private).await;
    assert_error(
        &closed.diagnostics,
        &["Failed to close", "closing (sensitive)"],
    );
    assert!(!shown(&closed.diagnostics).concat().contains("4711"));
    other.end().await;
}
