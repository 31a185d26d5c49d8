//! When processes of the plugin are started, and what they are called for.

use std::collections::BTreeSet;

use crate::stage::{calls, count, forget_calls, ready};
use crate::workspace::trial;

fn things(number: usize) -> String {
    format!(
        "resource \"stage_thing\" \"x\" {{\n  count = {number}\n  name  = \"x${{count.index}}\"\n}}\n"
    )
}

/// The processes that have logged this.
fn processes(workspace: &crate::workspace::Workspace, text: &str) -> BTreeSet<String> {
    let calls = calls(workspace).into_iter();
    let of_text = calls.filter(|(_, logged)| logged == text);
    of_text.map(|(process, _)| process).collect()
}

#[test]
fn calls_that_wait_get_processes_of_their_own() {
    trial(|workspace| {
        // No creation is answered before all four are under way.
        ready(workspace, "--config barrier=4", &things(4));
        workspace.run("apply -auto-approve").succeeds();
        assert_eq!(count(workspace, "begin"), 4);
        assert_eq!(processes(workspace, "begin").len(), 4);
        assert_eq!(count(workspace, "has too many calls"), 0);
    });
}

#[test]
fn a_process_has_as_many_calls_as_it_takes() {
    trial(|workspace| {
        let options = "--config barrier=4 --config max_in_flight=8";
        ready(workspace, options, &things(4));
        workspace.run("apply -auto-approve").succeeds();
        assert_eq!(count(workspace, "begin"), 4);
        assert_eq!(processes(workspace, "begin").len(), 1);
        assert_eq!(count(workspace, "has too many calls"), 0);
    });
}

/// Nothing is created by a process that could not be configured, and nothing is kept as if it had been.
#[test]
fn a_process_that_answers_its_configuration_wrongly_creates_nothing() {
    trial(|workspace| {
        ready(workspace, "", &things(2));
        workspace.behave("further");
        let refused = workspace.run("apply -auto-approve").fails();
        refused
            .says("The answer to resources/configure: expected a map")
            .says("Plugin: stage, method resources/configure")
            // Terraform plans again before it applies, so either call may be the one that needs the further process.
            .says("Change was not sent");
        let instance = workspace.state()["resources"][0]["instances"].clone();
        assert_eq!(instance.as_array().unwrap().len(), 1, "{instance}");
        assert_eq!(instance[0]["status"], serde_json::Value::Null);
    });
}

#[test]
fn the_schema_is_known_without_the_plugin() {
    trial(|workspace| {
        ready(workspace, "", &things(1));
        workspace.run("providers schema -json").succeeds();
        workspace.run("version").succeeds();
        workspace.run("validate").succeeds();
        assert_eq!(count(workspace, "starts"), 0);
        workspace.run("plan").succeeds();
        assert_eq!(count(workspace, "starts"), 1, "one process for all of it");
    });
}

#[test]
fn a_plan_asks_the_plugin_whether_everything_is_valid() {
    trial(|workspace| {
        let every = r#"
provider "stage" {
  name = "p"
}
resource "stage_thing" "x" {
  name = "r"
}
data "stage_look" "x" {
  name = "d"
}
ephemeral "stage_key" "x" {
  name = "e"
}
"#;
        ready(workspace, "", every);
        workspace.run("plan").succeeds();
        for kind in ["provider -", "resource thing", "data look", "ephemeral key"] {
            let validates = format!("validates {kind}");
            assert!(
                count(workspace, &validates) > 0,
                "{kind}: {:?}",
                calls(workspace)
            );
        }
        for (name, kind) in [
            ("p", "provider"),
            ("r", "resource"),
            ("d", "data"),
            ("e", "ephemeral"),
        ] {
            let wrong = every.replace(&format!("\"{name}\""), "\"invalid\"");
            workspace.configure("stage", &wrong);
            let refused = workspace.run("plan").fails();
            let place = match kind {
                // Terraform itself shows no source here.
                "ephemeral" => "In name of the ephemeral resource stage_key",
                _ => "name = \"invalid\"",
            };
            refused.says(&format!("Invalid {kind}")).says(place);
        }
    });
}

#[test]
fn an_ephemeral_resource_is_renewed_and_closed() {
    trial(|workspace| {
        let text = r#"
ephemeral "stage_key" "k" {
  name = "k"
}
resource "stage_thing" "x" {
  name   = "x"
  secret = ephemeral.stage_key.k.id
}
"#;
        ready(workspace, "", text);
        workspace.run("plan -out=plan").succeeds();
        // A key that was not renewed is closed with what it was opened with.
        assert!(count(workspace, "resources/close opened") > 0);
        assert_eq!(count(workspace, "resources/renew opened"), 0);
        forget_calls(workspace);
        workspace.behave("renewal");
        workspace.run("apply plan").succeeds();
        assert_eq!(count(workspace, "resources/renew opened"), 1);
        assert_eq!(count(workspace, "resources/close renewed"), 1);
        assert_eq!(count(workspace, "resources/close opened"), 0);
    });
}
