//! The files of a scenario.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::digest::digest_of;
use crate::reading::load::ScenarioFile;

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

/// The folder of a file.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}
