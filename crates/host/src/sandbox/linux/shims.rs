//! pyenv and its relatives put shell scripts into `PATH` that look for a version and start it. In a
//! sandbox they could not: here the version is looked for before.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The folder of the tool, the variable that chooses a version, the file that does.
const TOOLS: [(&str, &str, &str); 3] = [
    ("pyenv", "PYENV_VERSION", ".python-version"),
    ("rbenv", "RBENV_VERSION", ".ruby-version"),
    ("nodenv", "NODENV_VERSION", ".node-version"),
];

/// The folder with the programs of the version that a shim would start.
pub(super) fn folder_behind(
    shim: &Path,
    started_in: &Path,
    variable: impl Fn(&str) -> Option<OsString>,
) -> Option<PathBuf> {
    let name = shim.file_name()?;
    let shims = shim.parent().filter(|folder| folder.ends_with("shims"))?;
    let root = shims.parent()?;
    let tool = root.file_name()?.to_str()?.trim_start_matches('.');
    let (_, chosen_by, file) = TOOLS.into_iter().find(|(known, ..)| *known == tool)?;
    let files = started_in.ancestors().map(|folder| folder.join(file));
    let text = match variable(chosen_by) {
        Some(chosen) => chosen.into_string().ok()?,
        None => files
            .chain([root.join("version")])
            .find_map(|file| std::fs::read_to_string(file).ok())?,
    };
    let versions = text.split([':', '\n', ' ']).map(str::trim);
    versions
        .filter(|version| !version.is_empty())
        .map(|version| root.join("versions").join(version).join("bin"))
        .find(|folder| has(folder, name))
}

fn has(folder: &Path, name: &OsStr) -> bool {
    folder.join(name).is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_found_as_pyenv_does() {
        let root = tempfile::tempdir().unwrap();
        let pyenv = root.path().join(".pyenv");
        for version in ["3.1", "3.2", "3.3"] {
            let bin = pyenv.join("versions").join(version).join("bin");
            std::fs::create_dir_all(&bin).unwrap();
            std::fs::write(bin.join("python3"), "").unwrap();
        }
        let project = root.path().join("project");
        std::fs::create_dir_all(project.join("inner")).unwrap();
        std::fs::write(pyenv.join("version"), "system\n3.1\n").unwrap();
        let shim = pyenv.join("shims/python3");
        let behind = |variable: Option<&str>| {
            let variable = variable.map(OsString::from);
            let found = folder_behind(&shim, &project.join("inner"), |_| variable.clone());
            let version = found?.parent()?.file_name()?.to_str()?.to_owned();
            Some(version)
        };
        assert_eq!(behind(None).as_deref(), Some("3.1"));
        std::fs::write(project.join(".python-version"), "3.2").unwrap();
        assert_eq!(behind(None).as_deref(), Some("3.2"));
        assert_eq!(behind(Some("3.3")).as_deref(), Some("3.3"));
        assert_eq!(behind(Some("4")), None);
        let other = folder_behind(Path::new("/usr/bin/python3"), &project, |_| None);
        assert_eq!(other, None);
    }
}
