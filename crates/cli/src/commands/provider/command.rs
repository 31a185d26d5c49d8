//! The command that starts a plugin, and the files that belong to it.

use std::path::{Path, PathBuf};

use tenon_protocols::seasonings::PinnedFile;

use crate::commands::plugin::locate;
use crate::exit::{Code, Failure};

/// A command whose paths are absolute: Terraform starts the provider in any folder. A path is a file that exists, or a
/// folder that is written as a path, such as `./data`: a word without a slash may be something else than the folder that
/// has its name. Options such as `--data=./data` may have paths as well.
pub(super) struct Command {
    pub(super) words: Vec<String>,
    /// The program was looked up on PATH, and is given a file: it is taken for an interpreter.
    is_interpreter: bool,
    /// The arguments that are files.
    files: Vec<PathBuf>,
}

impl Command {
    pub(super) fn resolve(words: &[String]) -> Result<Command, Failure> {
        let (program, arguments) = words
            .split_first()
            .ok_or_else(|| Failure::usage("the command of the plugin is missing"))?;
        let absolute = |path: &Path| {
            std::path::absolute(path)
                .map_err(|error| Failure::usage(format!("{}: {error}", tenon_text::path(path))))
        };
        let is_from_path = !program.contains(std::path::is_separator);
        let program = match is_from_path {
            true => locate(program).ok_or_else(|| {
                Failure::cannot_start(format!(
                    "the program {program:?} was not found on PATH\n  hint: install it, or give its path"
                ))
            })?,
            false => absolute(Path::new(program))?,
        };
        let mut resolved = vec![text(&program)?];
        let mut files = Vec::new();
        let mut has_script = false;
        for argument in arguments {
            let (option, path) = match argument.split_once('=') {
                Some((name, value)) if name.starts_with('-') => (Some(name), Path::new(value)),
                _ => (None, Path::new(argument)),
            };
            let is_file = path.is_file();
            if !is_file && !is_folder(path) {
                resolved.push(argument.clone());
                continue;
            }
            let path = absolute(path)?;
            resolved.push(match option {
                Some(name) => format!("{name}={}", text(&path)?),
                None => text(&path)?,
            });
            has_script |= is_file && option.is_none();
            files.extend(is_file.then_some(path));
        }
        Ok(Command {
            words: resolved,
            is_interpreter: is_from_path && has_script,
            files,
        })
    }

    /// The files of the plugin with their checksums, without an interpreter, which changes with the system.
    pub(super) fn pins(&self) -> Result<Vec<PinnedFile>, Failure> {
        let program = PathBuf::from(&self.words[0]);
        let own = (!self.is_interpreter).then_some(program);
        let pin = |path: PathBuf| {
            PinnedFile::of(&path).map_err(|error| {
                Failure::new(
                    Code::Failed,
                    format!("{}: {error}", tenon_text::path(&path)),
                )
            })
        };
        own.into_iter().chain(self.files.clone()).map(pin).collect()
    }
}

/// Whether this is a folder, and written as a path.
fn is_folder(path: &Path) -> bool {
    let is_written_so = path.as_os_str().to_string_lossy();
    let is_written_so =
        is_written_so.contains(std::path::is_separator) || matches!(&*is_written_so, "." | "..");
    is_written_so && path.is_dir()
}

fn text(path: &Path) -> Result<String, Failure> {
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| Failure::usage(format!("{}: the path is not UTF-8", tenon_text::path(path))))
}

// They need programs of Unix.
#[cfg(all(test, unix))]
mod tests {
    use std::fs;

    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn paths_become_absolute_and_files_are_pinned() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("plugin.py");
        fs::write(&script, "x").unwrap();
        let given = words(&["sh", script.to_str().unwrap(), "--flag"]);
        let command = Command::resolve(&given).unwrap();
        assert!(
            Path::new(&command.words[0]).is_absolute(),
            "{:?}",
            command.words
        );
        assert_eq!(command.words[1..], given[1..]);
        let pinned: Vec<String> = command
            .pins()
            .unwrap()
            .into_iter()
            .map(|one| one.path)
            .collect();
        assert_eq!(
            pinned,
            [script.to_str().unwrap()],
            "the interpreter is not pinned"
        );
        let alone = Command::resolve(&words(&[script.to_str().unwrap()])).unwrap();
        assert_eq!(alone.pins().unwrap().len(), 1);
        let from_path = Command::resolve(&words(&["sh"])).unwrap();
        assert_eq!(from_path.pins().unwrap()[0].path, from_path.words[0]);
        assert!(Command::resolve(&words(&["no-such-program-here"])).is_err());
    }

    #[test]
    fn folders_become_absolute_if_they_are_written_as_paths() {
        let folder = tempfile::tempdir().unwrap();
        let here = std::env::current_dir().unwrap();
        let inside = folder.path().to_str().unwrap();
        fs::write(folder.path().join("prices.json"), "{}").unwrap();
        let file = format!("--prices={inside}/prices.json");
        let given = words(&[
            "sh",
            "src",
            "./src",
            ".",
            "--data=./src",
            "--name=src",
            "./nowhere",
        ]);
        let given = [given, vec![file.clone()]].concat();
        let command = Command::resolve(&given).unwrap();
        let source = here.join("src").to_str().unwrap().to_owned();
        let expected = words(&[
            "src",
            &source,
            here.to_str().unwrap(),
            &format!("--data={source}"),
            "--name=src",
            "./nowhere",
            &file,
        ]);
        assert_eq!(command.words[1..], expected);
        let pinned = command.pins().unwrap();
        // A file in an option does not make an interpreter of the program.
        assert_eq!(pinned[0].path, command.words[0]);
        assert_eq!(pinned[1].path, format!("{inside}/prices.json"));
    }
}
