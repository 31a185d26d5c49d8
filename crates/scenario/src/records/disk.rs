//! Files: what is in them, and that they are on disk.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tenon_host::own_file;

use crate::digest::digest_of;
use crate::reading::load::ScenarioFile;

/// How the name of a file ends that becomes a record; the id of the process that writes it follows.
pub(crate) const TEMPORARY: &str = "tmp";

/// The files of a scenario, with the SHA-256 of each.
pub(crate) fn digests(file: &ScenarioFile) -> BTreeMap<PathBuf, String> {
    let sources = file.sources.iter();
    sources
        .map(|source| (absolute(Path::new(source.name())), digest_of(source.text())))
        .collect()
}

/// The absolute path, so that it means the same wherever it is read.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Writes a file that only its owner may read, of at most so many bytes: afterwards the old file is
/// there or the new one, never half of one.
///
/// # Errors
/// It cannot be written; `FileTooLarge` if it has more bytes.
pub(crate) fn write_whole(
    path: &Path,
    limit: u64,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    // The lock of the journal keeps others from writing it, and the next run removes what is left
    // of it if this one is killed.
    let temporary = path.with_extension(format!("{TEMPORARY}{}", std::process::id()));
    let file = match own_file::create(&temporary) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            fs::remove_file(&temporary)?;
            own_file::create(&temporary)
        }
        created => created,
    }?;
    let mut out = Bounded {
        out: BufWriter::new(file),
        left: limit,
        is_full: false,
    };
    let written = write(&mut out);
    let written = match out.is_full {
        // What wrote it may have made another error of this.
        true => Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it would have more than {limit} bytes, so that it could not be read again"),
        )),
        false => written
            .and_then(|()| out.out.into_inner().map_err(io::IntoInnerError::into_error))
            .and_then(|file| file.sync_all())
            .and_then(|()| fs::rename(&temporary, path)),
    };
    if written.is_err() {
        let _not_there = fs::remove_file(&temporary);
    }
    written?;
    sync_folder(folder_of(path))
}

/// A writer with a limit.
struct Bounded<W> {
    out: W,
    left: u64,
    is_full: bool,
}

impl<W: Write> Write for Bounded<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() as u64 > self.left {
            self.is_full = true;
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let written = self.out.write(bytes)?;
        self.left -= written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// A file that was renamed or removed is so for good only then.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    fs::File::open(folder)?.sync_all()
}
