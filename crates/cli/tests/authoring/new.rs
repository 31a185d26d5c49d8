//! Every plugin that `tenon new` makes passes its own test.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::support::shell::Shell;
use crate::support::tools;
use crate::support::trial::{trial, trial_within};

const KINDS: [&str; 6] = ["all", "function", "action", "resource", "storage", "hook"];

/// Building a plugin in Rust for the first time.
const BUILD: Duration = Duration::from_secs(900);

/// Makes a plugin of each kind, and runs its own test.
async fn check(language: &str, kinds: &[&str]) {
    let shell = Shell::new();
    for kind in kinds {
        let line =
            format!("tenon new a-{kind} --lang {language} --kind {kind} && cd a-{kind} && ./test");
        let outcome = shell.run_unnoted(&line).await;
        let printed = format!("{}\n{}", outcome.stdout, outcome.stderr);
        assert_eq!(outcome.code, Some(0), "{language} {kind}: {printed}");
        assert!(
            outcome.stdout.ends_with("all tests passed\n"),
            "{language} {kind}: {printed}"
        );
    }
}

#[tokio::test]
async fn plugins_in_bash_pass_their_tests() {
    trial(tools::on_path("bash"), async |_, _| {
        check("bash", &KINDS[..4]).await;
    })
    .await;
}

#[tokio::test]
async fn plugins_in_python_pass_their_tests() {
    trial_within(BUILD, tools::python(), async |_, _| {
        check("python", &KINDS).await;
    })
    .await;
}

#[tokio::test]
async fn plugins_in_typescript_pass_their_tests() {
    trial_within(BUILD, tools::on_path("node"), async |_, _| {
        check("typescript", &KINDS).await;
    })
    .await;
}

/// The folder where plugins are built: it is kept, so that dependencies are built once.
fn target() -> PathBuf {
    let tenon = Path::new(env!("CARGO_BIN_EXE_tenon"));
    let target = tenon.ancestors().nth(2).expect("target/debug/tenon");
    target.join("new-plugins")
}

#[tokio::test]
async fn plugins_in_rust_are_built_and_pass_their_tests() {
    let shell = Shell::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    // Of a configuration above it, because a host does not pass every variable on.
    std::fs::create_dir(shell.path(".cargo")).expect("a folder");
    let config = format!(
        "[build]\ntarget-dir = {:?}\n[net]\noffline = true\n",
        target()
    );
    shell.file(".cargo/config.toml", &config);
    let kept = |name: &str| {
        let value = std::env::var(name).unwrap_or_default();
        match value.is_empty() {
            true => String::new(),
            false => format!("export {name}='{value}'; "),
        }
    };
    let environment: String = ["HOME", "CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"]
        .map(kept)
        .concat();
    for kind in KINDS {
        // With the versions of this workspace, which are there.
        let line = format!(
            "{environment}tenon new a-{kind} --lang rust --kind {kind} && cd a-{kind} && cp '{}' . && \
             cargo fmt --check && ./test",
            root.join("Cargo.lock").display()
        );
        let outcome = shell.run_within(BUILD, &line).await;
        let printed = format!("{}\n{}", outcome.stdout, outcome.stderr);
        assert_eq!(outcome.code, Some(0), "{kind}: {printed}");
        assert!(!outcome.stderr.contains("warning"), "{kind}: {printed}");
    }
}

/// Without a terminal nothing is asked.
#[tokio::test]
async fn the_defaults_are_python_and_all() {
    let shell = Shell::new();
    let outcome = shell.run_unnoted("tenon new weather --json").await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let made: serde_json::Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    assert_eq!(
        (&made["language"], &made["kind"]),
        (&"python".into(), &"all".into())
    );
    let files = made["files"].as_array().expect("files");
    for file in files {
        let file = file.as_str().expect("a name");
        assert!(shell.path("weather").join(file).exists(), "{file}");
    }
    for needed in [
        "weather",
        "weather.py",
        "test",
        "README.md",
        "demo.hcl",
        "main.tf",
        "tenon.hcl",
    ] {
        assert!(
            files.iter().any(|file| file == needed),
            "{needed} in {files:?}"
        );
    }
    // Nothing else was left beside it.
    let names: Vec<_> = std::fs::read_dir(shell.path("."))
        .expect("a folder")
        .flatten()
        .collect();
    assert_eq!(names.len(), 1, "{names:?}");
}
