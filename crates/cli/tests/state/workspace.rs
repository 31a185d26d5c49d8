//! A folder with a configuration, and a Terraform that works in it, in several processes at once if need be.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

use crate::mark::Mark;
use crate::outcome::Outcome;
use crate::tools::{self, Terraform};

/// No command takes longer, not even on a busy machine.
const WATCHDOG: Duration = Duration::from_secs(120);

pub(crate) struct Workspace {
    terraform: Terraform,
    folder: TempDir,
    mark: Mark,
}

impl Workspace {
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    /// Waits until a file is there.
    pub(crate) fn wait_for(&self, name: &str) {
        let deadline = Instant::now() + WATCHDOG;
        while !self.path(name).exists() {
            assert!(Instant::now() < deadline, "{name} does not appear");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// `tenon terraform` with these words, split at spaces.
    pub(crate) fn run(&self, words: &str) -> Outcome {
        let program = self.terraform.program.to_str().unwrap();
        let mut command = self.command(Path::new(env!("CARGO_BIN_EXE_tenon")));
        command.args(["terraform", "--program", program]);
        self.spawn(command, "tenon", words).end()
    }

    /// Terraform itself, with the variables of a server.
    pub(crate) fn terraform(&self, words: &str, variables: &[(String, String)]) -> Outcome {
        self.begin("terraform", words, variables).end()
    }

    /// Terraform in the background. What it prints is in files whose names begin with `name`.
    pub(crate) fn begin(&self, name: &str, words: &str, variables: &[(String, String)]) -> Started {
        let mut command = self.command(&self.terraform.program);
        command.envs(variables.iter().map(|(name, value)| (name, value)));
        self.spawn(command, name, words)
    }

    /// `tenon` with these words, and with pipes for what it prints.
    pub(crate) fn start(&self, words: &[&str]) -> Child {
        let mut command = self.command(Path::new(env!("CARGO_BIN_EXE_tenon")));
        command.args(words).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    fn command(&self, program: &Path) -> Command {
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
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("TF_CLI_ARGS", "-no-color")
            .env("TF_CLI_CONFIG_FILE", "/dev/null")
            .env(Mark::VARIABLE, self.mark.value());
        command
    }

    fn spawn(&self, mut command: Command, name: &str, words: &str) -> Started {
        let stdout = self.path(&format!("{name}.stdout"));
        let stderr = self.path(&format!("{name}.stderr"));
        let child = command
            .args(words.split(' '))
            .stdin(Stdio::null())
            .stdout(File::create(&stdout).unwrap())
            .stderr(File::create(&stderr).unwrap())
            .spawn()
            .unwrap();
        Started {
            child,
            command: words.to_owned(),
            stdout,
            stderr,
        }
    }

    /// What the plugin `puppet_store.py` was called with, since the last time.
    pub(crate) fn calls(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.path("calls.jsonl")).unwrap_or_default();
        let _not_there = fs::remove_file(self.path("calls.jsonl"));
        let calls = text.lines().map(|line| serde_json::from_str(line).unwrap());
        calls.collect()
    }
}

/// A command that has been started.
pub(crate) struct Started {
    child: Child,
    command: String,
    stdout: PathBuf,
    stderr: PathBuf,
}

impl Started {
    /// As Ctrl-C does.
    pub(crate) fn interrupt(&self) {
        interrupt(&self.child);
    }

    /// Waits until it has ended.
    pub(crate) fn end(mut self) -> Outcome {
        let code = wait(&mut self.child, &self.command);
        Outcome {
            command: self.command,
            code,
            stdout: fs::read_to_string(self.stdout).unwrap(),
            stderr: fs::read_to_string(self.stderr).unwrap(),
        }
    }
}

pub(crate) fn interrupt(child: &Child) {
    let id = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    kill_process(id, Signal::INT).unwrap();
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

/// The folder of the examples in Python.
pub(crate) fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples/seasonings/python")
        .canonicalize()
        .unwrap()
}

/// An example in Rust. `cargo test --workspace` has built it.
pub(crate) fn rust_example(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = test.ancestors().nth(2).unwrap().join("examples").join(name);
    assert!(
        path.exists(),
        "{} is missing: cargo build -p tenon-plugin --examples",
        path.display()
    );
    path
}

/// Runs a test in each Terraform.
pub(crate) fn trial(test: impl Fn(&Workspace)) {
    let terraforms = match tools::terraforms() {
        Ok(terraforms) => terraforms,
        Err(why) => {
            let is_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
            assert!(!is_ci, "Terraform is needed under CI=true: {why}");
            return tools::say(&format!("skipped: {why}"));
        }
    };
    for terraform in terraforms {
        let workspace = Workspace {
            terraform: terraform.clone(),
            folder: tempfile::tempdir().unwrap(),
            mark: Mark::new(),
        };
        test(&workspace);
        workspace.mark.assert_nobody_left();
    }
}
