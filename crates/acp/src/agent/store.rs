//! Where an agent keeps its sessions: two files for each in one folder.
//!
//! `ID.json` says what the session is: its folders, title and settings. It is replaced as a whole, so it is the old one
//! or the new one at any moment. `ID.jsonl` is the history: one update a line, only appended to. A process that is
//! killed can leave an incomplete last line, which is removed when the session is opened again. Whoever has a session
//! open holds a lock on its history.
//!
//! Files belong to their owner and only the owner can read them. The id of a session becomes a path only if it is a UUID.

mod history;
mod id;
mod info;

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use jiff::Timestamp;
use tenon_host::own_file::{self, Access};
use tenon_protocols::acp::SessionInfo;

pub(crate) use history::Log;
pub(crate) use id::{is_id, new_id};
pub(crate) use info::{Info, Kept};

/// Sessions in one answer to `session/list`.
const PAGE: usize = 50;
/// The largest file about a session without its history.
const INFO: u64 = 1024 * 1024;

/// A folder with sessions. Several processes can use the same one.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
    history_limit: u64,
}

/// Why a session could not be stored or opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// There is no such session.
    #[error("unknown session")]
    NotFound,
    /// Another process, or another connection of this one, has it open.
    #[error("the session is in use")]
    Busy,
    /// A file cannot be read or written.
    #[error("{}: {error}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

/// A session that is open: its lock is held.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) info: Info,
    pub(crate) log: Log,
}

/// One page of sessions, the ones that were changed last first.
#[derive(Debug)]
pub struct Page {
    /// The sessions.
    pub sessions: Vec<SessionInfo>,
    /// Where the next page begins, if there is one.
    pub next_cursor: Option<String>,
}

impl Store {
    /// Opens a folder, which is created if it does not exist. Histories are at most 64 MiB.
    ///
    /// # Errors
    /// It cannot be created, is not a folder, or other users could replace the files in it.
    pub fn open(folder: impl Into<PathBuf>) -> io::Result<Store> {
        const HISTORY: u64 = 64 * 1024 * 1024;
        let folder = folder.into();
        own_file::create_folder(&folder)?;
        if let Some(risk) = own_file::folder_risk(&folder) {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, risk));
        }
        Ok(Store {
            folder,
            history_limit: HISTORY,
        })
    }

    /// The same folder with another limit for the history of a session, in bytes. A session that has reached it takes no
    /// further prompts.
    #[must_use]
    pub fn with_history_limit(self, history_limit: u64) -> Store {
        Store {
            history_limit,
            ..self
        }
    }

    /// Begins a session.
    pub(crate) fn create(&self, info: Info) -> Result<Opened, StoreError> {
        let path = self.path(&info.session_id, "jsonl");
        let file = own_file::create(&path).map_err(at(&path))?;
        lock(&file, &path)?;
        self.save(&info)?;
        let log = Log::new(file, path, self.history_limit);
        Ok(Opened { info, log })
    }

    /// Continues a session.
    pub(crate) fn reopen(&self, id: &str) -> Result<Opened, StoreError> {
        if !is_id(id) {
            return Err(StoreError::NotFound);
        }
        let path = self.path(id, "jsonl");
        let file = own_file::open(&path, Access::ReadWrite).map_err(at(&path))?;
        lock(&file, &path)?;
        // Only now: the process that had the lock may have deleted it.
        let info = self.info(id)?;
        let log = Log::resume(file, path, self.history_limit)?;
        Ok(Opened { info, log })
    }

    /// Writes what a session is. The caller holds its lock.
    pub(crate) fn save(&self, info: &Info) -> Result<(), StoreError> {
        let path = self.path(&info.session_id, "json");
        let write = |out: &mut dyn io::Write| serde_json::to_writer(out, info).map_err(Into::into);
        own_file::replace(&path, INFO, write).map_err(at(&path))
    }

    fn info(&self, id: &str) -> Result<Info, StoreError> {
        let path = self.path(id, "json");
        let file = own_file::open(&path, Access::Read).map_err(at(&path))?;
        let info: Result<Info, _> = serde_json::from_reader(io::Read::take(file, INFO));
        let info = info.map_err(|error| at(&path)(error.into()))?;
        // A file that was copied under another name is another session.
        match info.session_id == id {
            true => Ok(info),
            false => Err(StoreError::NotFound),
        }
    }

    /// Deletes a session. One that does not exist is not an error.
    ///
    /// # Errors
    /// It is in use, or a file cannot be removed.
    pub fn delete(&self, id: &str) -> Result<(), StoreError> {
        if !is_id(id) {
            return Ok(());
        }
        let path = self.path(id, "jsonl");
        let _locked = match own_file::open(&path, Access::ReadWrite).map_err(at(&path)) {
            Ok(file) => {
                lock(&file, &path)?;
                Some(file)
            }
            Err(StoreError::NotFound) => None,
            Err(error) => return Err(error),
        };
        // Without the first file there is no session, so it goes first.
        for extension in ["json", "jsonl"] {
            let path = self.path(id, extension);
            match fs::remove_file(&path).map_err(at(&path)) {
                Ok(()) | Err(StoreError::NotFound) => {}
                Err(error) => return Err(error),
            }
        }
        own_file::sync_folder_of(&path).map_err(at(&path))
    }

    /// Lists sessions: those in the folder `cwd` if it is given, from `cursor` on.
    ///
    /// # Errors
    /// The folder cannot be read. A session that cannot be read is left out.
    pub fn list(&self, cwd: Option<&str>, cursor: Option<&str>) -> Result<Page, StoreError> {
        let mut found: Vec<(u128, String)> = Vec::new();
        let entries = fs::read_dir(&self.folder).map_err(at(&self.folder))?;
        for entry in entries {
            let name = entry.map_err(at(&self.folder))?.file_name();
            let id = name.to_str().and_then(|name| name.strip_suffix(".json"));
            if let Some(id) = id.filter(|id| is_id(id)) {
                found.push((self.changed(id), id.to_owned()));
            }
        }
        found.sort_unstable_by(|a, b| b.cmp(a));
        let after = cursor.map(|cursor| {
            let (time, id) = cursor.split_once('-').unwrap_or_default();
            (time.parse::<u128>().unwrap_or_default(), id.to_owned())
        });
        let wanted = found
            .into_iter()
            .skip_while(|one| after.as_ref().is_some_and(|after| one >= after));
        let mut page = Page {
            sessions: Vec::new(),
            next_cursor: None,
        };
        let mut last = None;
        for (time, id) in wanted {
            let info = match self.info(&id) {
                Ok(info) => info,
                Err(error) => {
                    tracing::warn!(%error, "a session could not be read");
                    continue;
                }
            };
            if cwd.is_some_and(|cwd| Path::new(cwd) != Path::new(&info.cwd)) {
                continue;
            }
            if page.sessions.len() == PAGE {
                page.next_cursor = last;
                break;
            }
            last = Some(format!("{time}-{id}"));
            page.sessions.push(info.listed(time));
        }
        Ok(page)
    }

    /// When a session was changed last, in milliseconds since 1970.
    fn changed(&self, id: &str) -> u128 {
        let changed = |extension| {
            let metadata = fs::symlink_metadata(self.path(id, extension)).ok()?;
            let time = metadata.modified().ok()?;
            Some(
                time.duration_since(SystemTime::UNIX_EPOCH)
                    .ok()?
                    .as_millis(),
            )
        };
        changed("jsonl").max(changed("json")).unwrap_or_default()
    }

    /// Only for ids that were checked.
    fn path(&self, id: &str, extension: &str) -> PathBuf {
        debug_assert!(is_id(id), "{id}");
        self.folder.join(format!("{id}.{extension}"))
    }
}

/// The time now, in RFC 3339.
pub(crate) fn now() -> String {
    format!("{:.3}", Timestamp::now())
}

fn lock(file: &File, path: &Path) -> Result<(), StoreError> {
    own_file::try_lock(file).map_err(|error| match error {
        TryLockError::WouldBlock => StoreError::Busy,
        TryLockError::Error(error) => at(path)(error),
    })
}

fn at(path: &Path) -> impl Fn(io::Error) -> StoreError {
    let path = path.to_owned();
    move |error| match error.kind() {
        io::ErrorKind::NotFound => StoreError::NotFound,
        _ => StoreError::File {
            path: path.clone(),
            error,
        },
    }
}

#[cfg(test)]
mod tests;
