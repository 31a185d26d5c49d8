//! A shell in its own folder, with a transcript.

use std::fmt::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tempfile::TempDir;
use tokio::process::Command;

use super::mark::Mark;

/// No command takes longer.
const WATCHDOG: Duration = Duration::from_secs(60);

/// Runs command lines, and notes them with what they print.
pub(crate) struct Shell {
    folder: TempDir,
    transcript: String,
}

/// What came of a command line.
pub(crate) struct Outcome {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: Option<i32>,
}

impl Shell {
    pub(crate) fn new() -> Shell {
        Shell {
            folder: tempfile::tempdir().expect("a folder"),
            transcript: String::new(),
        }
    }

    /// Where a file of this name is.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Puts a file into the folder.
    pub(crate) fn file(&self, name: &str, content: &str) {
        std::fs::write(self.path(name), content).expect("a file");
    }

    /// Puts a program into the folder.
    pub(crate) fn program(&self, name: &str, content: &str) {
        self.file(name, content);
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(self.path(name), executable).expect("permissions");
    }

    /// Runs a command line, and notes it with everything it prints. No process that it started may be left.
    pub(crate) async fn run(&mut self, line: &str) -> Outcome {
        let outcome = self.run_unnoted(line).await;
        let mut note = format!("$ {line}\n");
        for (stream, text) in [(1, &outcome.stdout), (2, &outcome.stderr)] {
            for line in text.lines() {
                writeln!(note, "{}", format!("{stream}> {line}").trim_end()).expect("memory");
            }
        }
        let code = outcome
            .code
            .map_or("none".into(), |code: i32| code.to_string());
        writeln!(note, "exit code {code}\n").expect("memory");
        self.transcript.push_str(&note);
        outcome
    }

    /// Runs a command line whose output changes from run to run.
    pub(crate) async fn run_unnoted(&self, line: &str) -> Outcome {
        self.run_within(WATCHDOG, line).await
    }

    /// As [`run_unnoted`](Shell::run_unnoted), for what takes longer, such as a build.
    pub(crate) async fn run_within(&self, watchdog: Duration, line: &str) -> Outcome {
        let mark = Mark::new();
        let output = self.command(line, &mark).output();
        let output = tokio::time::timeout(watchdog, output).await;
        let output = output.unwrap_or_else(|_| panic!("took longer than {watchdog:?}: {line}"));
        let output = output.expect("a shell");
        mark.assert_nobody_left();
        Outcome {
            stdout: self.plain(&output.stdout),
            stderr: self.plain(&output.stderr),
            code: output.status.code(),
        }
    }

    /// A command line that is ready to be started, in an environment that is the same everywhere.
    pub(crate) fn command(&self, line: &str, mark: &Mark) -> Command {
        let ours = Path::new(env!("CARGO_BIN_EXE_tenon"));
        let ours = ours.parent().expect("a folder with our command");
        let theirs = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(ours.to_owned()).chain(std::env::split_paths(&theirs));
        let mut command = new_command();
        command
            .args(["-c", line])
            .current_dir(self.folder.path())
            .env_clear()
            .env("PATH", std::env::join_paths(folders).expect("folders"))
            .env("LC_ALL", "C.UTF-8")
            .env(Mark::VARIABLE, mark.value())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        command
    }

    /// Everything that was run, with what it printed.
    pub(crate) fn transcript(&self) -> &str {
        self.transcript.trim_end()
    }

    /// What is printed, without what differs from machine to machine and from version to version.
    fn plain(&self, printed: &[u8]) -> String {
        let folder = self.folder.path().to_str().expect("a plain path");
        let text = String::from_utf8_lossy(printed)
            .replace(folder, "[folder]")
            .replace(env!("CARGO_PKG_VERSION"), "[version]");
        without_times(&text)
    }
}

/// The times of a recording, which are never the same.
fn without_times(text: &str) -> String {
    const BEFORE: &str = "\"time\":";
    let mut pieces = text.split(BEFORE);
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let rest = piece.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        plain.push_str(BEFORE);
        plain.push_str("[time]");
        plain.push_str(rest);
    }
    plain
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is not a plugin but the shell of a user, who types our command"
)]
fn new_command() -> Command {
    Command::new("/bin/sh")
}
