//! A run that is resumed with other variables than it began with.

use serde_json::json;

use crate::stage::{Stage, action};

/// `a` is done with `old`, then `b` fails.
async fn half_done() -> Stage {
    let error = json!({ "code": "execute_failed", "message": "no" });
    let mut stage = Stage::new(json!({ "execute b-first 1": [["error", error]] }));
    stage.scenario(
        r#"
  variable "old" {
    default = "first"
  }
  variable "new" {
    default = "first"
  }
  variable "greeting" {
    default = "hello"
  }
  locals {
    name = "a-${var.old}"
  }
  provider "puppet" {
    greeting = var.greeting
  }
  action "put" "a" {
    name = local.name
  }
  action "put" "b" {
    name  = "b-${var.new}"
    input = action.put.a.name
  }
"#,
    );
    let outcome = stage.run("tenon run demo.hcl").await;
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    stage
}

#[tokio::test]
async fn a_value_that_done_actions_depend_on_is_refused() {
    let mut stage = half_done().await;
    let record = stage.record_name();
    let before = stage.text(&record);
    for (given, named) in [
        ("--var old=second", "action.put.a"),
        // Its provider was configured with it.
        ("--var greeting=bye", "action.put.a"),
    ] {
        let line = format!("tenon run --resume {record} {given}");
        let outcome = stage.run(&line).await;
        assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
        assert!(outcome.stderr.contains(named), "{}", outcome.stderr);
        assert!(
            outcome.stderr.contains("has changed since this run began"),
            "{}",
            outcome.stderr
        );
    }
    let line = format!("TENON_VAR_old=second tenon run --resume {record} --json");
    let outcome = stage.run(&line).await;
    assert_eq!(outcome.code, Some(2), "{}", outcome.stdout);
    assert!(
        outcome.stdout.contains("the variable \\\"old\\\""),
        "{}",
        outcome.stdout
    );
    assert_eq!(stage.text(&record), before);
    assert_eq!(stage.rows("puppet").await, "a-first");
    insta::assert_snapshot!(stage.transcript());
}

#[tokio::test]
async fn the_same_value_may_be_given_again() {
    let mut stage = half_done().await;
    let record = stage.record_name();
    let line = format!("tenon run --resume {record} --var old=first --var greeting=hello");
    let outcome = stage.run(&line).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(stage.rows("puppet").await, "a-first b-first");
}

/// Nothing that is done depends on it, so it is used, and the record says so.
#[tokio::test]
async fn a_value_that_nothing_done_depends_on_is_used_and_recorded() {
    let mut stage = half_done().await;
    let record = stage.record_name();
    let line = format!("tenon run --resume {record} --var new=second");
    let outcome = stage.run(&line).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(stage.rows("puppet").await, "a-first b-second");
    assert_eq!(stage.record()["variables"]["new"], "second");
}

/// How many there are, and which, is decided by variables too. An instance that is done is there
/// because of the old value, also if there is none with the new one.
#[tokio::test]
async fn a_value_that_decided_how_many_are_done_is_refused() {
    let error = json!({ "code": "execute_failed", "message": "no" });
    let mut stage = Stage::new(json!({ "execute last 1": [["error", error]] }));
    stage.shell.file(
        "part.hcl",
        r#"
component "part" {
  variable "size" {
    default = 1
  }
  action "put" "piece" {
    count = var.size
    name  = "piece${count.index}"
  }
}
"#,
    );
    stage.scenario(
        r#"
  variable "many" {
    default = 2
  }
  variable "names" {
    type    = list(string)
    default = ["x"]
  }
  variable "size" {
    default = 1
  }
  variable "parts" {
    default = 1
  }
  variable "unused" {
    default = 1
  }
  locals {
    names = toset(var.names)
  }
  component "part" "p" {
    source = "./part.hcl"
    count  = var.parts
    inputs = { size = var.size }
  }
  action "put" "counted" {
    count = var.many
    name  = "counted${count.index}"
  }
  action "put" "named" {
    for_each = local.names
    name     = "named"
  }
  action "put" "last" {
    name       = "last"
    depends_on = [action.put.counted, action.put.named, component.part.p]
  }
  action "put" "never" {
    count      = var.unused
    name       = "never"
    depends_on = [action.put.last]
  }
"#,
    );
    let outcome = stage.run("tenon run demo.hcl").await;
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    let record = stage.record_name();
    let before = stage.text(&record);
    for (given, named) in [
        ("many=1", "action.put.counted[0]"),
        ("many=3", "action.put.counted[0], action.put.counted[1]"),
        ("many=0", "action.put.counted[0], action.put.counted[1]"),
        ("'names=[\"y\"]'", "action.put.named[\"x\"]"),
        ("'names=[]'", "action.put.named[\"x\"]"),
        ("size=2", "component.part.p[0].action.put.piece[0]"),
        ("parts=0", "component.part.p[0].action.put.piece[0]"),
    ] {
        let line = format!("tenon run --resume {record} --var {given}");
        let outcome = stage.run(&line).await;
        assert_eq!(outcome.code, Some(2), "{given}: {}", outcome.stderr);
        let expected = format!("done with the old value: {named}");
        assert!(outcome.stderr.contains(&expected), "{}", outcome.stderr);
    }
    assert_eq!(stage.text(&record), before);
    // Nothing of this one is done.
    let line = format!("tenon run --resume {record} --var unused=2");
    let outcome = stage.run(&line).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
}

/// Nothing of an action exists that failed, so nothing is missing when it is not in the file any more.
#[tokio::test]
async fn a_failed_action_that_is_no_longer_in_the_file() {
    let no = json!([["error", { "code": "execute_failed", "message": "no" }]]);
    let mut stage = Stage::new(json!({ "execute b 1": no }));
    stage.scenario(&format!("{}{}", action("a", ""), action("b", "")));
    assert_eq!(stage.run("tenon run demo.hcl").await.code, Some(1));
    let record = stage.record_name();
    stage.scenario(&action("a", ""));
    let outcome = stage.run(&format!("tenon run --resume {record}")).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(
        outcome.stderr.contains("succeeded: 1 done in"),
        "{}",
        outcome.stderr
    );
    assert_eq!(stage.statuses(), "a succeeded, b pending");
}

/// One that may have been done is named, with what to do about it.
#[tokio::test]
async fn an_unknown_outcome_that_is_no_longer_in_the_file() {
    let unknown = json!(["work", ["error", { "code": "outcome_unknown", "message": "lost" }]]);
    let mut stage = Stage::new(json!({ "execute b 1": unknown }));
    stage.scenario(&format!("{}{}", action("a", ""), action("b", "")));
    assert_eq!(stage.run("tenon run demo.hcl").await.code, Some(1));
    let record = stage.record_name();
    stage.scenario(&action("a", ""));
    for (flags, code, said) in [
        ("", 2, "action.put.b (no longer in the scenario"),
        (
            " --redo-maybe",
            1,
            "the outcome of action.put.b is unknown, and it is no longer in the scenario",
        ),
    ] {
        let line = format!("tenon run --resume {record}{flags}");
        let outcome = stage.run(&line).await;
        assert_eq!(outcome.code, Some(code), "{}", outcome.stderr);
        assert!(outcome.stderr.contains(said), "{}", outcome.stderr);
        assert!(
            outcome.stderr.contains("`tenon teardown`"),
            "{}",
            outcome.stderr
        );
    }
    let outcome = stage.run(&format!("tenon teardown {record}")).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(stage.rows("puppet").await, "");
}
