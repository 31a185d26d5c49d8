//! What is kept between commands, in `.tenon` beside the configuration: which plans were reviewed, and what
//! plugins noted about resources.
//!
//! Each file is replaced as a whole, so that a command that is killed leaves the old one or the new one. Only their
//! owner can read them.

mod metadata;
mod plans;

use std::fs::{self, DirBuilder};
use std::io::{self, Read};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tenon_host::own_file::{self, Access};

pub(crate) use metadata::{Move, StateName, has_metadata, note_metadata};
pub(crate) use plans::{Known, Plugins, known, note_refusal, note_review};

const FOLDER: &str = ".tenon";
/// A file of other size is not one of these.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// A file that cannot be written.
#[derive(Debug, thiserror::Error)]
#[error(
    "could not write {}, so {lost}: {error}\n  hint: make the folder {FOLDER} writable",
    .path.display()
)]
pub(crate) struct RecordError {
    lost: &'static str,
    path: PathBuf,
    error: io::Error,
}

/// A file of records, with the version of its format.
trait Record: Default + DeserializeOwned + Serialize {
    const NAME: &str;
    /// What happens if it cannot be written.
    const LOST: &str;
    const FORMAT: u32;

    fn format(&self) -> u32;
}

/// What a file has; nothing if it cannot be used.
fn read<R: Record>(folder: &Path) -> R {
    let kept: io::Result<R> = read_file(&folder.join(FOLDER).join(R::NAME));
    let kept = kept.ok().filter(|kept| kept.format() == R::FORMAT);
    kept.unwrap_or_default()
}

/// Changes a file. One that is damaged or from another version is kept beside it.
fn change<R: Record>(folder: &Path, change: impl FnOnce(&mut R)) -> Result<(), RecordError> {
    let folder = folder.join(FOLDER);
    let path = folder.join(R::NAME);
    let result = (|| {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&folder)?;
        // None of this belongs into a repository.
        let ignored = folder.join(".gitignore");
        if !ignored.exists() {
            fs::write(ignored, "*\n")?;
        }
        // Another command may change the same file. The lock ends with this process, however that ends.
        let lock = own_file::overwrite(&folder.join("lock"))?;
        flock(&lock, FlockOperation::LockExclusive)?;
        remove_unfinished(&folder, R::NAME);
        let mut kept: R = match read_file(&path) {
            Ok(kept) => kept,
            Err(error) if error.kind() == io::ErrorKind::NotFound => R::default(),
            Err(_) => set_aside(&path)?,
        };
        if kept.format() != R::FORMAT {
            kept = set_aside(&path)?;
        }
        change(&mut kept);
        own_file::replace(&path, MAX_BYTES, |out| {
            serde_json::to_writer(&mut *out, &kept)?;
            out.write_all(b"\n")
        })
    })();
    result.map_err(|error| RecordError {
        lost: R::LOST,
        path,
        error,
    })
}

/// Gives an unusable file another name, and begins anew.
fn set_aside<R: Record>(path: &Path) -> io::Result<R> {
    fs::rename(path, path.with_extension("unreadable"))?;
    Ok(R::default())
}

/// Removes what a command left that was killed while it wrote. The lock is held, so no other process writes now.
fn remove_unfinished(folder: &Path, name: &str) {
    let stem = name.trim_end_matches("json");
    let unfinished = format!("{stem}{}", own_file::TEMPORARY);
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(&unfinished) {
            let _gone_already = fs::remove_file(entry.path());
        }
    }
}

fn read_file<R: DeserializeOwned>(path: &Path) -> io::Result<R> {
    let mut text = String::new();
    own_file::open(path, Access::Read)?
        .take(MAX_BYTES)
        .read_to_string(&mut text)?;
    Ok(serde_json::from_str(&text)?)
}
