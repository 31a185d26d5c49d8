//! Walks a path from an open folder, without leaving it.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;

use super::{PathError, Root};

/// What a file is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    Read,
    /// It is created if it does not exist.
    Write,
    /// It is opened as if it were written, but not created.
    CheckWrite,
}

/// As many as Linux follows.
const LINKS: usize = 40;
/// How often a step is tried again while someone replaces what it is about.
const ATTEMPTS: usize = 100;

const REPLACED: PathError = PathError::Refused("the file is being replaced all the time");

const ESCAPES: PathError =
    PathError::Outside("a symbolic link leads out of the folders of the session");

/// Opens a regular file. Nothing if it does not exist, and is not to be created.
pub(super) fn open(root: &Root, rest: &Path, purpose: Purpose) -> Result<Option<File>, PathError> {
    let mut walk = Walk::new(root, rest)?;
    loop {
        let Some(part) = walk.parts.pop_front() else {
            return Err(PathError::Refused("it is a folder"));
        };
        if part == ".." {
            walk.leave()?;
        } else if !walk.parts.is_empty() {
            if !walk.enter(&part, purpose)? {
                return Ok(None);
            }
        } else if let Some(opened) = walk.open_last(&part, purpose)? {
            return Ok(opened);
        }
    }
}

/// Opens a folder.
pub(super) fn open_folder(root: &Root, rest: &Path) -> Result<(), PathError> {
    let mut walk = Walk::new(root, rest)?;
    while let Some(part) = walk.parts.pop_front() {
        match part == ".." {
            true => walk.leave()?,
            false => drop(walk.enter(&part, Purpose::Read)?),
        }
    }
    Ok(())
}

struct Walk<'r> {
    root: &'r Root,
    /// The folders that were entered, each in the one before it.
    above: Vec<OwnedFd>,
    /// What is left of the path.
    parts: VecDeque<OsString>,
    links: usize,
}

impl<'r> Walk<'r> {
    fn new(root: &'r Root, rest: &Path) -> Result<Walk<'r>, PathError> {
        let mut walk = Walk {
            root,
            above: Vec::new(),
            parts: VecDeque::new(),
            links: 0,
        };
        walk.push(rest)?;
        Ok(walk)
    }

    /// Goes to the folder above: the one that we came from, wherever it is now. Only links have `..`.
    fn leave(&mut self) -> Result<(), PathError> {
        self.above.pop().map(drop).ok_or(ESCAPES)
    }

    fn folder(&self) -> BorrowedFd<'_> {
        match self.above.last() {
            Some(folder) => folder.as_fd(),
            None => self.root.folder.as_fd(),
        }
    }

    /// Puts a path in front of what is left.
    fn push(&mut self, path: &Path) -> Result<(), PathError> {
        let mut parts = VecDeque::new();
        for part in path.components() {
            match part {
                Component::Normal(name) => parts.push_back(name.to_owned()),
                Component::ParentDir => parts.push_back("..".into()),
                Component::CurDir => {}
                Component::RootDir | Component::Prefix(_) => return Err(ESCAPES),
            }
        }
        parts.append(&mut self.parts);
        self.parts = parts;
        Ok(())
    }

    /// Enters a folder. Returns whether it is there.
    fn enter(&mut self, name: &OsStr, purpose: Purpose) -> Result<bool, PathError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        for _ in 0..ATTEMPTS {
            match rustix::fs::openat(self.folder(), name, flags, Mode::empty()) {
                Ok(folder) => {
                    self.above.push(folder);
                    return Ok(true);
                }
                Err(Errno::NOENT) => match purpose {
                    Purpose::Read => return Err(PathError::NotFound),
                    Purpose::CheckWrite => return Ok(false),
                    Purpose::Write => {
                        let mode = Mode::from_raw_mode(0o777);
                        match rustix::fs::mkdirat(self.folder(), name, mode) {
                            // Someone else was faster; it may not be a folder.
                            Ok(()) | Err(Errno::EXIST) => {}
                            Err(error) => return Err(error.into()),
                        }
                    }
                },
                // Systems have different errors for a link that is not followed.
                Err(Errno::LOOP | Errno::NOTDIR | Errno::MLINK) => {
                    return match self.follow(name)? {
                        true => Ok(true),
                        false => Err(PathError::Refused("a part of the path is not a folder")),
                    };
                }
                Err(error) => return Err(error.into()),
            }
        }
        Err(REPLACED)
    }

    /// Opens the file at the end of the path. Nothing if it is a link, which is then followed.
    fn open_last(
        &mut self,
        name: &OsStr,
        purpose: Purpose,
    ) -> Result<Option<Option<File>>, PathError> {
        for _ in 0..ATTEMPTS {
            // Opening a device may already do something to it, and opening a FIFO may wait.
            match rustix::fs::statat(self.folder(), name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => match FileType::from_raw_mode(stat.st_mode) {
                    FileType::Symlink => {
                        if self.follow(name)? {
                            return Ok(None);
                        }
                        continue;
                    }
                    FileType::RegularFile => {}
                    other => return Err(not_regular(other)),
                },
                Err(Errno::NOENT) if purpose == Purpose::Read => return Err(PathError::NotFound),
                Err(Errno::NOENT) if purpose == Purpose::CheckWrite => return Ok(Some(None)),
                Err(Errno::NOENT) => {
                    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | NEVER;
                    let mode = Mode::from_raw_mode(0o666);
                    match rustix::fs::openat(self.folder(), name, flags, mode) {
                        Ok(file) => return Ok(Some(Some(file.into()))),
                        Err(Errno::EXIST) => continue,
                        Err(error) => return Err(error.into()),
                    }
                }
                Err(error) => return Err(error.into()),
            }
            let access = match purpose {
                Purpose::Read => OFlags::RDONLY,
                Purpose::Write | Purpose::CheckWrite => OFlags::WRONLY,
            };
            let file: File =
                match rustix::fs::openat(self.folder(), name, access | NEVER, Mode::empty()) {
                    Ok(file) => file.into(),
                    // It has just been removed, or replaced by something that is not opened.
                    Err(Errno::NOENT | Errno::LOOP | Errno::MLINK | Errno::NXIO) => continue,
                    Err(error) => return Err(error.into()),
                };
            let metadata = file.metadata()?;
            if !metadata.is_file() {
                return Err(PathError::Refused("it is not a regular file"));
            }
            if purpose != Purpose::Read && metadata.nlink() > 1 {
                return Err(PathError::Refused(
                    "the file has several names (hard links), so a file outside would be changed too",
                ));
            }
            return Ok(Some(Some(file)));
        }
        Err(REPLACED)
    }

    /// Puts the target of a link in front of what is left. Returns whether it is one.
    fn follow(&mut self, name: &OsStr) -> Result<bool, PathError> {
        let target = match rustix::fs::readlinkat(self.folder(), name, Vec::new()) {
            Ok(target) => PathBuf::from(OsString::from_vec(target.into_bytes())),
            // Not a link, or not any more.
            Err(Errno::INVAL) => return Ok(false),
            Err(error) => return Err(error.into()),
        };
        self.links += 1;
        if self.links > LINKS {
            return Err(PathError::Refused("the path has too many symbolic links"));
        }
        if !target.is_absolute() {
            self.push(&target)?;
            return Ok(true);
        }
        // An absolute link may lead back into the folder. `..` in it is checked as we go.
        let inside = { self.root.names.iter() }.find_map(|name| target.strip_prefix(name).ok());
        let inside = inside.ok_or(ESCAPES)?.to_owned();
        self.above.clear();
        self.push(&inside)?;
        Ok(true)
    }
}

/// No link is followed, nothing is waited for, and no program that is started gets the file.
const NEVER: OFlags = OFlags::NOFOLLOW
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

fn not_regular(kind: FileType) -> PathError {
    PathError::Refused(match kind {
        FileType::Directory => "it is a folder",
        FileType::Fifo => "it is a FIFO, not a regular file",
        FileType::Socket => "it is a socket, not a regular file",
        _ => "it is a device, not a regular file",
    })
}
