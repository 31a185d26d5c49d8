//! A folder with a configuration and a `tenon.hcl`, and a Terraform that works in it.

use std::fs::{self, File};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rustix::process::Signal;
use serde_json::Value;

use crate::outcome::Outcome;
use crate::room::{self, Room, example, wait};
use crate::tools;

pub(crate) struct Workspace {
    room: Room,
}

impl Deref for Workspace {
    type Target = Room;

    fn deref(&self) -> &Room {
        &self.room
    }
}

impl Workspace {
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

    /// A command that goes on.
    pub(crate) fn start(&self, words: &[&str]) -> Child {
        let mut command = self.command(Path::new(env!("CARGO_BIN_EXE_tenon")));
        command.args(words).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = self.room.command(program);
        command.env("TMPDIR", self.path("tmp"));
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
        let code = wait(&mut child, words);
        Outcome {
            command: words.to_owned(),
            code,
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
        let mut folders = vec![self.path("")];
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
        room::signal(&self.child, signal);
    }

    pub(crate) fn ended(self) -> Outcome {
        self.workspace.ended(self.child, &self.words)
    }
}

/// The folder of the examples in Python.
pub(crate) fn examples() -> PathBuf {
    example("python")
}

/// Runs a test in each Terraform.
pub(crate) fn trial(test: impl Fn(&Workspace)) {
    for room in Room::each() {
        let workspace = Workspace { room };
        fs::create_dir(workspace.path("tmp")).unwrap();
        test(&workspace);
        workspace.assert_nobody_left();
    }
}
