//! A teardown undoes what its record says, whatever has become of the scenario.

use std::fs;

use insta::assert_snapshot;
use serde_json::json;

use crate::stage::{Stage, action, action_after};

/// Two instances, an action after them, and a component.
pub(crate) const SCENARIO: &str = r#"
  variable "names" {
    default = { x = 1, y = 2 }
  }
  action "put" "each" {
    for_each = var.names
    name     = "each-${each.key}"
    lifecycle {
      teardown {
        name       = self.name
        is_removed = true
      }
    }
  }
  action "put" "last" {
    name  = "last"
    input = [for one in action.put.each : one.name]
    lifecycle {
      teardown {
        name       = "last"
        is_removed = true
      }
    }
  }
  component "box" "one" {
    source = "./box.hcl"
    inputs = { name = "boxed" }
  }
"#;

const BOX: &str = r#"
component "box" {
  variable "name" {}
  action "put" "inner" {
    name = var.name
    lifecycle {
      teardown {
        name       = var.name
        is_removed = true
      }
    }
  }
}

"#;

pub(crate) async fn after_a_run() -> Stage {
    let mut stage = Stage::new(json!({}));
    stage.scenario(SCENARIO);
    stage.shell.file("box.hcl", BOX);
    let outcome = stage.run("tenon run demo.hcl -j 1").await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(stage.rows("puppet").await, "boxed each-x each-y last");
    stage
}

/// Everything is gone, and it was undone in the opposite order of the run.
pub(crate) async fn everything_is_undone(stage: &mut Stage) -> String {
    let record = stage.record_name();
    let outcome = stage.run(&format!("tenon teardown {record} -j 1")).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(stage.rows("puppet").await, "");
    let diary = stage.diary();
    let removed = diary
        .iter()
        .filter_map(|line| line.strip_prefix("begin removing "));
    let removed: Vec<&str> = removed.collect();
    assert_eq!(removed, ["boxed", "last", "each-y", "each-x"]);
    stage.assert_is_closed();
    outcome.stderr
}

#[tokio::test]
async fn with_an_instance_deleted_from_the_file() {
    let mut stage = after_a_run().await;
    stage.scenario(&SCENARIO.replace(", y = 2", ""));
    let said = everything_is_undone(&mut stage).await;
    assert!(
        said.contains("demo.hcl has changed since this run"),
        "{said}"
    );
}

#[tokio::test]
async fn with_other_keys() {
    let mut stage = after_a_run().await;
    stage.scenario(&SCENARIO.replace("y = 2", "z = 2"));
    everything_is_undone(&mut stage).await;
}

#[tokio::test]
async fn with_an_action_renamed() {
    let mut stage = after_a_run().await;
    stage.scenario(&SCENARIO.replace("\"last\" {", "\"final\" {"));
    everything_is_undone(&mut stage).await;
}

#[tokio::test]
async fn with_a_teardown_that_says_something_else() {
    let mut stage = after_a_run().await;
    stage.scenario(&SCENARIO.replace(
        "= \"last\"\n        is_removed",
        "= \"x\"\n        is_removed",
    ));
    everything_is_undone(&mut stage).await;
}

#[tokio::test]
async fn with_the_component_removed() {
    let mut stage = after_a_run().await;
    fs::remove_file(stage.shell.path("box.hcl")).expect("a file");
    everything_is_undone(&mut stage).await;
}

#[tokio::test]
async fn with_the_provider_removed_from_the_file() {
    let mut stage = after_a_run().await;
    stage.scenario_with("", "");
    everything_is_undone(&mut stage).await;
}

#[tokio::test]
async fn with_a_file_that_cannot_be_read() {
    let mut stage = after_a_run().await;
    stage.shell.file("demo.hcl", "scenario \"demo\" {");
    everything_is_undone(&mut stage).await;
}

#[tokio::test]
async fn without_the_file() {
    let mut stage = after_a_run().await;
    fs::remove_file(stage.shell.path("demo.hcl")).expect("a file");
    let said = everything_is_undone(&mut stage).await;
    assert!(said.contains("demo.hcl no longer exists"), "{said}");
}

/// The file says where its programs are now; what is undone is still what the record says.
#[tokio::test]
async fn with_the_whole_folder_moved() {
    let mut stage = after_a_run().await;
    fs::create_dir(stage.shell.path("moved")).expect("a folder");
    for name in [
        "demo.hcl",
        "box.hcl",
        "puppet",
        "puppet.json",
        "puppet.rows",
    ] {
        let there = stage.shell.path("moved").join(name);
        fs::rename(stage.shell.path(name), there).expect("a file");
    }
    let record = stage.record_name();
    let line = format!("tenon teardown {record}");
    assert_eq!(stage.run(&line).await.code, Some(3));
    let outcome = stage.run(&format!("{line} --file moved/demo.hcl")).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(stage.rows("moved/puppet").await, "");
}

/// What undoes the first is known only when the last is done.
#[tokio::test]
async fn with_what_a_later_action_returned() {
    let mut stage = Stage::new(json!({}));
    stage.scenario(&format!(
        r#"
  locals {{
    later = action.put.b.name
  }}
  action "put" "a" {{
    name = "a"
    lifecycle {{
      teardown {{
        name       = "a"
        input      = "${{local.later}} ${{self.name}}"
        is_removed = true
      }}
    }}
  }}
{}"#,
        action_after("b", "a")
    ));
    assert_eq!(stage.run("tenon run demo.hcl").await.code, Some(0));
    fs::remove_file(stage.shell.path("demo.hcl")).expect("a file");
    let record = stage.record_name();
    let outcome = stage.run(&format!("tenon teardown {record}")).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(stage.rows("puppet").await, "");
    assert!(stage.text("puppet.heard").contains("\"b a\""));
}

/// The journal alone knows what undoes it.
#[tokio::test]
async fn after_a_crash_without_the_file() {
    let mut stage = Stage::new(json!({ "execute b 1": ["work", ["gate", "here"], "answer"] }));
    stage.scenario(&format!("{}{}", action("a", ""), action_after("b", "a")));
    let started = stage.start("tenon run demo.hcl");
    stage.reached("puppet", "here").await;
    started.kill().await;
    stage.open("puppet", "here");
    fs::remove_file(stage.shell.path("demo.hcl")).expect("a file");
    let record = stage.record_name();
    let outcome = stage.run(&format!("tenon teardown {record}")).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(stage.rows("puppet").await, "");
    assert_eq!(
        stage.statuses(),
        "a succeeded and succeeded, b maybe and succeeded"
    );
}

/// It is named, what it needs stays, and everything else is undone.
#[tokio::test]
async fn what_cannot_be_undone_is_named() {
    let mut stage = Stage::new(json!({ "execute b 1": ["work", "kill"] }));
    let uses_itself = action_after("b", "a")
        .replace("\"b\"\n        is_removed", "self.name\n        is_removed");
    stage.scenario(&format!(
        "{}{uses_itself}{}",
        action("a", ""),
        action("c", "")
    ));
    assert_eq!(stage.run("tenon run demo.hcl -j 1").await.code, Some(4));
    assert_eq!(stage.statuses(), "a succeeded, b maybe, c failed");
    let record = stage.record_name();
    let outcome = stage.run(&format!("tenon teardown {record}")).await;
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    assert_eq!(
        stage.statuses(),
        "a succeeded and skipped, b maybe and failed, c failed"
    );
    assert_snapshot!(stage.transcript());
}

/// A run that ended with an unknown outcome of `b`, whose teardown uses its outputs; and its record.
async fn after_a_lost_answer() -> (Stage, String) {
    let mut stage = Stage::new(json!({ "execute b 1": ["work", "kill"] }));
    let uses_itself = action_after("b", "a")
        .replace("\"b\"\n        is_removed", "self.name\n        is_removed");
    stage.scenario(&format!("{}{uses_itself}", action("a", "")));
    assert_eq!(stage.run("tenon run demo.hcl").await.code, Some(4));
    let record = stage.record_name();
    (stage, record)
}

/// A user looked, and states that nothing is left of it.
#[tokio::test]
async fn what_was_undone_by_hand() {
    let (mut stage, record) = after_a_lost_answer().await;
    let line = format!("tenon teardown {record}");
    let outcome = stage.run(&line).await;
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    let named = "--undone action.put.b";
    assert!(outcome.stderr.contains(named), "{}", outcome.stderr);
    let outcome = stage.run(&format!("{line} --undone action.put.x")).await;
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    let suggested = "did you mean";
    assert!(outcome.stderr.contains(suggested), "{}", outcome.stderr);
    // Stating it twice is not a mistake.
    for _ in 0..2 {
        let outcome = stage.run(&format!("{line} --undone action.put.b")).await;
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        assert_eq!(stage.rows("puppet").await, "b");
        assert_eq!(
            stage.statuses(),
            "a succeeded and succeeded, b maybe and succeeded"
        );
    }
    stage.assert_is_closed();
}

/// Nothing was undone, so the run can be resumed.
#[tokio::test]
async fn a_run_resumes_after_a_teardown_that_did_nothing() {
    let (mut stage, record) = after_a_lost_answer().await;
    let teardown = format!("tenon teardown {record}");
    assert_eq!(stage.run(&teardown).await.code, Some(1));
    assert_eq!(
        stage.statuses(),
        "a succeeded and skipped, b maybe and failed"
    );
    let line = format!("tenon run --resume {record} --redo-maybe");
    let outcome = stage.run(&line).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(stage.statuses(), "a succeeded, b succeeded");
    let teardown = format!("{teardown} --undone action.put.b@earlier1");
    let outcome = stage.run(&teardown).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(stage.rows("puppet").await, "");
    let outcome = stage.run(&line).await;
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("was undone"), "{}", outcome.stderr);
}

/// A provider that does not offer the action any more cannot undo it.
#[tokio::test]
async fn a_provider_that_has_changed_since() {
    let mut stage = Stage::with_one_action(json!({}));
    assert_eq!(stage.run("tenon run demo.hcl").await.code, Some(0));
    let schema = json!({ "version": "2.0.0", "actions": { "set": { "attrs": {} } } });
    stage.puppet("puppet", json!({ "schema": schema }));
    let record = stage.record_name();
    let outcome = stage.run(&format!("tenon teardown {record}")).await;
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    assert_snapshot!(stage.transcript());
}

/// The address of a repeated action means all of its instances, as for `--redo`.
#[tokio::test]
async fn all_instances_undone_by_hand() {
    let mut stage = Stage::new(json!({}));
    stage.scenario(&format!("{}{}", action("a", "count = 2"), action("b", "")));
    assert_eq!(stage.run("tenon run demo.hcl").await.code, Some(0));
    let record = stage.record_name();
    let outcome = stage
        .run(&format!("tenon teardown {record} --undone action.put.b[0]"))
        .await;
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    let outcome = stage
        .run(&format!("tenon teardown {record} --undone action.put.a"))
        .await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(stage.rows("puppet").await, "a a");
}

/// The record was changed: it is refused before anything is done.
#[tokio::test]
async fn a_record_whose_providers_are_not_there() {
    let mut stage = Stage::with_one_action(json!({}));
    assert_eq!(stage.run("tenon run demo.hcl").await.code, Some(0));
    let (name, good) = (stage.record_name(), stage.record());
    let mut other = good.clone();
    other["nodes"][0]["undo"]["call"]["provider"] = json!(99);
    let mut none = good.clone();
    none["providers"] = json!([]);
    let mut earlier = good.clone();
    earlier["nodes"][0]["earlier"] = json!([other["nodes"][0]["undo"]]);
    for record in [other, none, earlier] {
        stage.shell.file(&name, &record.to_string());
        for command in ["teardown", "run --resume"] {
            let outcome = stage.run(&format!("tenon {command} {name}")).await;
            assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
            let said = "it is damaged: action.put.a is undone by provider";
            assert!(outcome.stderr.contains(said), "{}", outcome.stderr);
        }
    }
    assert_eq!(stage.rows("puppet").await, "a");
}
