//! The provider `file`: files in a folder.

mod leftovers;
mod place;
mod writing;

use std::fmt::Write;
use std::fs;
use std::io::{ErrorKind, Read};

use sha2::{Digest, Sha256};
use tenon_plugin::{Failure, Plugin, attributes};

use crate::attribute::wrong;
use crate::blocking::blocking;
use crate::content::{Content, LARGEST, decoded};
use place::{Place, cannot};
use writing::WriteError;

attributes! {
    /// Where files are.
    struct Config {
        /// The folder that paths are relative to, and that they cannot lead out of. If not set,
        /// paths are relative to the provider's working directory and may lead anywhere.
        dir: Option<String>,
    }

    /// A file to write.
    struct WriteFile {
        /// The file. A symbolic link in its place is replaced, not followed.
        path: String,
        /// What is in it: text. Either this or content_base64.
        content: Option<String>,
        /// What is in it: any bytes, in base64. Either this or content.
        content_base64: Option<String>,
        /// Who may read and write it, in octal digits; the umask takes nothing away.
        mode: String = "0600",
        /// Whether a file that is there already is replaced; if not, that is a failure.
        overwrite: bool = true,
        /// Delete the file instead, if it is there: what a teardown is for.
        delete: bool = false,
    }

    /// A file that was written.
    struct WrittenFile {
        /// Its absolute path.
        path: String,
        /// How many bytes are in it.
        bytes: u64,
        /// The SHA-256 of its contents, in hexadecimal digits.
        sha256: String,
    }

    /// A file to read.
    struct ReadFile {
        /// The file, of 4 MiB at most.
        path: String,
    }

    /// What is in a file.
    struct FileContents {
        /// Its text; null if it is not UTF-8.
        content: Option<String>,
        /// Its bytes, in base64, if they are not UTF-8; else null.
        content_base64: Option<String>,
        /// How many bytes are in it.
        bytes: u64,
        /// The SHA-256 of its contents, in hexadecimal digits.
        sha256: String,
    }

    /// A file to delete.
    struct DeleteFile {
        /// The file. Of a symbolic link the link is deleted, not the file it leads to.
        path: String,
        /// Whether it is fine that there is no such file.
        missing_ok: bool = true,
    }

    /// Whether there was something to delete.
    struct DeletedFile {
        /// Whether it was there.
        deleted: bool,
    }

    /// A folder to create.
    struct CreateFolder {
        /// The folder. Those above it are created as well.
        path: String,
        /// Remove it instead, if it is empty: what a teardown is for.
        delete: bool = false,
    }

    /// A folder that is there now.
    struct CreatedFolder {
        /// Its absolute path.
        path: String,
        /// Whether it was not there before.
        created: bool,
    }
}

/// The provider.
pub(crate) fn provider() -> Plugin<Place> {
    Plugin::new("file", env!("CARGO_PKG_VERSION"))
        .configure(|config: Config| async move { Place::new(config.dir.as_deref()) })
        .action(
            "file_write",
            "Writes a file atomically: readers never see a part of it",
            |place, attrs| blocking(move || write(&place, attrs)),
        )
        .action("file_read", "Reads a file", |place, attrs| {
            blocking(move || read(&place, attrs))
        })
        .action("file_delete", "Deletes a file", |place, attrs| {
            blocking(move || delete(&place, attrs))
        })
        .action(
            "file_directory",
            "Creates a folder, and those above it, if they do not exist",
            |place, attrs| blocking(move || create_folder(&place, attrs)),
        )
        .idempotent("file_read")
}

fn write(place: &Place, attrs: WriteFile) -> Result<WrittenFile, Failure> {
    if attrs.delete {
        return unwrite(place, attrs);
    }
    let bytes = match (&attrs.content, &attrs.content_base64) {
        (Some(text), None) => text.clone().into_bytes(),
        (None, Some(text)) => decoded(text).map_err(|error| wrong("content_base64", error))?,
        _ => return Err(wrong("content", "give either content or content_base64")),
    };
    let mode = writing::mode(&attrs.mode).map_err(|problem| wrong("mode", problem))?;
    let path = place.entry(&attrs.path)?;
    if let Some(folder) = path.parent().filter(|folder| place.is_first_write(folder)) {
        leftovers::remove(folder);
    }
    writing::write(&path, &bytes, mode, attrs.overwrite)
        .map_err(|error| not_written(&attrs, &error))?;
    Ok(WrittenFile {
        path: path.to_string_lossy().into_owned(),
        bytes: bytes.len() as u64,
        sha256: sha256(&bytes),
    })
}

fn not_written(attrs: &WriteFile, error: &WriteError) -> Failure {
    let path = &attrs.path;
    match error {
        WriteError::Unwritten(error)
            if error.kind() == ErrorKind::AlreadyExists && !attrs.overwrite =>
        {
            Failure::new(format!("{path} already exists, and overwrite is false"))
        }
        WriteError::Unwritten(error) => cannot("write", path, error),
        WriteError::Unsynced(error) => Failure::outcome_unknown(format!(
            "{path} was written, but its folder could not be synced, so a crash may undo it: {error}"
        )),
    }
}

/// Deletes a file again. One that does not exist has been deleted already.
fn unwrite(place: &Place, attrs: WriteFile) -> Result<WrittenFile, Failure> {
    if attrs.content.is_some() || attrs.content_base64.is_some() {
        return Err(wrong("delete", "what is deleted has no content"));
    }
    let path = place.entry(&attrs.path)?;
    if let Some(folder) = path.parent() {
        leftovers::remove(folder);
    }
    match fs::remove_file(&path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(cannot("delete", &attrs.path, &error))
        }
        _ => Ok(WrittenFile {
            path: path.to_string_lossy().into_owned(),
            bytes: 0,
            sha256: sha256(b""),
        }),
    }
}

fn read(place: &Place, attrs: ReadFile) -> Result<FileContents, Failure> {
    let fail = |error: &_| cannot("read", &attrs.path, error);
    let path = place.existing(&attrs.path)?;
    // Opening a pipe would wait for a writer.
    if !fs::metadata(&path).map_err(|error| fail(&error))?.is_file() {
        return Err(Failure::new(format!("{} is not a file", attrs.path)));
    }
    let mut bytes = Vec::new();
    fs::File::open(&path)
        .and_then(|file| file.take(u64::from(LARGEST) + 1).read_to_end(&mut bytes))
        .map_err(|error| fail(&error))?;
    if bytes.len() > LARGEST as usize {
        return Err(Failure::new(format!(
            "{} has more than {LARGEST} bytes, which is too much for an output",
            attrs.path
        )));
    }
    let (count, sha256) = (bytes.len() as u64, sha256(&bytes));
    let content = Content::from(bytes);
    Ok(FileContents {
        content: content.text,
        content_base64: content.base64,
        bytes: count,
        sha256,
    })
}

fn delete(place: &Place, attrs: DeleteFile) -> Result<DeletedFile, Failure> {
    let path = place.entry(&attrs.path)?;
    match fs::remove_file(&path) {
        Ok(()) => Ok(DeletedFile { deleted: true }),
        Err(error) if error.kind() == ErrorKind::NotFound && attrs.missing_ok => {
            Ok(DeletedFile { deleted: false })
        }
        Err(_) if path.is_dir() => Err(Failure::new(format!(
            "{} is a folder, and file_delete deletes files only",
            attrs.path
        ))),
        Err(error) => Err(cannot("delete", &attrs.path, &error)),
    }
}

fn create_folder(place: &Place, attrs: CreateFolder) -> Result<CreatedFolder, Failure> {
    let path = place.folder(&attrs.path)?;
    let is_there = path.is_dir();
    if attrs.delete {
        // They would keep the folder from being deleted.
        leftovers::remove(&path);
        return match fs::remove_dir(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(cannot("delete", &attrs.path, &error))
            }
            _ => Ok(CreatedFolder {
                path: path.to_string_lossy().into_owned(),
                created: false,
            }),
        };
    }
    fs::create_dir_all(&path).map_err(|error| cannot("create", &attrs.path, &error))?;
    Ok(CreatedFolder {
        path: path.to_string_lossy().into_owned(),
        created: !is_there,
    })
}

fn sha256(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        // Writing to a string does not fail.
        let _written = write!(text, "{byte:02x}");
    }
    text
}
