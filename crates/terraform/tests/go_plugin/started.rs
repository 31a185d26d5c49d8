//! A process of the provider, which does not outlive its test.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

pub(crate) const PROVIDER: &str = env!("CARGO_BIN_EXE_terraform-provider-denobridge");

/// The variables by which Terraform identifies itself.
pub(crate) const COOKIE: (&str, &str) = (
    "TF_PLUGIN_MAGIC_COOKIE",
    "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
);

/// Longer than anything takes on the busiest machine.
pub(crate) const WATCHDOG: Duration = Duration::from_secs(60);

/// A process, and its own folder for temporary files.
pub(crate) struct Started {
    child: Child,
    stdout: Receiver<String>,
    stderr: Receiver<String>,
    temporary: TempDir,
}

/// The output and exit status of a process that has ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Vec<String>,
    pub(crate) stderr: Vec<String>,
}

impl Started {
    /// Starts it as Terraform does, with additional variables.
    pub(crate) fn by_terraform(variables: &[(&str, &str)]) -> Started {
        let versions = ("PLUGIN_PROTOCOL_VERSIONS", "5,6");
        Started::new(&[PROVIDER], &[&[versions, COOKIE], variables].concat())
    }

    /// Starts any command with only these variables.
    pub(crate) fn new(command: &[&str], variables: &[(&str, &str)]) -> Started {
        let temporary = tempfile::tempdir().unwrap();
        let mut child = new_command(command[0].as_ref())
            .args(&command[1..])
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("TMPDIR", temporary.path())
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Started {
            stdout: lines_of(child.stdout.take().unwrap()),
            stderr: lines_of(child.stderr.take().unwrap()),
            child,
            temporary,
        }
    }

    /// The next line on stdout.
    pub(crate) fn line(&self) -> String {
        let line = self.stdout.recv_timeout(WATCHDOG);
        line.unwrap_or_else(|_| {
            let stderr: Vec<_> = self.stderr.try_iter().collect();
            panic!("there was no line on stdout; stderr: {stderr:?}")
        })
    }

    /// The next line on stdout, unless that has ended.
    pub(crate) fn first_line(&self) -> Option<String> {
        self.stdout.recv_timeout(WATCHDOG).ok()
    }

    /// The next line on stderr.
    pub(crate) fn stderr_line(&self) -> String {
        self.stderr.recv_timeout(WATCHDOG).unwrap()
    }

    /// The address in its handshake line.
    pub(crate) fn address(&self) -> String {
        let line = self.line();
        line.split('|').nth(3).unwrap().to_owned()
    }

    pub(crate) fn send(&self, signal: Signal) {
        let process = Pid::from_child(&self.child);
        kill_process(process, signal).unwrap();
    }

    /// Waits for the end of the process and of all that hold its stdout.
    ///
    /// It sleeps in the runtime, so that a client of the test can answer meanwhile.
    pub(crate) async fn end(mut self) -> Ended {
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(begun.elapsed() < WATCHDOG, "the process does not end");
            tokio::time::sleep(Duration::from_millis(5)).await;
        };
        let rest = |lines: &Receiver<String>| {
            let mut all = Vec::new();
            loop {
                match lines.recv_timeout(WATCHDOG) {
                    Ok(line) => all.push(line),
                    Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => break all,
                    Err(error) => panic!("somebody holds the stream open: {error}"),
                }
            }
        };
        Ended {
            status,
            stdout: rest(&self.stdout),
            stderr: rest(&self.stderr),
        }
    }

    /// Its folder for temporary files.
    pub(crate) fn temporary(&self) -> &Path {
        self.temporary.path()
    }

    /// Like [`end`](Started::end), and checks that the folder for temporary files is empty.
    pub(crate) async fn end_and_leave_nothing(mut self) -> Ended {
        let folder = std::mem::replace(&mut self.temporary, tempfile::tempdir().unwrap());
        let ended = self.end().await;
        let left: Vec<_> = folder.path().read_dir().unwrap().collect();
        assert!(left.is_empty(), "{left:?}");
        ended
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        let _has_ended = self.child.kill();
        let _has_ended = self.child.wait();
    }
}

fn lines_of(stream: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = sync_channel(64);
    thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    lines
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is Terraform's part, which must not be looked after by our host"
)]
pub(crate) fn new_command(program: &OsStr) -> Command {
    Command::new(program)
}
