//! What happened, on disk before anything follows from it.
//!
//! Beside the record of a run lies its journal, one line of JSON for each thing that happened.
//! Before an action is handed to its provider, a line says so and is synced; when it is over,
//! another. After a crash an action without a second line is "maybe done". When a run is over, the
//! record has it all and the journal goes.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::FlockOperation;
use serde::{Deserialize, Serialize};

use crate::disk::{folder_of, sync_folder};
use crate::event::Status;
use crate::record::{NodeRecord, Record};
use crate::undo::Undo;

/// A line of the journal.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Entry {
    /// An action is about to be handed to its provider.
    Begin {
        action: String,
        at: String,
        /// What it comes after.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        after: Vec<String>,
        /// What undoes it, as far as that can be known before it is done.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        undo: Option<Box<Undo>>,
        /// What undoes earlier executions of it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        earlier: Vec<Undo>,
    },
    /// It is over.
    End { node: Box<NodeRecord> },
    /// What undoes it is known now: something else that is needed for that is done.
    Undo { action: String, undo: Box<Undo> },
    /// An action is about to be undone, or an earlier execution of it.
    TeardownBegin {
        action: String,
        at: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        earlier: Option<usize>,
    },
    /// That is over.
    TeardownEnd {
        action: String,
        status: Status,
        error: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        earlier: Option<usize>,
    },
}

impl Entry {
    fn action(&self) -> &str {
        match self {
            Entry::End { node } => &node.address,
            Entry::Begin { action, .. }
            | Entry::Undo { action, .. }
            | Entry::TeardownBegin { action, .. }
            | Entry::TeardownEnd { action, .. } => action,
        }
    }
}

/// An open journal. Nobody else can have it open.
#[derive(Debug)]
pub(crate) struct Journal {
    file: fs::File,
    path: PathBuf,
    record: PathBuf,
    unsynced: Vec<u8>,
    /// The record has it all; what is at the path now is somebody else's.
    is_finished: bool,
}

/// Why a record cannot be worked with.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// A file cannot be read or written.
    #[error("{path}: {error}")]
    File {
        /// Which file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The folder for the record is not there, or is none.
    #[error(
        "the record cannot be kept in {0}: there is no such folder; \
         make it, or choose another with --record-dir"
    )]
    NoFolder(PathBuf),
    /// Somebody else is at it.
    #[error("{0} belongs to a run that is at work right now; wait until it is over")]
    Busy(PathBuf),
    /// A line is damaged that is not the last.
    #[error(
        "{path}: line {line} is damaged: {problem}\n  \
         what is in the lines before it is known; mend the line, or cut it and those after it off"
    )]
    Damaged {
        /// The journal.
        path: PathBuf,
        /// Which line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
}

impl Journal {
    /// Writes the record of a run that begins, and opens its journal.
    pub(crate) fn begin(record: &Record, folder: &Path) -> Result<Journal, JournalError> {
        if !folder.as_os_str().is_empty() && !folder.is_dir() {
            return Err(JournalError::NoFolder(folder.to_owned()));
        }
        let path = folder.join(record.file_name());
        let fail = |error| JournalError::File {
            path: path.clone(),
            error,
        };
        // The journal first: a record without one would look like a run without actions.
        let journal = Journal::open_file(&path)?;
        record.write(&path).map_err(fail)?;
        Ok(journal)
    }

    /// Opens the journal of a run that was begun before, and gives its record with everything that
    /// the journal knows.
    pub(crate) fn open(path: &Path) -> Result<(Journal, Record), JournalError> {
        let fail = |error| JournalError::File {
            path: path.to_owned(),
            error,
        };
        if !path.exists() {
            return Err(fail(io::ErrorKind::NotFound.into()));
        }
        // The lock first: another run may be about to write its last words into the record.
        let mut journal = Journal::open_file(path)?;
        let mut record = Record::read(path).map_err(fail)?;
        let mut text = Vec::new();
        journal.file.read_to_end(&mut text).map_err(fail)?;
        let good = apply(&text, &mut record, &journal.path)?;
        // Half a line would spoil the next one.
        journal.file.set_len(good as u64).map_err(fail)?;
        Ok((journal, record))
    }

    fn open_file(record: &Path) -> Result<Journal, JournalError> {
        let path = record.with_extension("journal");
        let fail = |error| JournalError::File {
            path: path.clone(),
            error,
        };
        let file = loop {
            let mut options = fs::OpenOptions::new();
            options.read(true).append(true).create(true).mode(0o600);
            let file = options.open(&path).map_err(fail)?;
            let locked = rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive);
            if locked.is_err() {
                return Err(JournalError::Busy(record.to_owned()));
            }
            // Whoever had it before may have removed it just now.
            let is_there = fs::metadata(&path)
                .is_ok_and(|there| file.metadata().is_ok_and(|ours| ours.ino() == there.ino()));
            if is_there {
                break file;
            }
        };
        sync_folder(folder_of(&path)).map_err(fail)?;
        Ok(Journal {
            file,
            path,
            record: record.to_owned(),
            unsynced: Vec::new(),
            is_finished: false,
        })
    }

    /// Writes the record of a run that goes on: the journal will name actions and providers that
    /// the record did not have. What the journal says already is said about this record as well.
    pub(crate) fn go_on(&self, record: &Record) -> io::Result<()> {
        record.write(&self.record)
    }

    /// Where the record is.
    pub(crate) fn record(&self) -> &Path {
        &self.record
    }

    /// Notes something. It is on disk after [`Journal::sync`].
    pub(crate) fn note(&mut self, entry: &Entry) -> io::Result<()> {
        serde_json::to_writer(&mut self.unsynced, entry).map_err(io::Error::other)?;
        self.unsynced.push(b'\n');
        Ok(())
    }

    /// Puts everything that was noted on disk.
    pub(crate) fn sync(&mut self) -> io::Result<()> {
        if self.unsynced.is_empty() {
            return Ok(());
        }
        self.file.write_all(&self.unsynced)?;
        self.unsynced.clear();
        self.file.sync_data()
    }

    /// Writes the record, which knows everything now. The journal is not needed any more.
    pub(crate) fn finish(mut self, record: &Record) -> io::Result<PathBuf> {
        self.sync()?;
        record.write(&self.record)?;
        fs::remove_file(&self.path)?;
        self.is_finished = true;
        sync_folder(folder_of(&self.path))?;
        Ok(self.record.clone())
    }
}

/// One that nothing was written to leaves nothing behind.
impl Drop for Journal {
    fn drop(&mut self) {
        let is_empty = self.file.metadata().is_ok_and(|file| file.len() == 0);
        if is_empty && !self.is_finished {
            let _gone_already = fs::remove_file(&self.path);
        }
    }
}

/// Brings a record up to date, and gives how many bytes of the journal are whole lines.
fn apply(text: &[u8], record: &mut Record, path: &Path) -> Result<usize, JournalError> {
    let numbered = record.nodes.iter().enumerate();
    let places: HashMap<String, usize> = numbered
        .map(|(place, node)| (node.address.clone(), place))
        .collect();
    let mut good = 0;
    for (index, line) in text.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let is_last = good + line.len() == text.len();
        match serde_json::from_slice::<Entry>(line) {
            Ok(entry) if line.ends_with(b"\n") => {
                let node = places.get(entry.action());
                if let Some(node) = node.and_then(|place| record.nodes.get_mut(*place)) {
                    apply_entry(entry, node);
                }
            }
            // Cut off in the middle of being written: it was not synced, so nothing followed.
            _ if is_last => break,
            Ok(_) => break,
            Err(error) => {
                return Err(JournalError::Damaged {
                    path: path.to_owned(),
                    line: index + 1,
                    problem: error.to_string(),
                });
            }
        }
        good += line.len();
    }
    Ok(good)
}

fn apply_entry(entry: Entry, node: &mut NodeRecord) {
    match entry {
        Entry::Begin {
            at,
            after,
            undo,
            earlier,
            ..
        } => {
            node.status = Status::Maybe;
            node.started_at = Some(at);
            node.after = after;
            node.undo = undo.map(|undo| *undo);
            node.earlier = earlier;
        }
        Entry::End { node: ended } => *node = *ended,
        Entry::Undo { undo, .. } => node.undo = Some(*undo),
        Entry::TeardownBegin { earlier, .. } => {
            node.set_teardown(earlier, Status::Maybe, None);
        }
        Entry::TeardownEnd {
            status,
            error,
            earlier,
            ..
        } => node.set_teardown(earlier, status, error),
    }
}
