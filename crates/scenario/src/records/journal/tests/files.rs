//! The files of journals: which are removed, and what other processes do to them during a run.

use std::fs::{self, File};

use super::{begin, end, entry, killed, record};
use crate::event::Status;
use crate::records::journal::{Entry, Journal, JournalError};

#[test]
fn only_a_journal_that_no_record_needs_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let journal = Journal::begin(&record(), folder.path()).expect("a journal");
    let path = journal.record().to_owned();
    let journal_path = path.with_extension("journal");
    drop(journal);
    assert!(
        journal_path.exists(),
        "the record says that the run is in progress"
    );
    let (journal, mut record) = Journal::open(&path, false).expect("a journal");
    record.status = crate::event::RunStatus::Failed;
    journal.finish(&mut record).unwrap();
    assert!(!journal_path.exists());
    let opened = Journal::open(&path, false).expect("a journal");
    assert!(journal_path.exists());
    drop(opened);
    assert!(!journal_path.exists());
}

#[test]
fn what_a_killed_run_left_is_removed() {
    let (folder, path) = killed();
    let file = |name: &str| {
        fs::write(folder.path().join(name), "{").unwrap();
        folder.path().join(name)
    };
    let left = path.with_extension("tmp4242");
    fs::write(&left, "{").unwrap();
    let orphans = [
        file("orchard_s_run_x.tmp1"),
        folder.path().join("orchard_s_run_y.journal"),
    ];
    fs::write(&orphans[1], "").unwrap();
    let others = [
        file("orchard_s_run_z.tmp"),
        file("orchard_s_run_z.tmpfile"),
        file("notes.tmp1"),
    ];
    let mut orphaned = record();
    orphaned.id = "z".into();
    // One that is in use.
    let at_work = Journal::begin(&orphaned, folder.path()).expect("a journal");
    let busy = at_work.record().with_extension("tmp7");
    fs::write(&busy, "{").unwrap();
    // A journal that knows something is kept, wherever its record is.
    let lost = folder.path().join("orchard_s_run_lost.journal");
    fs::copy(path.with_extension("journal"), &lost).unwrap();
    let opened = Journal::open(&path, false).expect("a journal");
    for gone in orphans.iter().chain([&left]) {
        assert!(!gone.exists(), "{} is left", gone.display());
    }
    for kept in others.iter().chain([&busy, &lost]) {
        assert!(kept.exists(), "{} is gone", kept.display());
    }
    drop((opened, at_work));
}

/// A journal that is in use cannot be opened, nor one that belongs to another user.
#[test]
fn a_journal_that_is_in_use_or_a_link_is_refused() {
    let (folder, path) = killed();
    let opened = Journal::open(&path, false).expect("a journal");
    let busy = Journal::open(&path, false).unwrap_err();
    assert!(matches!(busy, JournalError::Busy(_)), "{busy}");
    drop(opened);
    let journal_path = path.with_extension("journal");
    let elsewhere = folder.path().join("elsewhere");
    fs::rename(&journal_path, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &journal_path).unwrap();
    let error = Journal::open(&path, true).unwrap_err().to_string();
    assert!(error.contains("symbolic link"), "{error}");
}

/// What is written to a file without a name is lost with the process.
#[test]
fn a_journal_that_is_removed_is_written_again_before_the_next_action() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut journal = Journal::begin(&record(), folder.path()).expect("a journal");
    journal.note(&begin("a")).unwrap();
    journal.sync(&record()).unwrap();
    let path = journal.record().to_owned();
    fs::remove_file(path.with_extension("journal")).unwrap();
    journal.note(&begin("b")).unwrap();
    journal.sync(&record()).unwrap();
    assert!(matches!(
        Journal::open(&path, false),
        Err(JournalError::Busy(_))
    ));
    drop(journal);
    // Everything is there, what was written before and what was noted since.
    let (journal, record) = Journal::open(&path, false).unwrap();
    let statuses: Vec<Status> = record.nodes.iter().map(|node| node.status).collect();
    assert_eq!(statuses[..2], [Status::Maybe, Status::Maybe]);
    drop(journal);
}

/// The record takes the place of the lines that are lost.
#[test]
fn nothing_is_lost_when_a_journal_is_truncated_during_a_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut known = record();
    let mut journal = Journal::begin(&known, folder.path()).expect("a journal");
    let mut note = |journal: &mut Journal, place: usize, entry: fn() -> Entry| {
        entry::apply(entry(), &mut known.nodes[place]).unwrap();
        journal.note(&entry()).unwrap();
        journal.sync(&known).unwrap();
    };
    let path = journal.record().to_owned();
    note(&mut journal, 0, || begin("a"));
    note(&mut journal, 1, || begin("b"));
    let file = File::options()
        .write(true)
        .open(path.with_extension("journal"))
        .unwrap();
    for length in [0, 1] {
        file.set_len(length).unwrap();
        note(&mut journal, 0, || end("a"));
        note(&mut journal, 2, || begin("c"));
    }
    drop(journal);
    let (_journal, record) = Journal::open(&path, false).expect("a whole journal");
    let statuses: Vec<Status> = record.nodes.iter().map(|node| node.status).collect();
    let [done, unknown] = [Status::Succeeded, Status::Maybe];
    assert_eq!(statuses, [done, unknown, unknown, Status::Pending]);
}

#[test]
fn a_journal_that_is_replaced_is_not_written_to() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut journal = Journal::begin(&record(), folder.path()).expect("a journal");
    let path = journal.record().with_extension("journal");
    fs::remove_file(&path).unwrap();
    fs::write(&path, "another").unwrap();
    journal.note(&begin("a")).unwrap();
    let error = journal.sync(&record()).unwrap_err().to_string();
    assert!(error.contains("was replaced"), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "another");
}

/// The record has everything then.
#[test]
fn a_journal_that_is_removed_at_the_end_is_not_missed() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut record = record();
    let journal = Journal::begin(&record, folder.path()).expect("a journal");
    fs::remove_file(journal.record().with_extension("journal")).unwrap();
    journal.finish(&mut record).unwrap();
}
