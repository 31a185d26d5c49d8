//! Writing a file whole or not at all.

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use tenon_host::own_file;

use super::leftovers;

/// Why a file may not be there.
#[derive(Debug)]
pub(super) enum WriteError {
    /// Nothing has changed.
    Unwritten(io::Error),
    /// The file is in its place, but a crash may still take it away.
    Unsynced(io::Error),
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> WriteError {
        WriteError::Unwritten(error)
    }
}

/// Writes a file beside its place and then moves it there, so that readers never see half of it,
/// and a crash leaves the old one or the new one.
///
/// # Errors
/// `AlreadyExists` if there is one and it is not to be replaced.
pub(super) fn write(
    path: &Path,
    bytes: &[u8],
    mode: u32,
    overwrite: bool,
) -> Result<(), WriteError> {
    write_and_sync(path, bytes, mode, overwrite, own_file::sync_folder)
}

fn write_and_sync(
    path: &Path,
    bytes: &[u8],
    mode: u32,
    overwrite: bool,
    sync_folder: impl FnOnce(&File) -> io::Result<()>,
) -> Result<(), WriteError> {
    let folder = path
        .parent()
        .ok_or_else(|| io::Error::from(ErrorKind::InvalidInput))?;
    // Before anything is written: a folder that cannot be opened could not be synced later.
    let opened = own_file::open_folder(folder)?;
    let mut file = leftovers::create(folder)?;
    file.write_all(bytes)?;
    // Not when it is created: the umask would take some of it away.
    own_file::set_mode(file.as_file(), mode)?;
    file.as_file().sync_all()?;
    match overwrite {
        true => file.persist(path),
        false => file.persist_noclobber(path),
    }
    .map_err(|error| error.error)?;
    // Without this the name may be lost in a crash, though the contents are not.
    sync_folder(&opened).map_err(WriteError::Unsynced)
}

/// Reads a mode such as `0644`.
pub(super) fn mode(text: &str) -> Result<u32, String> {
    let is_octal = (3..=4).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    match u32::from_str_radix(text, 8) {
        Ok(mode) if is_octal && mode <= 0o777 => Ok(mode),
        _ => Err(format!(
            "{text:?} is not a mode in octal digits such as 0600 or 0644"
        )),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn nothing_is_left_beside_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        write(&path, b"one", 0o640, true).unwrap();
        write(&path, b"two", 0o666, true).unwrap();
        let refused = write(&path, b"three", 0o600, false);
        assert!(
            matches!(&refused, Err(WriteError::Unwritten(error)) if error.kind() == ErrorKind::AlreadyExists),
            "{refused:?}"
        );
        assert_eq!(fs::read(&path).unwrap(), b"two");
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o666, "whatever the umask is");
        assert!(write(folder.path(), b"four", 0o600, true).is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_that_cannot_be_synced_has_the_file_all_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let broken = |_: &File| Err(io::Error::other("the disk is gone"));
        let written = write_and_sync(&path, b"one", 0o600, true, broken);
        assert!(
            matches!(written, Err(WriteError::Unsynced(_))),
            "{written:?}"
        );
        assert_eq!(fs::read(&path).unwrap(), b"one");
    }

    /// Who has the old file open continues reading it: it is replaced, not written into.
    #[test]
    fn readers_of_the_old_file_keep_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        write(&path, b"old", 0o600, true).unwrap();
        let old = File::open(&path).unwrap();
        write(&path, b"new", 0o600, true).unwrap();
        assert_eq!(io::read_to_string(old).unwrap(), "old");
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }

    #[test]
    fn a_mode_is_octal() {
        assert_eq!(mode("0600"), Ok(0o600));
        assert_eq!(mode("755"), Ok(0o755));
        for wrong in ["", "600 ", "0o600", "0888", "4755", "-644", "+644", "06000"] {
            assert!(mode(wrong).is_err(), "{wrong:?}");
        }
    }
}
