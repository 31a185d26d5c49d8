//! Where a guard writes: a file, or a file of its own in a folder. Editors start one agent for each project, and two processes
//! cannot write one record.

use std::io;
use std::path::{Path, PathBuf, is_separator};

use tenon_acp::record::{Masks, Record, RecordError};
use tenon_host::own_file;

use crate::exit::Failure;

/// The names that the files of this process have in folders.
pub(super) struct Names {
    /// When it was started, and its id.
    stem: String,
}

impl Names {
    pub(super) fn new() -> Names {
        let time = jiff::Timestamp::now().strftime("%Y-%m-%dT%H-%M-%SZ");
        let stem = format!("{time}-{}", std::process::id());
        Names { stem }
    }

    /// Creates a file of this process in a folder. Processes in different containers may have the same id.
    fn create<T>(
        &self,
        folder: &Path,
        extension: &str,
        create: impl Fn(&Path) -> Result<T, RecordError>,
    ) -> Result<T, RecordError> {
        let stem = &self.stem;
        let mut number = 1;
        loop {
            let name = match number {
                1 => format!("{stem}.{extension}"),
                number => format!("{stem}-{number}.{extension}"),
            };
            match create(&folder.join(name)) {
                Err(RecordError::File { error, .. })
                    if error.kind() == io::ErrorKind::AlreadyExists =>
                {
                    number += 1;
                }
                created => return created,
            }
        }
    }

    /// Opens the record, or creates one in a folder.
    pub(super) fn record(&self, path: &Path, masks: &Masks) -> Result<Record, Failure> {
        let opened = match is_folder(path) {
            true => create_folder(path).and_then(|()| {
                self.create(path, "jsonl", |path| Record::create(path, masks.clone()))
            }),
            false => Record::open(path, masks.clone()),
        };
        opened.map_err(|error| {
            let hint = match error {
                RecordError::Busy(_) => {
                    "\n  hint: editors start an agent for each project; --record FOLDER/ keeps one file for each"
                }
                _ => "",
            };
            Failure::usage(format!("the record: {error}{hint}"))
        })
    }

    /// The file for the summary, which is there already if it is in a folder.
    pub(super) fn summary(&self, path: &Path) -> Result<PathBuf, Failure> {
        if !is_folder(path) {
            return Ok(path.to_owned());
        }
        let created = create_folder(path).and_then(|()| {
            self.create(path, "json", |path| match own_file::create(path) {
                Ok(_) => Ok(path.to_owned()),
                Err(error) => Err(failed(path, error)),
            })
        });
        created.map_err(|error| Failure::usage(format!("the summary: {error}")))
    }
}

/// Whether files of processes are created in it: an existing folder, or a path that can be nothing else.
fn is_folder(path: &Path) -> bool {
    let is_named_so = { path.to_string_lossy().chars().last() }.is_some_and(is_separator);
    is_named_so || path.is_dir()
}

fn create_folder(path: &Path) -> Result<(), RecordError> {
    own_file::create_folder(path).map_err(|error| failed(path, error))
}

fn failed(path: &Path, error: io::Error) -> RecordError {
    RecordError::File {
        path: path.to_owned(),
        error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_process_has_files_of_its_own_in_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("a/records/");
        let names = Names {
            stem: "2026-11-19T04-10-19Z-7".to_owned(),
        };
        let masks = Masks::default();
        let records = [(); 2].map(|()| names.record(&missing, &masks).unwrap());
        let paths = records.each_ref().map(Record::path);
        assert_eq!(paths[0], missing.join("2026-11-19T04-10-19Z-7.jsonl"));
        assert_eq!(paths[1], missing.join("2026-11-19T04-10-19Z-7-2.jsonl"));
        let summary = names.summary(&missing).unwrap();
        assert_eq!(summary, missing.join("2026-11-19T04-10-19Z-7.json"));
        let file = folder.path().join("r.jsonl");
        assert_eq!(names.record(&file, &masks).unwrap().path(), file);
        assert_eq!(names.summary(&file).unwrap(), file);
    }
}
