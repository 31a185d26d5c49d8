//! A folder with the plugin in one language, as the program `./weather`.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use serde_json::Value;
use tempfile::TempDir;

use crate::languages::{Language, example};
use crate::mark::Mark;
use crate::outcome::Outcome;
use crate::room::wait;
use crate::tools;

pub(crate) struct Workspace {
    pub(crate) language: &'static str,
    /// The command that starts the plugin.
    pub(crate) plugin: Vec<String>,
    folder: TempDir,
    mark: Mark,
}

/// Runs a test with every language, at the same time.
pub(crate) fn trial(test: impl Fn(&Workspace) + Sync) {
    trial_of(|_| true, test);
}

/// Runs a test with some of the languages.
pub(crate) fn trial_of(is_chosen: fn(&Language) -> bool, test: impl Fn(&Workspace) + Sync) {
    std::thread::scope(|scope| {
        for (language, command) in Language::each().filter(|(language, _)| is_chosen(language)) {
            let test = &test;
            let run = move || {
                let workspace = Workspace::new(language, &command);
                test(&workspace);
                workspace.mark.assert_nobody_left();
            };
            let thread = std::thread::Builder::new().name(language.name.to_owned());
            thread.spawn_scoped(scope, run).expect("a thread");
        }
    });
}

impl Workspace {
    fn new(language: &'static Language, command: &[PathBuf]) -> Workspace {
        let text = |path: &PathBuf| path.to_str().unwrap().to_owned();
        let workspace = Workspace {
            language: language.name,
            plugin: command.iter().map(text).collect(),
            folder: tempfile::tempdir().unwrap(),
            mark: Mark::new(),
        };
        // Hosts that take one path rather than a command.
        let words: Vec<String> = { workspace.plugin.iter() }
            .map(|word| format!("'{word}'"))
            .collect();
        let launcher = format!("#!/bin/sh\nexec {} \"$@\"\n", words.join(" "));
        workspace.write("weather", &launcher);
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(workspace.path("weather"), executable).unwrap();
        workspace
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Copies a file of the example, in which it replaces what stands for the Python file.
    pub(crate) fn copy(&self, from: &str, to: &str) {
        let text = fs::read_to_string(example(from)).unwrap();
        let changed = { text.replace("exec:python/weather.py", "exec:./weather") }
            .replace("\"python3\", \"../python/weather.py\"", "\"./weather\"")
            .replace("../python/weather.py", "./weather");
        self.write(to, &changed);
    }

    /// A program that works in the folder and knows nothing of the user.
    pub(crate) fn command(&self, program: &Path) -> Command {
        let mut command = tools::command(program);
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if text.starts_with("TF_") || text.starts_with("TENON_") {
                command.env_remove(&name);
            }
        }
        command
            .current_dir(self.folder.path())
            .env("HOME", self.folder.path())
            .env("CHECKPOINT_DISABLE", "1")
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("TF_CLI_ARGS", "-no-color")
            .env("TF_INPUT", "0")
            .env(Mark::VARIABLE, self.mark.value());
        command
    }

    /// Runs a program to its end.
    pub(crate) fn run(&self, program: &Path, words: &[&str]) -> Outcome {
        let mut command = self.command(program);
        command.args(words);
        self.finish(command, &words.join(" "))
    }

    pub(crate) fn finish(&self, mut command: Command, what: &str) -> Outcome {
        let (stdout, stderr) = (self.path("stdout"), self.path("stderr"));
        let mut child = command
            .stdin(std::process::Stdio::null())
            .stdout(File::create(&stdout).unwrap())
            .stderr(File::create(&stderr).unwrap())
            .spawn()
            .unwrap();
        let what = format!("{} in {}", what, self.language);
        let code = wait(&mut child, &what);
        Outcome {
            command: what,
            code,
            stdout: fs::read_to_string(stdout).unwrap(),
            stderr: fs::read_to_string(stderr).unwrap(),
        }
    }

    /// `tenon` with these words, and the plugin behind `--`.
    pub(crate) fn tenon_with_plugin(&self, words: &[&str]) -> Outcome {
        let plugin: Vec<&str> = self.plugin.iter().map(String::as_str).collect();
        self.tenon(&[words, &["--"], &plugin].concat())
    }

    pub(crate) fn tenon(&self, words: &[&str]) -> Outcome {
        self.run(Path::new(env!("CARGO_BIN_EXE_tenon")), words)
    }

    /// Waits until a process that goes on has done something.
    pub(crate) fn until(&self, child: &mut Child, what: &str, is_so: impl Fn() -> bool) {
        let deadline = std::time::Instant::now() + crate::room::WATCHDOG;
        while !is_so() {
            let status = child.try_wait().unwrap();
            assert!(status.is_none(), "{what}: it ended with {status:?}");
            assert!(std::time::Instant::now() < deadline, "waiting for {what}");
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    }
}

/// What a command printed, as JSON.
#[track_caller]
pub(crate) fn json(outcome: &Outcome) -> Value {
    serde_json::from_str(&outcome.stdout).unwrap_or_else(|error| panic!("{error}: {outcome}"))
}
