//! Files that only their owner can have written: records, journals, recordings.
//!
//! In a folder that several users can write to, such as `/tmp`, another user may have put a file, a
//! symbolic link or a FIFO where ours is expected. So links are not followed, only regular files are
//! opened, no call waits for another process, and a file has to belong to this user (or to root) and
//! must not be writable by others.

mod replacing;

use std::fs::{self, File, FileType, TryLockError};
use std::io;
use std::path::Path;

use crate::platform::files;

pub use replacing::{TEMPORARY, replace, sync_folder_of};

/// What an existing file is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It is only read.
    Read,
    /// It is read and written.
    ReadWrite,
}

/// Opens an existing file.
///
/// # Errors
/// It does not exist, is not a regular file, belongs to another user, or others can write to it.
pub fn open(path: &Path, access: Access) -> io::Result<File> {
    // Opening a device may already do something to it.
    check_kind(fs::symlink_metadata(path)?.file_type())?;
    let file = files::open_existing(path, access)?;
    // Another file may have replaced it in the meantime.
    check_kind(file.metadata()?.file_type())?;
    files::check_owner(&file)?;
    Ok(file)
}

/// Creates a file that only its owner can read and write.
///
/// # Errors
/// It exists already, or cannot be created, or the file system does not keep its mode.
pub fn create(path: &Path) -> io::Result<File> {
    let file = files::create_private(path)?;
    // On some file systems every file belongs to one user or is writable by all; a file there could not
    // be opened again.
    if let Err(error) = files::check_owner(&file) {
        let _also_gone = fs::remove_file(path);
        let problem =
            format!("the file system does not keep the owner and the mode of files: {error}");
        return Err(io::Error::new(error.kind(), problem));
    }
    Ok(file)
}

/// Creates a file that only its owner can read and write, or truncates the existing one.
///
/// # Errors
/// As for [`open`] and [`create`]; or the file has a second hard link, which another user may have made.
pub fn overwrite(path: &Path) -> io::Result<File> {
    let file = loop {
        match open(path, Access::ReadWrite) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => match create(path) {
                // Another process has just created it.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                created => return created,
            },
            opened => break opened?,
        }
    };
    let names = names(&file)?;
    if names != 1 {
        return Err(refused(format!(
            "it has {names} names (hard links), so something else would be overwritten too; remove it, or \
             choose another path"
        )));
    }
    file.set_len(0)?;
    files::make_private(&file)?;
    Ok(file)
}

/// Why other users can replace files in a folder, if they can. Not known on Windows.
pub fn folder_risk(folder: &Path) -> Option<String> {
    files::folder_risk(folder)
}

/// Creates a file that only its owner can read and write, as far as the file system can keep that.
///
/// # Errors
/// It exists already, or cannot be created.
pub fn create_as_is(path: &Path) -> io::Result<File> {
    files::create_private(path)
}

/// Opens whatever is at a path to read it, without following links or waiting for another process. What it is has to be
/// checked.
///
/// # Errors
/// It does not exist, or cannot be read.
pub fn open_as_is(path: &Path) -> io::Result<File> {
    files::open_existing(path, Access::Read)
}

/// Whether a file belongs to the user of this process.
///
/// # Errors
/// The system does not tell.
pub fn is_users(file: &File) -> io::Result<bool> {
    files::is_users(file)
}

/// Whether an open file is the one with this path.
pub fn is_at(file: &File, path: &Path) -> bool {
    files::is_at(file, path)
}

/// How many names a file has; 0 if it was removed.
///
/// # Errors
/// The system does not tell.
pub fn names(file: &File) -> io::Result<u64> {
    files::names(file)
}

/// Locks a file, unless another handle of it is locked. Others can read it, also on Windows, where locks keep others from
/// what is locked: there it is a byte behind any contents.
///
/// # Errors
/// It is locked, or the file system has no locks.
pub fn try_lock(file: &File) -> Result<(), TryLockError> {
    files::try_lock(file)
}

/// Writes all bytes at a place of a file.
///
/// # Errors
/// It cannot be written.
pub fn write_all_at(file: &File, bytes: &[u8], place: u64) -> io::Result<()> {
    files::write_all_at(file, bytes, place)
}

/// Sets the mode of a file. On Windows, a mode that gives others no right takes their rights away, and any other leaves
/// the rights that the file has from its folder.
///
/// # Errors
/// It cannot be changed.
pub fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    files::set_mode(file, mode)
}

/// Creates a folder that only its owner can enter, and the folders that it is in. On Windows it has the rights of the
/// folder that it is in: those of a user are for that user alone.
///
/// # Errors
/// It cannot be created, or is not a folder.
pub fn create_folder(path: &Path) -> io::Result<()> {
    files::create_folder(path)
}

/// Opens a folder, to sync it later.
///
/// # Errors
/// There is no such folder, or it cannot be read.
pub fn open_folder(path: &Path) -> io::Result<File> {
    files::open_folder(path)
}

/// Syncs a folder, so that files that were created, renamed or removed in it stay so after a crash. On Windows, which has no such
/// call, this does nothing.
///
/// # Errors
/// It cannot be written.
pub fn sync_folder(folder: &File) -> io::Result<()> {
    files::sync_folder(folder)
}

fn check_kind(kind: FileType) -> io::Result<()> {
    let what = match kind {
        _ if kind.is_file() => return Ok(()),
        _ if kind.is_symlink() => {
            return Err(refused(
                "it is a symbolic link, which is not followed; give the path of the file itself",
            ));
        }
        _ if kind.is_dir() => "a folder",
        _ => files::special(kind),
    };
    Err(refused(format!("it is {what}, not a regular file")))
}

pub(crate) fn refused(problem: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, problem.into())
}
