//! Actions that are tried again, and actions that take too long.

use insta::assert_snapshot;
use serde_json::json;

use crate::stage::{Stage, action, action_after};

fn error(code: &str) -> serde_json::Value {
    json!([["error", { "code": code, "message": "not yet" }]])
}

fn retry(more: &str) -> String {
    format!("retry {{\n      attempts = 3\n      delay    = \"10ms\"\n      {more}\n    }}")
}

#[tokio::test]
async fn the_third_attempt() {
    let mut stage = Stage::new(json!({
        "execute a 1": error("execute_failed"),
        "execute a 2": error("out_of_coffee"),
    }));
    stage.scenario(&action("a", &retry("")));
    let outcome = stage.run("tenon run demo.hcl").await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(stage.record()["nodes"][0]["attempts"], 3);
    assert_eq!(stage.rows("puppet").await, "a");
    assert_snapshot!(stage.transcript());
}

#[tokio::test]
async fn no_attempt_is_left() {
    let mut stage = Stage::new(json!({ "execute a": error("execute_failed") }));
    stage.scenario(&action("a", &retry("")));
    let outcome = stage.run("tenon run demo.hcl").await;
    assert_eq!(outcome.code, Some(1));
    assert_eq!(stage.text("puppet.a.attempts"), "...");
    assert_eq!(stage.statuses(), "a failed");
    assert_snapshot!(stage.transcript());
}

#[tokio::test]
async fn only_some_errors_are_worth_it() {
    let mut stage = Stage::new(json!({
        "execute a": error("execute_failed"),
        "execute b 1": error("out_of_coffee"),
    }));
    let on = retry("on       = [\"out_of_coffee\"]");
    stage.scenario(&format!("{}{}", action("a", &on), action("b", &on)));
    let outcome = stage.run("tenon run demo.hcl -j 1").await;
    assert_eq!(outcome.code, Some(1));
    assert_eq!(stage.text("puppet.a.attempts"), ".");
    assert_eq!(stage.text("puppet.b.attempts"), "..");
    assert_eq!(stage.statuses(), "a failed, b succeeded");
}

/// What hangs is ended; another process does the rest.
#[tokio::test]
async fn too_long() {
    let mut stage = Stage::new(json!({
        "execute a": [["say", "just a moment"], "stubborn", "hang"],
    }));
    let limited = action("a", "timeout = \"500ms\"");
    let actions = [limited, action_after("b", "a"), action("c", "")];
    stage.scenario(&actions.concat());
    let outcome = stage.run("tenon run demo.hcl -j 1").await;
    assert_eq!(outcome.code, Some(5), "{}", outcome.stderr);
    assert_eq!(stage.statuses(), "a maybe, b skipped, c succeeded");
    assert_eq!(stage.text("puppet.started"), "..");
    stage.assert_is_closed();
    assert_snapshot!(stage.transcript());
}

#[tokio::test]
async fn too_long_the_first_time() {
    let mut stage = Stage::new(json!({ "execute a 1": ["hang"] }));
    let retry = retry("on       = [\"timed_out\"]");
    stage.scenario(&action(
        "a",
        &format!("timeout = \"500ms\"\n    idempotent = true\n    {retry}"),
    ));
    let outcome = stage.run("tenon run demo.hcl").await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(stage.text("puppet.started"), "..");
    assert_eq!(stage.statuses(), "a succeeded");
    assert_snapshot!(stage.transcript());
}

/// The first attempt may have done it, so it is undone, although the second one says that it failed.
#[tokio::test]
async fn too_long_and_then_refused() {
    let mut stage = Stage::new(json!({
        "execute a 1": ["work", "hang"],
        "execute a 2": error("is_there_already"),
    }));
    let retry = retry("on       = [\"timed_out\"]");
    stage.scenario(&action(
        "a",
        &format!("timeout = \"500ms\"\n    idempotent = true\n    {retry}"),
    ));
    let outcome = stage.run("tenon run demo.hcl").await;
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    assert_eq!(stage.statuses(), "a maybe");
    assert_eq!(stage.rows("puppet").await, "a");
    let record = stage.record_name();
    let outcome = stage.run(&format!("tenon teardown {record}")).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(stage.rows("puppet").await, "");
}

/// The new process does not start: what was never handed to it is not done.
#[tokio::test]
async fn a_restart_that_fails() {
    let mut stage = Stage::new(json!({
        "execute a": ["hang"],
        "describe": ["once", "answer"],
    }));
    let limited = action("a", "timeout = \"500ms\"");
    stage.scenario(&format!("{limited}{}", action("c", "")));
    let outcome = stage.run("tenon run demo.hcl -j 1").await;
    assert_eq!(outcome.code, Some(4), "{}", outcome.stderr);
    assert_eq!(stage.statuses(), "a maybe, c failed");
    stage.assert_is_closed();
    assert_snapshot!(stage.transcript());
}

/// Several that need a provider which was ended wait for one start, and it is ended as it should.
#[tokio::test]
async fn one_restart_is_for_all_who_need_it() {
    // Three take the room of the provider and hang; the others wait for it.
    let mut stage = Stage::new(json!({
        "schema": { "max_in_flight": 3 },
        "execute a": ["hang"],
        "execute b": ["hang"],
        "execute c": ["hang"],
    }));
    let limited = ["a", "b", "c"].map(|name| action(name, "timeout = \"500ms\""));
    let others = ["d", "e", "f"].map(|name| action(name, ""));
    stage.scenario(&[limited.concat(), others.concat()].concat());
    let outcome = stage.run("tenon run demo.hcl -j 8").await;
    assert_eq!(outcome.code, Some(5), "{}", outcome.stderr);
    assert_eq!(stage.text("puppet.started"), "..", "{}", outcome.stderr);
    let heard = stage.text("puppet.heard");
    assert_eq!(heard.matches("\"configure\"").count(), 2, "{heard}");
    assert_eq!(heard.matches("\"shutdown\"").count(), 1, "{heard}");
    stage.assert_is_closed();
}
