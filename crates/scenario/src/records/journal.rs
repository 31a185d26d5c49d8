//! What happened, on disk before anything follows from it.
//!
//! The journal of a run is a file beside its record, with one line of JSON for each thing that happened.
//! Before an action is handed to its provider, a line says so and is synced; when it is over,
//! another. After a crash the outcome of an action without a second line is unknown. When a run is
//! over, the record has it all and the journal is removed. Until then the record says that it needs
//! its journal, and is not used without it.

mod entry;
mod error;
mod leftovers;
mod line;
mod lock;
mod replay;
#[cfg(test)]
mod tests;

use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use tenon_host::own_file::{self, Access};

use crate::records::disk::folder_of;
use crate::records::record::Record;
pub(crate) use entry::Entry;
pub use error::{Damage, JournalError};
use line::{Header, Sum};
use lock::lock_file;
use replay::Replay;

/// An open journal, locked against other processes.
#[derive(Debug)]
pub(crate) struct Journal {
    file: File,
    path: PathBuf,
    record: PathBuf,
    run: String,
    /// Where the next line goes.
    end: u64,
    /// How many lines follow the header.
    lines: u64,
    /// The checksum of the last line.
    sum: Sum,
    unsynced: Vec<u8>,
    unsynced_lines: u64,
    /// The record does not need it: it is removed unless that changes.
    is_spare: bool,
    /// Its lines no longer count: the record has what could be salvaged.
    is_damaged: bool,
}

impl Journal {
    /// Writes the record of a run that begins, and opens its journal.
    pub(crate) fn begin(record: &Record, folder: &Path) -> Result<Journal, JournalError> {
        if !folder.as_os_str().is_empty() && !folder.is_dir() {
            return Err(JournalError::NoFolder(folder.to_owned()));
        }
        let path = folder.join(record.file_name());
        leftovers::remove(folder_of(&path));
        // The journal first: a record without one would be refused.
        let (mut journal, _) = Journal::lock(&path)?;
        journal.set_run(&record.id);
        journal.start_over().map_err(|error| journal.fail(error))?;
        journal.go_on(record).map_err(|error| JournalError::File {
            path: path.clone(),
            error,
        })?;
        Ok(journal)
    }

    /// Opens the journal of an earlier run, and returns its record with everything that the journal
    /// has. With `salvage` that may be less than happened: actions whose outcome is lost then have an
    /// unknown outcome in the record.
    pub(crate) fn open(path: &Path, salvage: bool) -> Result<(Journal, Record), JournalError> {
        let fail = |error| JournalError::File {
            path: path.to_owned(),
            error,
        };
        // A record that is missing or belongs to another user gets no journal.
        own_file::open(path, Access::Read).map_err(fail)?;
        leftovers::remove(folder_of(path));
        // The lock first: another run may be about to write its last words into the record.
        let (mut journal, is_new) = Journal::lock(path)?;
        let mut record = Record::read(path).map_err(fail)?;
        journal.set_run(&record.id);
        let length = journal.file.metadata().map(|file| file.len());
        let is_empty = length.map_err(|error| journal.fail(error))? == 0;
        journal.is_spare = !record.needs_journal() || is_new;
        if is_empty && !record.needs_journal() {
            journal.start_over().map_err(|error| journal.fail(error))?;
            return Ok((journal, record));
        }
        let replay = match is_new {
            true => Err(Damage::Missing),
            false => {
                let replay = replay::replay(&journal.file, &mut record);
                let mut replay = replay.map_err(|error| journal.fail(error))?;
                replay.damage.take().map_or(Ok(replay), Err)
            }
        };
        // A damaged journal is evidence, and is kept.
        journal.is_spare &= replay.is_ok() || is_new;
        match replay {
            Ok(replay) => journal
                .resume(&replay)
                .map_err(|error| journal.fail(error))?,
            Err(damage) if salvage => {
                replay::forget(&mut record, &damage);
                journal.is_damaged = true;
            }
            Err(damage) => {
                return Err(JournalError::Damaged {
                    path: journal.path.clone(),
                    damage,
                });
            }
        }
        Ok((journal, record))
    }

    fn set_run(&mut self, id: &str) {
        id.clone_into(&mut self.run);
        self.sum = Sum::of_run(id);
    }

    /// Continues after the last whole line. Half a line would damage the next one.
    fn resume(&mut self, replay: &Replay) -> io::Result<()> {
        self.lines = replay.lines;
        self.sum = replay.sum;
        self.end = replay.good;
        if replay.lacks_line_end {
            own_file::write_all_at(&self.file, b"\n", self.end)?;
            self.end += 1;
        }
        self.file.set_len(self.end)
    }

    /// Writes nothing but the header, and syncs the file and its folder, so that it survives a crash.
    fn start_over(&mut self) -> io::Result<()> {
        self.file.set_len(0)?;
        self.end = self.write_header()?;
        self.file.sync_all()?;
        own_file::sync_folder_of(&self.path)
    }

    /// All lines but the last must be there later. One that was being written when the run was
    /// killed looks the same as one that was cut off, so the last may be missing.
    fn write_header(&self) -> io::Result<u64> {
        let header = Header {
            run: self.run.clone(),
            lines: self.lines.saturating_sub(1),
        };
        let line = header.line().map_err(io::Error::other)?;
        own_file::write_all_at(&self.file, &line, 0)?;
        Ok(line.len() as u64)
    }

    /// Writes the record of a run or a teardown that is about to do something: the journal will
    /// name actions and providers that the record did not have. The lines that the journal has already
    /// apply to this record as well.
    pub(crate) fn go_on(&mut self, record: &Record) -> io::Result<()> {
        let written = record.write(&self.record);
        // From now on there may be a record that needs it.
        self.is_spare &= written.is_err() && !self.record.exists();
        written?;
        if self.is_damaged {
            self.start_over()?;
            self.is_damaged = false;
        }
        Ok(())
    }

    /// Where the record is.
    pub(crate) fn record(&self) -> &Path {
        &self.record
    }

    /// Notes something. It is on disk after [`Journal::sync`].
    pub(crate) fn note(&mut self, entry: &Entry) -> io::Result<()> {
        let json = serde_json::to_vec(entry).map_err(io::Error::other)?;
        self.sum = self.sum.write(&json, &mut self.unsynced);
        self.unsynced_lines += 1;
        Ok(())
    }

    /// Puts everything that was noted on disk. The record has to have it already.
    pub(crate) fn sync(&mut self, record: &Record) -> io::Result<()> {
        if self.unsynced.is_empty() {
            return Ok(());
        }
        if !own_file::is_at(&self.file, &self.path) {
            self.restore()?;
        }
        if self.file.metadata()?.len() < self.end {
            return self.start_again(record);
        }
        own_file::write_all_at(&self.file, &self.unsynced, self.end)?;
        self.file.sync_data()?;
        self.end += self.unsynced.len() as u64;
        self.unsynced.clear();
        self.lines += std::mem::take(&mut self.unsynced_lines);
        // Only now: after a crash it must not speak of lines that are not there.
        self.write_header()?;
        Ok(())
    }

    /// The file was removed or replaced. What is written to it would be lost with this process. The open
    /// file still has all lines: they are written again if nothing is in their place. If something is, it
    /// is not touched, and the run must stop.
    fn restore(&mut self) -> io::Result<()> {
        let restored = own_file::create(&self.path).and_then(|file| {
            lock_file(&file)?;
            self.file.seek(SeekFrom::Start(0))?;
            io::copy(&mut self.file, &mut &file)?;
            own_file::sync_folder_of(&self.path)?;
            Ok(file)
        });
        self.file = restored.map_err(|error| {
            let path = self.path.display();
            let problem = match error.kind() {
                io::ErrorKind::AlreadyExists => {
                    format!("{path} was replaced by another file while the run was in progress")
                }
                _ => format!(
                    "{path} was removed while the run was in progress and could not be written \
                     again: {error}"
                ),
            };
            io::Error::new(error.kind(), problem)
        })?;
        Ok(())
    }

    /// Another process truncated the file. After a crash its lines would not say what happened, so the
    /// record is written, which has all that was noted, and the journal starts again.
    fn start_again(&mut self, record: &Record) -> io::Result<()> {
        self.unsynced.clear();
        self.unsynced_lines = 0;
        self.lines = 0;
        self.sum = Sum::of_run(&self.run);
        self.is_damaged = true;
        self.go_on(record)
    }

    /// Writes the record, which is complete now. The journal is no longer needed.
    pub(crate) fn finish(mut self, record: &mut Record) -> io::Result<PathBuf> {
        self.sync(record)?;
        record.in_progress = None;
        record.redo.clear();
        record.write_or_shorten(&self.record)?;
        self.is_spare = false;
        match fs::remove_file(&self.path) {
            // Another process removed it; the record has everything.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            removed => removed?,
        }
        own_file::sync_folder_of(&self.path)?;
        Ok(self.record.clone())
    }

    fn fail(&self, error: io::Error) -> JournalError {
        JournalError::File {
            path: self.path.clone(),
            error,
        }
    }
}

/// Removes the file if no record needs it.
impl Drop for Journal {
    fn drop(&mut self) {
        if self.is_spare && self.lines == 0 {
            let _already_gone = fs::remove_file(&self.path);
        }
    }
}
