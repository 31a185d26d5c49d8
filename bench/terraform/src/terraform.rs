//! Terraform itself: the folders it works in, and its commands.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// Where the system has memory as files; Linux does.
pub const MEMORY_FOLDER: &str = "/dev/shm";

/// A new folder in memory, or on disk where the system has no memory as files.
///
/// # Errors
/// It cannot be made.
pub fn folder_in_memory() -> io::Result<TempDir> {
    match Path::new(MEMORY_FOLDER).is_dir() {
        true => tempfile::tempdir_in(MEMORY_FOLDER),
        false => tempfile::tempdir(),
    }
}

/// Makes Terraform take each provider, by its source address, from where its program is, and nothing else from
/// anywhere. Returns the file that says so.
///
/// # Errors
/// The file cannot be written.
pub fn write_settings(within: &Path, providers: &[(&str, &Path)]) -> io::Result<PathBuf> {
    let overrides: String = { providers.iter() }
        .map(|(source, program)| {
            let folder = program.parent().unwrap_or(Path::new("."));
            format!("    {source:?} = {folder:?}\n")
        })
        .collect();
    let file = within.join("terraform.rc");
    let text = format!(
        "provider_installation {{\n  dev_overrides {{\n{overrides}  }}\n  direct {{}}\n}}\n"
    );
    fs::write(&file, text)?;
    Ok(file)
}

/// A command of Terraform that has these settings and no others.
pub fn command(terraform: &Path, settings: &Path) -> Command {
    let mut command = Command::new(terraform);
    // The user's own settings for Terraform must not be measured.
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("TF_") {
            command.env_remove(name);
        }
    }
    command
        .env("TF_CLI_CONFIG_FILE", settings)
        .env("CHECKPOINT_DISABLE", "1");
    command
}
