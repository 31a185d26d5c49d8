//! Real Terraforms: as a packed provider, as a script of denobridge, and with the hook.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::languages::{Language, built};
use crate::outcome::Outcome;
use crate::tools::{self, Need, Terraform};
use crate::workspace::{Workspace, trial_of};

/// Runs a test with the languages that are packed, or with all, in every Terraform.
fn in_terraform(
    need: &[Need],
    is_chosen: fn(&Language) -> bool,
    test: impl Fn(&Workspace, &Terraform) + Sync,
) {
    let terraforms = tools::terraforms().unwrap_or_else(|why| {
        let is_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
        assert!(!is_ci, "Terraform is needed under CI=true: {why}");
        tools::say(&format!("skipped: {why}"));
        &[]
    });
    for terraform in terraforms {
        if need.iter().all(|need| terraform.has(*need)) {
            trial_of(is_chosen, |workspace| test(workspace, terraform));
        }
    }
}

fn is_packed(language: &Language) -> bool {
    language.is_packed
}

fn any(_: &Language) -> bool {
    true
}

struct Project<'a> {
    workspace: &'a Workspace,
    terraform: &'a Terraform,
    /// The configuration of Terraform.
    settings: &'static str,
}

impl Project<'_> {
    fn run(&self, words: &str) -> Outcome {
        let mut command = self.workspace.command(&self.terraform.program);
        command.args(words.split(' '));
        command.env("TF_CLI_CONFIG_FILE", self.workspace.path(self.settings));
        self.workspace.finish(command, words)
    }

    fn state(&self) -> Value {
        serde_json::from_str(&self.workspace.read("terraform.tfstate")).unwrap()
    }

    fn attributes(&self, kind: &str) -> Value {
        let state = self.state();
        let resources = state["resources"].as_array().unwrap();
        let resource = resources.iter().find(|one| one["type"] == kind).unwrap();
        resource["instances"][0]["attributes"].clone()
    }

    /// Changes the configuration.
    fn replace(&self, from: &str, to: &str) {
        let text = self.workspace.read("main.tf");
        assert!(text.contains(from), "{from}");
        self.workspace.write("main.tf", &text.replace(from, to));
    }
}

/// Packs the plugin as a provider.
fn packed<'a>(workspace: &'a Workspace, terraform: &'a Terraform) -> Project<'a> {
    let words = [
        "provider",
        "pack",
        "weather",
        "--mirror",
        "mirror",
        "--write-config",
    ];
    workspace.tenon_with_plugin(&words).succeeds();
    workspace.copy("terraform/main.tf", "main.tf");
    let project = Project {
        workspace,
        terraform,
        settings: ".terraformrc",
    };
    project.run("init").succeeds();
    project
}

fn station(workspace: &Workspace) -> Value {
    serde_json::from_str(&workspace.read("stations/roof.json")).unwrap()
}

fn forecast() -> Value {
    json!({ "city": "Oslo", "days": [
        { "day": 1, "high": 5, "sky": "rain" },
        { "day": 2, "high": 6, "sky": "clear" },
    ] })
}

#[test]
fn a_packed_provider_lives_its_life() {
    in_terraform(&[], is_packed, |workspace, terraform| {
        let project = packed(workspace, terraform);
        project.run("validate").succeeds();
        project.run("apply -auto-approve").succeeds();
        let outputs = project.state()["outputs"].clone();
        assert_eq!(outputs["label"]["value"], "roof (Oslo, 12 m)");
        assert_eq!(outputs["is_cold"]["value"], true);
        assert_eq!(outputs["forecast"]["value"], forecast());
        assert_eq!(
            station(workspace),
            json!({ "city": "Oslo", "elevation": 12 })
        );
        let attributes = project.attributes("weather_station");
        assert_eq!(attributes["id"], "roof");
        assert_eq!(attributes["key"], "key-roof");
        let shown = project.run("show").succeeds();
        shown.says("key = (sensitive value)");
        project.run("plan -detailed-exitcode").succeeds();

        // An update keeps the key; a change of the name replaces.
        project.replace("elevation = 12", "elevation = 20");
        let updated = project.run("apply -auto-approve").succeeds();
        updated.says("0 added, 1 changed, 0 destroyed");
        updated.says_nothing_of("key = (sensitive value) -> (known after apply)");
        assert_eq!(station(workspace)["elevation"], 20);
        project.replace("\"roof\"\n", "\"tower\"\n");
        let replaced = project.run("apply -auto-approve").succeeds();
        replaced.says("# forces replacement");
        assert!(!workspace.path("stations/roof.json").exists());

        // Import, drift and destroy.
        project.run("state rm weather_station.roof").succeeds();
        project.run("import weather_station.roof tower").succeeds();
        assert_eq!(project.attributes("weather_station")["elevation"], 20);
        fs::remove_file(workspace.path("stations/tower.json")).unwrap();
        let plan = project.run("plan -detailed-exitcode").has_changes();
        plan.says("will be created");
        project.run("apply -auto-approve").succeeds();
        project.run("destroy -auto-approve").succeeds();
        assert!(!workspace.path("stations/tower.json").exists());
    });
}

#[test]
fn a_packed_provider_says_what_is_wrong_and_where() {
    in_terraform(&[], is_packed, |workspace, terraform| {
        let project = packed(workspace, terraform);
        project.replace("city      = \"Oslo\"", "city      = \"Atlantis\"");
        let refused = project.run("apply -auto-approve").fails();
        refused.says("unknown city \"Atlantis\"; known cities are Lisbon, Nairobi and Oslo");
        refused.says("with weather_station.roof");
        project.replace("city      = \"Atlantis\"", "city      = \"Oslo\"");
        project.replace("forecast(\"Oslo\", 2)", "forecast(\"Oslo\", 9)");
        let refused = project.run("plan").fails();
        refused.says("days must be from 1 to 7, not 9");
        project.replace("forecast(\"Oslo\", 9)", "forecast(\"Oslo\")");
        project.replace("\"roof\"\n", "\"Roof!\"\n");
        let refused = project.run("apply -auto-approve").fails();
        refused.says("invalid name \"Roof!\"; use lower-case letters, digits and hyphens");
        let refused = project.run("import weather_station.roof cellar").fails();
        refused.says("unknown station `cellar`");
    });
}

#[test]
fn the_hook_warns_before_a_station_is_deleted() {
    in_terraform(&[], is_packed, |workspace, terraform| {
        let project = packed(workspace, terraform);
        project.run("apply -auto-approve").succeeds();
        workspace.copy("terraform/tenon.hcl", "tenon.hcl");
        let tenon = |words: &str| {
            let mut command = workspace.command(Path::new(env!("CARGO_BIN_EXE_tenon")));
            let program = terraform.program.to_str().unwrap();
            command.args(["terraform", "--program", program]);
            command.args(words.split(' '));
            command.env("TF_CLI_CONFIG_FILE", workspace.path(".terraformrc"));
            workspace.finish(command, words).succeeds()
        };
        let text = "weather_station.roof is deleted, and its readings are lost";
        tenon("plan").says_nothing_of(text);
        tenon("plan -destroy").says(text);
    });
}

/// Our provider, where Terraform finds it.
fn denobridge<'a>(workspace: &'a Workspace, terraform: &'a Terraform) -> Project<'a> {
    let provider = built("terraform-provider-denobridge");
    assert!(
        provider.exists(),
        "{} is missing: cargo build",
        provider.display()
    );
    fs::create_dir(workspace.path("plugins")).unwrap();
    let place = workspace.path("plugins/terraform-provider-denobridge");
    std::os::unix::fs::symlink(provider, place).unwrap();
    let plugins = workspace.path("plugins");
    workspace.write(
        "denobridge.rc",
        &format!(
            "provider_installation {{\n  dev_overrides {{\n    \"brad-jones/denobridge\" = {plugins:?}\n  }}\n  direct {{}}\n}}\n"
        ),
    );
    workspace.copy("denobridge/main.tf", "main.tf");
    Project {
        workspace,
        terraform,
        settings: "denobridge.rc",
    }
}

#[test]
fn a_script_lives_its_life() {
    in_terraform(&[], any, |workspace, terraform| {
        let project = denobridge(workspace, terraform);
        project.run("apply -auto-approve").succeeds();
        let outputs = project.state()["outputs"].clone();
        assert_eq!(outputs["label"]["value"], "roof (Oslo, 12 m)");
        assert_eq!(outputs["is_cold"]["value"], true);
        assert_eq!(outputs["forecast"]["value"], forecast());
        assert_eq!(
            station(workspace),
            json!({ "city": "Oslo", "elevation": 12 })
        );
        let attributes = project.attributes("denobridge_resource");
        assert_eq!(attributes["id"], "roof");
        assert_eq!(attributes["sensitive_state"]["value"]["key"], "key-roof");
        project.run("plan -detailed-exitcode").succeeds();
        project.replace("elevation = 12", "elevation = 20");
        project.run("apply -auto-approve").succeeds();
        assert_eq!(station(workspace)["elevation"], 20);
        project.replace("name      = \"roof\"", "name      = \"tower\"");
        let replaced = project.run("apply -auto-approve").succeeds();
        replaced.says("1 added, 0 changed, 1 destroyed");
        project.replace("\"Oslo\"", "\"Atlantis\"");
        let refused = project.run("apply -auto-approve").fails();
        refused.says("unknown city \"Atlantis\"; known cities are Lisbon, Nairobi and Oslo");
        project.replace("\"Atlantis\"", "\"Oslo\"");
        project.run("destroy -auto-approve").succeeds();
        assert!(!workspace.path("stations/tower.json").exists());
    });
}

#[test]
fn a_script_has_an_action() {
    in_terraform(&[Need::Actions], any, |workspace, terraform| {
        let project = denobridge(workspace, terraform);
        let text = workspace.read("main.tf");
        let action = "action \"denobridge_action\" \"publish\" {\n  config {\n    command = [var.script]\n    \
             props   = { city = \"Oslo\", days = 2, file = \"oslo.txt\" }\n  }\n}\n";
        workspace.write("main.tf", &format!("{text}{action}"));
        let invoked = project
            .run("apply -auto-approve -invoke=action.denobridge_action.publish")
            .succeeds();
        invoked.says("day 1 of 2");
        invoked.says("day 2 of 2");
        assert_eq!(
            workspace.read("oslo.txt"),
            "day 1: 5 C, rain\nday 2: 6 C, clear\n"
        );
    });
}
