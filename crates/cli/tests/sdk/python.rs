//! The Python client: its own tests, with the real server.

use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use crate::support::tools;

/// All of its tests together take a fraction of this; each has a watchdog of its own, which shows
/// where it hangs.
const WATCHDOG: Duration = Duration::from_secs(300);

#[tokio::test]
async fn python_client_passes_its_tests() {
    let python = match tools::python() {
        Ok(python) => python,
        Err(why) => {
            let is_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
            assert!(
                !is_ci,
                "the Python client needs its tool under CI=true: {why}"
            );
            // Not the print macros: what they print in a test that passes is never seen.
            let _nobody_reads = writeln!(std::io::stderr(), "skipped: the Python client: {why}");
            return;
        }
    };
    let sdk = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../sdk/python");
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

#[expect(
    clippy::disallowed_methods,
    reason = "no plugin but a client, started by something that is not ours"
)]
fn foreign(program: &Path) -> tokio::process::Command {
    tokio::process::Command::new(program)
}
