//! Files that are written for a user to begin with.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use crate::exit::{Code, Failure};

/// Writes a file unless it exists: changes of users are not lost.
pub(crate) fn write(path: &Path, text: &str) -> Result<bool, Failure> {
    try_write(path, text)
        .map_err(|error| Failure::new(Code::Failed, format!("{}: {error}", tenon_text::path(path))))
}

fn try_write(path: &Path, text: &str) -> io::Result<bool> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    match fs::File::create_new(path) {
        Ok(mut file) => file.write_all(text.as_bytes()).map(|()| true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}
