//! The foreign programs: their paths and their features.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::OnceLock;

/// What a test needs besides Python and a Terraform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    Deno,
    /// Import by identity, and other features of Terraform 1.12.
    Identity,
    /// Actions, and other features of Terraform 1.14.
    Actions,
    /// State files that name Terraform's registry.
    TerraformRegistry,
}

/// A Terraform or an OpenTofu.
#[derive(Clone, Debug)]
pub(crate) struct Terraform {
    pub(crate) program: PathBuf,
    is_tofu: bool,
    minor: u32,
}

impl Terraform {
    /// Whether it has what a test needs. Deno does not depend on Terraform.
    pub(crate) fn has(&self, need: Need) -> bool {
        match need {
            Need::Deno => true,
            Need::Identity => !self.is_tofu && self.minor >= 12,
            Need::Actions => !self.is_tofu && self.minor >= 14,
            Need::TerraformRegistry => !self.is_tofu,
        }
    }

    fn ask(program: &Path) -> Result<Terraform, String> {
        let text = output_of(program, &["version"])?;
        let (name, version) = text
            .lines()
            .next()
            .and_then(|line| line.split_once(" v1."))
            .ok_or_else(|| format!("{} has no version: {text}", program.display()))?;
        let minor = version.split('.').next().and_then(|word| word.parse().ok());
        Ok(Terraform {
            program: program.to_owned(),
            is_tofu: name == "OpenTofu",
            minor: minor.ok_or_else(|| format!("a version that is not a number: {version}"))?,
        })
    }
}

/// The Terraform of `scripts/tools`, and those on PATH.
pub(crate) fn terraforms() -> Result<&'static [Terraform], String> {
    static FOUND: OnceLock<Result<Vec<Terraform>, String>> = OnceLock::new();
    let found = FOUND.get_or_init(|| {
        let mut found = vec![Terraform::ask(&installed("terraform", "terraform")?)?];
        for name in ["terraform", "tofu"] {
            match on_path(name) {
                Ok(program) => found.push(Terraform::ask(&program)?),
                // No failure under CI=true either: only what can be installed is asked for.
                Err(why) => say(&format!("not tested: {why}")),
            }
        }
        Ok(found)
    });
    found.as_deref().map_err(Clone::clone)
}

/// Deno.
pub(crate) fn deno() -> Result<PathBuf, String> {
    installed("deno", "deno")
}

/// The interpreter itself: the one on PATH may be a script that searches for it, which takes 0.1 s each
/// time.
pub(crate) fn python() -> Result<PathBuf, String> {
    static FOUND: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let found = FOUND.get_or_init(|| {
        let shim = on_path("python3")?;
        let path = output_of(&shim, &["-c", "import sys; print(sys.executable)"])?;
        Ok(PathBuf::from(path.trim()))
    });
    found.clone()
}

/// Prints a line that is always shown. The output of the print macros is hidden in tests that pass.
pub(crate) fn say(text: &str) {
    let _nobody_reads = writeln!(std::io::stderr(), "{text}");
}

/// A program that `scripts/tools` has installed.
pub(crate) fn installed(tool: &str, program: &str) -> Result<PathBuf, String> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = workspace.join(".tools").join(tool);
    match folder.join("stamp").exists() {
        true => Ok(folder.join(program).canonicalize().expect("what is there")),
        false => Err(format!("there is no .tools/{tool}; run scripts/tools")),
    }
}

/// A program of the system.
pub(crate) fn on_path(program: &str) -> Result<PathBuf, String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .map(|folder| folder.join(program))
        .find(|file| file.is_file())
        .ok_or_else(|| format!("there is no {program} on PATH"))
}

fn output_of(program: &Path, words: &[&str]) -> Result<String, String> {
    let output = command(program)
        .args(words)
        .env("CHECKPOINT_DISABLE", "1")
        .env("TF_CLI_CONFIG_FILE", "/dev/null")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{} does not start: {error}", program.display()))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[expect(
    clippy::disallowed_methods,
    reason = "Terraform is not a plugin: it starts ours"
)]
pub(crate) fn command(program: &Path) -> std::process::Command {
    std::process::Command::new(program)
}
