//! Teardowns of runs in which actions were run again.

use std::fs;

use insta::assert_snapshot;
use serde_json::json;

use crate::stage::{Stage, action, action_after};
use crate::undoing::after_a_run;

/// Both executions of an action that was run again are undone, each by what it returned.
#[tokio::test]
async fn what_was_there_before_an_action_was_run_again() {
    let mut stage = Stage::new(json!({
        "execute a 1": ["work", ["answer", { "outputs": { "name": "one" } }]],
        "execute a 2": ["work", ["answer", { "outputs": { "name": "two" } }]],
    }));
    let uses_itself =
        action("a", "").replace("\"a\"\n        is_removed", "self.name\n        is_removed");
    stage.scenario(&uses_itself);
    assert_eq!(stage.run("tenon run demo.hcl").await.code, Some(0));
    let record = stage.record_name();
    let line = format!("tenon run --resume {record} --redo action.put.a");
    assert_eq!(stage.run(&line).await.code, Some(0));
    let outcome = stage.run(&format!("tenon teardown {record}")).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let diary = stage.diary();
    for name in ["one", "two"] {
        let line = format!("begin removing {name}");
        assert_eq!(
            diary.iter().filter(|other| **other == line).count(),
            1,
            "{name}"
        );
    }
    let outcome = stage.run(&format!("tenon teardown {record}")).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(stage.diary(), diary);
    assert_snapshot!(stage.transcript());
}

/// All instances at once, and no mistake goes unnoticed.
#[tokio::test]
async fn what_is_to_be_run_again() {
    let mut stage = after_a_run().await;
    let record = stage.record_name();
    let line = format!("tenon run --resume {record} --redo");
    let before = stage.diary().len();
    for (wrong, help) in [("action.put.eac", "action.put.each"), ("nothing", "")] {
        let outcome = stage.run(&format!("{line} {wrong}")).await;
        assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
        let said = format!("unknown action `{wrong}`, which was to be run again");
        assert!(outcome.stderr.contains(&said), "{}", outcome.stderr);
        assert!(outcome.stderr.contains(help), "{}", outcome.stderr);
    }
    let alone = stage.run("tenon run demo.hcl --redo action.put.last").await;
    assert_eq!(alone.code, Some(2), "{}", alone.stderr);
    assert_eq!(stage.diary().len(), before);
    for (right, names) in [
        ("action.put.each", &["each-x", "each-y"][..]),
        ("component.box.one", &["boxed"]),
    ] {
        let before = stage.diary().len();
        let outcome = stage.run(&format!("{line} {right} -j 1")).await;
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        let diary = stage.diary();
        let begun = diary[before..].iter();
        let begun: Vec<&str> = begun
            .filter_map(|line| line.strip_prefix("begin "))
            .collect();
        assert_eq!(begun, names);
    }
}

/// What is done stays done when an action before it is run again and fails.
#[tokio::test]
async fn what_depends_on_an_action_that_was_run_again_in_vain() {
    let error = json!({ "code": "execute_failed", "message": "no" });
    let mut stage = Stage::new(json!({ "execute a 2": [["error", error]] }));
    stage.scenario(&format!("{}{}", action("a", ""), action_after("b", "a")));
    assert_eq!(stage.run("tenon run demo.hcl").await.code, Some(0));
    let record = stage.record_name();
    let line = format!("tenon run --resume {record} --redo action.put.a");
    assert_eq!(stage.run(&line).await.code, Some(1));
    assert_eq!(stage.statuses(), "a failed, b succeeded");
    let outcome = stage.run(&format!("tenon teardown {record}")).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(stage.rows("puppet").await, "");
}

/// A run that is resumed with more actions and is killed forgets none of them.
#[tokio::test]
async fn actions_that_were_added_before_a_crash() {
    let mut stage = Stage::new(json!({ "execute b 1": ["work", ["gate", "here"], "answer"] }));
    stage.scenario(&action("a", ""));
    assert_eq!(stage.run("tenon run demo.hcl").await.code, Some(0));
    let record = stage.record_name();
    stage.scenario(&format!("{}{}", action("a", ""), action_after("b", "a")));
    let started = stage.start(&format!("tenon run --resume {record}"));
    stage.reached("puppet", "here").await;
    started.kill().await;
    stage.open("puppet", "here");
    fs::remove_file(stage.shell.path("demo.hcl")).expect("a file");
    let outcome = stage.run(&format!("tenon teardown {record}")).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(stage.rows("puppet").await, "");
}
