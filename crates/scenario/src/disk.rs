//! Files: what is in them, and that they are on disk.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::load::ScenarioFile;

/// The files of a scenario, with the SHA-256 of each.
pub(crate) fn digests(file: &ScenarioFile) -> BTreeMap<PathBuf, String> {
    let sources = file.sources.iter();
    sources
        .map(|source| (absolute(Path::new(source.name())), digest_of(source.text())))
        .collect()
}

pub(crate) fn digest_of(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The path from the root, so that it means the same wherever it is read.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// A new file that only its owner may read.
pub(crate) fn create(path: &Path) -> io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    options.open(path)
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
