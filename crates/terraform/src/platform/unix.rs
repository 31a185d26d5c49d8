//! Unix.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The name of Python.
pub(crate) const PYTHON: &str = "python3";

/// Whether a file is a program, by its permissions.
pub(crate) fn is_executable(file: &Path) -> bool {
    let found = file.metadata();
    found.is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// The files that the path of a program may mean.
pub(crate) fn program_files(path: PathBuf) -> impl Iterator<Item = PathBuf> {
    std::iter::once(path)
}

/// The path in a `file:` URL.
pub(crate) fn path_of_url(path: String) -> PathBuf {
    PathBuf::from(path)
}
