//! Whether an untrusted user could have created a socket, or could replace it.

use std::ffi::OsString;
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::unix::explain;
use crate::users::Users;

/// Others may write.
const OPEN: u32 = 0o002;

/// Only the owner of a file may replace it, even if others may write to the folder.
const STICKY: u32 = 0o1000;

/// The folder of sockets that `XDG_RUNTIME_DIR` names; `None` if it names none that exists.
///
/// # Errors
/// The folder belongs to another user, or others have access to it.
pub(crate) fn runtime_folder(value: Option<OsString>) -> io::Result<Option<PathBuf>> {
    let Some(folder) = value.map(PathBuf::from).filter(|path| path.is_absolute()) else {
        return Ok(None);
    };
    let Ok(metadata) = std::fs::metadata(&folder) else {
        return Ok(None);
    };
    let own = rustix::process::geteuid().as_raw();
    let problem = match metadata.uid() {
        _ if !metadata.is_dir() => "it is not a folder".to_owned(),
        owner if owner != own => format!("it belongs to another user ({owner})"),
        _ if metadata.mode() & 0o077 != 0 => {
            format!(
                "others have access to it (mode {:03o})",
                metadata.mode() & 0o777
            )
        }
        _ => return Ok(Some(folder)),
    };
    let problem = format!(
        "XDG_RUNTIME_DIR is not used: {problem}; unset it, or give the socket as a path with a slash"
    );
    Err(explain(io::ErrorKind::PermissionDenied, &folder, &problem))
}

/// Refuses a socket in a folder where an untrusted user could replace it.
pub(super) fn check_folder(socket: &Path, trusted: &Users) -> io::Result<()> {
    let folder = folder_of(socket);
    let Ok(metadata) = std::fs::metadata(folder) else {
        // Connecting or listening reports what is wrong.
        return Ok(());
    };
    let shown = folder.display();
    let is_open = metadata.mode() & OPEN != 0 && metadata.mode() & STICKY == 0;
    let problem = match stranger(&metadata, trusted) {
        Some(user) => {
            format!("the folder {shown} belongs to another user ({user}), who is not trusted")
        }
        None if is_open && *trusted != Users::Anyone => format!(
            "all users can replace files in the folder {shown}; make it private: chmod go-w {shown}"
        ),
        None => match replaceable(folder, trusted) {
            Some(problem) => problem,
            None => return Ok(()),
        },
    };
    Err(explain(io::ErrorKind::PermissionDenied, socket, &problem))
}

/// Whether an untrusted user could replace this folder, in one of the folders above it.
fn replaceable(folder: &Path, trusted: &Users) -> Option<String> {
    /// The owner of files whose user the user namespace does not know, as `/` in some containers.
    const UNMAPPED: u32 = 65_534;
    let real = std::fs::canonicalize(folder).ok()?;
    let above = real
        .ancestors()
        .skip(1)
        .filter(|_| *trusted != Users::Anyone);
    above.into_iter().find_map(|above| {
        let metadata = std::fs::metadata(above).ok()?;
        let (owner, shown) = (stranger(&metadata, trusted), above.display());
        match owner.filter(|owner| *owner != UNMAPPED) {
            Some(user) => Some(format!(
                "the folder {shown} above it belongs to another user ({user}), who is not trusted"
            )),
            None if metadata.mode() & OPEN != 0 && metadata.mode() & STICKY == 0 => Some(format!(
                "all users can replace folders in {shown}; prevent that: chmod o-w {shown}"
            )),
            None => None,
        }
    })
}

/// Refuses a socket, or a link to one, that an untrusted user has created.
pub(super) fn check_socket(socket: &Path, trusted: &Users) -> io::Result<()> {
    let looks = [std::fs::symlink_metadata(socket), std::fs::metadata(socket)];
    match looks
        .iter()
        .flatten()
        .find_map(|file| stranger(file, trusted))
    {
        Some(user) => {
            let problem =
                format!("the socket belongs to another user ({user}), who is not trusted");
            Err(explain(io::ErrorKind::PermissionDenied, socket, &problem))
        }
        None => Ok(()),
    }
}

/// The owner, if that user is not trusted.
fn stranger(file: &Metadata, trusted: &Users) -> Option<u32> {
    (!trusted.trust_owner(file.uid())).then(|| file.uid())
}

pub(super) fn folder_of(socket: &Path) -> &Path {
    match socket.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{DirBuilder, Permissions};
    use std::os::unix::fs::{DirBuilderExt, PermissionsExt, chown};

    use super::*;

    const STRANGER: u32 = 65_534;

    fn folder(mode: u32) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::set_permissions(folder.path(), Permissions::from_mode(mode)).unwrap();
        folder
    }

    /// Whether the test can act as another user.
    fn is_administrator() -> bool {
        rustix::process::geteuid().is_root()
    }

    #[test]
    fn the_runtime_folder_has_to_be_ours_alone() {
        let used = |path: &Path| runtime_folder(Some(path.into()));
        let own = folder(0o700);
        assert_eq!(used(own.path()).unwrap(), Some(own.path().to_owned()));
        for missing in [
            None,
            Some("".into()),
            Some("relative".into()),
            Some("/nowhere/at/all".into()),
        ] {
            assert_eq!(runtime_folder(missing).unwrap(), None);
        }
        for mode in [0o755, 0o777, 0o1777, 0o770] {
            let error = used(folder(mode).path()).unwrap_err().to_string();
            assert!(error.contains("others have access"), "{error}");
            assert!(error.contains("unset it"), "{error}");
        }
        if is_administrator() {
            chown(own.path(), Some(STRANGER), None).unwrap();
            let error = used(own.path()).unwrap_err().to_string();
            assert!(error.contains("another user (65534)"), "{error}");
        }
    }

    #[test]
    fn folders_that_everybody_may_write_to_are_refused() {
        for (mode, is_fine) in [
            (0o700, true),
            (0o755, true),
            (0o775, true),
            (0o1777, true),
            (0o777, false),
            (0o707, false),
        ] {
            let folder = folder(mode);
            let socket = folder.path().join("s");
            assert_eq!(
                check_folder(&socket, &Users::Own).is_ok(),
                is_fine,
                "{mode:o}"
            );
            assert!(check_folder(&socket, &Users::Anyone).is_ok(), "{mode:o}");
        }
    }

    #[test]
    fn folders_above_count_as_well() {
        let above = folder(0o755);
        let socket = above.path().join("own/s");
        DirBuilder::new()
            .mode(0o700)
            .create(above.path().join("own"))
            .unwrap();
        for (mode, is_fine) in [(0o755, true), (0o1777, true), (0o777, false)] {
            std::fs::set_permissions(above.path(), Permissions::from_mode(mode)).unwrap();
            let checked = check_folder(&socket, &Users::Own);
            assert_eq!(checked.is_ok(), is_fine, "{mode:o} {checked:?}");
            assert!(check_folder(&socket, &Users::Anyone).is_ok(), "{mode:o}");
        }
        std::fs::set_permissions(above.path(), Permissions::from_mode(0o755)).unwrap();
        if is_administrator() {
            chown(above.path(), Some(STRANGER - 1), None).unwrap();
            let error = check_folder(&socket, &Users::Own).unwrap_err().to_string();
            assert!(error.contains("above it belongs to another"), "{error}");
            assert!(check_folder(&socket, &Users::Also(vec![STRANGER - 1])).is_ok());
        }
    }

    #[test]
    fn what_a_stranger_has_made_is_refused() {
        if !is_administrator() {
            return;
        }
        let folder = folder(0o755);
        let socket = folder.path().join("s");
        DirBuilder::new().mode(0o700).create(&socket).unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&socket, &link).unwrap();
        assert!(check_socket(&link, &Users::Own).is_ok());
        std::os::unix::fs::lchown(&link, Some(STRANGER), None).unwrap();
        let error = check_socket(&link, &Users::Own).unwrap_err().to_string();
        assert!(error.contains("another user (65534)"), "{error}");
        assert!(check_socket(&link, &Users::Also(vec![STRANGER])).is_ok());
        chown(folder.path(), Some(STRANGER), None).unwrap();
        let error = check_folder(&socket, &Users::Own).unwrap_err().to_string();
        assert!(error.contains("belongs to another user"), "{error}");
        assert!(check_folder(&socket, &Users::Also(vec![STRANGER])).is_ok());
    }
}
