//! Which files have changed.
//!
//! Folders are looked at again and again instead of being watched by the system: that works on every file system, also on
//! those that are mounted from elsewhere, and costs a millisecond for a hundred files.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::platform;

/// How many files are looked at.
const MOST: usize = 10_000;

/// How deep folders are looked into.
const DEEPEST: usize = 12;

/// Folders with what programs make out of the sources. Names that begin with a dot are left out, too.
const MADE: [&str; 5] = ["target", "node_modules", "__pycache__", "dist", "states"];

/// The files of a folder, and what tells whether they have changed.
#[derive(Debug, Default)]
pub(super) struct Tree {
    root: PathBuf,
    files: BTreeMap<PathBuf, Mark>,
    /// There are more files than are looked at.
    pub(super) is_cut_off: bool,
}

#[derive(Debug, PartialEq, Eq)]
struct Mark {
    modified: Option<SystemTime>,
    size: u64,
    /// Its permissions may change, and editors replace files by others.
    version: (u32, u64),
}

impl Tree {
    pub(super) fn read(root: &Path) -> Tree {
        let mut tree = Tree {
            root: root.to_owned(),
            ..Tree::default()
        };
        tree.add(root, 0);
        tree
    }

    /// Looks into a folder. Links to folders are not followed, so that there is no loop.
    fn add(&mut self, folder: &Path, depth: usize) {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        for entry in entries {
            if self.files.len() >= MOST {
                self.is_cut_off = true;
                return;
            }
            let name = entry.file_name();
            let (name, path) = (name.to_string_lossy(), entry.path());
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_left_out(&name, is_folder) {
                continue;
            }
            if is_folder {
                if depth < DEEPEST {
                    self.add(&path, depth + 1);
                }
            } else if let Ok(found) = path.metadata() {
                let mark = Mark {
                    modified: found.modified().ok(),
                    size: found.len(),
                    version: platform::version(&found),
                };
                let path = path.strip_prefix(&self.root).unwrap_or(&path).to_owned();
                self.files.insert(path, mark);
            }
        }
    }

    /// The files that are new, changed or gone in a later tree.
    pub(super) fn changes(&self, now: &Tree) -> Vec<PathBuf> {
        let is_changed = |(path, mark): &(&PathBuf, &Mark)| self.files.get(*path) != Some(*mark);
        let changed = now.files.iter().filter(is_changed).map(|(path, _)| path);
        let gone = self
            .files
            .keys()
            .filter(|path| !now.files.contains_key(*path));
        let mut all: Vec<PathBuf> = changed.chain(gone).cloned().collect();
        all.sort();
        all
    }

    /// Waits for a change. The tree is then as it is after it; a program that saves several files has saved them all.
    pub(super) async fn changed(&mut self, interval: Duration) -> Vec<PathBuf> {
        let mut all: Vec<PathBuf> = Vec::new();
        loop {
            tokio::time::sleep(interval).await;
            let now = Tree::read(&self.root);
            let changed = self.changes(&now);
            *self = now;
            if changed.is_empty() && !all.is_empty() {
                return all;
            }
            all.extend(changed);
            all.sort();
            all.dedup();
        }
    }
}

/// Whether changes of a file or folder do not matter: it is hidden, or a program makes it.
fn is_left_out(name: &str, is_folder: bool) -> bool {
    name.starts_with('.')
        || name.ends_with('~')
        || (is_folder && MADE.contains(&name))
        || name.contains(".tfstate")
        || (name.starts_with("orchard_") && name.contains("_run_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_new_changed_and_lost_files() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("src/deep")).unwrap();
        fs::create_dir_all(at("target")).unwrap();
        for name in ["a", "b", "src/deep/c"] {
            fs::write(at(name), "1").unwrap();
        }
        let before = Tree::read(folder.path());
        assert!(before.changes(&Tree::read(folder.path())).is_empty());
        fs::write(at("a"), "22").unwrap();
        fs::remove_file(at("b")).unwrap();
        fs::write(at("src/deep/d"), "").unwrap();
        for left_out in [
            "target/x",
            ".hidden",
            "terraform.tfstate",
            "orchard_demo_run_1.json",
            "a~",
        ] {
            fs::write(at(left_out), "").unwrap();
        }
        let changed = before.changes(&Tree::read(folder.path()));
        let expected = ["a", "b", "src/deep/d"].map(PathBuf::from);
        assert_eq!(changed, expected);
    }
}
