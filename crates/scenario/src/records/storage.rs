//! Records on disk: read, written, and compared with the files they were made from.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use tenon_host::own_file::{self, Access};

use crate::digest::digest_of;
use crate::reading::file::read;
use crate::reading::load::ScenarioFile;
use crate::records::disk::digests;
use crate::records::record::{FORMAT, Record};

/// How large a record may be. None is written that is larger, because none is read.
pub(crate) const LIMIT: u64 = 256 * 1024 * 1024;
/// How much is left of the texts in a record that would be larger with all of them.
const SHORT: usize = 200;

/// The one field that records of all formats have, the first ones excepted.
#[derive(Deserialize)]
struct Versioned {
    #[serde(default)]
    format: u32,
}

impl Record {
    /// Reads one.
    ///
    /// # Errors
    /// It cannot be read, is not a record, belongs to another user, or others can write to it.
    pub fn read(path: &Path) -> io::Result<Record> {
        let file = own_file::open(path, Access::Read)?;
        let size = file.metadata()?.len();
        if size > LIMIT {
            return Err(io::Error::other(format!(
                "it has {size} bytes; the limit is {LIMIT}"
            )));
        }
        let mut bytes = Vec::new();
        file.take(LIMIT).read_to_end(&mut bytes)?;
        // A newer format may differ in anything but this.
        let Versioned { format } = serde_json::from_slice(&bytes).map_err(io::Error::other)?;
        if format > FORMAT {
            return Err(io::Error::other(format!(
                "it was written by a newer version of tenon: it has the format {format}, and this \
                 version reads formats up to {FORMAT}\n  use the version of tenon that wrote it, or a \
                 newer one"
            )));
        }
        let record: Record = serde_json::from_slice(&bytes).map_err(io::Error::other)?;
        for node in &record.nodes {
            let checked = node.check_providers(record.providers.len());
            checked.map_err(io::Error::other)?;
        }
        Ok(record)
    }

    /// The files that are not what they were, or were not read then.
    pub fn changed_files(&self, file: &ScenarioFile) -> Vec<PathBuf> {
        let now = digests(file);
        let changed = |(path, digest): (&PathBuf, &String)| {
            (self.files.get(path) != Some(digest)).then(|| path.clone())
        };
        now.iter().filter_map(changed).collect()
    }

    /// The files that were read then and are now something else, or gone.
    pub fn files_that_differ(&self) -> Vec<PathBuf> {
        let differs = |(path, digest): (&PathBuf, &String)| {
            let now = read(path).ok().map(|source| digest_of(source.text()));
            (now.as_ref() != Some(digest)).then(|| path.clone())
        };
        self.files.iter().filter_map(differs).collect()
    }

    /// Writes it: afterwards the old file is there or the new one, never half of one. One that
    /// could not be read again is not written.
    ///
    /// # Errors
    /// It cannot be written, or is too large.
    pub(crate) fn write(&self, path: &Path) -> io::Result<()> {
        self.write_within(path, LIMIT)
    }

    pub(crate) fn write_within(&self, path: &Path, limit: u64) -> io::Result<()> {
        own_file::replace(path, limit, |file| {
            serde_json::to_writer_pretty(&mut *file, self)?;
            file.write_all(b"\n")
        })
    }

    /// Writes it with shorter texts if it is too large with all of them. Outputs and what undoes
    /// actions were kept within bounds before; what providers say when they fail was not.
    ///
    /// # Errors
    /// As for [`Record::write`].
    pub(crate) fn write_or_shorten(&mut self, path: &Path) -> io::Result<()> {
        match self.write(path) {
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                self.shorten_texts();
                self.write(path)
            }
            written => written,
        }
    }

    fn shorten_texts(&mut self) {
        let errors = self.nodes.iter_mut().flat_map(|node| {
            let earlier = node.earlier.iter_mut().map(|undo| &mut undo.error);
            [&mut node.error, &mut node.teardown_error]
                .into_iter()
                .chain(earlier)
        });
        let asserts = self.failed_asserts.iter_mut().map(|one| &mut one.message);
        let texts = errors
            .flatten()
            .chain(asserts)
            .chain(&mut self.provider_errors);
        texts.for_each(|text| shorten(text, SHORT));
    }
}

/// Truncates a text to `limit` bytes, with a note of its length.
pub(crate) fn shorten(text: &mut String, limit: usize) {
    if text.len() > limit {
        let length = text.len();
        let mut end = limit;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        text.push_str(&format!("... ({length} bytes in all)"));
    }
}
