//! What happens to a state when something goes wrong.

use std::fs;

use serde_json::{Value, json};

use crate::commands::CONFIGURATION;
use crate::outcome::Outcome;
use crate::server::{Server, calls, state};
use crate::workspace::{examples, trial};

/// A resource that exists once the file `go` does.
pub(crate) const SLOW: &str = r#"
terraform {
  backend "http" {}
}
variable "input" { default = "one" }
resource "terraform_data" "a" { input = var.input }
resource "terraform_data" "slow" {
  depends_on = [terraform_data.a]
  provisioner "local-exec" {
    command = "touch started; while [ ! -e go ]; do sleep 0.05; done"
  }
}
"#;

/// The id of the lock that a command was refused because of.
pub(crate) fn lock_id(refused: &Outcome) -> String {
    let (_, rest) = { refused.stderr.split_once("ID=") }.expect("the id of a lock");
    let is_of_an_id = |one: char| one.is_ascii_hexdigit() || one == '-';
    rest.chars().take_while(|one| is_of_an_id(*one)).collect()
}

fn values(state: &Value) -> Vec<&Value> {
    let resources = state["resources"].as_array().unwrap().iter();
    resources
        .map(|one| &one["instances"][0]["attributes"]["input"]["value"])
        .collect()
}

#[test]
fn a_second_apply_is_refused_or_waits() {
    trial(|workspace| {
        let server = Server::initialised(workspace, SLOW, &[]);
        let apply = "apply -auto-approve";
        let first = workspace.begin("first", apply, &server.variables);
        workspace.wait_for("started");
        workspace.terraform(apply, &server.variables).fails();
        let patient = "apply -auto-approve -lock-timeout=120s -var input=two";
        let patient = workspace.begin("patient", patient, &server.variables);
        workspace.write("go", "");
        first.end().succeeds();
        patient.end().succeeds();
        let kept = state(workspace, "default");
        assert_eq!(kept["serial"], 2);
        assert_eq!(values(&kept)[0], "two");
        let said = server.stop();
        assert!(
            said.contains("LOCK /lock/default: the state is locked by "),
            "{said}"
        );
    });
}

#[test]
fn an_apply_that_has_lost_its_lock_does_not_overwrite_the_state() {
    trial(|workspace| {
        let server = Server::initialised(workspace, SLOW, &[]);
        let first = workspace.begin("first", "apply -auto-approve", &server.variables);
        workspace.wait_for("started");
        let id = lock_id(&workspace.terraform("plan", &server.variables).fails());
        let unlock = format!("force-unlock -force {id}");
        workspace.terraform(&unlock, &server.variables).succeeds();
        let forced = workspace.calls();
        assert_eq!(forced.last().unwrap()["call"], "unlock");
        assert_eq!(forced.last().unwrap()["force"], true);
        assert!(!workspace.path("states/default.lock").exists());

        let other = "apply -auto-approve -target=terraform_data.a -var input=two";
        workspace.terraform(other, &server.variables).succeeds();
        workspace.write("go", "");
        let lost = first.end().fails();
        lost.says("errored.tfstate");
        assert_eq!(values(&state(workspace, "default")), ["two"]);
        // What it had made is not forgotten.
        let errored = fs::read_to_string(workspace.path("errored.tfstate")).unwrap();
        let errored: Value = serde_json::from_str(&errored).unwrap();
        assert_eq!(errored["resources"].as_array().unwrap().len(), 2);
        let said = server.stop();
        assert!(said.contains("is not held"), "{said}");
    });
}

#[test]
fn an_interrupted_apply_saves_the_state_and_releases_the_lock() {
    trial(|workspace| {
        let server = Server::initialised(workspace, SLOW, &[]);
        let apply = "apply -auto-approve";
        let first = workspace.begin("first", apply, &server.variables);
        workspace.wait_for("started");
        first.interrupt();
        first.end().fails();
        let writes: Vec<Value> = { workspace.calls().into_iter() }
            .filter(|call| call["call"] == "write")
            .collect();
        // Terraform saves the state immediately, and again when the change has ended.
        let serials: Vec<Option<u64>> = { writes.iter() }
            .map(|write| write["serial"].as_u64())
            .collect();
        assert_eq!(serials, [Some(1), Some(2)]);
        assert!(!workspace.path("states/default.lock").exists());
        let kept = state(workspace, "default");
        assert_eq!(values(&kept)[0], "one");
        workspace.write("go", "");
        workspace.terraform(apply, &server.variables).succeeds();
        assert_eq!(
            state(workspace, "default")["resources"]
                .as_array()
                .unwrap()
                .len(),
            2
        );
        assert_eq!(server.stop(), "");
    });
}

#[test]
fn a_write_that_fails_leaves_the_old_state_and_errored_tfstate() {
    trial(|workspace| {
        let server = Server::initialised(workspace, CONFIGURATION, &[]);
        let apply = "apply -auto-approve";
        workspace.terraform(apply, &server.variables).succeeds();
        for how in ["error", "refuse", "full", "die in the middle"] {
            calls(workspace);
            let faults = json!({ "write": { "how": how } });
            workspace.write("faults.json", &faults.to_string());
            let words = format!("apply -auto-approve -var input={}", how.replace(' ', "-"));
            let failed = workspace.terraform(&words, &server.variables).fails();
            failed.says("errored.tfstate");
            let made = workspace.calls();
            let writes = made.iter().filter(|call| call["call"] == "write").count();
            assert_eq!(writes, 3, "{how}: {made:?}");
            assert_eq!(made.last().unwrap()["call"], "unlock", "{how}");
            assert!(!workspace.path("states/default.lock").exists());
            assert_ne!(
                state(workspace, "default")["outputs"]["a"]["value"],
                how.replace(' ', "-")
            );
            // Repaired as Terraform says.
            fs::remove_file(workspace.path("faults.json")).unwrap();
            let push = "state push errored.tfstate";
            workspace.terraform(push, &server.variables).succeeds();
            fs::remove_file(workspace.path("errored.tfstate")).unwrap();
            assert_eq!(
                state(workspace, "default")["outputs"]["a"]["value"],
                how.replace(' ', "-")
            );
        }
        let said = server.stop();
        for problem in [
            "the disk is on fire",
            "it is not true",
            "File too large",
            "it ended with signal: 9",
        ] {
            assert!(said.contains(problem), "{problem}: {said}");
        }
    });
}

#[test]
fn a_failure_that_passes_is_not_noticed() {
    trial(|workspace| {
        let server = Server::initialised(workspace, CONFIGURATION, &[]);
        let once = |how: &str| json!({ "how": how, "times": 1 });
        let faults = json!({
            "lock": once("die before the answer"),
            "read": once("error"),
            "write": once("die before the answer"),
            "unlock": once("die before the answer"),
        });
        workspace.write("faults.json", &faults.to_string());
        let apply = "apply -auto-approve";
        workspace.terraform(apply, &server.variables).succeeds();
        assert_eq!(state(workspace, "default")["serial"], 1);
        assert!(!workspace.path("states/default.lock").exists());
        assert!(!workspace.path("errored.tfstate").exists());
        server.stop();
    });
}

#[test]
fn a_plugin_that_hangs_is_reported() {
    trial(|workspace| {
        let server = Server::initialised(workspace, CONFIGURATION, &["--timeout", "10s"]);
        let faults = json!({ "lock": { "how": "hang", "times": 1 } });
        workspace.write("faults.json", &faults.to_string());
        let mut variables = server.variables.clone();
        variables.push(("TF_HTTP_RETRY_MAX".into(), "0".into()));
        workspace.terraform("plan", &variables).fails();
        // The plugin was started again.
        workspace.terraform("plan", &variables).succeeds();
        let said = server.stop();
        let problem = "LOCK /lock/default: the storage has not answered within 10 s";
        assert!(said.contains(problem), "{said}");
    });
}

#[test]
fn a_read_that_fails_every_time_releases_the_lock() {
    trial(|workspace| {
        let server = Server::initialised(workspace, CONFIGURATION, &[]);
        let apply = "apply -auto-approve";
        workspace.terraform(apply, &server.variables).succeeds();
        let before = state(workspace, "default");
        for (command, how) in [("plan", "error"), (apply, "die before the answer")] {
            calls(workspace);
            let faults = json!({ "read": { "how": how } });
            workspace.write("faults.json", &faults.to_string());
            let failed = workspace.terraform(command, &server.variables).fails();
            failed.says("giving up after 3 attempt(s)");
            let made = workspace.calls();
            let is = |name: &str| made.iter().filter(|call| call["call"] == name).count();
            assert!(is("read") >= 3, "{how}: {made:?}");
            // Terraform has a lock by then, or has not asked for one yet.
            assert_eq!(is("lock"), is("unlock"), "{how}: {made:?}");
            assert!(!workspace.path("states/default.lock").exists());
            fs::remove_file(workspace.path("faults.json")).unwrap();
        }
        assert_eq!(state(workspace, "default"), before);
        workspace.terraform("plan", &server.variables).succeeds();
        server.stop();
    });
}

#[test]
fn a_plugin_is_configured_on_the_command_line() {
    trial(|workspace| {
        workspace.write("more.hcl", "bucket = \"states\"\nretries = 3\n");
        let options = ["--config", "region=eu", "--config-file", "more.hcl"];
        let options = [&options[..], &["--config", "retries=5"]].concat();
        let server = Server::puppet(workspace, &options);
        let config = fs::read_to_string(workspace.path("config.json")).unwrap();
        let config: Value = serde_json::from_str(&config).unwrap();
        let expected = json!({ "bucket": "states", "region": "eu", "retries": 5 });
        assert_eq!(config, expected);
        server.stop();
    });
}

#[test]
fn secrets_of_the_environment_are_not_shown() {
    trial(|workspace| {
        let token = "STORE_TOKEN=token-of-the-store";
        let server = Server::initialised(workspace, CONFIGURATION, &["--env", token]);
        workspace.write(
            "faults.json",
            &json!({ "read": { "how": "tell" } }).to_string(),
        );
        let failed = workspace.terraform("plan", &server.variables).fails();
        failed.says_nothing_of("token-of-the-store");
        let said = server.stop();
        for part in [
            "plugin: cannot log in with (sensitive)",
            "plugin: [WARN] uses (sensitive) free=0",
            "plugin: looks (1/2)",
            "no access for (sensitive)",
        ] {
            assert!(said.contains(part), "{part}: {said}");
        }
        assert!(!said.contains("token-of-the-store"), "{said}");

        workspace.write("broken", "");
        let script = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../state/tests/puppet_store.py"
        );
        let examples = examples();
        let plugin = ["python3", script, examples.to_str().unwrap(), "states"];
        let words = [&["state", "serve", "--env", token, "--"], &plugin[..]].concat();
        let output = workspace.start(&words).wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success());
        assert!(said.contains("the disk is gone: (sensitive)"), "{said}");
        assert!(!said.contains("token-of-the-store"), "{said}");
    });
}
