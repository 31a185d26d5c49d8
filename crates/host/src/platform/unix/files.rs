//! Files that only their owner can have written, by their owners and modes.

use std::fs::{self, DirBuilder, File, FileType, OpenOptions, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{
    DirBuilderExt, FileExt, FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt,
};
use std::path::Path;

use rustix::fs::OFlags;

use crate::own_file::{Access, refused};

const ROOT: u32 = 0;
/// Write permission of the group and of other users.
const OTHERS_WRITE: u32 = 0o022;
const STICKY: u32 = 0o1000;

/// Opens an existing file. Links are not followed, and the call does not wait.
pub(crate) fn open_existing(path: &Path, access: Access) -> io::Result<File> {
    let mut options = options();
    options.read(true).write(access == Access::ReadWrite);
    options.open(path)
}

/// Creates a file that only its owner can read and write.
pub(crate) fn create_private(path: &Path) -> io::Result<File> {
    let mut options = options();
    options.read(true).write(true).create_new(true).mode(0o600);
    options.open(path)
}

fn options() -> OpenOptions {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    let mut options = OpenOptions::new();
    options.custom_flags(flags.bits().cast_signed());
    options
}

/// What a file is that is neither a regular file, a folder nor a link.
pub(crate) fn special(kind: FileType) -> &'static str {
    match kind {
        _ if kind.is_fifo() => "a FIFO",
        _ if kind.is_socket() => "a socket",
        _ => "a device",
    }
}

/// How many names a file has.
pub(crate) fn names(file: &File) -> io::Result<u64> {
    Ok(file.metadata()?.nlink())
}

/// Takes the permissions of others away.
pub(crate) fn make_private(file: &File) -> io::Result<()> {
    set_mode(file, 0o600)
}

/// Checks that a file belongs to this user or to root, and that others cannot write to it.
pub(crate) fn check_owner(file: &File) -> io::Result<()> {
    let metadata = file.metadata()?;
    let (owner, user) = (metadata.uid(), own_user());
    if owner != user && owner != ROOT {
        return Err(refused(format!(
            "it belongs to user {owner}, not to user {user} who runs this; if you trust what it holds, use a \
             copy of your own"
        )));
    }
    let mode = metadata.mode();
    if mode & OTHERS_WRITE != 0 {
        return Err(refused(format!(
            "users other than its owner can write to it (mode {:o}); if you trust what it holds, `chmod go-w` it",
            mode & 0o7777
        )));
    }
    Ok(())
}

fn own_user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Why other users can replace files in a folder, if they can.
pub(crate) fn folder_risk(folder: &Path) -> Option<String> {
    let metadata = fs::metadata(folder).ok()?;
    let owner = metadata.uid();
    if owner != own_user() && owner != ROOT {
        return Some(format!(
            "it belongs to user {owner}, who can remove and rename the files in it"
        ));
    }
    let mode = metadata.mode();
    (mode & 0o002 != 0 && mode & STICKY == 0).then(|| {
        format!(
            "every user can remove and rename the files in it (mode {:o}); `chmod o-w` it, or `chmod +t` it",
            mode & 0o7777
        )
    })
}

/// Syncs a folder, so that files that were created, renamed or removed in it stay so after a crash.
pub(crate) fn sync_folder(folder: &File) -> io::Result<()> {
    folder.sync_all()
}

/// Creates a folder that only its owner can enter, and the folders that it is in.
pub(crate) fn create_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Opens a folder.
pub(crate) fn open_folder(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Whether a file belongs to the user of this process.
pub(crate) fn is_users(file: &File) -> io::Result<bool> {
    Ok(file.metadata()?.uid() == own_user())
}

/// Whether an open file is the one with this path.
pub(crate) fn is_at(file: &File, path: &Path) -> bool {
    let (Ok(open), Ok(there)) = (file.metadata(), fs::symlink_metadata(path)) else {
        return false;
    };
    (open.dev(), open.ino()) == (there.dev(), there.ino())
}

/// Writes all bytes at a place of a file.
pub(crate) fn write_all_at(file: &File, bytes: &[u8], place: u64) -> io::Result<()> {
    file.write_all_at(bytes, place)
}

/// Locks a file, unless another descriptor of it is locked.
pub(crate) fn try_lock(file: &File) -> Result<(), TryLockError> {
    file.try_lock()
}

/// Sets the mode of a file.
pub(crate) fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    file.set_permissions(Permissions::from_mode(mode))
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::os::unix::fs::{chown, symlink};
    use std::process::Command;

    use tempfile::TempDir;

    use super::*;
    use crate::own_file::{create, open, overwrite};

    const STRANGER: u32 = 65534;

    fn folder() -> TempDir {
        tempfile::tempdir().unwrap()
    }

    #[track_caller]
    fn assert_refused<T: std::fmt::Debug>(result: io::Result<T>, part: &str) {
        let error = result.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied, "{error}");
        assert!(error.to_string().contains(part), "{error}");
    }

    #[test]
    fn an_own_file_is_created_read_and_overwritten() {
        let folder = folder();
        let path = folder.path().join("file");
        create(&path).unwrap().write_all(b"one").unwrap();
        assert_eq!(
            create(&path).unwrap_err().kind(),
            io::ErrorKind::AlreadyExists
        );
        let mut text = String::new();
        let mut file = open(&path, Access::Read).unwrap();
        file.read_to_string(&mut text).unwrap();
        assert_eq!(text, "one");
        fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        overwrite(&path).unwrap().write_all(b"2").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"2");
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        let missing = open(&folder.path().join("missing"), Access::Read);
        assert_eq!(missing.unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn links_are_not_followed() {
        let folder = folder();
        let (path, target) = (folder.path().join("link"), folder.path().join("target"));
        fs::write(&target, "mine").unwrap();
        symlink(&target, &path).unwrap();
        assert_refused(open(&path, Access::Read), "symbolic link");
        assert_refused(overwrite(&path), "symbolic link");
        let dangling = folder.path().join("dangling");
        symlink(folder.path().join("elsewhere"), &dangling).unwrap();
        assert_refused(overwrite(&dangling), "symbolic link");
        assert_eq!(
            create(&dangling).unwrap_err().kind(),
            io::ErrorKind::AlreadyExists
        );
        assert!(!folder.path().join("elsewhere").exists());
        assert_eq!(fs::read(&target).unwrap(), b"mine");
        let second = folder.path().join("second");
        fs::hard_link(&target, &second).unwrap();
        assert_refused(overwrite(&second), "2 names");
        assert_eq!(fs::read(&target).unwrap(), b"mine");
    }

    /// Neither call waits for a process at the other end of the FIFO.
    #[test]
    #[expect(clippy::disallowed_methods, reason = "rustix makes no FIFOs on macOS")]
    fn only_regular_files_are_opened() {
        let folder = folder();
        let fifo = folder.path().join("fifo");
        let made = Command::new("mkfifo").arg(&fifo).status().unwrap();
        assert!(made.success());
        assert_refused(open(&fifo, Access::Read), "a FIFO");
        assert_refused(overwrite(&fifo), "a FIFO");
        assert_refused(open(folder.path(), Access::Read), "a folder");
        assert_refused(overwrite(Path::new("/dev/null")), "a device");
    }

    #[test]
    fn files_that_others_can_write_are_refused() {
        let folder = folder();
        let path = folder.path().join("file");
        fs::write(&path, "").unwrap();
        for mode in [0o620, 0o602, 0o666] {
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            assert_refused(open(&path, Access::Read), &format!("mode {mode:o}"));
            assert_refused(overwrite(&path), "chmod go-w");
        }
        fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        open(&path, Access::ReadWrite).unwrap();
    }

    /// Only root can give a file away.
    #[test]
    fn files_of_strangers_are_refused() {
        if own_user() != ROOT {
            return;
        }
        let folder = folder();
        let path = folder.path().join("file");
        fs::write(&path, "planted").unwrap();
        chown(&path, Some(STRANGER), None).unwrap();
        assert_refused(open(&path, Access::Read), "belongs to user 65534");
        assert_refused(overwrite(&path), "belongs to user 65534");
        assert_eq!(fs::read(&path).unwrap(), b"planted");
        chown(folder.path(), Some(STRANGER), None).unwrap();
        assert!(folder_risk(folder.path()).unwrap().contains("user 65534"));
    }

    #[test]
    fn a_folder_of_everybody_is_fine_if_it_is_sticky() {
        let folder = folder();
        let set = |mode| fs::set_permissions(folder.path(), Permissions::from_mode(mode)).unwrap();
        assert_eq!(folder_risk(folder.path()), None);
        set(0o777);
        assert!(folder_risk(folder.path()).unwrap().contains("every user"));
        set(0o1777);
        assert_eq!(folder_risk(folder.path()), None);
        set(0o775);
        assert_eq!(folder_risk(folder.path()), None);
    }
}
