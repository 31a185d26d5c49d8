//! A program that runs once, with a watchdog.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::process::{Child, Command};

/// No program here takes longer, not even on a busy machine.
const WATCHDOG: Duration = Duration::from_secs(60);

/// What a program said, and how it ended.
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// An example in Rust.
pub(crate) fn rust(name: &str) -> PathBuf {
    // Examples lie beside the folder of the test that runs.
    let test = std::env::current_exe().unwrap();
    let path = test.ancestors().nth(2).unwrap().join("examples").join(name);
    assert!(
        path.exists(),
        "{} is missing: cargo build -p tenon-plugin --examples",
        path.display()
    );
    path
}

/// An example in another language. If what runs it is missing the example is skipped, but not
/// under CI=true.
pub(crate) fn foreign(interpreter: &str, path: &str) -> Option<PathBuf> {
    match on_path(interpreter) {
        Some(_) => Some(example(path)),
        None => skipped(path, interpreter),
    }
}

/// An example, from the folder of all of them.
pub(crate) fn example(path: &str) -> PathBuf {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    examples.join(path)
}

/// A program that is installed.
pub(crate) fn on_path(program: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let mut files = std::env::split_paths(&folders).map(|folder| folder.join(program));
    files.find(|file| file.is_file())
}

/// Says that an example is left out.
pub(crate) fn skipped<T>(path: &str, missing: &str) -> Option<T> {
    let is_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
    assert!(!is_ci, "{path} needs {missing} under CI=true");
    // Not the print macros: what they print in a test that passes is never seen.
    let _nobody_reads = writeln!(std::io::stderr(), "skipped: {path}: no {missing}");
    None
}

/// Starts a program.
pub(crate) fn start(program: &Path, args: &[&str]) -> Child {
    start_with(program, args, &[])
}

/// As [`start`], with environment variables.
#[expect(
    clippy::disallowed_methods,
    reason = "what a provider does is seen without a host that looks after it"
)]
pub(crate) fn start_with(program: &Path, args: &[&str], variables: &[(&str, &str)]) -> Child {
    Command::new(program)
        .args(args.iter().map(OsStr::new))
        // What programs call here is on this machine, where no proxy finds it.
        .env("no_proxy", "*")
        .env_remove("TENON_DEBUG")
        .envs(variables.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap_or_else(|error| panic!("{}: {error}", program.display()))
}

/// Runs a program with these lines on its stdin, which then ends.
pub(crate) async fn run(program: &Path, args: &[&str], lines: &[&str]) -> Ended {
    let mut child = start(program, args);
    let mut stdin = child.stdin.take().unwrap();
    let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let write = async move {
        // A program that ends early does not read to the end.
        let _unread = stdin.write_all(input.as_bytes()).await;
    };
    let both = async { tokio::join!(write, child.wait_with_output()).1 };
    let output = in_time(program, both).await.unwrap();
    Ended {
        status: output.status,
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Waits, but not forever.
pub(crate) async fn in_time<T>(program: &Path, work: impl Future<Output = T>) -> T {
    let done = tokio::time::timeout(WATCHDOG, work).await;
    done.unwrap_or_else(|_| panic!("{} took longer than {WATCHDOG:?}", program.display()))
}
