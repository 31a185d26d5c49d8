//! Hooks around plan and apply.

use std::fs;

use serde_json::{Value, json};

use crate::workspace::{Workspace, trial};

const CONFIGURATION: &str = r#"
variable "size" { default = "small" }
resource "terraform_data" "a" {
  input = { size = var.size, secret = sensitive("hunter2") }
}
resource "terraform_data" "b" {
  triggers_replace = terraform_data.a.id
}
"#;

/// A project with the plugin `hooks.py`, configured like this.
fn project(workspace: &Workspace, config: &str, rest: &str) {
    let plugin = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/terraform/hooks.py");
    workspace.write("main.tf", CONFIGURATION);
    let text = format!(
        "plugin \"puppet\" {{\n  command = [\"python3\", \"{plugin}\"]\n  env = [\"EXAMPLES\"]\n  \
         config = {config}\n  {rest}\n}}\nhooks = [\"puppet\"]\n"
    );
    workspace.write("tenon.hcl", &text);
}

fn names(calls: &[Value]) -> Vec<&str> {
    calls
        .iter()
        .map(|call| call["hook"].as_str().unwrap())
        .collect()
}

#[test]
fn hooks_see_what_is_planned_and_applied() {
    trial(|workspace| {
        project(workspace, "{}", "");
        workspace.run("init").succeeds();
        assert_eq!(
            names(&workspace.calls()),
            ["initStageStart", "initStageCompleted"]
        );

        workspace.run("apply -auto-approve").succeeds();
        let calls = workspace.calls();
        let expected = [
            "planStageStart",
            "postPlan",
            "postPlan",
            "planStageCompleted",
            "applyStageStart",
            "preApply",
            "preApply",
            "postApply",
            "postApply",
            "applyStageCompleted",
        ];
        assert_eq!(names(&calls), expected);
        let planned = &calls[1];
        assert_eq!(planned["address"], "terraform_data.a");
        assert_eq!(planned["planned_action"], "Create");
        assert_eq!(planned["before"], Value::Null);
        assert_eq!(planned["after"]["id"], "(unknown)");
        assert_eq!(
            planned["after"]["input"],
            json!({"size": "small", "secret": null})
        );
        assert_eq!(planned["sensitive_paths"], json!([["input", "secret"]]));
        assert_eq!(planned["resources"][0]["address"], "terraform_data.a");
        assert_eq!(calls[2]["after"]["triggers_replace"], "(unknown)");
        assert_eq!(calls[3]["resources"].as_array().unwrap().len(), 2);
        let summary = json!({"add": 2, "change": 0, "destroy": 0, "import": 0});
        assert_eq!(calls[3]["summary"], summary);
        // What is applied is the plan that was reviewed.
        assert_eq!(calls[3]["plan_sha256"], calls[4]["plan_sha256"]);
        assert_eq!(calls[7]["applied_action"], "Create");
        let id = calls[7]["after"]["id"].as_str().unwrap();
        assert!(!id.is_empty() && id != "(unknown)", "{id}");
        // `output` of terraform_data has the same text, which Terraform itself does not treat as sensitive.
        for call in &calls[..7] {
            assert!(!call.to_string().contains("hunter2"), "{call}");
        }
        assert_eq!(calls[7]["after"]["input"]["secret"], Value::Null);

        let plan = workspace.run("plan -detailed-exitcode").succeeds();
        assert!(plan.stdout.contains("No changes"), "{}", plan.stdout);
        let changed = workspace.run("plan -detailed-exitcode -var size=large");
        assert_eq!(changed.code, Some(2), "{changed}");
    });
}

#[test]
fn a_failure_after_the_plan_stops_the_command() {
    trial(|workspace| {
        let config =
            r#"{ answers = { postPlan = { status = "fail", message = "too \u001b[31m large" } } }"#;
        project(workspace, config, "");
        workspace.run("init").succeeds();
        workspace.calls();
        let refused = workspace.run("apply -auto-approve");
        assert_eq!(refused.code, Some(1), "{refused}");
        assert!(refused.stderr.contains("terraform_data.a"), "{refused}");
        assert!(
            refused.stderr.contains(r"too \u{1b}[31m large"),
            "{refused}"
        );
        assert!(refused.stderr.contains("2 hooks failed"), "{refused}");
        // All hooks were called, and nothing was applied.
        let calls = workspace.calls();
        assert_eq!(names(&calls).last(), Some(&"planStageCompleted"));
        assert!(!workspace.path("terraform.tfstate").exists());
    });
}

#[test]
fn a_plugin_that_ends_in_a_hook_stops_the_command() {
    trial(|workspace| {
        project(workspace, r#"{ dies_in = "preApply" }"#, "");
        workspace.run("init").succeeds();
        let failed = workspace.run("apply -auto-approve");
        assert_eq!(failed.code, Some(1), "{failed}");
        assert!(failed.stderr.contains("preApply"), "{failed}");
        assert!(!workspace.path("terraform.tfstate").exists());
    });
}

#[test]
fn a_failure_after_the_apply_leaves_the_state_and_an_exit_code() {
    trial(|workspace| {
        let config = r#"{ answers = {
            postPlan = { status = "warning", message = "watch out", metadata = { cost = 7 } }
            applyStageCompleted = { status = "fail", message = "late" }
        } }"#;
        project(workspace, config, "");
        workspace.run("init").succeeds();
        let failed = workspace.run("apply -auto-approve");
        assert_eq!(failed.code, Some(1), "{failed}");
        assert!(
            failed.stderr.contains("watch out") && failed.stderr.contains("late"),
            "{failed}"
        );
        let state = fs::read_to_string(workspace.path("terraform.tfstate")).unwrap();
        let state: Value = serde_json::from_str(&state).unwrap();
        assert_eq!(state["resources"].as_array().unwrap().len(), 2);
        let notes = fs::read_to_string(workspace.path(".tenon/metadata.json")).unwrap();
        let notes: Value = serde_json::from_str(&notes).unwrap();
        let lineage = state["lineage"].as_str().unwrap();
        let serial = state["serial"].to_string();
        let noted = &notes["lineages"][lineage][&serial]["terraform_data.a"];
        assert_eq!(noted["puppet"]["cost"], 7, "{notes}");
    });
}

#[test]
fn a_saved_plan_is_reviewed_once() {
    trial(|workspace| {
        project(workspace, "{}", "");
        workspace.run("init").succeeds();
        workspace.run("plan -out=saved").succeeds();
        workspace.calls();
        workspace.run("apply saved").succeeds();
        let calls = workspace.calls();
        assert_eq!(names(&calls)[0], "applyStageStart", "{calls:?}");
        // One that no hook has seen is shown to them first.
        workspace
            .terraform("plan -out=other -var size=large", &[])
            .succeeds();
        workspace.run("apply other").succeeds();
        let calls = workspace.calls();
        assert!(names(&calls).contains(&"postPlan"), "{calls:?}");
    });
}

#[test]
fn a_person_is_asked_as_terraform_asks() {
    trial(|workspace| {
        project(workspace, "{}", "");
        workspace.run("init").succeeds();
        let refused = workspace.run_with("apply", "no\n", &[]);
        assert_eq!(refused.code, Some(1), "{refused}");
        assert!(refused.stdout.contains("Enter a value:"), "{refused}");
        assert!(!workspace.path("terraform.tfstate").exists());
        workspace.run_with("apply", "yes\n", &[]).succeeds();
        workspace.run_with("destroy", "yes\n", &[]).succeeds();
        let calls = workspace.calls();
        let is_deleted = |call: &&Value| call["applied_action"] == "Delete";
        assert_eq!(calls.iter().filter(is_deleted).count(), 2, "{calls:?}");
    });
}

#[test]
fn plugins_can_be_switched_off_and_pinned() {
    trial(|workspace| {
        project(workspace, "{}", "");
        workspace.run("init").succeeds();
        workspace.calls();
        workspace.run("--no-plugins plan").succeeds();
        workspace
            .run_with("plan", "", &[("TENON_NO_PLUGINS", "1")])
            .succeeds();
        workspace.run("version").succeeds();
        assert!(workspace.calls().is_empty());

        let text = fs::read_to_string(workspace.path("tenon.hcl")).unwrap();
        workspace.write("tenon.hcl", &format!("{text}pinned = true\n"));
        let refused = workspace.run("plan");
        assert_eq!(refused.code, Some(2), "{refused}");
        assert!(
            refused.stderr.contains("hint: add `sha256 = {"),
            "{refused}"
        );
        let zeros = "0".repeat(64);
        project(
            workspace,
            "{}",
            &format!("sha256 = {{ \"main.tf\" = \"{zeros}\" }}"),
        );
        let changed = workspace.run("plan");
        assert!(changed.stderr.contains("main.tf has changed"), "{changed}");
        workspace.write("tenon.hcl", "hooks = [\"cost\"]\n");
        let invalid = workspace.run("plan");
        assert_eq!(invalid.code, Some(2), "{invalid}");
        assert!(
            invalid.stderr.contains("there is no plugin \"cost\""),
            "{invalid}"
        );
        assert!(workspace.calls().is_empty());
    });
}
