//! Files that only their owner can have written, by their owners and access lists.

use std::fs::{self, File, FileType, OpenOptions, TryLockError};
use std::io;
use std::os::windows::ffi::OsStrExt;
use std::os::windows::fs::{FileExt, OpenOptionsExt};
use std::os::windows::io::AsHandle;
use std::path::Path;

use super::folder::is_name;
use super::kernel;
use super::kernel::names::{FILE_CREATE, FILE_NON_DIRECTORY_FILE, open_in};
use crate::own_file::{Access, refused};

const GENERIC_READ: u32 = 0x8000_0000;
const GENERIC_WRITE: u32 = 0x4000_0000;
/// To change the access list.
const WRITE_DAC: u32 = 0x0004_0000;
/// A folder can be opened.
const BACKUP_SEMANTICS: u32 = 0x0200_0000;
/// A link is opened itself, not what it points to.
const OPEN_REPARSE_POINT: u32 = 0x0020_0000;

/// Opens an existing file. Links are not followed.
pub(crate) fn open_existing(path: &Path, access: Access) -> io::Result<File> {
    let mut options = OpenOptions::new();
    match access {
        Access::Read => options.read(true),
        // Its owner may always change the access list.
        Access::ReadWrite => options.access_mode(GENERIC_READ | GENERIC_WRITE | WRITE_DAC),
    };
    options.custom_flags(OPEN_REPARSE_POINT).open(path)
}

/// Creates a file that only its owner can read and write, in one step: at no time can others open it.
pub(crate) fn create_private(path: &Path) -> io::Result<File> {
    let path = std::path::absolute(path)?;
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::ErrorKind::InvalidFilename.into());
    };
    if !is_name(name) {
        return Err(io::ErrorKind::InvalidFilename.into());
    }
    let name: Vec<u16> = name.encode_wide().collect();
    let created = open_in(
        open_folder(folder)?.as_handle(),
        &name,
        GENERIC_READ | GENERIC_WRITE | WRITE_DAC,
        FILE_CREATE,
        FILE_NON_DIRECTORY_FILE,
        Some(&kernel::OwnerOnly::new()?),
    )?;
    let file = File::from(created);
    // A file system without access lists takes it for a file of everyone.
    check_owner(&file).inspect_err(|_| {
        let _stays = fs::remove_file(&path);
    })?;
    Ok(file)
}

/// What a file is that is neither a regular file, a folder nor a link.
pub(crate) fn special(_: FileType) -> &'static str {
    "a device"
}

/// How many names a file has.
pub(crate) fn names(file: &File) -> io::Result<u64> {
    kernel::names(file)
}

/// Takes the rights of others away.
pub(crate) fn make_private(file: &File) -> io::Result<()> {
    kernel::make_private(file)
}

/// Checks that a file belongs to this user, to the administrators or to the system, and that others cannot write to it.
pub(crate) fn check_owner(file: &File) -> io::Result<()> {
    let control = kernel::control(file)?;
    if !control.is_own {
        return Err(refused(
            "it belongs to another user; if you trust what it holds, use a copy of your own",
        ));
    }
    if control.is_shared {
        return Err(refused(
            "users other than its owner can write to it; if you trust what it holds, take that right from them \
             (`icacls FILE /inheritance:r /grant:r \"%USERNAME%:F\"`)",
        ));
    }
    Ok(())
}

/// Not looked for.
pub(crate) fn folder_risk(_: &Path) -> Option<String> {
    None
}

/// The system writes the names of files to its own journal, and has no call for folders.
#[expect(clippy::unnecessary_wraps, reason = "it can fail on other systems")]
pub(crate) fn sync_folder(_: &File) -> io::Result<()> {
    Ok(())
}

/// Creates a folder, and the folders that it is in.
pub(crate) fn create_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

/// Opens a folder.
pub(crate) fn open_folder(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(BACKUP_SEMANTICS).open(path)
}

/// Whether a file belongs to the user of this process, or to the administrators or the system.
pub(crate) fn is_users(file: &File) -> io::Result<bool> {
    Ok(kernel::control(file)?.is_own)
}

/// Whether an open file is the one with this path.
pub(crate) fn is_at(file: &File, path: &Path) -> bool {
    let there = open_existing(path, Access::Read);
    let there = there.and_then(|there| kernel::identity(&there));
    matches!((kernel::identity(file), there), (Ok(open), Ok(there)) if open == there)
}

/// Writes all bytes at a place of a file.
pub(crate) fn write_all_at(file: &File, mut bytes: &[u8], mut place: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match file.seek_write(bytes, place) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => {
                bytes = &bytes[written..];
                place += written as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Locks a file, unless another handle of it is locked.
pub(crate) fn try_lock(file: &File) -> Result<(), TryLockError> {
    /// The byte is locked.
    const LOCK_VIOLATION: i32 = 33;
    kernel::lock(file).map_err(|error| match error.raw_os_error() {
        Some(LOCK_VIOLATION) => TryLockError::WouldBlock,
        _ => TryLockError::Error(error),
    })
}

/// Takes the rights of others away, if the mode gives them none.
pub(crate) fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    const OTHERS: u32 = 0o077;
    match mode & OTHERS {
        // It may have been opened without the right to change its access list.
        0 => kernel::make_private(&kernel::reopened(file, GENERIC_READ | WRITE_DAC)?),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, TryLockError};
    use std::io::{Read, Write};

    use crate::own_file::{Access, create, open, overwrite, try_lock};

    #[test]
    fn a_locked_file_can_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let mut file = create(&path).unwrap();
        try_lock(&file).unwrap();
        file.write_all(b"text").unwrap();
        let other = open(&path, Access::ReadWrite).unwrap();
        assert!(matches!(try_lock(&other), Err(TryLockError::WouldBlock)));
        assert_eq!(fs::read(&path).unwrap(), b"text");
        drop(file);
        try_lock(&other).unwrap();
    }

    /// Files of others, such as temporary ones, are not opened for that.
    #[test]
    fn a_file_that_was_opened_to_be_written_is_made_private() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let file = fs::File::create_new(&path).unwrap();
        crate::own_file::set_mode(&file, 0o600).unwrap();
        crate::own_file::set_mode(&file, 0o644).unwrap();
        drop(file);
        open(&path, Access::ReadWrite).unwrap();
    }

    #[test]
    fn a_new_file_is_for_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = create(&folder.path().join("file")).unwrap();
        let control = super::kernel::control(&file).unwrap();
        assert!(control.is_own && !control.is_shared);
        for device in ["CON", "nul.txt", "a:b"] {
            assert!(create(&folder.path().join(device)).is_err(), "{device}");
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn an_own_file_is_created_read_and_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ein schöner Name.json");
        create(&path).unwrap().write_all(b"one").unwrap();
        let again = create(&path).unwrap_err();
        assert_eq!(again.kind(), std::io::ErrorKind::AlreadyExists);
        let mut text = String::new();
        let mut file = open(&path, Access::Read).unwrap();
        file.read_to_string(&mut text).unwrap();
        assert_eq!(text, "one");
        drop(file);
        overwrite(&path).unwrap().write_all(b"2").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"2");
        let second = folder.path().join("second");
        fs::hard_link(&path, second).unwrap();
        let refused = overwrite(&path).unwrap_err().to_string();
        assert!(refused.contains("2 names"), "{refused}");
        let folder = open(folder.path(), Access::Read).unwrap_err().to_string();
        assert!(folder.contains("a folder"), "{folder}");
    }
}
