//! A folder with a configuration and a `tenon.hcl`, and a Terraform that works in it.

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

    /// `tenon terraform` with these words, split at spaces.
    pub(crate) fn run(&self, words: &str) -> Outcome {
        self.run_with(words, "", &[])
    }

    pub(crate) fn run_with(&self, words: &str, input: &str, variables: &[(&str, &str)]) -> Outcome {
        let program = self.terraform.program.to_str().unwrap();
        let mut command = self.command(Path::new(env!("CARGO_BIN_EXE_tenon")));
        command.args(["terraform", "--program", program]);
        command.args(split(words));
        command.envs(variables.iter().copied());
        self.finish(command, words, input)
    }

    /// `tenon` with these words, and a program in its environment.
    pub(crate) fn chosen_program(&self, words: &[&str], environment: Option<&str>) -> Outcome {
        let mut command = self.command(Path::new(env!("CARGO_BIN_EXE_tenon")));
        command.args(words);
        command.envs(environment.map(|program| ("TENON_TERRAFORM", program)));
        self.finish(command, &words.join(" "), "")
    }

    /// A line of shell.
    pub(crate) fn shell(&self, line: &str) -> Outcome {
        let mut command = self.command(Path::new("/bin/sh"));
        command.args(["-c", line]);
        self.finish(command, line, "").succeeds()
    }

    /// The real program, without Tenon.
    pub(crate) fn terraform(&self, words: &str, variables: &[(String, String)]) -> Outcome {
        let mut command = self.command(&self.terraform.program);
        command.args(split(words));
        command.envs(variables.iter().map(|(name, value)| (name, value)));
        self.finish(command, words, "")
    }

    /// `tenon terraform` with these words, on a pseudo-terminal. What is on the screen is its stdout, without
    /// escape sequences; with them, it is its stderr.
    pub(crate) fn at_terminal(&self, words: &str, steps: &Value) -> Outcome {
        let driver = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/terminal.py");
        let program = self.terraform.program.to_str().unwrap();
        let mut command = self.command(&tools::python().unwrap());
        command.args([driver, &steps.to_string(), env!("CARGO_BIN_EXE_tenon")]);
        command.args(["terraform", "--program", program]);
        command.args(split(words)).env("TERM", "xterm");
        command.env_remove("TF_CLI_ARGS");
        let outcome = self.finish(command, words, "").succeeds();
        let said: Value = serde_json::from_str(&outcome.stdout).unwrap();
        Outcome {
            command: words.to_owned(),
            code: said["code"]
                .as_i64()
                .map(|code| i32::try_from(code).unwrap()),
            stdout: said["screen"].as_str().unwrap().replace('\r', ""),
            stderr: said["raw"].as_str().unwrap().to_owned(),
        }
    }

    /// `tenon terraform` with these words, which goes on.
    pub(crate) fn begin(&self, words: &str) -> Running<'_> {
        let program = self.terraform.program.to_str().unwrap();
        let mut command = self.command(Path::new(env!("CARGO_BIN_EXE_tenon")));
        command.args(["terraform", "--program", program]);
        command.args(split(words));
        Running {
            child: self.spawn(command, ""),
            words: words.to_owned(),
            workspace: self,
        }
    }

    /// Waits until a file is there.
    pub(crate) fn wait_for(&self, name: &str) {
        self.until(name, || self.path(name).exists());
    }

    /// Waits until something is so.
    pub(crate) fn until(&self, what: &str, is_so: impl Fn() -> bool) {
        let deadline = Instant::now() + WATCHDOG;
        while !is_so() {
            assert!(Instant::now() < deadline, "this never came: {what}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until all processes of the test have ended.
    pub(crate) fn until_nobody_is_left(&self) {
        self.until("the end of all processes", || self.mark.living().is_empty());
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
            .env("TMPDIR", self.path("tmp"))
            .env("CHECKPOINT_DISABLE", "1")
            .env("EXAMPLES", examples())
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("TF_CLI_ARGS", "-no-color")
            .env("TF_CLI_CONFIG_FILE", "/dev/null")
            .env(Mark::VARIABLE, self.mark.value());
        command
    }

    fn spawn(&self, mut command: Command, input: &str) -> Child {
        self.write("stdin", input);
        command
            .stdin(File::open(self.path("stdin")).unwrap())
            .stdout(File::create(self.path("stdout")).unwrap())
            .stderr(File::create(self.path("stderr")).unwrap())
            .spawn()
            .unwrap()
    }

    fn finish(&self, command: Command, words: &str, input: &str) -> Outcome {
        let child = self.spawn(command, input);
        self.ended(child, words)
    }

    fn ended(&self, mut child: Child, words: &str) -> Outcome {
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

    /// A project whose plugin is `hooks.py`, configured like this, and `rest` in its block.
    pub(crate) fn project(&self, configuration: &str, config: &str, rest: &str) {
        self.write("main.tf", configuration);
        let block = puppet("puppet", config, rest);
        self.write("tenon.hcl", &format!("{block}hooks = [\"puppet\"]\n"));
    }

    /// Everything that is in files of the folder, by their path.
    pub(crate) fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut files = Vec::new();
        let mut folders = vec![self.folder.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap().flatten() {
                match entry.file_type().unwrap() {
                    kind if kind.is_dir() => folders.push(entry.path()),
                    kind if kind.is_file() => {
                        files.push((entry.path(), fs::read(entry.path()).unwrap()));
                    }
                    _ => {}
                }
            }
        }
        files
    }

    /// What the plugin `hooks.py` was called with, since the last time.
    pub(crate) fn calls(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.path("calls.jsonl")).unwrap_or_default();
        let _not_there = fs::remove_file(self.path("calls.jsonl"));
        let calls = text.lines().map(|line| serde_json::from_str(line).unwrap());
        calls.collect()
    }
}

/// A block of tenon.hcl with the plugin `hooks.py`.
pub(crate) fn puppet(name: &str, config: &str, rest: &str) -> String {
    let plugin = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/terraform/hooks.py");
    let python = tools::python().unwrap();
    format!(
        "plugin \"{name}\" {{\n  command = [\"{}\", \"{plugin}\"]\n  env = [\"EXAMPLES\"]\n  \
         config = {config}\n  {rest}\n}}\n",
        python.display()
    )
}

/// The words of a command line.
fn split(words: &str) -> impl Iterator<Item = &str> {
    words.split(' ').filter(|word| !word.is_empty())
}

/// The names of hooks that were called.
pub(crate) fn names(calls: &[Value]) -> Vec<&str> {
    let names = calls.iter().map(|call| call["hook"].as_str().unwrap());
    names.collect()
}

/// A command that has been started.
pub(crate) struct Running<'a> {
    child: Child,
    words: String,
    workspace: &'a Workspace,
}

impl Running<'_> {
    pub(crate) fn signal(&self, signal: Signal) {
        let id = Pid::from_raw(i32::try_from(self.child.id()).unwrap()).unwrap();
        kill_process(id, signal).unwrap();
    }

    pub(crate) fn ended(self) -> Outcome {
        self.workspace.ended(self.child, &self.words)
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
        fs::create_dir(workspace.path("tmp")).unwrap();
        test(&workspace);
        workspace.mark.assert_nobody_left();
    }
}
