//! Journals that are damaged in every way there is; in `files`, what happens to the files.

mod files;

use std::fs;
use std::path::PathBuf;

use serde_json::json;
use tempfile::TempDir;

use super::*;
use crate::event::Status;
use crate::hint::Hint;
use crate::records::undo::Undo;

const RUN: &str = "20261115T144033Z_1f9c03ab";

fn record() -> Record {
    let node = |name: &str| json!({ "address": format!("action.put.{name}"), "provider": "p", "status": "pending" });
    let nodes = ["a", "b", "c", "d"].map(node);
    let record = json!({
        "format": 2, "scenario": "s", "path": "/s.hcl", "id": RUN, "status": "running",
        "in_progress": "run", "started_at": "", "variables": {}, "outputs": {},
        "nodes": nodes,
    });
    serde_json::from_str(&record.to_string()).expect("a record")
}

fn begin(name: &str) -> Entry {
    Entry::Begin {
        action: format!("action.put.{name}"),
        at: "2026-11-15T14:40:33.123Z".into(),
        attributes_sha256: None,
        after: Vec::new(),
        undo: Some(Box::new(Undo::problem("none"))),
        earlier: Vec::new(),
    }
}

fn end(name: &str) -> Entry {
    let mut node = record().nodes.remove(0);
    node.address = format!("action.put.{name}");
    node.status = Status::Succeeded;
    Entry::End {
        node: Box::new(node),
    }
}

/// A run that was killed while `c` and `d` were running, with its folder and its record.
fn killed() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut journal = Journal::begin(&record(), folder.path()).expect("a journal");
    for batch in [
        vec![begin("a")],
        vec![end("a"), begin("b")],
        vec![end("b"), begin("c"), begin("d")],
    ] {
        batch.iter().for_each(|entry| journal.note(entry).unwrap());
        journal.sync(&record()).unwrap();
    }
    let path = journal.record().to_owned();
    (folder, path)
}

fn bytes() -> Vec<u8> {
    let (_folder, path) = killed();
    fs::read(path.with_extension("journal")).expect("a journal")
}

/// The status of each action, and what is wrong with the journal.
fn replayed(bytes: &[u8]) -> (Vec<Status>, Option<Damage>) {
    let mut record = record();
    let replay = replay::replay(bytes, &mut record).expect("bytes");
    let statuses = record.nodes.iter().map(|node| node.status).collect();
    (statuses, replay.damage)
}

const WHOLE: [Status; 4] = [
    Status::Succeeded,
    Status::Succeeded,
    Status::Maybe,
    Status::Maybe,
];

fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n').collect()
}

#[test]
fn every_flipped_bit_is_noticed() {
    let bytes = bytes();
    assert_eq!(replayed(&bytes), (WHOLE.to_vec(), None));
    for place in 0..bytes.len() {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[place] ^= 1 << bit;
            let (_, damage) = replayed(&damaged);
            assert!(damage.is_some(), "bit {bit} of byte {place}");
        }
    }
}

/// Without its last line it is a journal of a run that was killed before that line was written.
#[test]
fn every_cut_is_noticed_except_of_the_last_line() {
    let bytes = bytes();
    let last = bytes.len() - lines(&bytes).last().unwrap().len();
    let without_last = [WHOLE[0], WHOLE[1], WHOLE[2], Status::Pending];
    for length in 0..bytes.len() {
        let (statuses, damage) = replayed(&bytes[..length]);
        match length {
            // Of the line before, all but the line end must be there.
            _ if length < last - 1 => assert!(damage.is_some(), "cut at {length} of {last}"),
            // All but the line end is there.
            _ if length == bytes.len() - 1 => {
                assert_eq!((statuses, damage), (WHOLE.to_vec(), None));
            }
            _ => assert_eq!(
                (statuses, damage),
                (without_last.to_vec(), None),
                "cut at {length}"
            ),
        }
    }
}

#[test]
fn lines_that_are_removed_swapped_or_copied_are_noticed() {
    let bytes = bytes();
    let lines = lines(&bytes);
    for one in 0..lines.len() - 1 {
        let mut removed = lines.clone();
        removed.remove(one);
        assert!(
            replayed(&removed.concat()).1.is_some(),
            "without line {one}"
        );
    }
    for one in 0..lines.len() {
        let mut copied = lines.clone();
        copied.insert(one, lines[one]);
        assert!(replayed(&copied.concat()).1.is_some(), "line {one} twice");
        for other in 0..one {
            let mut swapped = lines.clone();
            swapped.swap(one, other);
            assert!(replayed(&swapped.concat()).1.is_some(), "{one} and {other}");
        }
    }
}

#[test]
fn a_line_about_something_else_is_noticed() {
    let (_folder, path) = killed();
    let (mut journal, _) = Journal::open(&path, false).expect("a journal");
    journal.note(&begin("z")).unwrap();
    journal.sync(&record()).unwrap();
    drop(journal);
    let error = Journal::open(&path, false).unwrap_err().to_string();
    assert!(error.contains("line 8"), "{error}");
    assert!(
        error.contains("\"action.put.z\", which is not in the record"),
        "{error}"
    );
    // The same for an execution that there was not.
    let (_folder, path) = killed();
    let (mut journal, _) = Journal::open(&path, false).expect("a journal");
    let entry = Entry::TeardownBegin {
        action: "action.put.a".into(),
        at: String::new(),
        earlier: Some(3),
    };
    journal.note(&entry).unwrap();
    journal.sync(&record()).unwrap();
    drop(journal);
    let error = Journal::open(&path, false).unwrap_err().to_string();
    assert!(error.contains("action.put.a@earlier4, which"), "{error}");
}

#[test]
fn half_a_line_is_removed_before_the_next_is_written() {
    let (_folder, path) = killed();
    let journal_path = path.with_extension("journal");
    let bytes = fs::read(&journal_path).unwrap();
    for missing in [1, 2, 20] {
        fs::write(&journal_path, &bytes[..bytes.len() - missing]).unwrap();
        let (mut journal, record) = Journal::open(&path, false).expect("a journal");
        let expected = match missing {
            1 => Status::Maybe,
            _ => Status::Pending,
        };
        assert_eq!(record.nodes[3].status, expected);
        journal.note(&end("c")).unwrap();
        journal.sync(&record).unwrap();
        drop(journal);
        let (_, record) = Journal::open(&path, false).expect("a journal");
        assert_eq!(record.nodes[2].status, Status::Succeeded);
        assert_eq!(record.nodes[3].status, expected);
    }
}

/// Each is refused with what to do, and nothing is changed by that.
#[test]
fn journals_that_do_not_belong_to_the_record() {
    let (folder, path) = killed();
    let journal = path.with_extension("journal");
    let bytes = fs::read(&journal).unwrap();
    let other = {
        let mut other = record();
        other.id = "20261115T144033Z_00000000".into();
        let opened = Journal::begin(&other, folder.path()).expect("a journal");
        fs::read(&opened.path).unwrap()
    };
    let old = br#"{"begin":{"action":"action.put.a","at":""}}"#.to_vec();
    for (planted, part, remedy) in [
        (
            Some(other),
            "belongs to another run, 20261115T144033Z_00000000",
            "the journal of this run",
        ),
        (
            Some([old, b"\n".to_vec()].concat()),
            "an earlier version of tenon",
            "use the version",
        ),
        (
            Some(Vec::new()),
            "line 1 of this journal is damaged",
            "an undamaged copy",
        ),
        (None, "this journal is missing", "put the journal back"),
        (
            Some(lines(&bytes)[..3].concat()),
            "cut off after line 3; it had at least 6 lines",
            "an undamaged copy",
        ),
    ] {
        match &planted {
            Some(planted) => fs::write(&journal, planted).unwrap(),
            None => fs::remove_file(&journal).unwrap(),
        }
        let error = Journal::open(&path, false).unwrap_err();
        assert_eq!(error.hint(), Some(Hint::Salvage));
        let error = error.to_string();
        assert!(error.contains(part) && error.contains(remedy), "{error}");
        assert_eq!(fs::read(&journal).ok(), planted);
    }
}

/// A record that has everything is not undone by a journal that says something else.
#[test]
fn a_damaged_journal_beside_a_finished_record_stays() {
    let (_folder, path) = killed();
    let (journal, mut record) = Journal::open(&path, false).expect("a journal");
    record.status = crate::event::RunStatus::Failed;
    journal.finish(&mut record).unwrap();
    let planted = path.with_extension("journal");
    own_file::create(&planted).unwrap();
    fs::write(&planted, "{}\n").unwrap();
    let error = Journal::open(&path, false).unwrap_err().to_string();
    assert!(
        error.contains("line 1 of this journal is damaged"),
        "{error}"
    );
    assert_eq!(fs::read(&planted).unwrap(), b"{}\n");
    let (_, salvaged) = Journal::open(&path, true).expect("the record as it is");
    assert_eq!(salvaged.nodes[0].status, Status::Succeeded);
    assert_eq!(salvaged.nodes[3].status, Status::Maybe);
}

/// What is known stays known; everything else may have been done.
#[test]
fn salvaging_forgets_nothing() {
    let (_folder, path) = killed();
    let journal_path = path.with_extension("journal");
    let bytes = fs::read(&journal_path).unwrap();
    let mut damaged = bytes.clone();
    let place = lines(&bytes)[..4].concat().len() + 40;
    damaged[place] ^= 1;
    fs::write(&journal_path, &damaged).unwrap();
    let (journal, record) = Journal::open(&path, true).expect("what is salvaged");
    let statuses =
        |record: &Record| -> Vec<Status> { record.nodes.iter().map(|node| node.status).collect() };
    let expected = [
        Status::Succeeded,
        Status::Maybe,
        Status::Maybe,
        Status::Maybe,
    ];
    assert_eq!(statuses(&record), expected);
    let undo = record.nodes[3]
        .undo
        .as_ref()
        .expect("that it cannot be undone");
    assert!(
        undo.problem
            .as_ref()
            .is_some_and(|problem| problem.contains("by hand"))
    );
    // As long as nothing is done with it, nothing changes.
    drop(journal);
    assert_eq!(fs::read(&journal_path).unwrap(), damaged);
    let (mut journal, record) = Journal::open(&path, true).expect("what is salvaged");
    journal.note(&begin("c")).unwrap();
    journal.go_on(&record).unwrap();
    journal.sync(&record).unwrap();
    drop(journal);
    let (_, record) = Journal::open(&path, false).expect("a journal that is whole");
    assert_eq!(statuses(&record), expected);
}

/// An action that was being run again may be there twice.
#[test]
fn salvaging_keeps_both_executions() {
    let (_folder, path) = killed();
    let (mut journal, mut record) = Journal::open(&path, false).expect("a journal");
    record.nodes[0].undo = Some(Undo::problem("the first"));
    record.redo = vec!["action.put.a".into()];
    journal.go_on(&record).unwrap();
    drop(journal);
    fs::remove_file(path.with_extension("journal")).unwrap();
    let (_, record) = Journal::open(&path, true).expect("what is salvaged");
    assert_eq!(record.nodes[0].status, Status::Maybe);
    assert_eq!(
        record.nodes[0].earlier[0].problem.as_deref(),
        Some("the first")
    );
    assert_eq!(record.nodes[1].status, Status::Succeeded);
}
