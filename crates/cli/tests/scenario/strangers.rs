//! Files of others, where a record and its journal should be.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};

use serde_json::json;

use crate::stage::{Stage, action};

const STRANGER: u32 = 65534;

/// Only root can give files away.
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

async fn finished() -> Stage {
    let mut stage = Stage::new(json!({}));
    stage.scenario(&format!("{}{}", action("a", ""), action("b", "")));
    assert_eq!(stage.run("tenon run demo.hcl").await.code, Some(0));
    stage
}

async fn is_refused(stage: &mut Stage, part: &str) {
    let record = stage.record_name();
    for command in ["run --resume", "teardown", "teardown --salvage"] {
        let outcome = stage.run(&format!("tenon {command} {record}")).await;
        assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
        assert!(outcome.stderr.contains(part), "{}", outcome.stderr);
    }
    assert_eq!(stage.rows("puppet").await, "a b");
}

/// A journal determines what is undone and how. A user who can write into the folder could plant one.
#[tokio::test]
async fn a_journal_that_a_stranger_has_planted() {
    if !is_root() {
        return;
    }
    let mut stage = finished().await;
    let journal = stage.record_name().replace(".json", ".journal");
    stage.shell.file(&journal, "");
    let path = stage.shell.path(&journal);
    chown(&path, Some(STRANGER), None).expect("a file that is given away");
    is_refused(&mut stage, "belongs to user 65534").await;
    // The same for a link to one's own file.
    fs::remove_file(&path).expect("a journal");
    let mine = stage.shell.path("mine");
    fs::write(&mine, "").expect("a file");
    symlink(&mine, &path).expect("a link");
    is_refused(&mut stage, "is a symbolic link").await;
    is_refused(&mut stage, "remove it, or replace it with the journal").await;
    fs::remove_file(&path).expect("a link");
    let record = stage.record_name();
    let line = format!("tenon teardown {record}");
    assert_eq!(stage.run(&line).await.code, Some(0));
}

#[tokio::test]
async fn a_record_that_others_can_have_written() {
    let mut stage = finished().await;
    let record = stage.record_name();
    let path = stage.shell.path(&record);
    let set = |mode| fs::set_permissions(&path, fs::Permissions::from_mode(mode));
    set(0o666).expect("a mode");
    is_refused(
        &mut stage,
        "users other than its owner can write to it (mode 666)",
    )
    .await;
    set(0o644).expect("a mode");
    if is_root() {
        chown(&path, Some(STRANGER), None).expect("a file that is given away");
        is_refused(&mut stage, "belongs to user 65534").await;
        chown(&path, Some(0), None).expect("a file that is taken back");
    }
    let line = format!("tenon teardown {record}");
    assert_eq!(stage.run(&line).await.code, Some(0));
}

/// Others cannot write the files there, but could remove and rename them.
#[tokio::test]
async fn a_folder_that_all_users_can_write_to() {
    let mut stage = Stage::with_one_action(json!({}));
    let folder = stage.shell.path("shared");
    fs::create_dir(&folder).expect("a folder");
    let set = |mode| fs::set_permissions(&folder, fs::Permissions::from_mode(mode));
    for (mode, is_warned) in [(0o777, true), (0o1777, false), (0o755, false)] {
        set(mode).expect("a mode");
        let outcome = stage.run("tenon run demo.hcl --record-dir shared").await;
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        let has_warning = outcome
            .stderr
            .contains("not safe from other users in shared");
        assert_eq!(has_warning, is_warned, "{mode:o}: {}", outcome.stderr);
    }
}
