//! Which file a path means, and whether it may.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf, Prefix};
use std::sync::{Mutex, PoisonError};

use tenon_host::folder;
use tenon_plugin::Failure;

use crate::attribute::wrong;

/// The folder that paths are relative to, and whether they have to stay in it.
#[derive(Debug)]
pub(crate) struct Place {
    /// Absolute, with no symbolic links in it if it is a fence.
    folder: PathBuf,
    is_fence: bool,
    /// Folders in which something was written.
    written: Mutex<HashSet<PathBuf>>,
}

impl Place {
    /// The folder `dir`, which no path may leave; or else the working directory, which paths may.
    pub(super) fn new(dir: Option<&str>) -> Result<Place, Failure> {
        let Some(dir) = dir else {
            let folder = std::env::current_dir().map_err(|error| {
                Failure::new(format!("the working directory cannot be found: {error}"))
            })?;
            return Ok(Place {
                folder,
                is_fence: false,
                written: Mutex::default(),
            });
        };
        let folder = fs::canonicalize(dir).map_err(|error| cannot("use the dir", dir, &error))?;
        match folder.is_dir() {
            true => Ok(Place {
                folder,
                is_fence: true,
                written: Mutex::default(),
            }),
            false => Err(Failure::new(format!("the dir {dir} is not a folder"))),
        }
    }

    /// The place of an entry in a folder that is there; the entry itself need not be. A symbolic
    /// link in that place is not followed.
    pub(super) fn entry(&self, path: &str) -> Result<PathBuf, Failure> {
        let full = self.joined(path)?;
        let (Some(folder), Some(name)) = (full.parent(), full.file_name()) else {
            return Err(Failure::new(format!("{path} is not the path of a file")));
        };
        let folder = fs::canonicalize(folder).map_err(|error| match error.kind() {
            ErrorKind::NotFound => Failure::new(format!(
                "the folder of {path} does not exist\n  hint: file_directory creates folders"
            )),
            _ => cannot("use the folder of", path, &error),
        })?;
        self.check(path, &folder)?;
        Ok(folder.join(name))
    }

    /// The place of something that is there, at the end of all symbolic links.
    pub(super) fn existing(&self, path: &str) -> Result<PathBuf, Failure> {
        let found =
            fs::canonicalize(self.joined(path)?).map_err(|error| cannot("find", path, &error))?;
        self.check(path, &found)?;
        Ok(found)
    }

    /// The place of a folder that is there, or can be created with those above it.
    pub(super) fn folder(&self, path: &str) -> Result<PathBuf, Failure> {
        let full = self.joined(path)?;
        // Also a link that leads nowhere is there, and must be looked at.
        let there = full
            .ancestors()
            .find(|ancestor| fs::symlink_metadata(ancestor).is_ok())
            .unwrap_or(Path::new("/"));
        let found = fs::canonicalize(there).map_err(|error| cannot("find", path, &error))?;
        self.check(path, &found)?;
        let rest = full.strip_prefix(there).unwrap_or(Path::new(""));
        match rest.as_os_str().is_empty() {
            true => Ok(found),
            false => Ok(found.join(rest)),
        }
    }

    /// Whether nothing was written in a folder before. Looking through it for what killed processes
    /// left takes long if many files are in it.
    pub(super) fn is_first_write(&self, folder: &Path) -> bool {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        !written.contains(folder) && written.insert(folder.to_owned())
    }

    fn joined(&self, path: &str) -> Result<PathBuf, Failure> {
        if path.is_empty() || path.contains('\0') {
            return Err(wrong("path", format!("{path:?} is not a path")));
        }
        let parts = || Path::new(path).components();
        let is_wrong = |part: Component<'_>| match part {
            Component::Normal(name) => !folder::is_name(name),
            _ => false,
        };
        if parts().any(is_wrong) {
            // On Windows. The file could be created, but not be opened or removed by other programs.
            let problem =
                format!("{path:?} has a part that is a device or cannot be the name of a file");
            return Err(wrong("path", problem));
        }
        if self.is_fence && self.is_on_another_share(Path::new(path)) {
            return Err(self.leaves(path));
        }
        let climbs = parts().any(|part| part == Component::ParentDir);
        if self.is_fence && climbs {
            return Err(self.leaves(path));
        }
        Ok(self.folder.join(path))
    }

    /// Whether a path of Windows begins with a share or a device that the folder is not on. Even to look for such a file
    /// would connect to another machine, and tell it who the user is.
    fn is_on_another_share(&self, path: &Path) -> bool {
        let share = |path: &Path| match path.components().next() {
            Some(Component::Prefix(prefix)) => match prefix.kind() {
                Prefix::UNC(server, share) | Prefix::VerbatimUNC(server, share) => {
                    Some([server, share].map(OsStr::to_ascii_lowercase))
                }
                Prefix::DeviceNS(name) | Prefix::Verbatim(name) => {
                    Some([name.to_ascii_lowercase(), OsString::new()])
                }
                Prefix::Disk(_) | Prefix::VerbatimDisk(_) => None,
            },
            _ => None,
        };
        share(path).is_some_and(|found| share(&self.folder) != Some(found))
    }

    fn check(&self, path: &str, found: &Path) -> Result<(), Failure> {
        match self.is_fence && !found.starts_with(&self.folder) {
            true => Err(self.leaves(path)),
            false => Ok(()),
        }
    }

    fn leaves(&self, path: &str) -> Failure {
        let folder = self.folder.display();
        Failure::new(format!(
            "{path} leads out of the provider's dir, {folder}\n  hint: paths have no .. and follow no symbolic link out of it"
        ))
    }
}

/// What could not be done with a file, and why.
pub(super) fn cannot(what: &str, path: &str, error: &io::Error) -> Failure {
    Failure::new(format!("cannot {what} {path}: {error}"))
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn nothing_leads_out_of_the_dir() {
        let outside = tempfile::tempdir().unwrap();
        let dir = outside.path().join("dir");
        fs::create_dir(&dir).unwrap();
        fs::write(outside.path().join("secret"), "").unwrap();
        symlink("..", dir.join("up")).unwrap();
        symlink("../secret", dir.join("link")).unwrap();
        symlink("../nowhere", dir.join("nowhere")).unwrap();
        let place = Place::new(dir.to_str()).unwrap();
        let secret = outside.path().join("secret");
        for path in [
            "../secret",
            "up/secret",
            "a/../../secret",
            secret.to_str().unwrap(),
        ] {
            for found in [place.entry(path), place.existing(path), place.folder(path)] {
                assert!(found.is_err(), "{path} led to {found:?}");
            }
        }
        for path in ["link", "nowhere"] {
            assert!(place.existing(path).is_err());
            assert!(place.folder(path).is_err());
        }
        for path in [".", dir.to_str().unwrap()] {
            assert!(place.entry(path).is_err(), "{path} is the dir itself");
        }
        // The link itself is inside.
        let dir = fs::canonicalize(dir).unwrap();
        assert_eq!(place.entry("link").unwrap(), dir.join("link"));
    }

    #[test]
    fn what_is_inside_has_its_place() {
        let dir = tempfile::tempdir().unwrap();
        let folder = fs::canonicalize(dir.path()).unwrap();
        fs::create_dir(folder.join("real")).unwrap();
        symlink("real", folder.join("alias")).unwrap();
        let place = Place::new(dir.path().to_str()).unwrap();
        assert_eq!(place.entry("alias/x").unwrap(), folder.join("real/x"));
        let absolute = folder.join("real/x");
        let path = absolute.to_str().unwrap();
        assert_eq!(place.entry(path).unwrap(), absolute);
        assert_eq!(place.existing("alias").unwrap(), folder.join("real"));
        assert_eq!(place.folder("alias/a/b").unwrap(), folder.join("real/a/b"));
        let error = format!("{:?}", place.entry("missing/x").unwrap_err());
        assert!(error.contains("file_directory"), "{error}");
    }
}
