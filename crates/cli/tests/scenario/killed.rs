//! `kill -9` of the command or of a provider at every step of a run, and what is known afterwards.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::stage::{Stage, action, action_after, at};
use crate::support::program::eventually;

/// Three actions in a row, and a gate in one step.
fn stage(step: &str, moves: Value) -> Stage {
    let stage = Stage::new(at(step, moves));
    stage.scenario(&chain());
    stage
}

fn chain() -> String {
    format!(
        "{}{}{}",
        action("a", ""),
        action_after("b", "a"),
        action_after("c", "b")
    )
}

/// Kills a run that waits at the gate. After that the gate is open.
async fn kill_at_gate(stage: &Stage) {
    let started = stage.start("tenon run demo.hcl");
    stage.reached("puppet", "here").await;
    started.kill().await;
    stage.open("puppet", "here");
    assert_eq!(stage.record()["status"], "running");
}

/// What the journal says, in short: `begin a, end a`.
fn journal(stage: &Stage) -> String {
    let short = |line: &Value| {
        let (what, more) = line.as_object().and_then(|line| line.iter().next())?;
        let action = more.get("action").unwrap_or(&more["node"]["address"]);
        let name = action.as_str()?.trim_start_matches("action.put.");
        Some(format!("{what} {name}"))
    };
    let lines: Vec<String> = stage.journal().iter().filter_map(short).collect();
    lines.join(", ")
}

/// Resumes to the end; everything is there once, and gone after the teardown.
async fn resume_and_take_back(stage: &mut Stage, flags: &str) {
    let record = stage.record_name();
    let outcome = stage
        .run(&format!("tenon run --resume {record}{flags}"))
        .await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(stage.statuses(), "a succeeded, b succeeded, c succeeded");
    assert_eq!(stage.rows("puppet").await, "a b c");
    stage.assert_is_closed();
    take_back(stage).await;
}

async fn take_back(stage: &mut Stage) {
    let record = stage.record_name();
    let outcome = stage.run(&format!("tenon teardown {record}")).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(stage.rows("puppet").await, "");
    stage.assert_is_closed();
}

/// It says which ones may be done, and does nothing.
async fn resume_is_refused(stage: &mut Stage, maybe: &str) {
    let (diary, journal) = (stage.diary(), stage.journal());
    let record = stage.record_name();
    let outcome = stage.run(&format!("tenon run --resume {record}")).await;
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    assert!(outcome.stderr.contains(maybe), "{}", outcome.stderr);
    assert_eq!(stage.diary(), diary);
    assert_eq!(stage.journal(), journal);
}

#[tokio::test]
async fn before_anything_is_begun() {
    for step in ["describe", "configure"] {
        let mut stage = stage(step, json!([["gate", "here"], "answer"]));
        kill_at_gate(&stage).await;
        assert_eq!(journal(&stage), "");
        resume_and_take_back(&mut stage, "").await;
    }
}

#[tokio::test]
async fn before_the_first_is_done() {
    let mut stage = stage("execute a 1", json!([["gate", "here"], "work", "answer"]));
    kill_at_gate(&stage).await;
    assert_eq!(journal(&stage), "begin a");
    resume_is_refused(&mut stage, "action.put.a").await;
    resume_and_take_back(&mut stage, " --redo-maybe").await;
    assert_snapshot!(stage.transcript());
}

#[tokio::test]
async fn before_the_second_is_done() {
    let mut stage = stage("execute b 1", json!([["gate", "here"], "work", "answer"]));
    kill_at_gate(&stage).await;
    assert_eq!(journal(&stage), "begin a, end a, begin b");
    resume_is_refused(&mut stage, "action.put.b").await;
    resume_and_take_back(&mut stage, " --redo-maybe").await;
    assert_snapshot!(stage.transcript());
}

/// It was done, but the answer was lost: running it again would do it twice, so it is undone.
#[tokio::test]
async fn after_the_second_is_done() {
    let mut stage = stage("execute b 1", json!(["work", ["gate", "here"], "answer"]));
    kill_at_gate(&stage).await;
    assert_eq!(journal(&stage), "begin a, end a, begin b");
    assert_eq!(stage.rows("puppet").await, "a b");
    resume_is_refused(&mut stage, "action.put.b").await;
    take_back(&mut stage).await;
    assert_eq!(
        stage.statuses(),
        "a succeeded and succeeded, b maybe and succeeded, c pending"
    );
    assert_snapshot!(stage.transcript());
}

/// The answer came, and the next one was handed over but never read.
#[tokio::test]
async fn between_two() {
    let mut stage = stage("execute a 1", json!(["work", "answer", ["gate", "here"]]));
    let started = stage.start("tenon run demo.hcl --json > seen");
    stage.reached("puppet", "here").await;
    let is_handed_over = || stage.text("seen").matches("action_started").count() == 2;
    eventually("the second is handed over", is_handed_over).await;
    started.kill().await;
    stage.open("puppet", "here");
    resume_is_refused(&mut stage, "action.put.b").await;
    resume_and_take_back(&mut stage, " --redo-maybe").await;
}

/// Everything is done and on disk; no provider is started to resume.
#[tokio::test]
async fn while_saying_goodbye() {
    let mut stage = stage("shutdown", json!([["gate", "here"], "answer", ["exit", 0]]));
    kill_at_gate(&stage).await;
    assert_eq!(
        journal(&stage),
        "begin a, end a, begin b, end b, begin c, end c"
    );
    let record = stage.record_name();
    let outcome = stage.run(&format!("tenon run --resume {record}")).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(stage.text("puppet.started"), ".");
    assert_eq!(stage.rows("puppet").await, "a b c");
    stage.assert_is_closed();
    take_back(&mut stage).await;
    assert_snapshot!(stage.transcript());
}

#[tokio::test]
async fn a_teardown_in_the_middle() {
    // The second time that `b` is executed undoes it.
    for moves in [
        json!([["gate", "here"], "work", "answer"]),
        json!(["work", ["gate", "here"], "answer"]),
    ] {
        let mut stage = stage("execute b 2", moves);
        assert_eq!(stage.run("tenon run demo.hcl").await.code, Some(0));
        let record = stage.record_name();
        let started = stage.start(&format!("tenon teardown {record}"));
        stage.reached("puppet", "here").await;
        started.kill().await;
        stage.open("puppet", "here");
        assert_eq!(
            journal(&stage),
            "teardown_begin c, teardown_end c, teardown_begin b"
        );
        take_back(&mut stage).await;
        let said = "outcome is unknown, so they are undone again: action.put.b\n";
        assert!(stage.transcript().contains(said), "{}", stage.transcript());
        let diary = stage.diary();
        let removals = |name: &str| {
            let line = format!("begin removing {name}");
            diary.iter().filter(|other| **other == line).count()
        };
        assert_eq!((removals("a"), removals("c")), (1, 1));
    }
}

/// What the journal knows is not lost when nothing can be done about it.
#[tokio::test]
async fn a_teardown_that_cannot_begin() {
    let mut stage = stage("execute b 1", json!(["work", ["gate", "here"], "answer"]));
    kill_at_gate(&stage).await;
    let before = stage.journal();
    stage.puppet("puppet", at("describe", json!([["exit", 1]])));
    let record = stage.record_name();
    let outcome = stage.run(&format!("tenon teardown {record}")).await;
    assert_eq!(outcome.code, Some(4), "{}", outcome.stderr);
    assert_eq!(stage.journal(), before);
    stage.puppet("puppet", json!({}));
    take_back(&mut stage).await;
}

/// What another one still needs is not undone before it.
#[tokio::test]
async fn a_teardown_that_fails_in_the_middle() {
    let error = json!({ "code": "execute_failed", "message": "somebody uses it" });
    let mut stage = stage("execute b 2", json!([["error", error]]));
    assert_eq!(stage.run("tenon run demo.hcl").await.code, Some(0));
    let record = stage.record_name();
    let outcome = stage.run(&format!("tenon teardown {record}")).await;
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    assert_eq!(
        stage.statuses(),
        "a succeeded and skipped, b succeeded and failed, c succeeded and succeeded"
    );
    assert_eq!(stage.rows("puppet").await, "a b");
    stage.assert_is_closed();
    take_back(&mut stage).await;
    assert_snapshot!(stage.transcript());
}

/// A second teardown has nothing to do, and says so.
#[tokio::test]
async fn a_teardown_twice() {
    let mut stage = stage("nothing", json!([]));
    assert_eq!(stage.run("tenon run demo.hcl").await.code, Some(0));
    take_back(&mut stage).await;
    let diary = stage.diary();
    take_back(&mut stage).await;
    assert_eq!(stage.diary(), diary);
    assert_snapshot!(stage.transcript());
}

#[tokio::test]
async fn a_provider_before_it_did_its_work() {
    let mut stage = stage("execute b 1", json!(["kill"]));
    assert_eq!(stage.run("tenon run demo.hcl").await.code, Some(4));
    assert_eq!(stage.statuses(), "a succeeded, b maybe, c skipped");
    stage.assert_is_closed();
    resume_is_refused(&mut stage, "action.put.b").await;
    stage.assert_is_closed();
    resume_and_take_back(&mut stage, " --redo-maybe").await;
}

#[tokio::test]
async fn a_provider_after_it_did_its_work() {
    let mut stage = stage("execute b 1", json!(["work", "kill"]));
    assert_eq!(stage.run("tenon run demo.hcl").await.code, Some(4));
    assert_eq!(stage.rows("puppet").await, "a b");
    take_back(&mut stage).await;
    assert_snapshot!(stage.transcript());
}

/// With the provider for SQLite that is built in, and a puppet that stops the run between two
/// of its actions.
#[tokio::test]
async fn between_rows_of_a_database() {
    let mut stage = Stage::new(at("execute stop 1", json!([["gate", "here"], "answer"])));
    stage.scenario_with(
        "puppet = { source = \"exec:./puppet\" }\n    sqlite = { source = \"builtin/sqlite\" }",
        r#"
  provider "sqlite" {
    path = "shop.db"
  }
  action "sqlite_script" "schema" {
    script = "CREATE TABLE IF NOT EXISTS shop (id INTEGER PRIMARY KEY, name TEXT)"
  }
  action "sqlite_query" "chisel" {
    query      = "INSERT INTO shop (name) VALUES ('chisel') RETURNING id"
    depends_on = [action.sqlite_script.schema]
    lifecycle {
      teardown {
        query  = "DELETE FROM shop WHERE id = ?"
        params = [self.id]
      }
    }
  }
  action "put" "stop" {
    name  = "stop"
    input = action.sqlite_query.chisel.id
  }
  action "sqlite_query" "mallet" {
    query      = "INSERT INTO shop (name) VALUES ('mallet') RETURNING id"
    depends_on = [action.put.stop]
    lifecycle {
      teardown {
        query  = "DELETE FROM shop WHERE id = ?"
        params = [self.id]
      }
    }
  }
  output "ids" {
    value = [action.sqlite_query.chisel.id, action.sqlite_query.mallet.id]
  }
"#,
    );
    kill_at_gate(&stage).await;
    let record = stage.record_name();
    let outcome = stage
        .run(&format!("tenon run --resume {record} --redo-maybe"))
        .await;
    assert_eq!(outcome.stdout, "ids = [1,2]\n", "{}", outcome.stderr);
    assert_eq!(shop(&stage).await, "chisel mallet");
    assert_eq!(
        stage.run(&format!("tenon teardown {record}")).await.code,
        Some(0)
    );
    assert_eq!(shop(&stage).await, "");
    stage.assert_is_closed();
    assert_snapshot!(stage.transcript());
}

async fn shop(stage: &Stage) -> String {
    let script = "import sqlite3\n\
        rows = sqlite3.connect('shop.db').execute('SELECT name FROM shop ORDER BY id')\n\
        print(' '.join(row[0] for row in rows))";
    stage.shell.file("shop.py", script);
    let line = format!("{} shop.py", crate::stage::python());
    let outcome = stage.shell.run_unnoted(&line).await;
    outcome.stdout.trim_end().to_owned()
}
