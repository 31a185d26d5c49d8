//! What hooks see of a configuration with expressions, with a provider whose schema has types and blocks.

use serde_json::{Value, json};

use crate::workspace::{Workspace, trial};

/// `jsonencode` and the like refer to nothing and are not constants either.
const CONFIGURATION: &str = r#"
terraform {
  required_providers {
    puppet = { source = "tenon/puppet" }
  }
}
variable "names" { default = ["x", "y"] }
resource "puppet_thing" "a" {
  name  = upper("x")
  s     = jsonencode({ a = 1 })
  n     = length("abc")
  l     = ["a", lower("B")]
  o     = { a = upper("x") }
  plain = { constant = [0.1] }
  kept  = var.names[0]
  list { a = "fixed" }
  dynamic "set" {
    for_each = var.names
    content { a = set.value }
  }
  map "k" { a = base64encode("x") }
}
"#;

/// Packs the plugin of the packed providers' tests; the variables for Terraform to find it.
fn pack(workspace: &Workspace) -> String {
    let plugin = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../packed/tests/acceptance/puppet.py"
    );
    let words = [
        "provider", "pack", "puppet", "--mirror", "mirror", "--env", "EXAMPLES", "--", "python3",
        plugin,
    ];
    workspace.chosen_program(&words, None).succeeds();
    let mirror = workspace.path("mirror");
    let text = format!(
        "provider_installation {{\n  filesystem_mirror {{\n    path = \"{}\"\n  }}\n}}\n",
        mirror.display()
    );
    workspace.write("terraform.rc", &text);
    workspace.path("terraform.rc").display().to_string()
}

#[test]
fn expressions_are_unknown_to_hooks_and_stop_nothing() {
    trial(|workspace| {
        let rc = pack(workspace);
        workspace.project(CONFIGURATION, "{}", "");
        let run = |words: &str| workspace.run_with(words, "", &[("TF_CLI_CONFIG_FILE", &rc)]);
        run("init").succeeds();
        workspace.calls();
        run("apply -auto-approve").succeeds();
        let calls = workspace.calls();
        let planned = calls.iter().find(|call| call["hook"] == "postPlan");
        let config = &planned.unwrap()["config"];
        for name in ["name", "s", "n", "l", "o", "kept", "set"] {
            assert_eq!(config[name], "(unknown)", "{name}: {config}");
        }
        assert_eq!(config["plain"], json!({"constant": [0.1]}));
        assert_eq!(config["list"][0]["a"], "fixed");
        assert_eq!(config["map"]["k"]["a"], "(unknown)");
        assert_eq!(config["id"], Value::Null);
        let applied = calls.iter().find(|call| call["hook"] == "postApply");
        assert_eq!(
            applied.unwrap()["after"]["set"].as_array().unwrap().len(),
            2
        );
        run("plan -detailed-exitcode").succeeds();
        run("destroy -auto-approve").succeeds();
    });
}
