//! Temporary files of writes, which a killed process leaves behind.
//!
//! The process that writes one holds its lock, which the kernel releases when the process ends. So a file
//! whose lock is free is not in use, also where process ids cannot be compared: in containers that share
//! a folder.

use std::ffi::OsStr;
use std::fs::TryLockError;
use std::io;
use std::path::Path;

use tempfile::NamedTempFile;
use tenon_host::own_file;

const PREFIX: &str = ".tenon-";
const SUFFIX: &str = ".tmp";
/// Random letters and digits between the two.
const RANDOM: usize = 6;

/// Creates a temporary file that no other process removes as long as it is open.
pub(super) fn create(folder: &Path) -> io::Result<NamedTempFile> {
    loop {
        let file = tempfile::Builder::new()
            .prefix(PREFIX)
            .suffix(SUFFIX)
            .rand_bytes(RANDOM)
            .tempfile_in(folder)?;
        let locked = match file.as_file().try_lock() {
            // On a file system without locks nothing is removed either.
            Ok(()) | Err(TryLockError::Error(_)) => true,
            Err(TryLockError::WouldBlock) => false,
        };
        // Another process may have found it before it was locked, and removed it.
        if locked && own_file::names(file.as_file())? > 0 {
            return Ok(file);
        }
    }
}

/// Removes the files of processes that were killed. What cannot be removed does no harm.
pub(super) fn remove(folder: &Path) {
    for entry in folder.read_dir().into_iter().flatten().flatten() {
        if is_temporary(&entry.file_name()) {
            let _left_as_it_is = remove_unlocked(&entry.path());
        }
    }
}

fn is_temporary(name: &OsStr) -> bool {
    let name = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
    let random = name.and_then(|name| name.strip_suffix(SUFFIX));
    let is_random = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    random.is_some_and(|random| random.len() == RANDOM && is_random(random))
}

fn remove_unlocked(path: &Path) -> io::Result<()> {
    // In a folder of several users, a link or a FIFO may be in its place.
    let file = own_file::open_as_is(path)?;
    if file.metadata()?.is_file() && own_file::is_users(&file)? && file.try_lock().is_ok() {
        std::fs::remove_file(path)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_that_are_not_being_written_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        let open = create(folder.path()).unwrap();
        // A killed process closes its files and removes nothing.
        let (closed, left) = create(folder.path()).unwrap().keep().unwrap();
        drop(closed);
        for other in [
            ".tenon-abc123",
            ".tenon-abc.tmp",
            "tenon-abc123.tmp",
            "a.tmp",
        ] {
            std::fs::write(place(other), "").unwrap();
        }
        std::os::unix::fs::symlink("a.tmp", place(".tenon-linked.tmp")).unwrap();
        remove(folder.path());
        assert!(open.path().exists());
        assert!(!left.exists());
        let kept = folder.path().read_dir().unwrap().count();
        assert_eq!(kept, 6, "the open one, four others and a link");
    }
}
