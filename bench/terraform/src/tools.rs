//! The programs of this section.

use std::io;
use std::path::{Path, PathBuf};

use bench_terraform::program::{self, Found, script};
use bench_terraform::provider::ProviderProgram;

/// Where everything is.
pub struct Tools {
    pub provider: ProviderProgram,
    terraform: Found,
    deno: Found,
    python: Found,
    /// In Rust, built with the bench.
    script: PathBuf,
}

/// What an apply takes.
pub struct ApplyTools<'a> {
    pub provider: &'a Path,
    pub terraform: &'a Path,
    pub deno: &'a Path,
}

impl Tools {
    pub fn find() -> io::Result<Tools> {
        let deno = program::tool("deno", "--version");
        Ok(Tools {
            provider: ProviderProgram {
                path: program::of_variable("PROVIDER_PROGRAM", "terraform")?,
                variables: { deno.iter() }
                    .map(|deno| ("TENON_DENO", deno.path.clone().into()))
                    .collect(),
            },
            script: program::beside("bench-script", "terraform")?,
            terraform: program::tool("terraform", "version"),
            deno,
            python: program::tool("python3", "--version"),
        })
    }

    /// What was found, and what was not.
    pub fn notes(&self) -> Vec<String> {
        let tools = [&self.terraform, &self.deno, &self.python].into_iter();
        tools.map(program::note).collect()
    }

    /// Scripts that do the same: what they are written in, and their files. Those that nothing here
    /// can run are left out; the notes say what is missing.
    pub fn scripts(&self) -> Vec<(&'static str, PathBuf)> {
        let mut scripts = vec![("Rust", self.script.clone())];
        if self.python.is_ok() {
            scripts.push(("Python", script("thing.py")));
        }
        if self.deno.is_ok() {
            scripts.push(("Deno", script("thing.ts")));
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
            provider: &self.provider.path,
            terraform: &self.terraform.as_ref()?.path,
            deno: &self.deno.as_ref()?.path,
        })
    }
}
