//! `.tenon/plans.json`: the plans that passed all hooks.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Record, RecordError, change, read};
use crate::chain::Metadata;

/// Older ones are forgotten.
const MAX_PLANS: usize = 100;

/// The plugins whose hooks a plan passed, in order, each with a fingerprint of its settings.
pub(crate) type Plugins = Vec<(String, String)>;

#[derive(Debug, Deserialize, Serialize)]
struct Plans {
    format: u32,
    /// The latest last.
    reviewed: Vec<Reviewed>,
}

#[derive(Debug, Deserialize, Serialize)]
struct Reviewed {
    /// The checksum of the plan.
    sha256: String,
    /// The file that it was saved in, as it was named in `-out`.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    plugins: Plugins,
    /// What plugins noted about its resources, by address.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    metadata: BTreeMap<String, Metadata>,
}

impl Default for Plans {
    fn default() -> Plans {
        Plans {
            format: Plans::FORMAT,
            reviewed: Vec::new(),
        }
    }
}

impl Plans {
    /// Removes the plan that was saved in a file.
    fn forget(&mut self, file: Option<&str>) {
        let is_same = |plan: &Reviewed| plan.file.is_some() && plan.file.as_deref() == file;
        self.reviewed.retain(|plan| !is_same(plan));
    }
}

impl Record for Plans {
    const NAME: &str = "plans.json";
    const LOST: &str = "the review of the plan is not recorded";
    const FORMAT: u32 = 2;

    fn format(&self) -> u32 {
        self.format
    }
}

/// What is known of a saved plan.
#[derive(Debug, PartialEq)]
pub(crate) enum Known {
    /// It passed the hooks of the same plugins, which noted this.
    Reviewed(BTreeMap<String, Metadata>),
    /// Another plan was reviewed that was saved in the same file.
    Changed,
    /// No hook has seen it.
    New,
}

/// What is known of a plan that is saved in this file.
pub(crate) fn known(folder: &Path, sha256: &str, file: &str, plugins: &Plugins) -> Known {
    let plans: Plans = read(folder);
    let mut latest = plans.reviewed.into_iter().rev();
    let file = plain(file);
    let is_it =
        |plan: &Reviewed| plan.sha256 == sha256 || plan.file.as_deref() == Some(file.as_str());
    match latest.find(is_it) {
        Some(plan) if plan.sha256 != sha256 => Known::Changed,
        Some(plan) if plan.plugins == *plugins => Known::Reviewed(plan.metadata),
        _ => Known::New,
    }
}

/// Notes that the plan that is now saved in this file has not passed, so that no other is expected there.
pub(crate) fn note_refusal(folder: &Path, file: &str) -> Result<(), RecordError> {
    let file = plain(file);
    let plans: Plans = read(folder);
    let is_known = { plans.reviewed.iter() }.any(|plan| plan.file.as_deref() == Some(&*file));
    match is_known {
        true => change(folder, |plans: &mut Plans| plans.forget(Some(&file))),
        false => Ok(()),
    }
}

/// A path without `.` in it, which is the same file.
fn plain(file: &str) -> String {
    let parts = Path::new(file).components();
    let parts = parts.filter(|part| *part != Component::CurDir);
    parts.collect::<PathBuf>().display().to_string()
}

/// Notes that a plan has passed the hooks of these plugins.
pub(crate) fn note_review(
    folder: &Path,
    sha256: &str,
    file: Option<&str>,
    plugins: &Plugins,
    metadata: &BTreeMap<String, Metadata>,
) -> Result<(), RecordError> {
    let file = file.map(plain);
    change(folder, |plans: &mut Plans| {
        plans.forget(file.as_deref());
        plans.reviewed.retain(|plan| plan.sha256 != sha256);
        plans.reviewed.push(Reviewed {
            sha256: sha256.to_owned(),
            file: file.clone(),
            plugins: plugins.clone(),
            metadata: metadata.clone(),
        });
        let surplus = plans.reviewed.len().saturating_sub(MAX_PLANS);
        plans.reviewed.drain(..surplus);
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn plugins(names: &[&str]) -> Plugins {
        let settings = "settings".to_owned();
        let named = |name: &&str| ((*name).to_owned(), settings.clone());
        names.iter().map(named).collect()
    }

    fn note(folder: &Path, sha256: &str, file: Option<&str>, plugins: &Plugins) {
        note_review(folder, sha256, file, plugins, &BTreeMap::new()).unwrap();
    }

    #[test]
    fn a_plan_is_reviewed_for_the_plugins_it_passed() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let (one, two) = (plugins(&["a"]), plugins(&["a", "b"]));
        assert_eq!(known(folder, "00", "p", &one), Known::New);
        let metadata: BTreeMap<String, Metadata> =
            serde_json::from_str(r#"{"a.b": {"cost": {"monthly": 7}}}"#).unwrap();
        note_review(folder, "00", Some("p"), &one, &metadata).unwrap();
        assert_eq!(known(folder, "00", "p", &one), Known::Reviewed(metadata));
        // It may have been copied.
        assert_ne!(known(folder, "00", "q", &one), Known::New);
        assert_eq!(known(folder, "00", "p", &two), Known::New);
        let changed = vec![("a".to_owned(), "other settings".to_owned())];
        assert_eq!(known(folder, "00", "p", &changed), Known::New);
        for number in 0..MAX_PLANS {
            note(folder, &format!("x{number}"), None, &one);
        }
        assert_eq!(known(folder, "00", "p", &one), Known::New);
        assert_ne!(known(folder, "x0", "p", &one), Known::New);
    }

    #[test]
    fn another_plan_in_a_reviewed_file_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let one = plugins(&["a"]);
        note(folder.path(), "00", Some("p"), &one);
        assert_eq!(known(folder.path(), "01", "p", &one), Known::Changed);
        assert_eq!(known(folder.path(), "01", "./p", &one), Known::Changed);
        assert_eq!(known(folder.path(), "01", "q", &one), Known::New);
        note(folder.path(), "01", Some("p"), &one);
        assert_ne!(known(folder.path(), "01", "p", &one), Known::Changed);
        assert_eq!(known(folder.path(), "00", "p", &one), Known::Changed);
        // Another plan was made and did not pass: it is not a surprise.
        note_refusal(folder.path(), "./p").unwrap();
        assert_eq!(known(folder.path(), "02", "p", &one), Known::New);
    }

    #[test]
    fn an_unusable_file_is_kept_beside_the_new_one() {
        let folder = tempfile::tempdir().unwrap();
        let kept = folder.path().join(".tenon");
        fs::create_dir(&kept).unwrap();
        for unusable in ["{\"format\":", "{\"format\":1,\"reviewed\":[]}"] {
            fs::write(kept.join("plans.json"), unusable).unwrap();
            assert_eq!(known(folder.path(), "00", "p", &Vec::new()), Known::New);
            note(folder.path(), "00", None, &Vec::new());
            assert_ne!(known(folder.path(), "00", "p", &Vec::new()), Known::New);
            let aside = fs::read_to_string(kept.join("plans.unreadable")).unwrap();
            assert_eq!(aside, unusable);
        }
    }
}
