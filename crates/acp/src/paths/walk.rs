//! Walks a path from an open folder, without leaving it.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::{Component, Path};

use tenon_host::folder::{Folder, Kind};
use tenon_host::own_file;

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

const REPLACED: PathError = PathError::Refused("the file kept changing while it was opened");

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
    above: Vec<Folder>,
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

    fn folder(&self) -> &Folder {
        self.above.last().unwrap_or(&self.root.folder)
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
        for _ in 0..ATTEMPTS {
            match self.folder().enter(name) {
                Ok(Some(folder)) => {
                    self.above.push(folder);
                    return Ok(true);
                }
                Ok(None) => {
                    return match self.follow(name)? {
                        true => Ok(true),
                        false => Err(PathError::Refused("a part of the path is not a folder")),
                    };
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => match purpose {
                    Purpose::Read => return Err(PathError::NotFound),
                    Purpose::CheckWrite => return Ok(false),
                    // Someone else may be faster, and make something that is not a folder.
                    Purpose::Write => self.folder().create_folder(name)?,
                },
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
            match self.folder().kind(name) {
                Ok(Kind::Link) => {
                    if self.follow(name)? {
                        return Ok(None);
                    }
                    continue;
                }
                Ok(Kind::File) => {}
                Ok(other) => return Err(not_regular(other)),
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
                Err(_) => match purpose {
                    Purpose::Read => return Err(PathError::NotFound),
                    Purpose::CheckWrite => return Ok(Some(None)),
                    Purpose::Write => match self.folder().create_file(name)? {
                        Some(file) => return Ok(Some(Some(file))),
                        None => continue,
                    },
                },
            }
            let opened = match purpose {
                Purpose::Read => self.folder().open_to_read(name)?,
                Purpose::Write | Purpose::CheckWrite => self.folder().open_to_write(name)?,
            };
            let Some(file) = opened else {
                continue;
            };
            if !file.metadata()?.is_file() {
                return Err(PathError::Refused("it is not a regular file"));
            }
            if purpose != Purpose::Read && own_file::names(&file)? > 1 {
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
        // It may not be a link any more.
        let Some(target) = self.folder().link(name)? else {
            return Ok(false);
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
        let inside = self.root.names.below(&target).ok_or(ESCAPES)?.to_owned();
        self.above.clear();
        self.push(&inside)?;
        Ok(true)
    }
}

fn not_regular(kind: Kind) -> PathError {
    PathError::Refused(match kind {
        Kind::Folder => "it is a folder",
        Kind::Fifo => "it is a FIFO, not a regular file",
        Kind::Socket => "it is a socket, not a regular file",
        _ => "it is a device, not a regular file",
    })
}
