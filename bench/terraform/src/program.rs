//! The programs that are measured, and those that they need.

use std::env;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use bench_harness::child::Child;
use bench_harness::watchdog::Watchdog;

/// No program takes so long to print its version.
const PATIENCE: Duration = Duration::from_secs(20);

/// A program that is not part of this project.
pub struct Tool {
    pub path: PathBuf,
    /// As it calls itself.
    pub version: String,
}

/// What is known about a tool: where it is, or what is missing.
pub type Found = Result<Tool, String>;

/// What was found, or what is missing.
pub fn note(tool: &Found) -> String {
    match tool {
        Ok(tool) => tool.version.clone(),
        Err(missing) => missing.clone(),
    }
}

/// Looks for a program in `PATH`; `version` is the word that makes it print its version.
///
/// # Errors
/// It is not there, or does not run.
pub fn tool(name: &str, version: &str) -> Found {
    let folders = env::var_os("PATH").unwrap_or_default();
    let mut files = env::split_paths(&folders).map(|folder| folder.join(name));
    let path = files
        .find(|file| file.is_file())
        .ok_or_else(|| format!("there is no {name} in PATH; scripts/tools fetches it"))?;
    let version = first_line(Command::new(&path).arg(version))
        .map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(Tool { path, version })
}

/// The program that an environment variable names; `section` sets it.
///
/// # Errors
/// The variable is not set, or there is no such file.
pub fn of_variable(variable: &str, section: &str) -> io::Result<PathBuf> {
    let path = env::var_os(variable).map(PathBuf::from);
    let path = path.ok_or_else(|| {
        io::Error::other(format!(
            "{variable} is not set; bench/run {section} sets it"
        ))
    })?;
    // Terraform is told its folder, from another one.
    present(path, section)?.canonicalize()
}

/// The program that was built beside this one.
///
/// # Errors
/// It is not there.
pub fn beside(name: &str, section: &str) -> io::Result<PathBuf> {
    present(env::current_exe()?.with_file_name(name), section)
}

fn present(path: PathBuf, section: &str) -> io::Result<PathBuf> {
    match path.is_file() {
        true => Ok(path),
        false => Err(io::Error::other(format!(
            "{} is not there; bench/run {section} builds it",
            path.display()
        ))),
    }
}

/// A script of this crate.
pub fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("scripts")
        .join(name)
}

/// The first line that a command prints.
///
/// # Errors
/// It fails, or prints nothing.
pub fn first_line(command: &mut Command) -> io::Result<String> {
    let command = command
        // A look for a newer version would go out into the network.
        .env("CHECKPOINT_DISABLE", "1")
        .env("TF_CLI_CONFIG_FILE", "/dev/null")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = Child::start(command)?;
    let watchdog = Watchdog::over(child.pid(), PATIENCE);
    let stdout = child.inner.stdout.take();
    let stdout = stdout.map(io::read_to_string).transpose()?;
    drop(watchdog);
    let status = child.inner.wait()?;
    let line = stdout.as_deref().and_then(|text| text.lines().next());
    match line {
        Some(line) if status.success() => Ok(line.to_owned()),
        _ => Err(io::Error::other(format!("{status} instead of a line"))),
    }
}
