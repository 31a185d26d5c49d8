//! The checksums of what may run.

use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use tenon_protocols::seasonings::sha256;

use crate::project::PluginSettings;

/// A plugin that may not run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PinError {
    /// A file is not the one whose checksum was noted.
    #[error(
        "the plugin {plugin:?} is not started: {} has changed\n  its SHA-256 checksum is {found}, and tenon.hcl has {expected}\n  \
         hint: if the change is intended, put the new checksum into `sha256`", .file.display()
    )]
    Changed {
        /// The name of the plugin.
        plugin: String,
        /// The file.
        file: PathBuf,
        /// The checksum that was noted.
        expected: String,
        /// The checksum that it has.
        found: String,
    },
    /// Everything must have a checksum, and this has none.
    #[error(
        "the plugin {plugin:?} is not started: {} has no checksum, and `pinned` is true\n  \
         hint: add `sha256 = {{ {:?} = \"{found}\" }}` to the plugin", .file.display(), .file.display().to_string()
    )]
    Missing {
        /// The name of the plugin.
        plugin: String,
        /// The file.
        file: PathBuf,
        /// The checksum that it has.
        found: String,
    },
    /// A file cannot be read.
    #[error("the plugin {plugin:?} is not started: {}: {error}", .file.display())]
    Read {
        /// The name of the plugin.
        plugin: String,
        /// The file.
        file: PathBuf,
        /// Why.
        error: io::Error,
    },
}

/// Checks a plugin's files against their checksums. With `must_be_pinned` each file that its command names, or
/// else the program itself, must have one.
///
/// # Errors
/// A checksum differs, is missing, or a file cannot be read.
pub fn check(
    name: &str,
    plugin: &PluginSettings,
    folder: &Path,
    must_be_pinned: bool,
) -> Result<(), PinError> {
    let sum = |file: &Path| {
        sha256(&resolved(file, folder)).map_err(|error| PinError::Read {
            plugin: name.to_owned(),
            file: file.to_owned(),
            error,
        })
    };
    for (file, expected) in &plugin.sha256 {
        let found = sum(file)?;
        if found != *expected {
            return Err(PinError::Changed {
                plugin: name.to_owned(),
                file: file.clone(),
                expected: expected.clone(),
                found,
            });
        }
    }
    if !must_be_pinned {
        return Ok(());
    }
    // `./cost.py` and `cost.py` are the same file.
    let pinned: Vec<PathBuf> = { plugin.sha256.keys() }
        .map(|file| resolved(file, folder))
        .collect();
    for file in files(plugin, folder) {
        if !pinned.contains(&resolved(&file, folder)) {
            return Err(PinError::Missing {
                plugin: name.to_owned(),
                found: sum(&file)?,
                file,
            });
        }
    }
    Ok(())
}

/// A checksum of everything that decides what a plugin says about a plan: its settings, and the files that its
/// command names. A plan that passed it is reviewed again after a change of these.
pub(crate) fn fingerprint(plugin: &PluginSettings, folder: &Path) -> String {
    let PluginSettings {
        command,
        environment,
        config,
        sends_sensitive,
        sha256: pins,
        permissions,
        limits: _,
    } = plugin;
    let mut text = format!(
        "{command:?} {environment:?} {config:?} {sends_sensitive} {pins:?} {permissions:?}"
    );
    for file in files(plugin, folder) {
        // One that cannot be read has no plugin that could be started.
        text += &sha256(&resolved(&file, folder)).unwrap_or_default();
    }
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The parts of a command that decide what runs: the files that it names, or the program.
fn files(plugin: &PluginSettings, folder: &Path) -> Vec<PathBuf> {
    let is_file = |word: &&String| folder.join(word).is_file();
    let files: Vec<PathBuf> = plugin
        .command
        .iter()
        .filter(is_file)
        .map(PathBuf::from)
        .collect();
    match (files.is_empty(), plugin.command.first()) {
        (true, Some(program)) => vec![PathBuf::from(program)],
        _ => files,
    }
}

/// Where a file of a command is: in the folder, or, for a program without a slash, on the `PATH`.
fn resolved(file: &Path, folder: &Path) -> PathBuf {
    let in_folder = folder.join(file);
    // A single name that is not in the folder is a program.
    let found = match in_folder.is_file() || file.components().count() > 1 {
        true => in_folder,
        false => {
            let path = std::env::var_os("PATH").unwrap_or_default();
            let mut candidates = std::env::split_paths(&path).map(|place| place.join(file));
            candidates
                .find(|candidate| candidate.is_file())
                .unwrap_or(in_folder)
        }
    };
    // One name for one file, however it is written.
    found.canonicalize().unwrap_or(found)
}

#[cfg(test)]
mod tests {
    use tenon_hcl::Source;

    use super::*;
    use crate::project::Project;

    fn checked(folder: &Path, rest: &str, must_be_pinned: bool) -> Result<(), String> {
        let text = format!("plugin \"a\" {{\n  command = [\"sh\", \"a.sh\"]\n  {rest}\n}}\n");
        let project = Project::parse(&Source::new("tenon.hcl", text)).unwrap();
        check("a", &project.plugins["a"], folder, must_be_pinned).map_err(|error| error.to_string())
    }

    #[test]
    fn only_what_was_pinned_runs() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.sh"), "echo\n").unwrap();
        // By sha256sum.
        let sum = "f2ca1bb6c7e907d06dafe4687e579fce76b37e4e93b7605022da52e6ccc26fd2";
        std::fs::write(folder.path().join("b"), "test\n").unwrap();
        let pinned = format!("sha256 = {{ b = \"{sum}\" }}");
        assert_eq!(checked(folder.path(), &pinned, false), Ok(()));
        let missing = checked(folder.path(), &pinned, true).unwrap_err();
        assert!(missing.contains("a.sh has no checksum"), "{missing}");
        std::fs::write(folder.path().join("b"), "Test\n").unwrap();
        let changed = checked(folder.path(), &pinned, false).unwrap_err();
        assert!(
            changed.contains("b has changed") && changed.contains(sum),
            "{changed}"
        );
        assert_eq!(checked(folder.path(), "", false), Ok(()));
    }

    #[test]
    fn a_file_is_the_same_however_its_path_is_written() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("bin")).unwrap();
        std::fs::write(folder.path().join("a.sh"), "test\n").unwrap();
        let sum = "f2ca1bb6c7e907d06dafe4687e579fce76b37e4e93b7605022da52e6ccc26fd2";
        let absolute = folder.path().join("a.sh");
        for name in ["a.sh", "./a.sh", "bin/../a.sh", absolute.to_str().unwrap()] {
            let pinned = format!("sha256 = {{ {name:?} = \"{sum}\" }}");
            assert_eq!(checked(folder.path(), &pinned, true), Ok(()), "{name}");
        }
        let missing = format!("sha256 = {{ \"b.sh\" = \"{sum}\" }}");
        let error = checked(folder.path(), &missing, false).unwrap_err();
        assert!(error.contains("b.sh: No such file"), "{error}");
    }

    #[test]
    fn a_fingerprint_changes_with_the_settings_and_the_files() {
        let folder = tempfile::tempdir().unwrap();
        let taken = |rest: &str| {
            let text = format!("plugin \"a\" {{\n  command = [\"sh\", \"a.sh\"]\n  {rest}\n}}\n");
            let project = Project::parse(&Source::new("tenon.hcl", text)).unwrap();
            fingerprint(&project.plugins["a"], folder.path())
        };
        std::fs::write(folder.path().join("a.sh"), "one").unwrap();
        let first = taken("");
        assert_eq!(taken(""), first);
        assert_ne!(taken("config = { budget = 1 }"), first);
        std::fs::write(folder.path().join("a.sh"), "two").unwrap();
        assert_ne!(taken(""), first);
    }

    #[test]
    fn a_program_on_the_path_is_pinned_by_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let error = checked(folder.path(), "", true).unwrap_err();
        assert!(error.contains("sh has no checksum"), "{error}");
        let sum = sha256(&resolved(Path::new("sh"), folder.path())).unwrap();
        let pinned = format!("sha256 = {{ sh = \"{sum}\" }}");
        assert_eq!(checked(folder.path(), &pinned, true), Ok(()));
    }
}
