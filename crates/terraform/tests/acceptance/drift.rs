//! Drift: real objects that differ from the state, and states that differ from the configuration.

use std::fs;

use serde_json::{Value, json};

use crate::trial::trial;
use crate::workspace::Workspace;

fn configure(workspace: &Workspace, name: &str, more: &str) {
    workspace.configure(&format!(
        r#"
resource "denobridge_resource" "{name}" {{
  path  = "./puppet.py"
  props = {{ name = "a", colour = "red" }}
}}
{more}
"#
    ));
}

fn object(workspace: &Workspace) -> Value {
    serde_json::from_str(&workspace.read("objects/a.json")).expect("JSON")
}

#[test]
fn a_missing_resource_is_created_again() {
    trial(&[], |workspace| {
        configure(workspace, "a", "");
        workspace.apply();
        fs::remove_file(workspace.path("objects/a.json")).expect("an object");
        let plan = workspace.plan().has_changes();
        plan.says("denobridge_resource.a will be created");
        workspace.apply().says("1 added, 0 changed, 0 destroyed");
        workspace.assert_nothing_to_do();
        fs::remove_file(workspace.path("objects/a.json")).expect("an object");
        workspace.destroy();
        assert_eq!(workspace.calls_of("delete"), Vec::<Value>::new());
    });
}

#[test]
fn what_was_changed_is_shown_and_changed_back() {
    trial(&[], |workspace| {
        configure(workspace, "a", "");
        workspace.apply();
        let other = json!({ "props": { "name": "a", "colour": "blue" }, "version": 5 });
        workspace.write("objects/a.json", &other.to_string());
        let plan = workspace.plan().has_changes();
        plan.says(r#"~ colour = "blue" -> "red""#);
        plan.says("~ state = { - version = 5 } -> (known after apply)");
        workspace.apply().says("0 added, 1 changed, 0 destroyed");
        assert_eq!(object(workspace)["props"]["colour"], "red");
        assert_eq!(workspace.attribute("state"), json!({ "version": 6 }));
        workspace.assert_nothing_to_do();

        // Computed state that changes by itself requires no action.
        let other = json!({ "props": { "name": "a", "colour": "red" }, "version": 7 });
        workspace.write("objects/a.json", &other.to_string());
        workspace.assert_nothing_to_do();
        workspace
            .run("apply -refresh-only -auto-approve")
            .succeeds();
        assert_eq!(workspace.attribute("state"), json!({ "version": 7 }));
        workspace.destroy();
    });
}

/// A create that fails halfway: Terraform knows what was created, and destroys it.
#[test]
fn what_was_half_created_is_tainted() {
    trial(&[], |workspace| {
        configure(workspace, "a", "");
        let error = json!({
            "severity": "error",
            "summary": "Half done",
            "detail": "The disk is full.",
            "propPath": ["props", "colour"],
        });
        let half = json!({ "id": "a", "state": { "half": true }, "diagnostics": [error] });
        workspace.moves(&json!({ "create": [{ "result": half }] }));
        let failed = workspace.apply_fails();
        failed.says("Error: Half done").says("The disk is full.");
        failed.says(r#"props = { name = "a", colour = "red" }"#);
        let instance = &workspace.instances()["denobridge_resource.a"];
        assert_eq!(instance["status"], "tainted");
        assert_eq!(workspace.attribute("id"), "a");
        assert_eq!(workspace.attribute("state"), json!({ "half": true }));

        workspace.moves(&json!({ "read": [{ "result": { "state": { "half": true } } }] }));
        let applied = workspace.apply();
        applied.says("denobridge_resource.a is tainted, so must be replaced");
        assert_eq!(
            workspace.calls_of("delete")[0]["state"],
            json!({ "half": true })
        );
        workspace.moves(&json!({}));
        workspace.assert_nothing_to_do();
        workspace.destroy();
    });
}

#[test]
fn what_could_not_be_done_leaves_the_state_as_it_was() {
    trial(&[], |workspace| {
        let error = json!({ "severity": "error", "summary": "No", "detail": "Not today." });
        let refused = json!([{ "result": { "diagnostics": [error] } }]);
        workspace.moves(&json!({ "create": refused, "update": refused, "delete": refused }));
        configure(workspace, "a", "");
        workspace.apply_fails().says("Error: No").says("Not today.");
        assert_eq!(workspace.instances().len(), 0);

        workspace.moves(&json!({}));
        workspace.apply();
        let before = workspace.instances();
        workspace.moves(&json!({ "update": refused, "delete": refused }));
        let other = json!({ "props": { "name": "a", "colour": "blue" }, "version": 1 });
        workspace.write("objects/a.json", &other.to_string());
        workspace.apply_fails().says("Not today.");
        let kept = workspace.attribute("props");
        assert_eq!(
            kept["colour"], "blue",
            "what read said, not what was planned"
        );
        workspace
            .run("destroy -auto-approve")
            .fails()
            .says("Not today.");
        assert_eq!(workspace.instances().len(), before.len());

        workspace.moves(&json!({}));
        workspace.destroy();
    });
}

/// A `done` that is not true means that the object was not deleted.
#[test]
fn a_delete_has_to_be_done() {
    trial(&[], |workspace| {
        configure(workspace, "a", "");
        workspace.apply();
        workspace.moves(&json!({ "delete": [{ "result": { "done": false } }] }));
        let failed = workspace.run("destroy -auto-approve").fails();
        failed.says("./puppet.py");
        assert_eq!(workspace.instances().len(), 1);

        let warning =
            json!({ "severity": "warning", "summary": "Dust", "detail": "Some is left." });
        workspace.moves(&json!({ "delete": [{ "result": { "diagnostics": [warning] } }] }));
        workspace.destroy().says("Warning: Dust");
    });
}

#[test]
fn a_resource_moves_to_another_address() {
    trial(&[], |workspace| {
        configure(workspace, "a", "");
        workspace.apply();
        let moved = "moved {\n  from = denobridge_resource.a\n  to = denobridge_resource.b\n}";
        configure(workspace, "b", moved);
        let applied = workspace.apply();
        applied.says("denobridge_resource.a has moved to denobridge_resource.b");
        applied.says("0 added, 0 changed, 0 destroyed");
        workspace.assert_nothing_to_do();
        workspace.destroy();
    });
}

#[test]
fn a_resource_of_another_type_cannot_become_one_of_ours() {
    trial(&[], |workspace| {
        workspace.configure("resource \"terraform_data\" \"a\" {}");
        workspace.apply();
        let moved = "moved {\n  from = terraform_data.a\n  to = denobridge_resource.a\n}";
        configure(workspace, "a", moved);
        let failed = workspace.plan().fails();
        failed.says("terraform_data");
        failed.says_nothing_of("Plugin did not respond");
    });
}

#[test]
fn a_resource_in_terraforms_own_tests() {
    trial(&[], |workspace| {
        configure(workspace, "a", "");
        workspace.write(
            "main.tftest.hcl",
            r#"
run "apply" {
  assert {
    condition     = denobridge_resource.a.state.version == 1
    error_message = "the first version is 1"
  }
}

run "plan" {
  command = plan
  assert {
    condition     = denobridge_resource.a.id == "a"
    error_message = "the id is the name"
  }
}
"#,
        );
        let outcome = workspace.run("test").succeeds();
        outcome.says("Success! 2 passed, 0 failed.");
        assert_eq!(
            fs::read_dir(workspace.path("objects"))
                .map(Iterator::count)
                .ok(),
            Some(0)
        );
    });
}
