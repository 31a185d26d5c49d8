//! Plugins that are packed as `tenon provider pack` does it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use bench_harness::child::Child;
use bench_harness::section::fault;
use bench_harness::watchdog::Watchdog;
use bench_terraform::provider::ProviderProgram;
use serde_json::Value as Json;
use tempfile::TempDir;

use crate::tools::{self, Tools};

/// The language of `notes.py`, the plugin that has resources.
pub const PYTHON: &str = "Python";

/// Packing starts a plugin once.
const PATIENCE: Duration = Duration::from_secs(60);

/// A plugin, and the provider that it was made into.
pub struct Plugin {
    pub language: &'static str,
    /// Its command.
    pub words: Vec<PathBuf>,
    pub provider: ProviderProgram,
}

/// The packed plugins, which all have the function `slug`. They are removed when this is dropped.
pub struct Packed {
    pub plugins: Vec<Plugin>,
    _folder: TempDir,
}

impl Packed {
    /// Packs the plugin in Rust, and the one in Python if that can run.
    pub fn new(tools: &Tools) -> io::Result<Packed> {
        let folder = tempfile::tempdir()?;
        let mut plugins = vec![pack(
            tools,
            folder.path(),
            ("bench", "Rust"),
            vec![tools.plugin.clone()],
        )?];
        if let Some(python) = tools.python() {
            // In a folder of its own: Python writes its cache beside what it imports.
            for name in ["notes.py", "msgpack_lite.py"] {
                fs::copy(tools::examples().join(name), folder.path().join(name))?;
            }
            let words = vec![python.to_owned(), folder.path().join("notes.py")];
            plugins.push(pack(tools, folder.path(), ("notes", PYTHON), words)?);
        }
        Ok(Packed {
            plugins,
            _folder: folder,
        })
    }

    pub fn plugin(&self, language: &str) -> Option<&Plugin> {
        { self.plugins.iter() }.find(|plugin| plugin.language == language)
    }
}

fn pack(
    tools: &Tools,
    folder: &Path,
    (name, language): (&str, &'static str),
    words: Vec<PathBuf>,
) -> io::Result<Plugin> {
    let mut command = Command::new(&tools.tenon);
    command
        .args(["provider", "pack", name, "--for", "terraform", "--json"])
        .arg("--mirror")
        .arg(folder.join("mirror"))
        .arg("--binary")
        .arg(&tools.packed)
        .arg("--")
        // An interpreter is found on the search path; given by its path, it would be pinned like a plugin.
        .args(words.iter().enumerate().map(|(index, word)| {
            match (index, words.len(), word.file_name()) {
                (0, 2.., Some(name)) => name,
                _ => word.as_os_str(),
            }
        }))
        .env("PATH", tools::search_path(&words[0])?)
        .env("HOME", folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    let mut child = Child::start(&mut command)?;
    let watchdog = Watchdog::over(child.pid(), PATIENCE);
    let stdout = child.inner.stdout.take();
    let text = { stdout.map(io::read_to_string).transpose()? }.unwrap_or_default();
    drop(watchdog);
    let status = child.inner.wait()?;
    let done: Json = match status.success() {
        true => serde_json::from_str(&text)?,
        false => return Err(fault(format!("{command:?}: {status}"))),
    };
    let provider = done["installed"][0]["provider"].as_str();
    let provider = provider.ok_or_else(|| fault(format!("{command:?}: {text}")))?;
    Ok(Plugin {
        language,
        words,
        provider: ProviderProgram {
            path: PathBuf::from(provider),
            variables: Vec::new(),
        },
    })
}
