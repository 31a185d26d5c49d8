//! `sdk/python`: its own tests, its types, and its wheel.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use crate::support::mark::Mark;
use crate::support::tools::{self, Tool};
use crate::support::trial::{run_with, trial_within};

/// All of its tests together take a fraction of this; each has a watchdog of its own, which shows
/// where it hangs.
const WATCHDOG: Duration = Duration::from_secs(300);

#[tokio::test]
async fn python_passes_its_tests() {
    let python = match tools::python() {
        Ok(python) => python,
        Err(why) => {
            let is_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
            assert!(!is_ci, "the Python SDK needs its tool under CI=true: {why}");
            // Not the print macros: what they print in a test that passes is never seen.
            let _nobody_reads = writeln!(std::io::stderr(), "skipped: the Python SDK: {why}");
            return;
        }
    };
    let sdk = folder();
    let run = foreign(&python)
        // Warnings are errors: a coroutine that nobody awaits, a socket that nobody closes.
        .args([
            "-W",
            "error",
            "-m",
            "unittest",
            "discover",
            "--start-directory",
        ])
        .arg(sdk.join("tests"))
        .env("PYTHONPATH", sdk.join("src"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("TENON", env!("CARGO_BIN_EXE_tenon"))
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let output = tokio::time::timeout(WATCHDOG, run).await;
    let output = output.expect("an end within the watchdog's time");
    let output = output.expect("a program that starts");
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "the tests ended with {}\nstdout:\n{stdout}\nstderr:\n{stderr}",
        output.status
    );
    // A run that found no tests would be a success as well, and one without the server, too.
    assert!(!stderr.contains("Ran 0 tests"), "{stderr}");
    assert!(!stderr.contains("skipped="), "{stderr}");
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../sdk/python")
}

/// A Python with mypy, pydantic and setuptools.
fn python_with_tools() -> Tool {
    tools::installed("python-sdk/stamp").and(tools::installed("python-sdk/bin/python"))
}

/// The SDK, the example and what `tenon new` makes are clean under both checkers, in the settings of pyproject.toml.
#[tokio::test]
async fn mypy_finds_nothing() {
    trial_within(WATCHDOG, python_with_tools(), async |python, mark| {
        let settings = folder().join("pyproject.toml");
        let cache = tempfile::tempdir().expect("a folder");
        let args = [
            OsStr::new("-m"),
            OsStr::new("mypy"),
            OsStr::new("--config-file"),
        ];
        let args = args.into_iter().chain([settings.as_os_str()]);
        let args = args.chain([OsStr::new("--cache-dir"), cache.path().as_os_str()]);
        let sources = [
            folder().join("src"),
            folder().join("../../examples/multi-host/python"),
            // What marks its parts are comments of Python.
            folder().join("../../crates/cli/templates/python/plugname.py"),
        ];
        let args = args.chain(sources.iter().map(|one| one.as_os_str()));
        let search = folder().join("src");
        run_with(&python, args, &[("MYPYPATH", search.as_os_str())], mark).await;
    })
    .await;
}

#[tokio::test]
async fn pyright_finds_nothing() {
    let both = python_with_tools().and_then(|python| {
        tools::installed("pyright/stamp")?;
        let pyright = tools::installed("pyright/node_modules/pyright/index.js")?;
        Ok((python, pyright, tools::on_path("node")?))
    });
    trial_within(WATCHDOG, both, async |(python, pyright, node), mark| {
        let project = folder();
        let args = [
            pyright.as_os_str(),
            "--project".as_ref(),
            project.as_os_str(),
            "--pythonpath".as_ref(),
            python.as_os_str(),
        ];
        run_with(&node, args, &[], mark).await;
    })
    .await;
}

/// Models of pydantic, and the wheel: built without network, installed into an empty environment and
/// used there.
#[tokio::test]
async fn works_with_pydantic_and_as_a_wheel() {
    trial_within(WATCHDOG, python_with_tools(), async |python, mark| {
        for test in ["test_pydantic.py", "test_wheel.py"] {
            run_test(&python, test, mark).await;
        }
    })
    .await;
}

/// What the codec of msgpack writes is read by the library `msgpack`, and the other way round.
#[tokio::test]
async fn the_msgpack_codec_agrees_with_the_library() {
    let python = tools::python_with_msgpack();
    trial_within(WATCHDOG, python, async |python, mark| {
        run_test(&python, "test_msgpack_library.py", mark).await;
    })
    .await;
}

/// Runs a test that needs a library besides the SDK.
async fn run_test(python: &Path, test: &str, mark: &Mark) {
    let test = folder().join("tests/tools").join(test);
    let search = folder().join("src");
    let variables = [
        ("PYTHONPATH", search.as_os_str()),
        ("PYTHONDONTWRITEBYTECODE", OsStr::new("1")),
    ];
    let args = [OsStr::new("-W"), OsStr::new("error"), test.as_os_str()];
    run_with(python, args, &variables, mark).await;
}

#[expect(
    clippy::disallowed_methods,
    reason = "no plugin but a client, started by something that is not ours"
)]
fn foreign(program: &Path) -> tokio::process::Command {
    tokio::process::Command::new(program)
}
