//! Every command of Terraform that uses a state, and the calls that it makes.

use std::fs;

use serde_json::Value;

use crate::server::{Server, calls, state};
use crate::workspace::{Workspace, trial};

pub(crate) const CONFIGURATION: &str = r#"
terraform {
  backend "http" {}
}
variable "input" { default = "one" }
resource "terraform_data" "a" { input = var.input }
output "a" { value = terraform_data.a.output }
"#;

const READ: &[&str] = &["read"];
const LOOKS: &[&str] = &["lock", "read", "unlock"];
const CHANGES: &[&str] = &["lock", "read", "write", "unlock"];

/// Runs commands one after the other: the words, the exit code, and the calls of the storage.
fn run_all(
    workspace: &Workspace,
    variables: &[(String, String)],
    commands: &[(&str, i32, &[&str])],
) {
    for (words, code, expected) in commands {
        let outcome = workspace.terraform(words, variables);
        assert_eq!(outcome.code, Some(*code), "{outcome}");
        assert_eq!(calls(workspace), *expected, "{outcome}");
    }
}

#[test]
fn every_command_makes_its_calls() {
    trial(|workspace| {
        workspace.write("main.tf", CONFIGURATION);
        let server = Server::puppet(workspace, &[]);
        let variables = &server.variables;
        let run_all = |commands: &[(&str, i32, &[&str])]| run_all(workspace, variables, commands);
        run_all(&[
            ("init", 0, READ),
            ("validate", 0, &[]),
            ("plan -lock=false", 0, READ),
            ("plan -detailed-exitcode -out=first", 2, LOOKS),
            ("show -json first", 0, &[]),
            ("apply first", 0, CHANGES),
            // A plan can be applied once.
            ("apply first", 1, LOOKS),
            ("show -json", 0, READ),
            ("output a", 0, READ),
            ("state list", 0, READ),
            ("state show terraform_data.a", 0, READ),
            ("plan -detailed-exitcode", 0, LOOKS),
            ("apply -auto-approve", 0, LOOKS),
            ("apply -auto-approve -refresh-only", 0, LOOKS),
            ("apply -auto-approve -var input=two", 0, CHANGES),
            ("apply -auto-approve -replace=terraform_data.a", 0, CHANGES),
            ("refresh", 0, LOOKS),
            ("taint terraform_data.a", 0, CHANGES),
            ("untaint terraform_data.a", 0, CHANGES),
            ("state mv terraform_data.a terraform_data.b", 0, CHANGES),
            ("state rm terraform_data.b", 0, CHANGES),
            ("import terraform_data.a an-id", 0, CHANGES),
            (
                "apply -auto-approve -lock=false -var input=three",
                0,
                &["read", "write"],
            ),
            ("workspace list", 1, &[]),
            ("workspace new other", 1, &[]),
        ]);
        // Terraform 1.15 does not lock it.
        workspace.terraform("console", variables).succeeds();
        let console = calls(workspace);
        assert!(console == READ || console == LOOKS, "{console:?}");
        let kept = state(workspace, "default");
        assert_eq!(
            kept["resources"][0]["instances"][0]["attributes"]["id"],
            "an-id"
        );
        assert_eq!(kept["outputs"]["a"]["value"], "three");

        let pulled = workspace.terraform("state pull", variables).succeeds();
        assert_eq!(calls(workspace), READ);
        let mut pulled: Value = serde_json::from_str(&pulled.stdout).unwrap();
        assert_eq!(pulled, kept);
        pulled["outputs"]["a"]["value"] = "pushed".into();
        pulled["serial"] = (pulled["serial"].as_u64().unwrap() + 1).into();
        workspace.write("pushed.tfstate", &pulled.to_string());
        run_all(&[("state push pushed.tfstate", 0, CHANGES)]);
        assert_eq!(
            state(workspace, "default")["outputs"]["a"]["value"],
            "pushed"
        );
        // One that is older than what is stored is refused by Terraform, unless it is told otherwise.
        workspace.write("old.tfstate", &kept.to_string());
        run_all(&[
            ("state push old.tfstate", 1, LOOKS),
            ("state push -force old.tfstate", 0, CHANGES),
            ("destroy -auto-approve", 0, CHANGES),
        ]);
        assert_eq!(
            state(workspace, "default")["resources"],
            Value::Array(vec![])
        );
        assert!(!workspace.path("states/default.lock").exists());
        assert!(!workspace.path("terraform.tfstate").exists());
        assert_eq!(server.stop(), "");
    });
}

#[test]
fn a_state_moves_into_the_storage_and_out_again() {
    trial(|workspace| {
        let local = CONFIGURATION.replace("backend \"http\" {}", "");
        workspace.write("main.tf", &local);
        workspace.terraform("init", &[]).succeeds();
        workspace.terraform("apply -auto-approve", &[]).succeeds();
        let server = Server::puppet(workspace, &[]);

        workspace.write("main.tf", CONFIGURATION);
        let words = "init -migrate-state -force-copy";
        workspace.terraform(words, &server.variables).succeeds();
        assert_eq!(calls(workspace), [CHANGES, READ].concat());
        let moved = state(workspace, "default");
        assert_eq!(moved["outputs"]["a"]["value"], "one");
        let plan = workspace.terraform("plan -detailed-exitcode", &server.variables);
        plan.succeeds();
        calls(workspace);

        fs::remove_file(workspace.path("terraform.tfstate")).unwrap();
        workspace.write("main.tf", &local);
        workspace.terraform(words, &server.variables).succeeds();
        assert_eq!(calls(workspace), LOOKS);
        let text = fs::read_to_string(workspace.path("terraform.tfstate")).unwrap();
        let back: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(back["resources"], moved["resources"]);
        server.stop();
    });
}

#[test]
fn every_workspace_has_its_own_address() {
    trial(|workspace| {
        workspace.write("main.tf", CONFIGURATION);
        let server = Server::puppet(workspace, &[]);
        let staging = server.variables_of("team/staging");
        workspace.terraform("init", &server.variables).succeeds();
        let apply = "apply -auto-approve -var input=default";
        workspace.terraform(apply, &server.variables).succeeds();
        // Terraform remembers the address that it was initialised with.
        workspace
            .terraform("init -reconfigure", &staging)
            .succeeds();
        let apply = "apply -auto-approve -var input=staging";
        workspace.terraform(apply, &staging).succeeds();
        for (name, value) in [("default", "default"), ("team/staging", "staging")] {
            let outputs = &state(workspace, name)["outputs"];
            assert_eq!(outputs["a"]["value"], value, "{name}");
        }

        // Another configuration reads one of them.
        let address = |index: usize| staging[index].1.as_str();
        let reader = format!(
            "data \"terraform_remote_state\" \"x\" {{\n  backend = \"http\"\n  config = {{\n    address = \
             \"{}\"\n    username = \"{}\"\n    password = \"{}\"\n  }}\n}}\noutput \"x\" {{\n  value = \
             data.terraform_remote_state.x.outputs.a\n}}\n",
            address(0),
            address(3),
            address(4)
        );
        fs::remove_dir_all(workspace.path(".terraform")).unwrap();
        workspace.write("main.tf", &reader);
        calls(workspace);
        workspace.terraform("init", &[]).succeeds();
        workspace.terraform("apply -auto-approve", &[]).succeeds();
        assert_eq!(calls(workspace), READ);
        let output = workspace.terraform("output -raw x", &[]).succeeds();
        assert_eq!(output.stdout, "staging");
        server.stop();
    });
}

/// As GitLab's documentation has it. Locks would be written as states otherwise, and unlocking would delete them.
const GITLAB: [(&str, &str); 3] = [
    ("TF_HTTP_UPDATE_METHOD", "PUT"),
    ("TF_HTTP_LOCK_METHOD", "POST"),
    ("TF_HTTP_UNLOCK_METHOD", "DELETE"),
];

#[test]
fn other_methods_in_the_environment_lose_no_state() {
    trial(|workspace| {
        let server = Server::initialised(workspace, CONFIGURATION, &[]);
        let mut variables = server.variables.clone();
        variables.extend(GITLAB.map(|(name, value)| (name.to_owned(), value.to_owned())));
        calls(workspace);
        lose_no_state(workspace, &variables);
        server.stop();
    });
}

#[test]
fn other_methods_in_the_backend_block_lose_no_state() {
    trial(|workspace| {
        let block = "backend \"http\" {\n    update_method = \"PUT\"\n    lock_method   = \"POST\"\n    \
             unlock_method = \"DELETE\"\n  }";
        let configuration = CONFIGURATION.replace("backend \"http\" {}", block);
        let server = Server::initialised(workspace, &configuration, &[]);
        calls(workspace);
        lose_no_state(workspace, &server.variables);
        server.stop();
    });
}

fn lose_no_state(workspace: &Workspace, variables: &[(String, String)]) {
    let applied = workspace.terraform("apply -auto-approve", variables);
    applied.succeeds();
    assert_eq!(calls(workspace), CHANGES);
    let kept = state(workspace, "default");
    let plan = workspace.terraform("plan -detailed-exitcode", variables);
    plan.succeeds();
    assert_eq!(calls(workspace), LOOKS);
    assert_eq!(state(workspace, "default"), kept);
    assert!(!workspace.path("states/default.lock").exists());
}
