//! The files of a provider in a mirror.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use crate::platform;

/// What became of the files of a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Added,
    /// There were others, whose checksum may be in lock files.
    Replaced,
    Unchanged,
}

impl Change {
    pub(super) fn name(self) -> &'static str {
        match self {
            Change::Added => "installed",
            Change::Replaced => "replaced",
            Change::Unchanged => "unchanged",
        }
    }
}

/// How the name of half a program begins; the id of the process that copies it follows.
const PART: &str = ".part-";

/// Removes what commands left that were killed while they copied.
fn remove_parts(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| name.strip_prefix(PART));
        let process = process.and_then(|id| id.parse().ok());
        let has_ended = |id| { entry.metadata() }.is_ok_and(|file| platform::has_ended(id, &file));
        if process.is_some_and(has_ended) {
            let _already_gone =
                fs::remove_file(entry.path()).or_else(|_| fs::remove_dir_all(entry.path()));
        }
    }
}

/// Puts the files of a provider into their folder, unless they are there.
pub(super) fn place(
    binary: &Path,
    folder: &Path,
    provider: &Path,
    beside: Option<(&str, &[u8])>,
) -> io::Result<Change> {
    let is_same = |file: &Path, bytes: &[u8]| fs::read(file).is_ok_and(|found| found == bytes);
    if !folder.exists() && place_version(binary, folder, provider, beside)? {
        return Ok(Change::Added);
    }
    let beside = beside.map(|(name, bytes)| (folder.join(name), bytes));
    let is_there = provider.exists();
    let is_unchanged = is_there
        && beside
            .as_ref()
            .is_none_or(|(file, bytes)| is_same(file, bytes))
        && is_same(provider, &fs::read(binary)?);
    if is_unchanged {
        return Ok(Change::Unchanged);
    }
    copy(binary, folder, provider)?;
    if let Some((file, bytes)) = beside {
        write_whole(&file, bytes)?;
    }
    Ok(match is_there {
        true => Change::Replaced,
        false => Change::Added,
    })
}

/// Makes the folder of a new version as a whole: Terraform would choose one without a program in it. False
/// if the version is there.
fn place_version(
    binary: &Path,
    folder: &Path,
    provider: &Path,
    beside: Option<(&str, &[u8])>,
) -> io::Result<bool> {
    let (Some(version), Some(platform), Some(program)) =
        (folder.parent(), folder.file_name(), provider.file_name())
    else {
        return Ok(false);
    };
    let Some(versions) = version.parent().filter(|_| !version.exists()) else {
        return Ok(false);
    };
    fs::create_dir_all(versions)?;
    remove_parts(versions);
    let part = versions.join(format!("{PART}{}", std::process::id()));
    let inside = part.join(platform);
    let made = copy(binary, &inside, &inside.join(program)).and_then(|()| match beside {
        Some((name, bytes)) => write_whole(&inside.join(name), bytes),
        None => Ok(()),
    });
    let placed = made.and_then(|()| match fs::rename(&part, version) {
        Ok(()) => Ok(true),
        // Another command was faster.
        Err(_) if version.exists() => Ok(false),
        Err(error) => Err(error),
    });
    if !matches!(placed, Ok(true)) {
        let _nothing_to_keep = fs::remove_dir_all(&part);
    }
    placed
}

/// Writes a file that is never visible in part. Unlike `own_file::replace` it leaves the file readable for all who may
/// read the folder: a mirror can be shared.
fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let part = path.with_extension(format!("part-{}", std::process::id()));
    let written = fs::File::create(&part)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&part, path));
    if written.is_err() {
        // The error to report is the first one.
        let _also_failed = fs::remove_file(&part);
    }
    written
}

/// Copies a program. At any time the file is the old program or the new one, and one that runs continues.
fn copy(from: &Path, folder: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    remove_parts(folder);
    // Under a name that no provider has, so that an incomplete one is not started.
    let part = folder.join(format!("{PART}{}", std::process::id()));
    let copied = fs::copy(from, &part)
        .and_then(|_| platform::set_executable(&part))
        .and_then(|()| fs::OpenOptions::new().append(true).open(&part)?.sync_all())
        .and_then(|()| fs::rename(&part, to));
    if copied.is_err() {
        // The incomplete copy is useless; the error to report is the first one.
        let _also_failed = fs::remove_file(&part);
    }
    copied
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// No process has the largest number there is, and the first one always runs.
    #[test]
    fn what_a_killed_command_left_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("program");
        fs::write(&program, "new").unwrap();
        let mirror = folder.path().join("mirror");
        fs::create_dir(&mirror).unwrap();
        for name in [".part-2147483647", ".part-1", ".part-x"] {
            fs::write(mirror.join(name), "half").unwrap();
        }
        copy(&program, &mirror, &mirror.join("provider")).unwrap();
        let mut left: Vec<_> = fs::read_dir(&mirror).unwrap().flatten().collect();
        left.sort_by_key(fs::DirEntry::file_name);
        let left: Vec<_> = left.iter().map(fs::DirEntry::file_name).collect();
        assert_eq!(left, [".part-1", ".part-x", "provider"]);
    }

    /// Whoever looks sees no version or a whole one, and what a killed command left is removed.
    #[test]
    fn a_new_version_appears_as_a_whole() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("program");
        fs::write(&program, "new").unwrap();
        let versions = folder.path().join("mirror");
        fs::create_dir_all(versions.join(".part-2147483647/linux")).unwrap();
        let target = versions.join("1.0.0/linux");
        let provider = target.join("provider");
        let place = || place(&program, &target, &provider, Some(("manifest", b"{}"))).unwrap();
        assert_eq!(place(), Change::Added);
        assert_eq!(fs::read(target.join("manifest")).unwrap(), b"{}");
        assert_eq!(fs::read(&provider).unwrap(), b"new");
        assert_eq!(fs::read_dir(&versions).unwrap().count(), 1);
        assert_eq!(place(), Change::Unchanged);
    }
}
