//! A folder with a configuration and a packed provider, and a Terraform that works in it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Stdio;
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
    fn new(terraform: Terraform) -> Workspace {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("notes")).unwrap();
        Workspace {
            terraform,
            folder,
            mark: Mark::new(),
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Packs a plugin; more options come first.
    pub(crate) fn pack(&self, name: &str, options: &str, plugin: &Path) -> Outcome {
        self.pack_command(name, options, &["python3", plugin.to_str().unwrap()])
    }

    /// Packs a plugin that is started by this command.
    pub(crate) fn pack_command(&self, name: &str, options: &str, command: &[&str]) -> Outcome {
        let words = format!("provider pack {name} --mirror mirror --write-config {options}");
        let words: Vec<&str> = words.split_whitespace().collect();
        let command = [&words[..], &["--"], command].concat();
        self.run_program(&program("tenon"), &command)
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

    /// Finds the provider anew, after it was packed again.
    pub(crate) fn init(&self) -> Outcome {
        // The checksum of the package is another one.
        let _not_there = fs::remove_file(self.path(".terraform.lock.hcl"));
        self.run("init").succeeds()
    }

    fn run_program(&self, program: &Path, words: &[&str]) -> Outcome {
        let mut command = tools::command(program);
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("TF_") {
                command.env_remove(name);
            }
        }
        let mut child = command
            .args(words)
            .current_dir(self.folder.path())
            .env("HOME", self.folder.path())
            .env("CHECKPOINT_DISABLE", "1")
            .env("EXAMPLES", example("python"))
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("TF_CLI_ARGS", "-no-color")
            .env("TF_CLI_CONFIG_FILE", self.path("terraform.rc"))
            .env("TF_IN_AUTOMATION", "1")
            .env("TF_INPUT", "0")
            .env(Mark::VARIABLE, self.mark.value())
            .stdin(Stdio::null())
            .stdout(File::create(self.path("stdout")).unwrap())
            .stderr(File::create(self.path("stderr")).unwrap())
            .spawn()
            .unwrap();
        let deadline = Instant::now() + WATCHDOG;
        let status = loop {
            match child.try_wait().unwrap() {
                Some(status) => break status,
                // The mark ends it when it is dropped.
                None => assert!(Instant::now() < deadline, "{words:?} takes too long"),
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        Outcome {
            command: words.join(" "),
            code: status.code(),
            stdout: fs::read_to_string(self.path("stdout")).unwrap(),
            stderr: fs::read_to_string(self.path("stderr")).unwrap(),
        }
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

/// A file of the examples.
pub(crate) fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples/seasonings")
        .join(name)
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
        let workspace = Workspace::new(terraform.clone());
        test(&workspace);
        workspace.mark.assert_nobody_left();
    }
}
