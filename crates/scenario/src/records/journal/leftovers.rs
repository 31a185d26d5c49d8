//! Files that a run left behind when it was killed.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use tenon_host::own_file::{self, Access, TEMPORARY};

/// Removes records that were not written to their end, and journals of runs that were killed before
/// their record was there. A process that writes a record holds the lock of its journal, so
/// files without that lock are not in use. What cannot be removed does no harm.
pub(super) fn remove(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str().filter(|name| name.starts_with("orchard_")) else {
            continue;
        };
        let path = entry.path();
        let end = name.rsplit_once('.').map_or("", |(_, end)| end);
        if end == "journal" {
            remove_orphan(&path);
        } else if is_temporary(end) && is_unused(&path.with_extension("journal")) && is_own(&path) {
            let _already_gone = fs::remove_file(&path);
        }
    }
}

/// Whether a name with this end is one of ours.
fn is_temporary(end: &str) -> bool {
    let process = end.strip_prefix(TEMPORARY);
    process.is_some_and(|id| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit()))
}

fn is_own(path: &Path) -> bool {
    own_file::open(path, Access::Read).is_ok()
}

/// Whether no process works with a journal.
fn is_unused(journal: &Path) -> bool {
    match own_file::open(journal, Access::Read) {
        Ok(file) => own_file::try_lock(&file).is_ok(),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

/// A journal without a record is of no use if it has nothing but its header. Any other is kept: the
/// record may only be somewhere else.
fn remove_orphan(journal: &Path) {
    /// No header is longer.
    const HEADER: u64 = 1024;
    if journal.with_extension("json").exists() {
        return;
    }
    let Ok(file) = own_file::open(journal, Access::Read) else {
        return;
    };
    let is_free = own_file::try_lock(&file).is_ok();
    let mut start = Vec::new();
    let read = (&file).take(HEADER).read_to_end(&mut start);
    let is_header = match start.iter().position(|byte| *byte == b'\n') {
        Some(end) => end + 1 == start.len(),
        None => start.is_empty(),
    };
    // The record may have come meanwhile.
    if is_free && read.is_ok() && is_header && !journal.with_extension("json").exists() {
        let _already_gone = fs::remove_file(journal);
    }
}
