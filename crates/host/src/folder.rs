//! A folder that stays open, and the files in it by their names.
//!
//! A path leads elsewhere when a folder in it is replaced by a link. An open folder does not: each call is about one name
//! in it, and none follows a link. Who walks a path name by name cannot be led out of the folder where it began.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::platform::folder::{self, Handle};

/// A folder that is open.
#[derive(Debug)]
pub struct Folder(Handle);

/// What a file is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

/// What a name in a folder stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link, or a junction of Windows.
    Link,
    /// A FIFO.
    Fifo,
    /// A socket.
    Socket,
    /// A device.
    Device,
}

/// What [cannot be a name](is_name) is an error of the kind `InvalidFilename` on Windows.
impl Folder {
    /// Opens a folder by its path, whose links are followed.
    ///
    /// # Errors
    /// There is no such folder, or it cannot be read.
    pub fn open(path: &Path) -> io::Result<Folder> {
        folder::open(path).map(Folder)
    }

    /// Opens a folder in this one. Nothing if it is not a folder, such as a link to one.
    ///
    /// # Errors
    /// There is no such name, or it cannot be read.
    pub fn enter(&self, name: &OsStr) -> io::Result<Option<Folder>> {
        Ok(folder::enter(&self.0, name)?.map(Folder))
    }

    /// What a name stands for.
    ///
    /// # Errors
    /// There is no such name.
    pub fn kind(&self, name: &OsStr) -> io::Result<Kind> {
        folder::kind(&self.0, name)
    }

    /// The text of a link. Nothing if it is not a link.
    ///
    /// # Errors
    /// There is no such name, or it is a link of an unknown kind.
    pub fn link(&self, name: &OsStr) -> io::Result<Option<PathBuf>> {
        folder::link(&self.0, name)
    }

    /// Opens a file to read it. What it is must be checked. Nothing if it is no longer there, or something that is not
    /// opened, such as a link.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn open_to_read(&self, name: &OsStr) -> io::Result<Option<File>> {
        folder::open_file(&self.0, name, Access::Read)
    }

    /// Opens a file to write it, in the same way.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn open_to_write(&self, name: &OsStr) -> io::Result<Option<File>> {
        folder::open_file(&self.0, name, Access::Write)
    }

    /// Creates a file, and opens it for writing. Nothing if there is something of this name.
    ///
    /// # Errors
    /// It cannot be created.
    pub fn create_file(&self, name: &OsStr) -> io::Result<Option<File>> {
        folder::create_file(&self.0, name)
    }

    /// Creates a folder, unless there is something of this name.
    ///
    /// # Errors
    /// It cannot be created.
    pub fn create_folder(&self, name: &OsStr) -> io::Result<()> {
        folder::create_folder(&self.0, name)
    }
}

/// Whether a file can have this name, and all programs mean the same file by it. On Windows, names with `\`, `/` or `:`, with
/// a blank or a dot at the end, and names of devices (`CON`, `NUL.txt`) lead elsewhere.
pub fn is_name(name: &OsStr) -> bool {
    folder::is_name(name)
}

/// What tells an open file from all others: its device or volume, and its number there.
///
/// # Errors
/// The system does not tell.
pub fn identity(file: &File) -> io::Result<(u64, u64)> {
    folder::identity(file)
}
