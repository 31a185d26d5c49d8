//! The programs that are measured, and those that they need.

use std::env;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use bench_harness::child::Child;
use bench_harness::watchdog::Watchdog;

/// No program takes so long to say its version.
const PATIENCE: Duration = Duration::from_secs(20);

/// Where everything is.
pub struct Tools {
    pub provider: PathBuf,
    terraform: Result<Tool, String>,
    deno: Result<Tool, String>,
    python: Result<Tool, String>,
    /// In Rust, built with the bench.
    script: PathBuf,
}

/// A program of somebody else.
pub struct Tool {
    pub path: PathBuf,
    /// As it calls itself.
    version: String,
}

/// What an apply takes.
pub struct ApplyTools<'a> {
    pub provider: &'a Path,
    pub terraform: &'a Path,
    pub deno: &'a Path,
}

impl Tools {
    pub fn find() -> io::Result<Tools> {
        let provider = env::var_os("PROVIDER_PROGRAM").map(PathBuf::from);
        let provider = provider.ok_or_else(|| {
            io::Error::other("PROVIDER_PROGRAM is not set; bench/run terraform sets it")
        })?;
        Ok(Tools {
            // Terraform is told its folder, from another one.
            provider: present(provider)?.canonicalize()?,
            script: present(env::current_exe()?.with_file_name("bench-script"))?,
            terraform: tool("terraform", "version"),
            deno: tool("deno", "--version"),
            python: tool("python3", "--version"),
        })
    }

    /// What was found, and what was not.
    pub fn notes(&self) -> Vec<String> {
        let tools = [&self.terraform, &self.deno, &self.python].into_iter();
        let note = |tool: &Result<Tool, String>| match tool {
            Ok(tool) => tool.version.clone(),
            Err(missing) => missing.clone(),
        };
        tools.map(note).collect()
    }

    /// Scripts that do the same: what they are written in, and their files. Those that nothing here
    /// can run are left out; the notes say what is missing.
    pub fn scripts(&self) -> Vec<(&'static str, PathBuf)> {
        let mut scripts = vec![("Rust", self.script.clone())];
        if self.python.is_ok() {
            scripts.push(("Python", source("thing.py")));
        }
        if self.deno.is_ok() {
            scripts.push(("Deno", source("thing.ts")));
        }
        scripts
    }

    pub fn deno(&self) -> Option<&Path> {
        self.deno.as_ref().ok().map(|deno| deno.path.as_path())
    }

    /// # Errors
    /// What an apply needs and is not there.
    pub fn for_applies(&self) -> Result<ApplyTools<'_>, &String> {
        Ok(ApplyTools {
            provider: &self.provider,
            terraform: &self.terraform.as_ref()?.path,
            deno: &self.deno.as_ref()?.path,
        })
    }
}

/// A script that is not built.
pub fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("scripts")
        .join(name)
}

fn present(path: PathBuf) -> io::Result<PathBuf> {
    match path.is_file() {
        true => Ok(path),
        false => Err(io::Error::other(format!(
            "{} is not there; bench/run terraform builds it",
            path.display()
        ))),
    }
}

fn tool(name: &str, version: &str) -> Result<Tool, String> {
    let folders = env::var_os("PATH").unwrap_or_default();
    let mut files = env::split_paths(&folders).map(|folder| folder.join(name));
    let path = files
        .find(|file| file.is_file())
        .ok_or_else(|| format!("there is no {name} in PATH; scripts/tools fetches it"))?;
    let version = first_line(Command::new(&path).arg(version))
        .map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(Tool { path, version })
}

fn first_line(command: &mut Command) -> io::Result<String> {
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
        _ => Err(io::Error::other(format!("{status} instead of its version"))),
    }
}
