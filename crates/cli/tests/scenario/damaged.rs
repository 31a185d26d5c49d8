//! Journals and records that are damaged, or that others can change.

use std::fs;

use insta::assert_snapshot;
use serde_json::json;

use crate::stage::{Stage, action, action_after, at};

/// A run that was killed while the second of two actions was at work.
async fn killed() -> Stage {
    let stage = Stage::new(at(
        "execute b 1",
        json!([["gate", "here"], "work", "answer"]),
    ));
    stage.scenario(&format!("{}{}", action("a", ""), action_after("b", "a")));
    let started = stage.start("tenon run demo.hcl");
    stage.reached("puppet", "here").await;
    started.kill().await;
    stage.open("puppet", "here");
    assert_eq!(stage.journal().len(), 3);
    stage
}

fn journal_name(stage: &Stage) -> String {
    stage.record_name().replace(".json", ".journal")
}

/// A line that was cut off was not synced, so what it describes was not begun.
#[tokio::test]
async fn the_last_line_is_cut() {
    let mut stage = killed().await;
    let (name, record) = (journal_name(&stage), stage.record_name());
    let text = stage.text(&name);
    let cut = &text[..text.len() - 20];
    stage.shell.file(&name, cut);
    let outcome = stage.run(&format!("tenon run --resume {record}")).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(stage.rows("puppet").await, "a b");
    stage.assert_is_closed();
    assert_snapshot!(stage.transcript());
}

/// Without the line of its end, an action may or may not be done.
#[tokio::test]
async fn the_end_of_an_action_is_cut() {
    let orders = at("shutdown", json!([["gate", "here"], "answer", ["exit", 0]]));
    let mut stage = Stage::with_one_action(orders);
    let started = stage.start("tenon run demo.hcl");
    stage.reached("puppet", "here").await;
    started.kill().await;
    stage.open("puppet", "here");
    let (name, record) = (journal_name(&stage), stage.record_name());
    let text = stage.text(&name);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    assert_eq!(lines.len(), 3);
    let cut = format!(
        "{}{}{}",
        lines[0],
        lines[1],
        &lines[2][..lines[2].len() / 2]
    );
    stage.shell.file(&name, &cut);
    let outcome = stage.run(&format!("tenon run --resume {record}")).await;
    assert_eq!(outcome.code, Some(2));
    assert!(
        outcome.stderr.contains("action.put.a"),
        "{}",
        outcome.stderr
    );
    assert_eq!(
        stage.run(&format!("tenon teardown {record}")).await.code,
        Some(0)
    );
    assert_eq!(stage.rows("puppet").await, "");
}

/// Neither command does anything with a journal that does not tell what happened, and the evidence
/// stays.
async fn is_refused(stage: &mut Stage, part: &str) {
    let (name, record) = (journal_name(stage), stage.record_name());
    let (journal, diary) = (stage.text(&name), stage.diary());
    for command in ["run --resume", "run --redo-maybe --resume", "teardown"] {
        let outcome = stage.run(&format!("tenon {command} {record}")).await;
        assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
        assert!(outcome.stderr.contains(part), "{}", outcome.stderr);
        assert!(outcome.stderr.contains("--salvage"), "{}", outcome.stderr);
    }
    assert_eq!(stage.text(&name), journal);
    assert_eq!(stage.diary(), diary);
}

/// A line with its line end was written, so what it describes may have been begun.
#[tokio::test]
async fn the_last_line_is_damaged() {
    let mut stage = killed().await;
    let name = journal_name(&stage);
    let text = stage.text(&name);
    let damaged = format!("{}?\n", &text[..text.len() - 2]);
    stage.shell.file(&name, &damaged);
    is_refused(&mut stage, "line 4 of this journal is damaged").await;
    assert_snapshot!(stage.transcript());
}

#[tokio::test]
async fn lines_are_missing() {
    let mut stage = killed().await;
    let name = journal_name(&stage);
    let text = stage.text(&name);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    stage.shell.file(&name, &lines[..2].concat());
    is_refused(&mut stage, "cut off after line 2; it had at least 3 lines").await;
    stage
        .shell
        .file(&name, &[lines[0], lines[1], lines[3]].concat());
    is_refused(&mut stage, "line 3 of this journal is damaged").await;
}

/// As when only `*.json` was kept of a run.
#[tokio::test]
async fn the_journal_is_missing() {
    let mut stage = killed().await;
    let name = journal_name(&stage);
    fs::remove_file(stage.shell.path(&name)).expect("a journal");
    is_refused(&mut stage, "this journal is missing").await;
    assert!(!stage.shell.path(&name).exists());
    assert_snapshot!(stage.transcript());
}

/// It is removed while the run is in progress: it is written again, and a kill later loses nothing.
#[tokio::test]
async fn the_journal_is_removed_in_the_middle_of_a_run() {
    let mut stage = Stage::new(json!({
        "execute a 1": [["gate", "first"], "work", "answer"],
        "execute b 1": [["gate", "second"], "work", "answer"],
    }));
    stage.scenario(&format!("{}{}", action("a", ""), action_after("b", "a")));
    let started = stage.start("tenon run demo.hcl");
    stage.reached("puppet", "first").await;
    let journal = stage.shell.path(&journal_name(&stage));
    fs::remove_file(&journal).expect("a journal");
    stage.open("puppet", "first");
    stage.reached("puppet", "second").await;
    assert!(journal.exists(), "the journal is written before b begins");
    started.kill().await;
    stage.open("puppet", "second");
    let line = format!("tenon teardown {}", stage.record_name());
    assert_eq!(stage.run(&line).await.code, Some(0));
    assert_eq!(stage.rows("puppet").await, "");
    stage.assert_is_closed();
}

/// It is unknown what the teardown has undone: refused, and with `--salvage` undone again.
#[tokio::test]
async fn the_journal_of_a_teardown_is_missing() {
    let mut stage = Stage::new(at(
        "execute a 2",
        json!([["gate", "here"], "work", "answer"]),
    ));
    stage.scenario(&format!("{}{}", action("a", ""), action_after("b", "a")));
    assert_eq!(stage.run("tenon run demo.hcl").await.code, Some(0));
    let record = stage.record_name();
    let started = stage.start(&format!("tenon teardown {record}"));
    stage.reached("puppet", "here").await;
    started.kill().await;
    stage.open("puppet", "here");
    assert_eq!(stage.rows("puppet").await, "a");
    fs::remove_file(stage.shell.path(&journal_name(&stage))).expect("a journal");
    is_refused(&mut stage, "this journal is missing").await;
    // Going on with a run that may have been undone is refused as ever.
    let line = format!("tenon run --resume {record} --salvage");
    let outcome = stage.run(&line).await;
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("was undone"), "{}", outcome.stderr);
    let line = format!("tenon teardown {record} --salvage");
    assert_eq!(stage.run(&line).await.code, Some(0));
    assert_eq!(stage.rows("puppet").await, "");
    stage.assert_is_closed();
}

/// What is not known any more is neither repeated nor forgotten unless a user asks for it.
#[tokio::test]
async fn salvaging() {
    let mut stage = killed().await;
    let record = stage.record_name();
    fs::remove_file(stage.shell.path(&journal_name(&stage))).expect("a journal");
    let diary = stage.diary();
    let line = format!("tenon run --resume {record} --salvage");
    let outcome = stage.run(&line).await;
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    for action in ["action.put.a", "action.put.b"] {
        assert!(outcome.stderr.contains(action), "{}", outcome.stderr);
    }
    let line = format!("tenon teardown {record} --salvage");
    let outcome = stage.run(&line).await;
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    assert_eq!(stage.diary(), diary);
    assert_eq!(stage.rows("puppet").await, "a");
    // The outcome of both is unknown now, and a user has looked.
    let line = format!("tenon teardown {record} --undone action.put.a --undone action.put.b");
    let outcome = stage.run(&line).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    stage.assert_is_closed();
    assert_snapshot!(stage.transcript());
}

/// A killed run leaves what it was writing. The next one that uses the record removes it, and
/// nothing else.
#[tokio::test]
async fn temporary_files_are_removed() {
    let mut stage = killed().await;
    let record = stage.record_name();
    let left = record.replace(".json", ".tmp4242");
    stage.shell.file(&left, "{");
    stage.shell.file("orchard_notes.tmp", "mine");
    let line = format!("tenon run --resume {record} --redo-maybe");
    assert_eq!(stage.run(&line).await.code, Some(0));
    assert!(!stage.shell.path(&left).exists());
    assert!(stage.shell.path("orchard_notes.tmp").exists());
}

#[tokio::test]
async fn a_line_in_the_middle_is_damaged() {
    let mut stage = killed().await;
    let (name, record) = (journal_name(&stage), stage.record_name());
    let text = stage.text(&name);
    let mut lines: Vec<&str> = text.lines().collect();
    lines[2] = "{\"end\":{\u{1f}";
    let damaged = lines.join("\n") + "\n";
    stage.shell.file(&name, &damaged);
    let diary = stage.diary();
    for command in ["run --resume", "teardown"] {
        let outcome = stage.run(&format!("tenon {command} {record}")).await;
        assert_eq!(outcome.code, Some(2));
    }
    // Nothing was done, and the evidence is still there.
    assert_eq!(stage.text(&name), damaged);
    assert_eq!(stage.diary(), diary);
    assert_snapshot!(stage.transcript());
}

#[tokio::test]
async fn a_record_that_is_busy() {
    let mut stage = Stage::with_one_action(at("execute", json!([["gate", "here"], "answer"])));
    let started = stage.start("tenon run demo.hcl");
    stage.reached("puppet", "here").await;
    let record = stage.record_name();
    for command in ["run --resume", "run --redo-maybe --resume", "teardown"] {
        let outcome = stage.run(&format!("tenon {command} {record}")).await;
        assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    }
    stage.open("puppet", "here");
    assert_eq!(started.ended().await.code, Some(0));
    assert_eq!(stage.statuses(), "a succeeded");
    stage.assert_is_closed();
    assert_snapshot!(stage.transcript());
}

#[tokio::test]
async fn files_that_are_not_records() {
    let mut stage = Stage::with_one_action(json!({}));
    assert_eq!(stage.run("tenon run demo.hcl").await.code, Some(0));
    let text = stage.text(&stage.record_name());
    let (cut, _) = text.split_once("\"nodes\"").expect("a record with actions");
    stage.shell.file("cut.json", cut);
    stage
        .shell
        .file("other.json", "{\"name\":\"something else\"}\n");
    stage.shell.file("empty.json", "");
    fs::create_dir(stage.shell.path("folder.json")).expect("a folder");
    for name in ["cut", "other", "empty", "folder", "missing"] {
        for command in ["run --resume", "teardown"] {
            let outcome = stage.run(&format!("tenon {command} {name}.json")).await;
            assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
        }
    }
    // None of them has a journal now.
    assert!(!stage.shell.path("cut.journal").exists());
    assert_snapshot!(stage.transcript());
}

/// What is run is what the file says now; what is undone is what the record says.
#[tokio::test]
async fn a_scenario_that_has_changed() {
    let mut stage = Stage::with_one_action(json!({}));
    assert_eq!(stage.run("tenon run demo.hcl").await.code, Some(0));
    let record = stage.record_name();
    stage.scenario(&format!("{}{}", action("a", ""), action("b", "")));
    let outcome = stage.run(&format!("tenon run --resume {record}")).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(stage.rows("puppet").await, "a b");
    assert_eq!(stage.statuses(), "a succeeded, b succeeded");
    fs::remove_file(stage.shell.path("demo.hcl")).expect("a file");
    let outcome = stage.run(&format!("tenon teardown {record}")).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(stage.rows("puppet").await, "");
    assert_snapshot!(stage.transcript());
}

/// Where no record can be kept, nothing is begun.
#[tokio::test]
async fn nowhere_to_put_the_record() {
    let mut stage = Stage::with_one_action(json!({}));
    let outcome = stage.run("tenon run demo.hcl --record-dir missing").await;
    assert_ne!(outcome.code, Some(0));
    assert!(stage.diary().is_empty());
    let outcome = stage.run("tenon run demo.hcl --record-dir demo.hcl").await;
    assert_ne!(outcome.code, Some(0));
    assert!(stage.diary().is_empty());
    let outcome = stage.run("tenon run demo.hcl --no-record").await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(stage.files("orchard_").is_empty());
    assert_snapshot!(stage.transcript());
}
