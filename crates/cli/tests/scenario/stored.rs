//! Records and journals in the formats that were written so far. The files in `stored/` are what
//! the command left when it was killed during a run, with FOLDER in place of its folder. A change of
//! a format gets new files; these stay.

use serde_json::{Value, json};

use crate::stage::Stage;

const SCENARIO: &str = include_str!("stored/stored.hcl");
const RECORD: &str = include_str!("stored/record_format_2.json");
const JOURNAL: &str = include_str!("stored/journal_format_1");
const NAME: &str = "orchard_stored_run_20261116T100759Z_bbd35f92";

/// A folder with the stored files. The action that was cut off does not wait any more.
fn stored(record: &str) -> Stage {
    let stage = Stage::new(json!({}));
    let folder = stage.shell.path("");
    let folder = folder.to_str().expect("a path").trim_end_matches('/');
    stage.shell.file("gate", "");
    stage.shell.file("stored.hcl", SCENARIO);
    let record = record.replace("FOLDER", folder);
    stage.shell.file(&format!("{NAME}.json"), &record);
    stage.shell.file(&format!("{NAME}.journal"), JOURNAL);
    stage
}

#[tokio::test]
async fn a_stored_run_is_resumed_and_undone() {
    let mut stage = stored(RECORD);
    let resume = format!("tenon run --resume {NAME}.json");
    let outcome = stage.run(&resume).await;
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    let unknown = "the outcome of these actions is unknown:\n  action.exec_run.two\n";
    assert!(outcome.stderr.contains(unknown), "{}", outcome.stderr);
    let outcome = stage.run(&format!("{resume} --redo-maybe")).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let done = "1 of 2 actions are done already";
    assert!(outcome.stderr.contains(done), "{}", outcome.stderr);
    stage.assert_is_closed();
    let outcome = stage.run(&format!("tenon teardown {NAME}.json")).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(stage.files("one_is_undone"), ["one_is_undone"]);
}

#[tokio::test]
async fn a_stored_run_is_undone_without_going_on() {
    let mut stage = stored(RECORD);
    let outcome = stage.run(&format!("tenon teardown {NAME}.json")).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(stage.files("one_is_undone"), ["one_is_undone"]);
    stage.assert_is_closed();
}

/// What else is in it may have changed in any way.
#[tokio::test]
async fn a_record_of_a_newer_format_is_refused_before_it_is_read() {
    let mut record: Value = serde_json::from_str(RECORD).expect("a record");
    record["format"] = json!(3);
    record["nodes"] = json!({ "something": "else" });
    let mut stage = stored(&record.to_string());
    for command in ["run --resume", "teardown"] {
        let outcome = stage.run(&format!("tenon {command} {NAME}.json")).await;
        assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
        for part in [
            "it was written by a newer version of tenon: it has the format 3, and this version reads \
             formats up to 2",
            "use the version of tenon that wrote it, or a newer one",
        ] {
            assert!(outcome.stderr.contains(part), "{}", outcome.stderr);
        }
    }
    assert_eq!(stage.text(&format!("{NAME}.journal")), JOURNAL);
}
