//! Teardowns with records of older and newer versions, and with changed files.

use serde_json::{Value, json};

use crate::stage::{Stage, action};
use crate::undoing::{SCENARIO, after_a_run, everything_is_undone};

/// Makes a record what the first version wrote.
fn make_old(stage: &Stage) {
    let mut record = stage.record();
    let all = record.as_object_mut().expect("an object");
    for name in ["format", "providers", "groups"] {
        all.remove(name);
    }
    for node in record["nodes"].as_array_mut().expect("actions") {
        let node = node.as_object_mut().expect("an object");
        node.remove("undo");
        node.remove("after");
    }
    stage.shell.file(&stage.record_name(), &record.to_string());
}

#[tokio::test]
async fn an_old_record_is_undone_by_its_file() {
    let mut stage = after_a_run().await;
    make_old(&stage);
    everything_is_undone(&mut stage).await;
}

#[tokio::test]
async fn an_old_record_whose_file_has_changed() {
    let mut stage = after_a_run().await;
    make_old(&stage);
    stage.scenario(&SCENARIO.replace("\"last\" {", "\"final\" {"));
    let record = stage.record_name();
    let outcome = stage.run(&format!("tenon teardown {record}")).await;
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    let named = "failed action.put.last";
    assert!(outcome.stderr.contains(named), "{}", outcome.stderr);
    assert_eq!(stage.rows("puppet").await, "last");
}

#[tokio::test]
async fn a_record_of_a_newer_version_is_refused() {
    let mut stage = after_a_run().await;
    let mut record = stage.record();
    record["format"] = json!(99);
    stage.shell.file(&stage.record_name(), &record.to_string());
    let record = stage.record_name();
    for command in ["run --resume", "teardown"] {
        let outcome = stage.run(&format!("tenon {command} {record}")).await;
        assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
        assert!(outcome.stderr.contains("format 99"), "{}", outcome.stderr);
    }
}

/// `--json` also reports that the files have changed.
#[tokio::test]
async fn changed_files_are_reported_as_json() {
    let mut stage = Stage::with_one_action(json!({}));
    assert_eq!(stage.run("tenon run demo.hcl").await.code, Some(0));
    let record = stage.record_name();
    stage.scenario(&format!("{}{}", action("a", ""), action("b", "")));
    let resumed = stage
        .run(&format!("tenon run --resume {record} --json"))
        .await;
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    let undone = stage.run(&format!("tenon teardown {record} --json")).await;
    assert_eq!(undone.code, Some(0), "{}", undone.stderr);
    for outcome in [resumed, undone] {
        let first = outcome.stdout.lines().next().expect("a line");
        let event: Value = serde_json::from_str(first).expect("an event");
        assert_eq!(event["event"], "diagnostic", "{first}");
        assert_eq!(event["diagnostic"]["severity"], "warning");
        let summary = event["diagnostic"]["summary"].as_str().expect("a text");
        assert!(summary.contains("demo.hcl has changed since"), "{summary}");
        assert_eq!(outcome.stderr, "");
    }
}
