//! Write-only props: passed to the script when the configuration says so, and stored nowhere.

use serde_json::{Value, json};

use crate::trial::trial;
use crate::workspace::Workspace;

fn configure(workspace: &Workspace, attributes: &str) {
    workspace.configure(&format!(
        r#"
resource "denobridge_resource" "a" {{
  path  = "./puppet.py"
  props = {{ name = "a" }}
  {attributes}
}}
"#
    ));
}

/// Applies a change of only the write-only props, and returns what the script received of them.
fn applied_update(workspace: &Workspace, version: u64) -> Option<Value> {
    workspace.forget_calls();
    let applied = workspace.apply();
    applied.says("Apply complete! Resources: 0 added, 1 changed, 0 destroyed.");
    applied.says_nothing_of("secret-");
    assert_eq!(workspace.attribute("write_only_props_version"), version);
    assert!(!workspace.read("terraform.tfstate").contains("secret-"));
    workspace.assert_nothing_to_do();
    let updates = workspace.calls_of("update");
    assert_eq!(updates.len(), 1, "{updates:?}");
    updates[0].get("nextWriteOnlyProps").cloned()
}

/// Different values plan an update.
fn compared(props: &str) -> String {
    format!("write_only_props = {props}\n  write_only_props_detect_changes = true")
}

/// A value that is new in each run, as most ephemeral ones are, plans no update, and values that stay the
/// same cannot be distinguished from it. Adding or removing all values can be.
#[test]
fn other_values_alone_plan_no_update() {
    trial(&[], |workspace| {
        let token = |token: &str| format!("write_only_props = {{ token = \"{token}\" }}");
        configure(workspace, &token("secret-one"));
        workspace.apply();
        assert_eq!(workspace.attribute("write_only_props_version"), 1);
        configure(workspace, &token("secret-two"));
        workspace.assert_nothing_to_do();

        // An update for another reason passes them to the script.
        configure(
            workspace,
            &format!("{}\n  timeout = 50", token("secret-three")),
        );
        let plan = workspace.plan().has_changes();
        plan.says("~ write_only_props_version = 1 -> (known after apply)");
        let seen = applied_update(workspace, 2);
        assert_eq!(seen, Some(json!({ "token": "secret-three" })));

        configure(workspace, "timeout = 50");
        assert_eq!(applied_update(workspace, 3), None);
        configure(
            workspace,
            &format!("{}\n  timeout = 50", token("secret-four")),
        );
        let seen = applied_update(workspace, 4);
        assert_eq!(seen, Some(json!({ "token": "secret-four" })));
        workspace.destroy();
    });
}

#[test]
fn changes_are_found_if_they_are_compared() {
    trial(&[], |workspace| {
        configure(
            workspace,
            &compared(r#"{ token = "secret-one", level = 0.1 }"#),
        );
        workspace.apply();
        let created = &workspace.calls_of("create")[0];
        let seen = json!({ "token": "secret-one", "level": 0.1 });
        assert_eq!(created["writeOnlyProps"], seen);
        assert_eq!(workspace.attribute("write_only_props_version"), 1);
        workspace.assert_nothing_to_do();

        configure(workspace, &compared(r#"{ token = "secret-two" }"#));
        let plan = workspace.plan().has_changes();
        plan.says("~ write_only_props_version = 1 -> 2");
        plan.says("will be updated in-place")
            .says_nothing_of("secret-");
        let seen = applied_update(workspace, 2);
        assert_eq!(seen, Some(json!({ "token": "secret-two" })));

        configure(workspace, &compared("null"));
        assert_eq!(applied_update(workspace, 3), None);

        configure(workspace, &compared(r#"{ token = "secret-three" }"#));
        let seen = applied_update(workspace, 4);
        assert_eq!(seen, Some(json!({ "token": "secret-three" })));
        workspace.destroy();
    });
}

/// A version states when the props have changed: a prop that is new in each run, such as a token, would
/// otherwise be a change each time.
#[test]
fn changes_count_when_the_version_says_so() {
    trial(&[], |workspace| {
        let attributes = |token: &str, version: u64| {
            let version = format!("write_only_props_version = {version}");
            format!("write_only_props = {{ token = \"{token}\" }}\n  {version}")
        };
        configure(workspace, &attributes("secret-one", 7));
        workspace.apply();
        assert_eq!(workspace.attribute("write_only_props_version"), 7);

        configure(workspace, &attributes("secret-two", 7));
        workspace.assert_nothing_to_do();

        configure(workspace, &attributes("secret-three", 8));
        let seen = applied_update(workspace, 8);
        assert_eq!(seen, Some(json!({ "token": "secret-three" })));
        workspace.destroy();
    });
}

/// The value is not known when the plan is made, so neither is whether it has changed.
#[test]
fn a_value_that_is_known_only_later() {
    trial(&[], |workspace| {
        workspace.configure(
            r#"
resource "terraform_data" "later" {}

resource "denobridge_resource" "a" {
  path             = "./puppet.py"
  props            = { name = "a" }
  write_only_props = { token = terraform_data.later.id }

  write_only_props_detect_changes = true
}
"#,
        );
        workspace.apply();
        let created = &workspace.calls_of("create")[0];
        let later = &workspace.instances()["terraform_data.later"]["attributes"]["id"];
        assert_eq!(&created["writeOnlyProps"]["token"], later);
        workspace.assert_nothing_to_do();

        workspace.run("taint terraform_data.later").succeeds();
        workspace.forget_calls();
        workspace.apply();
        let updates = workspace.calls_of("update");
        let later = &workspace.instances()["terraform_data.later"]["attributes"]["id"];
        assert_eq!(&updates[0]["nextWriteOnlyProps"]["token"], later);
        workspace.assert_nothing_to_do();
        workspace.destroy();
    });
}
