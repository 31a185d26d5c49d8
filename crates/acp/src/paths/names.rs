//! The names of a folder.

use std::ops::Deref;
use std::path::{Path, PathBuf};

use super::{below, spelling};
use crate::facts::normal;

/// The folder of a session under every name that is known for it: as the client gave it, without `..`, and where it leads if
/// there are links in it. Agents use any of them, and patterns are compared with what is below each.
///
/// It stands for its first name, as the client gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderNames {
    given: PathBuf,
    others: Vec<PathBuf>,
    /// More folders of the session, under all their names.
    more: Vec<PathBuf>,
}

impl FolderNames {
    /// A folder of one name. Nothing is looked up.
    pub fn only(given: impl Into<PathBuf>) -> FolderNames {
        FolderNames {
            given: given.into(),
            others: Vec::new(),
            more: Vec::new(),
        }
    }

    /// Looks the names up. This is done once, when a session is opened: later the agent could have put a link in the place of
    /// the folder.
    pub fn find(given: impl Into<PathBuf>) -> FolderNames {
        let mut names = FolderNames::only(given);
        let Ok(target) = names.given.canonicalize() else {
            return names;
        };
        // Behind a link, `..` leads elsewhere than the text says.
        let plain = normal(&names.given);
        let is_same = plain.canonicalize().is_ok_and(|other| other == target);
        let plain = Some(plain).filter(|_| is_same);
        let spelled = spelling::aliases(&target);
        for name in plain.into_iter().chain([target]).chain(spelled) {
            if name != names.given && !names.others.contains(&name) {
                names.others.push(name);
            }
        }
        names
    }

    /// Adds another folder of the same session, in which patterns are not compared.
    pub(super) fn add(&mut self, other: &FolderNames) {
        self.more.extend(other.iter().map(Path::to_owned));
    }

    /// Whether a path is in one of the folders of the session.
    pub(crate) fn contains(&self, path: &Path) -> bool {
        let mut more = self.more.iter();
        self.below(path).is_some() || more.any(|name| below(path, name).is_some())
    }

    /// All names, the given one first.
    pub fn iter(&self) -> impl Iterator<Item = &Path> {
        let others = self.others.iter().map(PathBuf::as_path);
        std::iter::once(self.given.as_path()).chain(others)
    }

    /// The rest of a path below the folder, for each name that it is below.
    pub(crate) fn all_below<'p>(&self, path: &'p Path) -> impl Iterator<Item = &'p Path> {
        self.iter().filter_map(move |name| below(path, name))
    }

    /// The rest of a path below the folder.
    pub(crate) fn below<'p>(&self, path: &'p Path) -> Option<&'p Path> {
        self.all_below(path).next()
    }
}

impl Deref for FolderNames {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.given
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_known_by_the_names_that_lead_to_it() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("real/p")).unwrap();
        std::fs::create_dir_all(root.join("p")).unwrap();
        std::os::unix::fs::symlink("real", root.join("link")).unwrap();
        let names = |given: &str| -> Vec<PathBuf> {
            let names = FolderNames::find(root.join(given));
            { names.iter() }
                .map(|name| name.strip_prefix(&root).unwrap().to_owned())
                .collect()
        };
        let expected = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        assert_eq!(names("real/p"), expected(&["real/p"]));
        assert_eq!(names("link/p"), expected(&["link/p", "real/p"]));
        assert_eq!(names("p/../real/p"), expected(&["p/../real/p", "real/p"]));
        assert_eq!(names("missing"), expected(&["missing"]));
        // Not the folder `p` beside the link.
        std::os::unix::fs::symlink("real/p", root.join("deep")).unwrap();
        assert_eq!(names("deep/../p"), expected(&["deep/../p", "real/p"]));
    }
}
