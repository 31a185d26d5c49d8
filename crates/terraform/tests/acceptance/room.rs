//! A folder and a Terraform that works in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

use crate::mark::Mark;
use crate::tools::{self, Terraform};

/// No command takes longer, not even on a busy machine.
pub(crate) const WATCHDOG: Duration = Duration::from_secs(120);

pub(crate) struct Room {
    pub(crate) terraform: Terraform,
    folder: TempDir,
    mark: Mark,
}

impl Room {
    /// One for each Terraform; none if there are no tools, except under CI=true.
    pub(crate) fn each() -> impl Iterator<Item = Room> {
        let terraforms = tools::terraforms().unwrap_or_else(|why| {
            let is_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
            assert!(!is_ci, "Terraform is needed under CI=true: {why}");
            tools::say(&format!("skipped: {why}"));
            &[]
        });
        terraforms.iter().map(|terraform| Room {
            terraform: terraform.clone(),
            folder: tempfile::tempdir().unwrap(),
            mark: Mark::new(),
        })
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    /// A program that works in the folder and knows nothing of the user's Terraform.
    pub(crate) fn command(&self, program: &Path) -> Command {
        let mut command = tools::command(program);
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("TF_") {
                command.env_remove(name);
            }
        }
        command
            .current_dir(self.folder.path())
            .env("HOME", self.folder.path())
            .env("CHECKPOINT_DISABLE", "1")
            .env("EXAMPLES", example("python"))
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("TF_CLI_ARGS", "-no-color")
            .env("TF_CLI_CONFIG_FILE", "/dev/null")
            .env(Mark::VARIABLE, self.mark.value());
        command
    }

    /// Waits until a file is there.
    pub(crate) fn wait_for(&self, name: &str) {
        self.until(name, || self.path(name).exists());
    }

    /// Waits until something is so.
    pub(crate) fn until(&self, what: &str, is_so: impl Fn() -> bool) {
        let deadline = Instant::now() + WATCHDOG;
        while !is_so() {
            assert!(Instant::now() < deadline, "waiting for {what}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until all processes of the test have ended.
    pub(crate) fn until_nobody_is_left(&self) {
        self.until("the end of all processes", || self.mark.living().is_empty());
    }

    pub(crate) fn assert_nobody_left(&self) {
        self.mark.assert_nobody_left();
    }

    /// What a plugin of the tests was called with, since the last time.
    pub(crate) fn calls(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.path("calls.jsonl")).unwrap_or_default();
        let _not_there = fs::remove_file(self.path("calls.jsonl"));
        let calls = text.lines().map(|line| serde_json::from_str(line).unwrap());
        calls.collect()
    }
}

/// Waits until a process has ended; its exit code, unless a signal ended it.
pub(crate) fn wait(child: &mut Child, what: &str) -> Option<i32> {
    let deadline = Instant::now() + WATCHDOG;
    loop {
        match child.try_wait().unwrap() {
            Some(status) => return status.code(),
            // The mark ends it when it is dropped.
            None => assert!(Instant::now() < deadline, "{what} takes too long"),
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

pub(crate) fn signal(child: &Child, signal: Signal) {
    let id = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    kill_process(id, signal).unwrap();
}

/// A file of the examples.
pub(crate) fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples/seasonings")
        .join(name)
        .canonicalize()
        .unwrap()
}
