//! States as files in a folder.
//!
//! A state is written to another file first and then renamed, so that at any moment there is the old one
//! or the new one, never half of one. A lock is a file as well, and outlives this process.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use tenon_plugin::{Failure, Lock, Storage};

use crate::Located;

pub(crate) struct FolderStore {
    folder: PathBuf,
}

impl FolderStore {
    pub(crate) fn new(folder: &str) -> Result<FolderStore, Failure> {
        let folder = std::path::absolute(folder)?;
        Ok(FolderStore { folder })
    }

    fn state(&self, path: &str) -> PathBuf {
        self.folder.join(format!("{path}.tfstate"))
    }

    fn lock_file(&self, path: &str) -> PathBuf {
        self.folder.join(format!("{path}.lock"))
    }

    fn held(&self, path: &str) -> Result<Option<Lock>, Failure> {
        match existing(fs::read(self.lock_file(path)))? {
            Some(text) => Ok(Some(serde_json::from_slice(&text)?)),
            None => Ok(None),
        }
    }

    /// While the guard exists, other processes that use the folder wait. The kernel drops it if the process
    /// is killed.
    fn changing(&self) -> Result<File, Failure> {
        fs::create_dir_all(&self.folder)?;
        let guard = File::open(&self.folder)?;
        guard.lock()?;
        Ok(guard)
    }

    /// Writes a file that is there as a whole or not at all.
    fn replace(&self, file: &Path, data: &[u8]) -> Result<(), Failure> {
        let folder = file.parent().unwrap_or(&self.folder);
        fs::create_dir_all(folder)?;
        let mut part = file.as_os_str().to_owned();
        part.push(".part");
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(0o600);
        let mut out = options.open(&part)?;
        out.write_all(data)?;
        out.sync_all()?;
        fs::rename(&part, file)?;
        self.sync(folder)
    }

    fn remove(&self, file: &Path) -> Result<(), Failure> {
        match existing(fs::remove_file(file))? {
            Some(()) => self.sync(file.parent().unwrap_or(&self.folder)),
            None => Ok(()),
        }
    }

    /// What was renamed or removed is on disk when its folder is; so are folders that were made for it.
    fn sync(&self, folder: &Path) -> Result<(), Failure> {
        for folder in folder.ancestors() {
            if !folder.starts_with(&self.folder) {
                break;
            }
            File::open(folder)?.sync_all()?;
        }
        Ok(())
    }

    fn collect(&self, folder: &Path, paths: &mut Vec<String>) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?.path();
            if entry.is_dir() {
                self.collect(&entry, paths)?;
            } else if let Some(name) = entry
                .strip_prefix(&self.folder)
                .ok()
                .and_then(|name| name.to_str()?.strip_suffix(".tfstate"))
            {
                paths.push(name.to_owned());
            }
        }
        Ok(())
    }
}

impl Located for FolderStore {
    fn location(&self, path: &str) -> String {
        format!("file://{}", self.state(path).display())
    }
}

impl Storage for FolderStore {
    async fn read(&self, path: &str) -> Result<Option<Vec<u8>>, Failure> {
        Ok(existing(fs::read(self.state(path)))?)
    }

    async fn write(&self, path: &str, state: &[u8], lock_id: Option<&str>) -> Result<(), Failure> {
        let _guard = self.changing()?;
        Lock::check(self.held(path)?.as_ref(), lock_id)?;
        self.replace(&self.state(path), state)
    }

    async fn lock(&self, path: &str, wanted: Lock) -> Result<String, Failure> {
        let _guard = self.changing()?;
        match self.held(path)? {
            Some(held) if held.id != wanted.id => Err(Failure::locked(Some(held))),
            Some(held) => Ok(held.id),
            None => {
                self.replace(&self.lock_file(path), &serde_json::to_vec(&wanted)?)?;
                Ok(wanted.id)
            }
        }
    }

    async fn unlock(&self, path: &str, lock_id: Option<&str>) -> Result<(), Failure> {
        let _guard = self.changing()?;
        match self.held(path)? {
            None => Ok(()),
            Some(held) => {
                Lock::check(Some(&held), lock_id)?;
                self.remove(&self.lock_file(path))
            }
        }
    }

    async fn list(&self, prefix: &str) -> Result<Vec<String>, Failure> {
        let mut paths = Vec::new();
        existing(self.collect(&self.folder, &mut paths))?;
        paths.retain(|path| path.starts_with(prefix));
        paths.sort();
        Ok(paths)
    }

    async fn delete(&self, path: &str, lock_id: Option<&str>) -> Result<(), Failure> {
        let _guard = self.changing()?;
        Lock::check(self.held(path)?.as_ref(), lock_id)?;
        self.remove(&self.state(path))
    }
}

/// `None` if the file does not exist.
fn existing<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
