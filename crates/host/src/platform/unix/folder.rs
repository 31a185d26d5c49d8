//! Names in open folders, by the calls of Unix whose names end with `at`.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;

use crate::folder::{Access, Kind};

pub(crate) type Handle = OwnedFd;

const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::CLOEXEC);

/// No link is followed, nothing is waited for, and no program that is started gets the file.
const NEVER: OFlags = OFlags::NOFOLLOW
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

pub(crate) fn open(path: &Path) -> io::Result<Handle> {
    Ok(rustix::fs::open(path, FOLDER, Mode::empty())?)
}

pub(crate) fn enter(folder: &Handle, name: &OsStr) -> io::Result<Option<Handle>> {
    match rustix::fs::openat(folder, name, FOLDER | OFlags::NOFOLLOW, Mode::empty()) {
        Ok(folder) => Ok(Some(folder)),
        // Systems have different errors for a link that is not followed.
        Err(Errno::LOOP | Errno::NOTDIR | Errno::MLINK) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

pub(crate) fn kind(folder: &Handle, name: &OsStr) -> io::Result<Kind> {
    let found = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(match FileType::from_raw_mode(found.st_mode) {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Folder,
        FileType::Symlink => Kind::Link,
        FileType::Fifo => Kind::Fifo,
        FileType::Socket => Kind::Socket,
        _ => Kind::Device,
    })
}

pub(crate) fn link(folder: &Handle, name: &OsStr) -> io::Result<Option<PathBuf>> {
    match rustix::fs::readlinkat(folder, name, Vec::new()) {
        Ok(target) => Ok(Some(OsString::from_vec(target.into_bytes()).into())),
        Err(Errno::INVAL) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

pub(crate) fn open_file(folder: &Handle, name: &OsStr, access: Access) -> io::Result<Option<File>> {
    let access = match access {
        Access::Read => OFlags::RDONLY,
        Access::Write => OFlags::WRONLY,
    };
    match rustix::fs::openat(folder, name, access | NEVER, Mode::empty()) {
        Ok(file) => Ok(Some(file.into())),
        // It has just been removed, or replaced by something that is not opened.
        Err(Errno::NOENT | Errno::LOOP | Errno::MLINK | Errno::NXIO) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

pub(crate) fn create_file(folder: &Handle, name: &OsStr) -> io::Result<Option<File>> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | NEVER;
    match rustix::fs::openat(folder, name, flags, Mode::from_raw_mode(0o666)) {
        Ok(file) => Ok(Some(file.into())),
        Err(Errno::EXIST) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

pub(crate) fn create_folder(folder: &Handle, name: &OsStr) -> io::Result<()> {
    match rustix::fs::mkdirat(folder, name, Mode::from_raw_mode(0o777)) {
        Ok(()) | Err(Errno::EXIST) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

pub(crate) fn is_name(name: &OsStr) -> bool {
    let bytes = name.as_bytes();
    !matches!(bytes, b"" | b"." | b"..") && !bytes.contains(&b'/') && !bytes.contains(&0)
}

pub(crate) fn identity(file: &File) -> io::Result<(u64, u64)> {
    let file = file.metadata()?;
    Ok((file.dev(), file.ino()))
}
