//! A folder with a configuration, and a Terraform that works in it, in several processes at once if need be.

use std::fs::{self, File};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rustix::process::Signal;

use crate::outcome::Outcome;
use crate::room::{Room, example, signal, wait};

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
        signal(&self.child, Signal::INT);
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

/// The folder of the examples in Python.
pub(crate) fn examples() -> PathBuf {
    example("python")
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
    for room in Room::each() {
        let workspace = Workspace { room };
        test(&workspace);
        workspace.assert_nobody_left();
    }
}
