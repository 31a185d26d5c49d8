//! What a path means by its text: on Unix it has one spelling.

use std::borrow::Cow;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The rest of a path below a folder.
pub(crate) fn below<'p>(path: &'p Path, folder: &Path) -> Option<&'p Path> {
    path.strip_prefix(folder).ok()
}

/// The rest of a path below the root of the system.
pub(crate) fn below_root(path: &Path) -> Option<&Path> {
    path.strip_prefix("/").ok()
}

/// The text that patterns are compared with, if it is text.
pub(crate) fn text(path: &Path) -> Option<Cow<'_, str>> {
    path.to_str().map(Cow::Borrowed)
}

/// The same with a mark for what is not text.
pub(crate) fn shown(path: &Path) -> Cow<'_, str> {
    path.to_string_lossy()
}

/// The spellings of a path that a pattern of absolute paths is compared with; nothing if the pattern is relative.
pub(crate) fn absolute(pattern: &str, path: &Path, _is_allowing: bool) -> Option<Vec<PathBuf>> {
    pattern.starts_with('/').then(|| vec![path.to_owned()])
}

/// Other names of the same file.
pub(crate) fn aliases(_: &Path) -> Vec<PathBuf> {
    Vec::new()
}

/// The folder of the user.
pub(crate) fn home() -> Option<String> {
    std::env::var("HOME").ok()
}

/// The path in a URI, after `file://`.
pub(crate) fn of_uri(path: &str) -> String {
    path.strip_prefix("localhost").unwrap_or(path).to_owned()
}

/// Where an existing path leads.
pub(crate) fn target(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok()
}

/// How many names a regular file has; none if it is not one.
pub(crate) fn names(path: &Path) -> u64 {
    let metadata = std::fs::symlink_metadata(path).ok();
    let file = metadata.filter(std::fs::Metadata::is_file);
    file.map_or(0, |file| file.nlink())
}
