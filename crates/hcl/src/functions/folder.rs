//! The folder that files are read in.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::limits;
use crate::function::FunctionError;

/// A folder that nothing is read outside of, whatever `..`, links and absolute paths say.
#[derive(Clone)]
pub(super) struct Folder(Option<Arc<Path>>);

impl Folder {
    pub(super) fn new(folder: Option<&Path>) -> Folder {
        Folder(folder.map(Arc::from))
    }

    /// The folder itself, without links on the way.
    fn root(&self) -> Result<PathBuf, FunctionError> {
        let root = self.0.as_deref();
        let root = root.ok_or_else(|| {
            FunctionError::new("files cannot be read here: only constant values are allowed")
        })?;
        root.canonicalize().map_err(|error| {
            FunctionError::new("the folder to read files in cannot be opened").because(error)
        })
    }

    /// Where a path leads, if something is there and if it is inside.
    pub(super) fn find(&self, path: &str) -> Result<Option<PathBuf>, FunctionError> {
        let root = self.root()?;
        let found = match root.join(path).canonicalize() {
            Ok(found) => found,
            Err(error) if is_missing(&error) => {
                return match leads_inside(&root.join(path), &root) {
                    true => Ok(None),
                    false => Err(outside(path)),
                };
            }
            Err(error) => return Err(unreadable(path, &error)),
        };
        match found.starts_with(&root) {
            true => Ok(Some(found)),
            false => Err(outside(path)),
        }
    }

    /// The bytes of a file.
    pub(super) fn read(&self, path: &str) -> Result<Vec<u8>, FunctionError> {
        let found = self.find(path)?.ok_or_else(|| {
            let message = "the file does not exist; it must exist before the run starts";
            FunctionError::new(message).at(0).quoting(path)
        })?;
        // A pipe would be waited for, perhaps forever.
        if !fs::metadata(&found)
            .map_err(|error| unreadable(path, &error))?
            .is_file()
        {
            return Err(
                FunctionError::new("this is a folder or a device, not a file")
                    .at(0)
                    .quoting(path),
            );
        }
        let mut bytes = Vec::new();
        File::open(&found)
            .and_then(|file| file.take(limits::FILE + 1).read_to_end(&mut bytes))
            .map_err(|error| unreadable(path, &error))?;
        match bytes.len() as u64 > limits::FILE {
            true => {
                let message = format!("the file is too large: the limit is {} bytes", limits::FILE);
                Err(FunctionError::new(message).at(0).quoting(path))
            }
            false => Ok(bytes),
        }
    }

    /// Every file below a folder, by its path from there with slashes, without following links to
    /// folders: they may lead in circles.
    pub(super) fn files(&self, path: &str) -> Result<Vec<String>, FunctionError> {
        let Some(start) = self.find(path)?.filter(|found| found.is_dir()) else {
            return Ok(Vec::new());
        };
        let root = self.root()?;
        let mut files = Vec::new();
        let mut seen = 0;
        let mut folders = vec![(start, String::new())];
        while let Some((folder, prefix)) = folders.pop() {
            let entries = fs::read_dir(&folder).map_err(|error| unreadable(path, &error))?;
            for entry in entries {
                let entry = entry.map_err(|error| unreadable(path, &error))?;
                seen += 1;
                limits::check("the folder", seen, limits::ENTRIES, "files and folders")?;
                let Ok(name) = entry.file_name().into_string() else {
                    continue;
                };
                let kind = entry
                    .file_type()
                    .map_err(|error| unreadable(path, &error))?;
                if kind.is_dir() {
                    folders.push((entry.path(), format!("{prefix}{name}/")));
                } else if kind.is_file() || is_link_to_file(&entry.path(), &root) {
                    files.push(format!("{prefix}{name}"));
                }
            }
        }
        Ok(files)
    }

    /// The path from the root of the system, without looking at what is there.
    pub(super) fn absolute(&self, path: &str) -> Result<PathBuf, FunctionError> {
        Ok(normal(&self.root()?.join(path)))
    }
}

/// A path to nothing stays inside: whether something exists outside is not disclosed either.
fn leads_inside(path: &Path, root: &Path) -> bool {
    let nearest = path
        .ancestors()
        .find_map(|ancestor| ancestor.canonicalize().ok());
    let is_inside = |path: &Path| path.starts_with(root);
    nearest.is_some_and(|nearest| is_inside(&nearest)) && is_inside(&normal(path))
}

fn is_link_to_file(path: &Path, root: &Path) -> bool {
    let target = path.canonicalize().ok();
    target.is_some_and(|target| target.starts_with(root) && target.is_file())
}

fn is_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

fn outside(path: &str) -> FunctionError {
    let message = "the path leads out of the scenario's folder; copy the file into it";
    FunctionError::new(message).at(0).quoting(path)
}

fn unreadable(path: &str, error: &io::Error) -> FunctionError {
    FunctionError::new("the file cannot be read")
        .at(0)
        .because(format!("{path:?}: {error}"))
}

/// The path without `.` and `..`, by its text alone.
pub(super) fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir
                if matches!(normal.components().next_back(), Some(Component::Normal(_))) =>
            {
                normal.pop();
            }
            Component::ParentDir if normal.has_root() => {}
            other => normal.push(other),
        }
    }
    normal
}
