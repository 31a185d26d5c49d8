//! Replacing a file: the old one or the new one is there at any moment, never half of one.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// How the extension of a file begins that [`replace`] has not finished; the id of the process that writes it follows.
pub const TEMPORARY: &str = "tmp";

/// Writes a file that only its owner may read, of at most `limit` bytes: afterwards the old file is
/// there or the new one, never half of one. Two threads of a process must not replace the same file at
/// the same time. If the process is killed, a file with the extension [`TEMPORARY`] is left.
///
/// # Errors
/// It cannot be written; `FileTooLarge` if it has more bytes.
pub fn replace(
    path: &Path,
    limit: u64,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let temporary = path.with_extension(format!("{TEMPORARY}{}", std::process::id()));
    let file = match super::create(&temporary) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            fs::remove_file(&temporary)?;
            super::create(&temporary)
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
    sync_folder_of(path)
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

/// Makes sure that a file which was created, renamed or removed is so after a crash, too.
///
/// # Errors
/// The folder cannot be opened or written.
pub fn sync_folder_of(path: &Path) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    super::sync_folder(&super::open_folder(folder)?)
}
