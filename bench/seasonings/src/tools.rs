//! The programs of this section.

use std::env;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use bench_terraform::program::{self, Found, Tool};

/// Where everything is.
pub struct Tools {
    pub tenon: PathBuf,
    /// What packed providers are made of.
    pub packed: PathBuf,
    /// The bridge that runs scripts.
    pub bridge: PathBuf,
    /// The plugin in Rust, built with the bench.
    pub plugin: PathBuf,
    pub dialect_server: PathBuf,
    terraform: Found,
    deno: Found,
    python: Found,
}

/// What plans need.
pub struct PlanTools<'a> {
    pub terraform: &'a Path,
    pub python: &'a Path,
    /// The scripts in TypeScript are left out without it.
    pub deno: Option<&'a Path>,
}

impl Tools {
    pub fn find() -> io::Result<Tools> {
        const SECTION: &str = "seasonings";
        Ok(Tools {
            tenon: program::of_variable("TENON_PROGRAM", SECTION)?,
            packed: program::of_variable("PACKED_PROGRAM", SECTION)?,
            bridge: program::of_variable("PROVIDER_PROGRAM", SECTION)?,
            plugin: program::beside("bench-plugin", SECTION)?,
            dialect_server: program::beside("dialect-server", SECTION)?,
            terraform: program::tool("terraform", "version"),
            deno: program::tool("deno", "--version"),
            python: program::tool("python3", "--version").and_then(interpreter),
        })
    }

    /// What was found, and what was not.
    pub fn notes(&self) -> Vec<String> {
        let tools = [&self.terraform, &self.deno, &self.python].into_iter();
        tools.map(program::note).collect()
    }

    pub fn python(&self) -> Option<&Path> {
        path(&self.python)
    }

    /// # Errors
    /// What plans need and is not there.
    pub fn for_plans(&self) -> Result<PlanTools<'_>, String> {
        Ok(PlanTools {
            terraform: &self.terraform.as_ref()?.path,
            python: &self.python.as_ref()?.path,
            deno: path(&self.deno),
        })
    }
}

fn path(tool: &Found) -> Option<&Path> {
    tool.as_ref().ok().map(|tool| tool.path.as_path())
}

/// The interpreter itself: a shim of a version manager takes longer than what is measured.
fn interpreter(shim: Tool) -> Found {
    let mut command = Command::new(&shim.path);
    command.args(["-c", "import sys; print(sys.executable)"]);
    let path = program::first_line(&mut command).map_err(|error| error.to_string())?;
    Ok(Tool {
        path: path.into(),
        ..shim
    })
}

/// A search path on which this program is found before others of its name.
pub fn search_path(program: &Path) -> io::Result<OsString> {
    let others = env::var_os("PATH").unwrap_or_default();
    let folder = program.parent().map(Path::to_owned);
    let folders = folder.into_iter().chain(env::split_paths(&others));
    env::join_paths(folders).map_err(io::Error::other)
}

/// The folder of the plugins in Python.
pub fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/seasonings/python")
}
