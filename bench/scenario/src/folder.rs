//! Folders that go when the bench ends: one on disk, one in memory.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

pub struct Folder {
    /// Beside the program, where the build's own files are.
    pub on_disk: PathBuf,
    /// Where the system has memory as files; Linux does.
    pub in_memory: Option<PathBuf>,
}

const MEMORY: &str = "/dev/shm";

impl Folder {
    pub fn new() -> io::Result<Folder> {
        let name = format!("tenon-bench-{}", std::process::id());
        let program = std::env::current_exe()?;
        let beside = program.parent().unwrap_or(Path::new("."));
        let folder = Folder {
            on_disk: beside.join(&name),
            in_memory: Path::new(MEMORY)
                .is_dir()
                .then(|| Path::new(MEMORY).join(&name)),
        };
        fs::create_dir(&folder.on_disk)?;
        folder.in_memory.iter().try_for_each(fs::create_dir)?;
        Ok(folder)
    }

    /// Writes a file and gives its path.
    pub fn write(&self, name: &str, text: &str) -> io::Result<PathBuf> {
        let path = self.on_disk.join(name);
        fs::write(&path, text)?;
        Ok(path)
    }

    /// The provider's program, which is built with the bench.
    pub fn provider() -> io::Result<PathBuf> {
        let path = std::env::current_exe()?.with_file_name("bench-provider");
        match path.is_file() {
            true => Ok(path),
            false => Err(io::Error::other(format!(
                "{} is not there; bench/run builds it",
                path.display()
            ))),
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        for path in [Some(&self.on_disk), self.in_memory.as_ref()] {
            // Another process has removed it already.
            let _gone = path.map(fs::remove_dir_all);
        }
    }
}
