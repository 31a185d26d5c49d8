//! Versions in a mirror, and lock files that name them.

use std::fs;

use serde_json::{Value, json};

use crate::stage;
use crate::workspace::{Workspace, example, trial};

const SLUG: &str = "output \"x\" {\n  value = provider::notes::slug(\"A b\")\n}\n";

fn packed(workspace: &Workspace, options: &str) -> crate::outcome::Outcome {
    let notes = example("python/notes.py");
    workspace.pack("notes", options, &notes).succeeds()
}

/// The command that packing prints for the lock file, for Terraform.
fn lock_command(packed: &crate::outcome::Outcome) -> String {
    let mut lines = packed.stderr.lines().map(str::trim);
    let line = lines.find(|line| line.contains(" providers lock "));
    let (_, words) = line.expect("the command").split_once(' ').unwrap();
    words.to_owned()
}

#[test]
fn packing_again_says_what_the_lock_file_needs() {
    trial(|workspace| {
        packed(workspace, "");
        workspace.configure("notes", SLUG);
        workspace.init();
        workspace.run("plan").succeeds();
        let same = packed(workspace, "");
        same.says("unchanged")
            .says_nothing_of("refuse the new checksum");
        workspace.run("plan").succeeds();

        let changed = packed(workspace, "--timeout 1m");
        changed.says("replaced").says("refuse the new checksum");
        for command in ["plan", "init", "init -upgrade"] {
            workspace.run(command).fails().says("checksum");
        }
        workspace.run(&lock_command(&changed)).succeeds();
        workspace.run("init").succeeds();
        workspace.run("plan").succeeds();

        let newer = packed(workspace, "--as-version 2.0.0");
        newer.says("init -upgrade");
        workspace.run("plan").succeeds();
        workspace.run("init -upgrade").succeeds().says("v2.0.0");
        workspace.run("plan").succeeds();
    });
}

#[test]
fn packed_providers_are_listed_and_removed() {
    trial(|workspace| {
        let none = workspace.tenon("provider list --mirror mirror").succeeds();
        none.says("there is no packed provider");
        packed(workspace, "");
        packed(workspace, "--as-version 1.10.0");
        let listed = workspace.tenon("provider list --mirror mirror").succeeds();
        listed
            .says("tenon/notes 1.2.0 (terraform)")
            .says("tenon/notes 1.10.0 (tofu)")
            .says("notes.py");
        let listed = workspace.tenon("provider list --mirror mirror --json");
        let listed: Value = serde_json::from_str(&listed.succeeds().stdout).unwrap();
        assert_eq!(listed["providers"].as_array().unwrap().len(), 4);
        workspace
            .tenon("provider remove notes --mirror mirror --as-version 1.2.0")
            .succeeds();
        let removed = workspace.tenon("provider remove notes --mirror mirror --json");
        let removed: Value = serde_json::from_str(&removed.succeeds().stdout).unwrap();
        assert_eq!(removed["removed"][0]["version"], json!("1.10.0"));
        workspace
            .tenon("provider list --mirror mirror")
            .succeeds()
            .says("there is no packed");
        assert_eq!(fs::read_dir(workspace.path("mirror")).unwrap().count(), 0);
        workspace
            .tenon("provider remove notes --mirror mirror")
            .fails()
            .says("tenon provider list");
    });
}

#[test]
fn what_users_configure_reaches_the_plugin() {
    trial(|workspace| {
        fs::write(
            workspace.path("settings.hcl"),
            "max_in_flight = 3\nregion = \"eu\"\n",
        )
        .unwrap();
        let options = "--config-file settings.hcl --config region=us --config limit=1.5";
        stage::ready(
            workspace,
            options,
            "output \"x\" {\n  value = provider::stage::more(\"config\")\n}\n",
        );
        workspace.behave("config");
        workspace.run("apply -auto-approve").succeeds();
        let config = &workspace.state()["outputs"]["x"]["value"];
        let config: Value = serde_json::from_str(config.as_str().unwrap()).unwrap();
        assert_eq!(
            config,
            json!({"max_in_flight": 3, "region": "us", "limit": 1.5})
        );
    });
}

/// A plugin that looks for what its command line names.
const LOOKS: &str = r#"
import os, sys
sys.path.insert(0, os.environ["EXAMPLES"])
from seasonings import serve
serve("looks", "1.0.0", {
    "functions/getSchema": lambda params: {"functions": {"found": {"parameters": [], "returns": "list(bool)"}}},
    "functions/call": lambda params: {"result": [os.path.exists(one.split("=")[-1]) for one in sys.argv[1:]]},
})
"#;

/// Terraform starts the plugin in the folder of the configuration.
#[test]
fn relative_paths_of_a_command_are_those_of_the_folder_where_it_was_packed() {
    trial(|workspace| {
        fs::write(workspace.path("looks.py"), LOOKS).unwrap();
        fs::write(workspace.path("prices.json"), "{}").unwrap();
        fs::create_dir(workspace.path("data")).unwrap();
        let words = [
            "looks.py",
            "./data",
            "--data=./data",
            "--prices=prices.json",
            "data",
        ];
        let command = [&["python3"], &words[..]].concat();
        workspace
            .pack_command("looks", "--env EXAMPLES", &command)
            .succeeds();
        let output = "output \"x\" {\n  value = provider::looks::found()\n}\n";
        workspace.configure("looks", output);
        let app = workspace.path("app");
        fs::create_dir(&app).unwrap();
        fs::rename(workspace.path("main.tf"), app.join("main.tf")).unwrap();
        workspace.run("-chdir=app init").succeeds();
        workspace.run("-chdir=app apply -auto-approve").succeeds();
        let state = fs::read_to_string(app.join("terraform.tfstate")).unwrap();
        let state: Value = serde_json::from_str(&state).unwrap();
        // The last one is a word, which need not be a path.
        let found = json!([true, true, true, false]);
        assert_eq!(state["outputs"]["x"]["value"], found);
    });
}

/// Nothing of a provider is in the mirror until all of it is, and the plugin ends with the command.
#[test]
fn packing_that_is_interrupted_leaves_nothing() {
    trial(|workspace| {
        let plugin = workspace.plugin("puppet.py");
        for how in ["terminate", "kill"] {
            workspace.behave("hang at schema");
            let running = workspace.start_packing("puppet", "--env EXAMPLES", &plugin);
            workspace.until("the schema", || workspace.path("asked").exists());
            match how {
                "kill" => running.kill(),
                _ => running.terminate(),
            }
            assert_ne!(running.wait().code, Some(0));
            assert!(!workspace.path("mirror").exists(), "{how}");
            fs::remove_file(workspace.path("asked")).unwrap();
        }
        workspace.behave("");
        workspace
            .pack("puppet", "--env EXAMPLES", &plugin)
            .succeeds();
    });
}

#[test]
fn a_version_that_terraform_cannot_use_is_reported() {
    trial(|workspace| {
        let plugin = workspace.plugin("puppet.py");
        let text = fs::read_to_string(&plugin).unwrap();
        let text = text.replace(
            "\"name\": \"puppet\",",
            "\"name\": \"puppet\", \"version\": \"abc\",",
        );
        fs::write(&plugin, text).unwrap();
        let packed = workspace
            .pack("puppet", "--env EXAMPLES", &plugin)
            .succeeds();
        packed
            .says("warning: the version of the plugin, \"abc\", is not three numbers")
            .says("the provider has the version 0.1.0")
            .says("hint: --as-version");
        let options = "--env EXAMPLES --as-version 3.0.0";
        let packed = workspace.pack("puppet", options, &plugin).succeeds();
        packed.says_nothing_of("warning");
    });
}
