//! A folder with a configuration and a packed provider, and a Terraform that works in it.

use std::fs::{self, File};
use std::ops::Deref;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::Value;

use crate::outcome::Outcome;
use crate::room::Room;
use crate::running::Running;

pub(crate) use crate::room::{WATCHDOG, example};

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
    fn new(room: Room) -> Workspace {
        fs::create_dir(room.path("notes")).unwrap();
        Workspace { room }
    }

    /// Packs a plugin in Python; more options come first.
    pub(crate) fn pack(&self, name: &str, options: &str, plugin: &Path) -> Outcome {
        self.pack_with("python3", name, options, plugin)
    }

    /// The same with another Python.
    pub(crate) fn pack_with(
        &self,
        python: &str,
        name: &str,
        options: &str,
        plugin: &Path,
    ) -> Outcome {
        self.pack_command(name, options, &[python, plugin.to_str().unwrap()])
    }

    /// Packs a plugin that is started by this command.
    pub(crate) fn pack_command(&self, name: &str, options: &str, command: &[&str]) -> Outcome {
        let words = format!("provider pack {name} --mirror mirror --write-config {options}");
        let words: Vec<&str> = words.split_whitespace().collect();
        let command = [&words[..], &["--"], command].concat();
        self.run_program(&program("tenon"), &command)
    }

    /// `tenon provider` with these words, and with more environment variables.
    pub(crate) fn provider(&self, variables: &[(&str, &str)], words: &str) -> Outcome {
        let words: Vec<&str> = ["provider"].into_iter().chain(words.split(' ')).collect();
        self.start_with(variables, &program("tenon"), &words).wait()
    }

    /// Starts to pack a plugin in Python.
    pub(crate) fn start_packing(&self, name: &str, options: &str, plugin: &Path) -> Running<'_> {
        let words = format!("provider pack {name} --mirror mirror {options}");
        let words: Vec<&str> = words.split_whitespace().collect();
        let command = ["--", "python3", plugin.to_str().unwrap()];
        self.start_program(&program("tenon"), &[&words[..], &command].concat())
    }

    /// A copy of a plugin of the tests, which may be changed.
    pub(crate) fn plugin(&self, name: &str) -> PathBuf {
        let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/acceptance");
        let copy = self.path(name);
        fs::copy(tests.join(name), &copy).unwrap();
        copy
    }

    /// Says what the plugin is to do.
    pub(crate) fn behave(&self, behaviour: &str) {
        fs::write(self.path("behaviour"), behaviour).unwrap();
    }

    pub(crate) fn tenon(&self, words: &str) -> Outcome {
        let words: Vec<&str> = words.split(' ').collect();
        self.run_program(&program("tenon"), &words)
    }

    /// Writes the configuration, for a provider of this name.
    pub(crate) fn configure(&self, name: &str, text: &str) {
        let required = format!(
            "terraform {{\n  required_providers {{\n    {name} = {{ source = \"tenon/{name}\" }}\n  }}\n}}\n"
        );
        fs::write(self.path("main.tf"), format!("{required}{text}")).unwrap();
    }

    /// Runs a command of Terraform to its end; its words are split at spaces.
    pub(crate) fn run(&self, words: &str) -> Outcome {
        let words: Vec<&str> = words.split(' ').collect();
        self.run_program(&self.terraform.program.clone(), &words)
    }

    /// The same with more environment variables.
    pub(crate) fn run_with(&self, variables: &[(&str, &str)], words: &str) -> Outcome {
        let words: Vec<&str> = words.split(' ').collect();
        let terraform = &self.terraform.program;
        self.start_with(variables, terraform, &words).wait()
    }

    /// Finds the provider anew, after it was packed again.
    pub(crate) fn init(&self) -> Outcome {
        // The checksum of the package is another one.
        let _not_there = fs::remove_file(self.path(".terraform.lock.hcl"));
        self.run("init").succeeds()
    }

    /// Starts a command of Terraform, in a process group of its own as from a terminal.
    pub(crate) fn start(&self, words: &str) -> Running<'_> {
        let words: Vec<&str> = words.split(' ').collect();
        self.start_program(&self.terraform.program, &words)
    }

    pub(crate) fn run_program(&self, program: &Path, words: &[&str]) -> Outcome {
        self.start_program(program, words).wait()
    }

    fn start_program(&self, program: &Path, words: &[&str]) -> Running<'_> {
        self.start_with(&[], program, words)
    }

    fn start_with(
        &self,
        variables: &[(&str, &str)],
        program: &Path,
        words: &[&str],
    ) -> Running<'_> {
        let child = self
            .command(program)
            .args(words)
            .envs(variables.iter().copied())
            .process_group(0)
            .env("TF_CLI_CONFIG_FILE", self.path("terraform.rc"))
            .env("TF_IN_AUTOMATION", "1")
            .env("TF_INPUT", "0")
            .stdin(Stdio::null())
            .stdout(File::create(self.path("stdout")).unwrap())
            .stderr(File::create(self.path("stderr")).unwrap())
            .spawn()
            .unwrap();
        Running::new(self, child, words.join(" "))
    }

    pub(crate) fn state(&self) -> Value {
        let text = fs::read_to_string(self.path("terraform.tfstate")).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    /// The instance of the only resource of this type.
    pub(crate) fn instance(&self, kind: &str) -> Value {
        let state = self.state();
        let resources = state["resources"].as_array().unwrap();
        let found = resources.iter().find(|one| one["type"] == kind);
        found.unwrap_or_else(|| panic!("no {kind} in {state}"))["instances"][0].clone()
    }

    /// The addresses of all resources in the state.
    pub(crate) fn addresses(&self) -> Vec<String> {
        let state = self.state();
        let resources = state["resources"].as_array().unwrap().iter();
        let address = |one: &Value| format!("{}.{}", one["type"], one["name"]).replace('"', "");
        resources.map(address).collect()
    }

    pub(crate) fn attributes(&self, kind: &str) -> Value {
        self.instance(kind)["attributes"].clone()
    }
}

/// A program of this workspace, beside the one that is tested.
pub(crate) fn program(name: &str) -> PathBuf {
    let tested = Path::new(env!("CARGO_BIN_EXE_terraform-provider-tenon"));
    let path = tested.with_file_name(name);
    assert!(path.exists(), "{} is missing: cargo build", path.display());
    path
}

/// Runs a test in each Terraform.
pub(crate) fn trial(test: impl Fn(&Workspace)) {
    for room in Room::each() {
        let workspace = Workspace::new(room);
        test(&workspace);
        workspace.assert_nobody_left();
    }
}
