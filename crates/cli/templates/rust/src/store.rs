//: storage
//! Keeps the states of Terraform as files in a folder.
//!
//! A state is written to another file first and then renamed, so that there is always the old one or the new one. A lock
//! is a file as well: the id of the lock, and what its owner says about itself.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use tenon_plugin::{Failure, Lock, Storage};

pub struct Store {
    folder: PathBuf,
}

impl Store {
    pub fn new(folder: impl Into<PathBuf>) -> Store {
        Store {
            folder: folder.into(),
        }
    }

    fn file(&self, path: &str, ending: &str) -> PathBuf {
        self.folder.join(format!("{path}.{ending}"))
    }

    /// While the guard exists, other processes that use the folder wait.
    fn guard(&self) -> Result<File, Failure> {
        fs::create_dir_all(&self.folder)?;
        let guard = File::open(&self.folder)?;
        guard.lock()?;
        Ok(guard)
    }

    fn held(&self, path: &str) -> Result<Option<Lock>, Failure> {
        let text = existing(fs::read_to_string(self.file(path, "lock")))?;
        Ok(text.map(|text| {
            let (id, info) = text.split_once('\n').unwrap_or((&text, ""));
            Lock {
                id: id.to_owned(),
                info: info.to_owned(),
            }
        }))
    }

    fn replace(&self, file: &Path, data: &[u8]) -> Result<(), Failure> {
        let folder = file.parent().unwrap_or(&self.folder);
        fs::create_dir_all(folder)?;
        let mut part = file.as_os_str().to_owned();
        part.push(".part");
        let mut out = File::create(&part)?;
        out.write_all(data)?;
        out.sync_all()?;
        fs::rename(&part, file)?;
        // The new name is on disk when its folder is.
        Ok(File::open(folder)?.sync_all()?)
    }
}

impl Storage for Store {
    async fn read(&self, path: &str) -> Result<Option<Vec<u8>>, Failure> {
        Ok(existing(fs::read(self.file(path, "tfstate")))?)
    }

    async fn write(&self, path: &str, state: &[u8], lock_id: Option<&str>) -> Result<(), Failure> {
        let _guard = self.guard()?;
        Lock::check(self.held(path)?.as_ref(), lock_id)?;
        self.replace(&self.file(path, "tfstate"), state)
    }

    async fn lock(&self, path: &str, wanted: Lock) -> Result<String, Failure> {
        let _guard = self.guard()?;
        match self.held(path)? {
            Some(held) if held.id != wanted.id => Err(Failure::locked(Some(held))),
            _ => {
                let text = format!("{}\n{}", wanted.id, wanted.info);
                self.replace(&self.file(path, "lock"), text.as_bytes())?;
                Ok(wanted.id)
            }
        }
    }

    async fn unlock(&self, path: &str, lock_id: Option<&str>) -> Result<(), Failure> {
        let _guard = self.guard()?;
        if let Some(held) = self.held(path)? {
            Lock::check(Some(&held), lock_id)?;
            existing(fs::remove_file(self.file(path, "lock")))?;
        }
        Ok(())
    }

    async fn list(&self, prefix: &str) -> Result<Vec<String>, Failure> {
        let mut paths = Vec::new();
        existing(collect(&self.folder, &self.folder, &mut paths))?;
        paths.retain(|path| path.starts_with(prefix));
        paths.sort();
        Ok(paths)
    }

    async fn delete(&self, path: &str, lock_id: Option<&str>) -> Result<(), Failure> {
        let _guard = self.guard()?;
        Lock::check(self.held(path)?.as_ref(), lock_id)?;
        existing(fs::remove_file(self.file(path, "tfstate")))?;
        Ok(())
    }
}

fn collect(root: &Path, folder: &Path, paths: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?.path();
        if entry.is_dir() {
            collect(root, &entry, paths)?;
        } else if entry.extension().is_some_and(|ending| ending == "tfstate") {
            let name = entry.with_extension("");
            paths.extend(
                name.strip_prefix(root)
                    .ok()
                    .and_then(Path::to_str)
                    .map(str::to_owned),
            );
        }
    }
    Ok(())
}

/// `None` if the file does not exist.
fn existing<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
//: end
