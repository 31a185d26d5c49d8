//! The files of a new plugin.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::template::{Content, File};
use crate::exit::{Code, Failure};
use crate::platform;

/// Writes all files into a new folder, which appears as a whole or not at all.
///
/// # Errors
/// The folder exists, or cannot be written.
pub(super) fn write(folder: &Path, files: &[File]) -> Result<(), Failure> {
    let failed = |error: io::Error| {
        let hint = match error.kind() {
            io::ErrorKind::NotFound => {
                "\n  hint: create the folder that it is to be in, with mkdir -p"
            }
            _ => "",
        };
        let folder = tenon_text::path(folder);
        Failure::new(
            Code::Failed,
            format!("{folder} could not be created: {error}{hint}"),
        )
    };
    let part = part(folder);
    let written = fs::create_dir(&part)
        .and_then(|()| write_all(&part, files))
        .and_then(|()| platform::rename_to_new(&part, folder));
    if written.is_err() {
        let _not_there = fs::remove_dir_all(&part);
    }
    written.map_err(failed)
}

/// The folder beside the new one in which it is made.
fn part(folder: &Path) -> PathBuf {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    folder.with_file_name(format!(".{name}.part-{}", std::process::id()))
}

fn write_all(part: &Path, files: &[File]) -> io::Result<()> {
    for file in files {
        let path = part.join(&file.path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        match &file.content {
            Content::Link(target) => platform::link(target, &path)?,
            Content::Text(bytes) => {
                fs::write(&path, bytes)?;
                if bytes.starts_with(b"#!") {
                    platform::make_executable(&path)?;
                }
            }
        }
    }
    Ok(())
}
