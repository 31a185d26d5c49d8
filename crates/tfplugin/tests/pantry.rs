//! The example `pantry` in real Terraforms.
//!
//! `scripts/tools` installs Terraform 1.15; a `terraform` and a `tofu` on PATH are tested as well.
//! Without the tools the test is skipped, but not under CI=true.

#[path = "../../cli/tests/support/mark.rs"]
mod mark;
#[allow(dead_code, reason = "shared with the tests of crates/terraform")]
#[path = "../../terraform/tests/acceptance/outcome.rs"]
mod outcome;
#[allow(dead_code, reason = "shared with the tests of crates/terraform")]
#[path = "../../terraform/tests/acceptance/tools.rs"]
mod tools;

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use mark::Mark;
use outcome::Outcome;
use serde_json::Value;
use tempfile::TempDir;
use tools::{Need, Terraform};

/// No command takes longer, not even on a busy machine.
const WATCHDOG: Duration = Duration::from_secs(60);

/// A folder with a configuration, and a Terraform that works in it.
struct Workspace {
    terraform: Terraform,
    folder: TempDir,
    mark: Mark,
}

impl Workspace {
    fn new(terraform: Terraform) -> Workspace {
        let folder = tempfile::tempdir().unwrap();
        let plugins = folder.path().join("plugins");
        fs::create_dir(&plugins).unwrap();
        let program = plugins.join("terraform-provider-pantry");
        std::os::unix::fs::symlink(pantry(), program).unwrap();
        let config = format!(
            "provider_installation {{\n  dev_overrides {{\n    \"example/pantry\" = {plugins:?}\n  }}\n  direct {{}}\n}}\n"
        );
        fs::write(folder.path().join("terraform.rc"), config).unwrap();
        Workspace {
            terraform,
            folder,
            mark: Mark::new(),
        }
    }

    fn configure(&self, text: &str) {
        let required = "terraform {\n  required_providers {\n    pantry = { source = \"example/pantry\" }\n  }\n}\n";
        let file = self.folder.path().join("main.tf");
        fs::write(file, format!("{required}{text}")).unwrap();
    }

    /// Runs a command to its end; its words are split at spaces.
    fn run(&self, words: &str) -> Outcome {
        let path = |name: &str| self.folder.path().join(name);
        let mut command = tools::command(&self.terraform.program);
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("TF_") {
                command.env_remove(name);
            }
        }
        let mut child = command
            .args(words.split(' '))
            .current_dir(self.folder.path())
            .env("HOME", self.folder.path())
            .env("CHECKPOINT_DISABLE", "1")
            .env("TF_CLI_ARGS", "-no-color")
            .env("TF_CLI_CONFIG_FILE", path("terraform.rc"))
            .env("TF_IN_AUTOMATION", "1")
            .env("TF_INPUT", "0")
            .env(Mark::VARIABLE, self.mark.value())
            .stdin(Stdio::null())
            .stdout(File::create(path("stdout")).unwrap())
            .stderr(File::create(path("stderr")).unwrap())
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
            stdout: fs::read_to_string(path("stdout")).unwrap(),
            stderr: fs::read_to_string(path("stderr")).unwrap(),
        }
    }

    fn state(&self) -> Value {
        let text = fs::read_to_string(self.folder.path().join("terraform.tfstate")).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    fn shelf(&self) -> Value {
        let state = self.state();
        let resources = state["resources"].as_array().unwrap();
        let shelf = resources.iter().find(|one| one["type"] == "pantry_shelf");
        shelf.unwrap()["instances"][0]["attributes"].clone()
    }
}

/// The folder of the examples is next to that of the running test.
fn pantry() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = test.ancestors().nth(2).unwrap().join("examples/pantry");
    assert!(
        path.exists(),
        "{} is missing: cargo build -p tenon-tfplugin --examples",
        path.display()
    );
    path
}

/// Runs a test in each Terraform that has what it needs.
fn trial(needs: &[Need], test: impl Fn(&Workspace)) {
    let terraforms = match tools::terraforms() {
        Ok(terraforms) => terraforms,
        Err(why) => {
            let is_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
            assert!(!is_ci, "Terraform is needed under CI=true: {why}");
            return tools::say(&format!("skipped: {why}"));
        }
    };
    let able = { terraforms.iter() }.filter(|one| needs.iter().all(|need| one.has(*need)));
    for terraform in able {
        let workspace = Workspace::new(terraform.clone());
        test(&workspace);
        workspace.mark.assert_nobody_left();
    }
}

fn shelf(name: &str, grams: u32) -> String {
    format!(
        r#"
ephemeral "pantry_key" "mine" {{
  name = "me"
}}

resource "pantry_shelf" "a" {{
  name = "{name}"
  key  = ephemeral.pantry_key.mine.secret
  owner {{
    name = "me"
  }}
  jar {{
    content = "flour"
    grams   = {grams}
  }}
  jar {{
    content = "salt"
    grams   = 100
  }}
  label {{
    text = "b"
  }}
  label {{
    text = "a"
  }}
  drawer "left" {{
    content = "forks"
  }}
}}

data "pantry_recipe" "bread" {{
  name = "bread"
}}

output "steps" {{
  value = data.pantry_recipe.bread.steps
}}

output "sum" {{
  value = provider::pantry::sum(1, 2.5, 3)
}}
"#
    )
}

#[test]
fn a_shelf_with_blocks_of_every_kind_lives_its_life() {
    trial(&[], |workspace| {
        workspace.configure(&shelf("top", 500));
        workspace.run("validate").succeeds();
        workspace.run("plan -detailed-exitcode").has_changes();
        let applied = workspace.run("apply -auto-approve").succeeds();
        applied.says("Key returned").says("It was that of me.");
        let made = workspace.shelf();
        assert_eq!(made["weight"], 600);
        assert_eq!(made["key"], Value::Null);
        assert_eq!(made["owner"]["name"], "me");
        assert_eq!(made["place"]["room"], Value::Null);
        assert_eq!(made["jar"][1]["content"], "salt");
        assert_eq!(made["label"].as_array().map(Vec::len), Some(2));
        assert_eq!(made["drawer"]["left"]["content"], "forks");
        let outputs = &workspace.state()["outputs"];
        assert_eq!(outputs["steps"]["value"][1], "bake");
        assert_eq!(outputs["sum"]["value"], 6.5);
        workspace.run("plan -detailed-exitcode").succeeds();

        workspace.configure(&shelf("top", 700));
        let planned = workspace.run("plan -detailed-exitcode").has_changes();
        planned.says("will be updated in-place");
        workspace.run("apply -auto-approve").succeeds();
        assert_eq!(workspace.shelf()["weight"], 800);

        workspace.configure(&shelf("bottom", 700));
        let planned = workspace.run("plan -detailed-exitcode").has_changes();
        planned
            .says("must be replaced")
            .says("# forces replacement");
        workspace.run("apply -auto-approve").succeeds();
        workspace.run("plan -detailed-exitcode").succeeds();

        workspace.run("destroy -auto-approve").succeeds();
        assert_eq!(workspace.state()["resources"], Value::Array(Vec::new()));
    });
}

#[test]
fn errors_are_shown_where_they_are() {
    trial(&[], |workspace| {
        workspace.configure(&shelf("top", 0));
        let refused = workspace.run("validate").fails();
        refused
            .says("Error: Empty jar")
            .says("A jar has something in it.");
        refused.says("grams = 0");
        workspace.configure(&shelf("top", 1).replacen("\"me\"", "\"you\"", 1));
        let refused = workspace.run("apply -auto-approve").fails();
        refused.says("Error: Locked").says("This key does not fit.");
    });
}

#[test]
fn an_action_tells_how_far_it_has_come() {
    trial(&[Need::Actions], |workspace| {
        workspace
            .configure("action \"pantry_ring\" \"bell\" {\n  config {\n    times = 3\n  }\n}\n");
        let rung = workspace.run("apply -auto-approve -invoke=action.pantry_ring.bell");
        let rung = rung.succeeds();
        rung.says("ring number 1").says("ring number 3");
    });
}
