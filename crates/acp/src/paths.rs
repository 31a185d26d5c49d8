//! Opens files below the folders of a session, and never outside them.
//!
//! A check of a path before it is opened is a race: a folder can be replaced by a symbolic link in between. So a path is
//! walked part by part from the open folder of the session, and no step follows a link by itself. Links that stay
//! inside are followed by reading them; links that lead outside are refused.

mod lines;
mod names;
mod replacing;
#[cfg_attr(windows, path = "paths/spelling/windows.rs")]
#[cfg_attr(not(windows), path = "paths/spelling/unix.rs")]
pub(crate) mod spelling;
mod walk;

use std::fs::File;
use std::io;
use std::path::Path;

use serde_json::json;
use tenon_host::folder::{self, Folder};
use tenon_protocols::acp::{Failure, Profile};
use tenon_rpc::RpcError;

pub use names::FolderNames;
pub(crate) use spelling::below;
use walk::Purpose;

/// The largest file that is read or written, as the protocol limits it.
pub const FILE_SIZE: u64 = 10 * 1024 * 1024;

/// The folders of a session: where it works, and more folders if it has some.
#[derive(Debug)]
pub struct Roots(Vec<Root>);

#[derive(Debug)]
struct Root {
    folder: Folder,
    names: FolderNames,
}

/// What is done with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It is read.
    Read,
    /// It is written, and created if it does not exist.
    Write,
}

/// Which file a path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The device.
    pub device: u64,
    /// The number of the file on it.
    pub inode: u64,
}

/// Why a file is not opened.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    /// The path is not one that can be meant.
    #[error("{0}")]
    Invalid(&'static str),
    /// The path is not below one of the folders, or leads out of it.
    #[error("{0}")]
    Outside(&'static str),
    /// It is there, but cannot be used.
    #[error("{0}")]
    Refused(&'static str),
    /// There is no such file.
    #[error("No such file or directory (ENOENT)")]
    NotFound,
    /// It has more than this many bytes.
    #[error("the file has more than {0} bytes")]
    TooLarge(u64),
    /// It is not UTF-8.
    #[error("the file is not UTF-8 text")]
    NotText,
    /// The system does not let us.
    #[error("{0}")]
    Io(io::ErrorKind),
}

impl PathError {
    /// The answer to a call about this path.
    pub fn error(&self, path: &str, profile: Profile) -> RpcError {
        let failure = match self {
            PathError::Invalid(_) | PathError::NotText => Failure::InvalidParams,
            PathError::Outside(_) | PathError::Refused(_) => Failure::PermissionDenied,
            PathError::NotFound => Failure::FileNotFound,
            PathError::TooLarge(_) => Failure::FileTooLarge,
            PathError::Io(io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem) => {
                Failure::PermissionDenied
            }
            PathError::Io(_) => Failure::Internal,
        };
        let mut data = json!({ "path": path, "details": self.to_string() });
        if profile == Profile::V1 && Path::new(path).is_absolute() {
            data["uri"] = json!(uri(path));
        }
        failure.error(profile, data)
    }
}

impl From<io::Error> for PathError {
    fn from(error: io::Error) -> PathError {
        match error.kind() {
            io::ErrorKind::NotFound => PathError::NotFound,
            io::ErrorKind::NotADirectory => {
                PathError::Refused("a part of the path is not a folder")
            }
            io::ErrorKind::IsADirectory => PathError::Refused("it is a folder"),
            io::ErrorKind::InvalidFilename => {
                PathError::Invalid("a part of the path cannot be the name of a file")
            }
            kind => PathError::Io(kind),
        }
    }
}

impl Roots {
    /// Opens the folders of a session.
    ///
    /// # Errors
    /// One of them is not an absolute path, or not a folder that can be opened.
    pub fn open<P: AsRef<Path>>(folders: impl IntoIterator<Item = P>) -> Result<Roots, PathError> {
        let roots = folders.into_iter().map(|path| Root::open(path.as_ref()));
        let mut roots = roots.collect::<Result<Vec<Root>, _>>()?;
        if let Some((first, more)) = roots.split_first_mut() {
            more.iter().for_each(|root| first.names.add(&root.names));
        }
        Ok(Roots(roots))
    }

    /// The first of the folders, where a session works; nothing if there are none.
    pub fn folder(&self) -> Option<&FolderNames> {
        self.0.first().map(|root| &root.names)
    }

    /// Reads a text file, or some of its lines: from `line` (counted from 1), at most `limit` of them. Of a larger file than
    /// [`FILE_SIZE`], a part that is not larger can be read.
    ///
    /// # Errors
    /// See [`PathError`].
    pub fn read(
        &self,
        path: &str,
        line: Option<u32>,
        limit: Option<u32>,
    ) -> Result<String, PathError> {
        let (file, _) = self.find(path, Purpose::Read)?;
        let file = file.ok_or(PathError::NotFound)?;
        if line.is_none() && limit.is_none() && file.metadata()?.len() > FILE_SIZE {
            return Err(PathError::TooLarge(FILE_SIZE));
        }
        lines::read(file, line, limit)
    }

    /// Writes a text file. It is created if it does not exist, and so are its folders. If there is no space for the text, a
    /// file keeps what it has.
    ///
    /// # Errors
    /// See [`PathError`]. A file with a second hard link is refused: its other name may be outside.
    pub fn write(&self, path: &str, text: &str) -> Result<(), PathError> {
        if text.len() as u64 > FILE_SIZE {
            return Err(PathError::TooLarge(FILE_SIZE));
        }
        let (file, _) = self.find(path, Purpose::Write)?;
        let mut file = file.ok_or(PathError::NotFound)?;
        let length = file.metadata()?.len();
        replacing::replace(&mut file, length, text.as_bytes())?;
        Ok(())
    }

    /// Checks a path without reading or changing anything, for a file that someone else opens. Returns which file it
    /// is, or nothing if it would be created.
    ///
    /// # Errors
    /// As for [`read`](Roots::read) and [`write`](Roots::write), but the contents are not checked.
    pub fn check(&self, path: &str, access: Access) -> Result<Option<Identity>, PathError> {
        let purpose = match access {
            Access::Read => Purpose::Read,
            Access::Write => Purpose::CheckWrite,
        };
        match self.find(path, purpose)? {
            (None, _) if access == Access::Read => Err(PathError::NotFound),
            (_, identity) => Ok(identity),
        }
    }

    /// Checks that a path leads to a folder, for a program that someone else starts in it.
    ///
    /// # Errors
    /// See [`PathError`].
    pub fn check_folder(&self, path: &str) -> Result<(), PathError> {
        let (root, rest) = self.root_of(path)?;
        walk::open_folder(root, rest)
    }

    fn find(
        &self,
        path: &str,
        purpose: Purpose,
    ) -> Result<(Option<File>, Option<Identity>), PathError> {
        let (root, rest) = self.root_of(path)?;
        let file = walk::open(root, rest, purpose)?;
        let Some(file) = file else {
            return Ok((None, None));
        };
        let (device, inode) = folder::identity(&file)?;
        let identity = Identity { device, inode };
        Ok((Some(file), Some(identity)))
    }

    /// The innermost folder that the path is in, and the rest of the path.
    fn root_of<'p>(&self, path: &'p str) -> Result<(&Root, &'p Path), PathError> {
        /// What systems accept.
        const LONGEST: usize = 4096;
        let path = match path {
            "" => return Err(PathError::Invalid("the path is empty")),
            path if path.contains('\0') => {
                return Err(PathError::Invalid("the path contains a null character"));
            }
            path if path.len() > LONGEST => return Err(PathError::Invalid("the path is too long")),
            path => Path::new(path),
        };
        if !path.is_absolute() {
            return Err(PathError::Invalid("the path is not absolute"));
        }
        // What it leads to depends on the links before it, which readers resolve in different ways.
        if path
            .components()
            .any(|part| part == std::path::Component::ParentDir)
        {
            return Err(PathError::Outside("the path contains `..`"));
        }
        let found = self.0.iter().flat_map(|root| {
            { root.names.iter() }.filter_map(move |name| Some((root, below(path, name)?)))
        });
        found
            .min_by_key(|(_, rest)| rest.as_os_str().len())
            .ok_or(PathError::Outside(
                "the path is outside the folders of the session",
            ))
    }
}

impl Root {
    fn open(path: &Path) -> Result<Root, PathError> {
        if !path.is_absolute() {
            return Err(PathError::Invalid("the folder is not an absolute path"));
        }
        let folder = Folder::open(path)?;
        let names = FolderNames::find(path);
        Ok(Root { folder, names })
    }
}

/// The URI of a file with this absolute path.
pub fn uri(path: &str) -> String {
    let path = match cfg!(windows) {
        true => {
            let plain = path.strip_prefix(r"\\?\").unwrap_or(path);
            format!("/{}", plain.replace('\\', "/"))
        }
        false => path.to_owned(),
    };
    let mut uri = "file://".to_owned();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b':' | b'-' | b'.' | b'_' | b'~' => {
                uri.push(char::from(byte));
            }
            other => uri += &format!("%{other:02X}"),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn an_error_has_the_address_of_the_file() {
        let data = |path, profile| -> serde_json::Value {
            let error = PathError::NotFound.error(path, profile);
            error.data.unwrap().decode().unwrap()
        };
        let found = data("/w/a b/ü%.txt", Profile::V1);
        assert_eq!(found["uri"], "file:///w/a%20b/%C3%BC%25.txt");
        assert_eq!(
            (&found["path"], &found["acpCode"]),
            (&json!("/w/a b/ü%.txt"), &json!(-32002))
        );
        assert_eq!(uri("/w/#1 ?.png"), "file:///w/%231%20%3F.png");
        assert!(data("a", Profile::V1)["uri"].is_null());
        assert!(data("/w/a", Profile::Seed)["uri"].is_null());
    }
}
