//! The file of a journal, which one process at a time has locked.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;
use std::time::Duration;

use tenon_host::own_file::{self, Access};

use super::{Journal, JournalError, Sum};

impl Journal {
    /// Opens or creates the file, and locks it.
    pub(super) fn lock(record: &Path) -> Result<(Journal, bool), JournalError> {
        let path = record.with_extension("journal");
        let fail = |error| JournalError::File {
            path: path.clone(),
            error,
        };
        let (file, is_new) = loop {
            let (file, is_new) = match own_file::open(&path, Access::ReadWrite) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    match own_file::create(&path) {
                        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                        created => (created.map_err(fail)?, true),
                    }
                }
                Err(error) if !is_regular(&path) => {
                    // What `own_file` advises is for paths that a user has given.
                    let problem = error.to_string();
                    let problem = problem.split(';').next().unwrap_or_default();
                    let problem = format!(
                        "{problem}\n  it is in the place of this run's journal: remove it, or replace \
                         it with the journal"
                    );
                    return Err(fail(io::Error::new(error.kind(), problem)));
                }
                opened => (opened.map_err(fail)?, false),
            };
            match lock_file(&file) {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(JournalError::Busy(record.to_owned())),
                Err(TryLockError::Error(error)) => return Err(fail(error)),
            }
            // The process that had it before may have removed it just now.
            if own_file::is_at(&file, &path) {
                break (file, is_new);
            }
        };
        let journal = Journal {
            file,
            record: record.to_owned(),
            run: String::new(),
            end: 0,
            lines: 0,
            sum: Sum::of_run(""),
            unsynced: Vec::new(),
            unsynced_lines: 0,
            is_spare: is_new,
            is_damaged: false,
            path,
        };
        Ok((journal, is_new))
    }
}

/// Whether there is a file that can be a journal.
fn is_regular(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|there| there.is_file())
}

/// A process that cleans up may have the lock for a moment.
pub(super) fn lock_file(file: &File) -> Result<(), TryLockError> {
    const TRIES: u32 = 5;
    const PAUSE: Duration = Duration::from_millis(10);
    for _ in 1..TRIES {
        match own_file::try_lock(file) {
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            locked => return locked,
        }
    }
    own_file::try_lock(file)
}
