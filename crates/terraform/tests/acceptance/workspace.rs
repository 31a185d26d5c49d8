//! A folder with a configuration and scripts, and a Terraform that works in it.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::mark::Mark;
use crate::outcome::Outcome;
use crate::running::Running;
use crate::tools::{self, Terraform};

/// No command and no wait takes longer.
pub(crate) const WATCHDOG: Duration = Duration::from_secs(60);

const REQUIRED: &str = r#"
terraform {
  required_providers {
    denobridge = { source = "brad-jones/denobridge" }
  }
}
"#;

/// The folder of a test.
pub(crate) struct Workspace {
    pub(crate) terraform: Terraform,
    folder: TempDir,
    mark: Mark,
    variables: BTreeMap<String, OsString>,
}

impl Workspace {
    /// Creates a folder with all scripts, and a Terraform configuration that points to our provider.
    pub(crate) fn new(terraform: Terraform) -> Workspace {
        let mut workspace = Workspace {
            terraform,
            folder: tempfile::tempdir().expect("a folder"),
            mark: Mark::new(),
            variables: BTreeMap::new(),
        };
        let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/acceptance/scripts");
        for script in fs::read_dir(scripts).expect("the scripts").flatten() {
            if script.path().is_file() {
                let copy = workspace.path(script.file_name());
                fs::copy(script.path(), copy).expect("a copy");
            }
        }
        workspace.write("puppet.py", include_str!("../puppet.py"));
        workspace.moves(&json!({}));
        fs::create_dir(workspace.path("plugins")).expect("a folder");
        let place = workspace.path("plugins/terraform-provider-denobridge");
        std::os::unix::fs::symlink(provider(), place).expect("a link");
        let plugins = workspace.path("plugins");
        workspace.write(
            "terraform.rc",
            &format!(
                "provider_installation {{\n  dev_overrides {{\n    \"brad-jones/denobridge\" = {plugins:?}\n  }}\n  direct {{}}\n}}\n"
            ),
        );
        // Deno's cache of compiled scripts, which saves half a second per test.
        workspace.set(
            "DENO_DIR",
            Path::new(env!("CARGO_TARGET_TMPDIR")).join("deno"),
        );
        workspace.set("TF_CLI_CONFIG_FILE", workspace.path("terraform.rc"));
        workspace
    }

    /// Sets an environment variable for all later commands.
    pub(crate) fn set(&mut self, name: &str, value: impl AsRef<OsStr>) {
        let value = value.as_ref().to_owned();
        self.variables.insert(name.to_owned(), value);
    }

    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(name)
    }

    #[track_caller]
    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("a file");
    }

    #[track_caller]
    pub(crate) fn read(&self, name: &str) -> String {
        let text = fs::read_to_string(self.path(name));
        text.unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    /// Writes the configuration.
    pub(crate) fn configure(&self, text: &str) {
        self.write("main.tf", &format!("{REQUIRED}{text}"));
    }

    /// Tells the puppet what to do in each call of a method: one move after the other.
    pub(crate) fn moves(&self, moves: &Value) {
        let mut orders = json!({ "store": true });
        for (step, moves) in moves.as_object().expect("moves by steps") {
            orders[step] = json!({ "moves": moves });
        }
        self.write("orders.json", &orders.to_string());
    }

    /// What the puppet was called with, in order, without the calls that it got before the last
    /// `forget_calls`.
    pub(crate) fn calls(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.path("heard")).unwrap_or_default();
        let call = |line| {
            let heard: Value = serde_json::from_str(line).expect("JSON");
            let (method, params) = (&heard["message"]["method"], &heard["message"]["params"]);
            json!({ "process": heard["process"], "method": method, "params": params })
        };
        let is_call = |call: &Value| call["method"] != "health" && call["method"] != "shutdown";
        text.lines().map(call).filter(is_call).collect()
    }

    /// The params of the calls of one method.
    pub(crate) fn calls_of(&self, method: &str) -> Vec<Value> {
        let is_it = |call: &Value| call["method"] == method;
        let calls = self.calls().into_iter().filter(is_it);
        calls.map(|mut call| call["params"].take()).collect()
    }

    pub(crate) fn forget_calls(&self) {
        let _was_there = fs::remove_file(self.path("heard"));
    }

    /// The state file.
    pub(crate) fn state(&self) -> Value {
        serde_json::from_str(&self.read("terraform.tfstate")).expect("JSON")
    }

    /// The instances in the state file, by address: `denobridge_resource.a`, with the key in
    /// brackets if there is one.
    pub(crate) fn instances(&self) -> BTreeMap<String, Value> {
        let mut instances = BTreeMap::new();
        for resource in self.state()["resources"].as_array().expect("resources") {
            let word = |name: &str| resource[name].as_str().unwrap_or_default().to_owned();
            for instance in resource["instances"].as_array().expect("instances") {
                let mut address = format!("{}.{}", word("type"), word("name"));
                if let Some(key) = instance.get("index_key") {
                    address.push_str(&format!("[{key}]"));
                }
                instances.insert(address, instance.clone());
            }
        }
        instances
    }

    /// An attribute of the resource "a" in the state file, as the user knows it.
    #[track_caller]
    pub(crate) fn attribute(&self, name: &str) -> Value {
        let instances = self.instances();
        let instance = instances.get("denobridge_resource.a").expect("an instance");
        let value = &instance["attributes"][name];
        value.get("value").unwrap_or(value).clone()
    }

    /// An output in the state file.
    pub(crate) fn output(&self, name: &str) -> Value {
        self.state()["outputs"][name]["value"].clone()
    }

    /// Runs a command to its end; its words are split at spaces.
    pub(crate) fn run(&self, words: &str) -> Outcome {
        self.start(words).wait()
    }

    #[track_caller]
    pub(crate) fn apply(&self) -> Outcome {
        self.run("apply -auto-approve").succeeds()
    }

    /// Runs an apply that must fail.
    #[track_caller]
    pub(crate) fn apply_fails(&self) -> Outcome {
        self.run("apply -auto-approve").fails()
    }

    /// A plan, which ends with the code 2 if there is something to do.
    pub(crate) fn plan(&self) -> Outcome {
        self.run("plan -detailed-exitcode")
    }

    #[track_caller]
    pub(crate) fn assert_nothing_to_do(&self) -> Outcome {
        self.plan().succeeds()
    }

    #[track_caller]
    pub(crate) fn destroy(&self) -> Outcome {
        let outcome = self.run("destroy -auto-approve").succeeds();
        assert_eq!(self.state()["resources"].as_array().map(Vec::len), Some(0));
        outcome
    }

    /// Starts a command in a new process group, as a shell does.
    pub(crate) fn start(&self, words: &str) -> Running<'_> {
        let words: Vec<&str> = words.split(' ').collect();
        self.start_words(&words)
    }

    /// Like [`Workspace::start`], with words that may have spaces in them.
    pub(crate) fn start_words(&self, words: &[&str]) -> Running<'_> {
        let (stdout, stderr) = (self.path("stdout"), self.path("stderr"));
        let mut command = tools::command(&self.terraform.program);
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy();
            if name.starts_with("TF_") || name.starts_with("TENON_") {
                command.env_remove(&*name);
            }
        }
        let child = command
            .args(words)
            .current_dir(self.folder.path())
            .env("HOME", self.folder.path())
            .env("CHECKPOINT_DISABLE", "1")
            .env("DENO_NO_UPDATE_CHECK", "1")
            .env("TF_IN_AUTOMATION", "1")
            .env("TF_INPUT", "0")
            .env("TF_CLI_ARGS", "-no-color")
            .env(Mark::VARIABLE, self.mark.value())
            .envs(&self.variables)
            .stdin(Stdio::null())
            .stdout(File::create(&stdout).expect("a file"))
            .stderr(File::create(&stderr).expect("a file"))
            .process_group(0)
            .spawn()
            .expect("a Terraform that starts");
        Running::new(self, child, words.join(" "))
    }

    /// Waits until a condition holds.
    #[track_caller]
    pub(crate) fn wait_until(&self, what: &str, is_so: impl Fn() -> bool) {
        let deadline = Instant::now() + WATCHDOG;
        while !is_so() {
            assert!(Instant::now() < deadline, "it never came to be: {what}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The processes of the provider.
    pub(crate) fn providers(&self) -> Vec<i32> {
        let provider = provider().canonicalize().expect("a provider");
        let processes = self.mark.living().into_iter().map(|(process, _)| process);
        processes
            .filter(|process| {
                let program = fs::read_link(format!("/proc/{process}/exe"));
                program.is_ok_and(|program| program == provider)
            })
            .collect()
    }

    #[track_caller]
    pub(crate) fn assert_nobody_left(&self) {
        self.mark.assert_nobody_left();
    }
}

/// The binary under test.
fn provider() -> PathBuf {
    let built = env!("CARGO_BIN_EXE_terraform-provider-denobridge");
    std::env::var_os("PROVIDER").map_or_else(|| PathBuf::from(built), PathBuf::from)
}
