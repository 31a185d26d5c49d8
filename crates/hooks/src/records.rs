//! What is kept between commands, in `.tenon` beside the configuration: which plans were reviewed, and what
//! plugins noted about resources.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tenon_host::own_file::{self, Access};

use crate::chain::Metadata;

const FOLDER: &str = ".tenon";
const FORMAT: u32 = 1;
/// Older ones are forgotten.
const MAX_PLANS: usize = 100;
const MAX_SERIALS: usize = 20;
/// A file of other size is not one of these.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// A file that cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{}: {error}", .path.display())]
pub struct RecordError {
    path: PathBuf,
    error: io::Error,
}

/// The plans that passed all hooks, by the SHA-256 checksum of their file.
#[derive(Debug, Default, Deserialize, Serialize)]
struct Plans {
    format: u32,
    /// The latest last.
    reviewed: Vec<Reviewed>,
}

#[derive(Debug, Deserialize, Serialize, PartialEq, Eq)]
struct Reviewed {
    sha256: String,
    /// The plugins whose hooks it passed.
    hooks: Vec<String>,
}

/// What plugins noted, by the lineage and the serial of the state, and the address of the resource.
#[derive(Debug, Default, Deserialize, Serialize)]
struct Notes {
    format: u32,
    lineages: BTreeMap<String, BTreeMap<u64, BTreeMap<String, Metadata>>>,
}

/// Whether a plan has passed the hooks of these plugins.
pub(crate) fn is_reviewed(folder: &Path, sha256: &str, hooks: &[String]) -> bool {
    // What cannot be read was not reviewed.
    let plans: Plans = read(&folder.join(FOLDER).join("plans.json")).unwrap_or_default();
    let is_it = |plan: &Reviewed| plan.sha256 == sha256 && plan.hooks == hooks;
    plans.format == FORMAT && plans.reviewed.iter().any(is_it)
}

/// Notes that a plan has passed the hooks of these plugins.
pub(crate) fn note_review(
    folder: &Path,
    sha256: &str,
    hooks: &[String],
) -> Result<(), RecordError> {
    change(folder, "plans.json", |plans: &mut Plans| {
        plans.format = FORMAT;
        plans.reviewed.retain(|plan| plan.sha256 != sha256);
        plans.reviewed.push(Reviewed {
            sha256: sha256.to_owned(),
            hooks: hooks.to_vec(),
        });
        let surplus = plans.reviewed.len().saturating_sub(MAX_PLANS);
        plans.reviewed.drain(..surplus);
    })
}

/// Notes what plugins said about the resources of a state.
pub(crate) fn note_metadata(
    folder: &Path,
    lineage: &str,
    serial: u64,
    metadata: &BTreeMap<String, Metadata>,
) -> Result<(), RecordError> {
    change(folder, "metadata.json", |notes: &mut Notes| {
        notes.format = FORMAT;
        let serials = notes.lineages.entry(lineage.to_owned()).or_default();
        let known = serials.entry(serial).or_default();
        for (address, by_plugin) in metadata {
            known
                .entry(address.clone())
                .or_default()
                .extend(by_plugin.clone());
        }
        while serials.len() > MAX_SERIALS {
            serials.pop_first();
        }
    })
}

fn change<T: Default + DeserializeOwned + Serialize>(
    folder: &Path,
    name: &str,
    change: impl FnOnce(&mut T),
) -> Result<(), RecordError> {
    let folder = folder.join(FOLDER);
    let path = folder.join(name);
    let result = fs::create_dir_all(&folder).and_then(|()| {
        // What cannot be read is from another version, or damaged: it is only a note, and begun anew.
        let mut kept: T = read(&path).unwrap_or_default();
        change(&mut kept);
        own_file::replace(&path, MAX_BYTES, |out| {
            serde_json::to_writer(&mut *out, &kept)?;
            out.write_all(b"\n")
        })
    });
    result.map_err(|error| RecordError { path, error })
}

fn read<T: DeserializeOwned>(path: &Path) -> io::Result<T> {
    let mut text = String::new();
    own_file::open(path, Access::Read)?
        .take(MAX_BYTES)
        .read_to_string(&mut text)?;
    Ok(serde_json::from_str(&text)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_reviewed_for_the_hooks_it_passed() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (["a".to_owned()], ["a".to_owned(), "b".to_owned()]);
        assert!(!is_reviewed(folder.path(), "00", &one));
        note_review(folder.path(), "00", &one).unwrap();
        assert!(is_reviewed(folder.path(), "00", &one));
        assert!(!is_reviewed(folder.path(), "00", &two));
        assert!(!is_reviewed(folder.path(), "01", &one));
        for number in 0..MAX_PLANS {
            note_review(folder.path(), &format!("x{number}"), &one).unwrap();
        }
        assert!(!is_reviewed(folder.path(), "00", &one));
        assert!(is_reviewed(folder.path(), "x0", &one));
    }

    #[test]
    fn metadata_is_kept_by_lineage_serial_and_address() {
        let folder = tempfile::tempdir().unwrap();
        let metadata =
            |text: &str| -> BTreeMap<String, Metadata> { serde_json::from_str(text).unwrap() };
        let first = metadata(r#"{"a.b": {"cost": {"monthly": 7}}}"#);
        note_metadata(folder.path(), "l", 1, &first).unwrap();
        note_metadata(folder.path(), "l", 1, &metadata(r#"{"a.b": {"tags": {}}}"#)).unwrap();
        note_metadata(folder.path(), "m", 4, &first).unwrap();
        let text = fs::read_to_string(folder.path().join(".tenon/metadata.json")).unwrap();
        let expected = r#"{"format":1,"lineages":{"l":{"1":{"a.b":{"cost":{"monthly":7},"tags":{}}}},"m":{"4":{"a.b":{"cost":{"monthly":7}}}}}}"#;
        assert_eq!(text.trim_end(), expected);
    }

    #[test]
    fn a_damaged_file_is_begun_anew() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(".tenon")).unwrap();
        fs::write(folder.path().join(".tenon/plans.json"), "{\"format\":").unwrap();
        assert!(!is_reviewed(folder.path(), "00", &[]));
        note_review(folder.path(), "00", &[]).unwrap();
        assert!(is_reviewed(folder.path(), "00", &[]));
    }
}
