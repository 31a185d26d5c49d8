//! The languages that the plugin is written in: one row each.

use std::path::{Path, PathBuf};

use crate::tools;

/// One language, on one runtime.
pub(crate) struct Language {
    pub(crate) name: &'static str,
    /// The command, or why it cannot be run.
    pub(crate) command: fn() -> Result<Vec<PathBuf>, String>,
    /// The same of the plugin for `conformance/depot`.
    pub(crate) depot: fn() -> Result<Vec<PathBuf>, String>,
    /// Whether it is packed as a Terraform provider too. One runtime of a language is enough: Terraform talks to
    /// the packed provider, and that to the plugin as the transcripts do.
    pub(crate) is_packed: bool,
}

/// All languages.
pub(crate) const LANGUAGES: &[Language] = &[
    Language {
        name: "Rust",
        command: || example_in_rust("weather"),
        depot: || example_in_rust("depot"),
        is_packed: true,
    },
    Language {
        name: "Python",
        command: || python(&example("python/weather.py")),
        depot: || python(&beside("depot.py")),
        is_packed: true,
    },
    Language {
        name: "TypeScript on Node",
        command: || node(&example("typescript/weather.mjs")),
        depot: || node(&beside("depot.mjs")),
        is_packed: true,
    },
    Language {
        name: "TypeScript on Deno",
        command: || deno(&example("typescript/weather.mjs")),
        depot: || deno(&beside("depot.mjs")),
        is_packed: false,
    },
];

pub(crate) fn python(file: &Path) -> Result<Vec<PathBuf>, String> {
    Ok(vec![tools::python()?, file.to_owned()])
}

pub(crate) fn node(file: &Path) -> Result<Vec<PathBuf>, String> {
    Ok(vec![tools::on_path("node")?, file.to_owned()])
}

pub(crate) fn deno(file: &Path) -> Result<Vec<PathBuf>, String> {
    let words = [
        tools::deno()?,
        "run".into(),
        "--allow-all".into(),
        file.to_owned(),
    ];
    Ok(words.to_vec())
}

/// Cargo builds it with the tests of the whole workspace.
fn example_in_rust(name: &str) -> Result<Vec<PathBuf>, String> {
    let program = built(&format!("examples/{name}"));
    match program.is_file() {
        true => Ok(vec![program]),
        false => Err(format!("cargo build -p tenon-plugin --example {name}")),
    }
}

/// A program that cargo builds.
pub(crate) fn built(name: &str) -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_tenon")).with_file_name(name)
}

/// A file of these tests.
pub(crate) fn beside(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hosts");
    folder.join(name)
}

/// A file of the example.
pub(crate) fn example(name: &str) -> PathBuf {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/multi-host");
    examples.canonicalize().expect("the example").join(name)
}

impl Language {
    /// The weather plugin in every language that can be run here. Under CI=true that is every language.
    pub(crate) fn each() -> impl Iterator<Item = (&'static Language, Vec<PathBuf>)> {
        Language::each_of(|language| (language.command)())
    }

    /// One of the plugins in every language that can be run here.
    pub(crate) fn each_of(
        command: fn(&Language) -> Result<Vec<PathBuf>, String>,
    ) -> impl Iterator<Item = (&'static Language, Vec<PathBuf>)> {
        LANGUAGES
            .iter()
            .filter_map(move |language| match command(language) {
                Ok(command) => Some((language, command)),
                Err(why) => {
                    let is_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
                    assert!(!is_ci, "{} is needed under CI=true: {why}", language.name);
                    tools::say(&format!("skipped: {}: {why}", language.name));
                    None
                }
            })
    }
}
