//! A folder with a configuration and a `tenon.hcl`, and a Terraform that works in it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

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

    /// `tenon terraform` with these words, split at spaces.
    pub(crate) fn run(&self, words: &str) -> Outcome {
        self.run_with(words, "", &[])
    }

    pub(crate) fn run_with(&self, words: &str, input: &str, variables: &[(&str, &str)]) -> Outcome {
        let program = self.terraform.program.to_str().unwrap();
        let mut command = self.command(Path::new(env!("CARGO_BIN_EXE_tenon")));
        command.args(["terraform", "--program", program]);
        command
            .args(words.split(' '))
            .envs(variables.iter().copied());
        self.finish(command, words, input)
    }

    /// The real program, without Tenon.
    pub(crate) fn terraform(&self, words: &str, variables: &[(String, String)]) -> Outcome {
        let mut command = self.command(&self.terraform.program);
        command.args(words.split(' '));
        command.envs(variables.iter().map(|(name, value)| (name, value)));
        self.finish(command, words, "")
    }

    /// A command that goes on.
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
            .env("EXAMPLES", examples())
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("TF_CLI_ARGS", "-no-color")
            .env("TF_CLI_CONFIG_FILE", "/dev/null")
            .env(Mark::VARIABLE, self.mark.value());
        command
    }

    fn finish(&self, mut command: Command, words: &str, input: &str) -> Outcome {
        self.write("stdin", input);
        let mut child = command
            .stdin(File::open(self.path("stdin")).unwrap())
            .stdout(File::create(self.path("stdout")).unwrap())
            .stderr(File::create(self.path("stderr")).unwrap())
            .spawn()
            .unwrap();
        let deadline = Instant::now() + WATCHDOG;
        let status = loop {
            match child.try_wait().unwrap() {
                Some(status) => break status,
                // The mark ends it when it is dropped.
                None => assert!(Instant::now() < deadline, "{words} takes too long"),
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        Outcome {
            command: words.to_owned(),
            code: status.code(),
            stdout: fs::read_to_string(self.path("stdout")).unwrap(),
            stderr: fs::read_to_string(self.path("stderr")).unwrap(),
        }
    }

    /// What the plugin `hooks.py` was called with, since the last time.
    pub(crate) fn calls(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.path("calls.jsonl")).unwrap_or_default();
        let _not_there = fs::remove_file(self.path("calls.jsonl"));
        let calls = text.lines().map(|line| serde_json::from_str(line).unwrap());
        calls.collect()
    }
}

/// The folder of the examples in Python.
pub(crate) fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples/seasonings/python")
        .canonicalize()
        .unwrap()
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
