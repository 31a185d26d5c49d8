//! `modifyPlan`, by which a script can change a plan.

use serde_json::{Value, json};

use crate::tools::Need;
use crate::trial::trial;
use crate::workspace::Workspace;

fn configure(workspace: &Workspace, props: &str) {
    workspace.configure(&format!(
        r#"
resource "denobridge_resource" "a" {{
  path = "./puppet.py"
  props = {{
    name = "a"
    {props}
  }}
}}
"#
    ));
}

/// Sets the answer of the script to every `modifyPlan` from now on.
fn answer(workspace: &Workspace, answer: Value) {
    workspace.moves(&json!({ "modifyPlan": [{ "result": answer }] }));
}

#[test]
fn a_script_is_asked_when_props_change_and_before_a_delete() {
    trial(&[], |workspace| {
        answer(workspace, Value::Null);
        configure(workspace, "size = 1");
        workspace.apply();
        let asked = workspace.calls_of("modifyPlan");
        let create = json!({ "planType": "create", "nextProps": { "name": "a", "size": 1 } });
        assert_eq!(asked, [create.clone(), create]);

        workspace.forget_calls();
        workspace.assert_nothing_to_do();
        assert_eq!(workspace.calls_of("modifyPlan"), Vec::<Value>::new());

        configure(workspace, "size = 2");
        workspace.plan().has_changes();
        let update = json!({
            "id": "a",
            "planType": "update",
            "nextProps": { "name": "a", "size": 2 },
            "currentProps": { "name": "a", "size": 1 },
            "currentState": { "version": 1 },
        });
        assert_eq!(workspace.calls_of("modifyPlan"), [update]);

        configure(workspace, "size = 1");
        workspace.forget_calls();
        workspace.destroy();
        let delete = json!({
            "id": "a",
            "planType": "delete",
            "nextProps": null,
            "currentProps": { "name": "a", "size": 1 },
            "currentState": { "version": 1 },
        });
        let asked = workspace.calls_of("modifyPlan");
        assert!(!asked.is_empty());
        assert!(asked.iter().all(|asked| *asked == delete), "{asked:?}");
    });
}

#[test]
fn a_script_may_ask_for_a_replacement() {
    trial(&[], |workspace| {
        let warning =
            json!({ "severity": "warning", "summary": "A big step", "detail": "Sizes stay." });
        answer(
            workspace,
            json!({ "requiresReplacement": true, "diagnostics": [warning] }),
        );
        configure(workspace, "size = 1");
        workspace.apply();
        configure(workspace, "size = 2");
        let applied = workspace.apply();
        applied.says("denobridge_resource.a must be replaced");
        applied.says("~ size = 1 -> 2");
        applied.says("Warning: A big step").says("Sizes stay.");
        applied.says("1 added, 0 changed, 1 destroyed");
        assert_eq!(workspace.calls_of("update"), Vec::<Value>::new());
        assert_eq!(workspace.attribute("state"), json!({ "version": 1 }));
        workspace.assert_nothing_to_do();
        workspace.destroy();
    });
}

/// Defaults that a script fills in: it gets the completed props in all later calls, and the next plan is
/// empty.
#[test]
fn a_script_may_fill_in_defaults() {
    trial(&[], |workspace| {
        let filled = |size: u64| json!({ "name": "a", "size": size, "colours": ["red", 5] });
        answer(workspace, json!({ "modifiedProps": filled(1) }));
        configure(workspace, "size = 1");
        let plan = workspace.plan().has_changes();
        plan.says("+ modified_props = (sensitive value)");
        workspace.apply();
        assert_eq!(workspace.calls_of("create")[0]["props"], filled(1));
        assert_eq!(
            workspace.attribute("props"),
            json!({ "name": "a", "size": 1 })
        );
        assert_eq!(workspace.attribute("modified_props"), filled(1));
        workspace.forget_calls();
        workspace.assert_nothing_to_do();
        assert_eq!(workspace.calls_of("read")[0]["props"], filled(1));

        answer(workspace, json!({ "modifiedProps": filled(2) }));
        configure(workspace, "size = 2");
        workspace.apply().says("0 added, 1 changed, 0 destroyed");
        let update = &workspace.calls_of("update")[0];
        assert_eq!(update["nextProps"], filled(2));
        assert_eq!(update["currentProps"], filled(1));
        workspace.assert_nothing_to_do();

        // A default that is changed outside of Terraform is drift as well.
        workspace.write(
            "objects/a.json",
            &json!({ "props": { "name": "a", "size": 2, "colours": [] }, "version": 9 })
                .to_string(),
        );
        workspace.apply().says("0 added, 1 changed, 0 destroyed");
        workspace.assert_nothing_to_do();
        workspace.destroy();
        assert_eq!(workspace.calls_of("delete")[0]["props"], filled(2));
    });
}

#[test]
fn a_script_may_say_that_props_mean_the_same() {
    trial(&[], |workspace| {
        configure(workspace, r#"text = "[1,2]""#);
        workspace.apply();
        let same = json!({ "modifiedProps": { "name": "a", "text": "[1,2]" } });
        answer(workspace, same);
        configure(workspace, r#"text = "[1, 2]""#);
        workspace.assert_nothing_to_do().says("No changes.");
        workspace.destroy();
    });
}

#[test]
fn a_script_hears_what_is_not_known_yet() {
    trial(&[], |workspace| {
        let error = json!({
            "severity": "error",
            "summary": "No name",
            "detail": "Tags have names.",
            "propPath": ["nextProps", "tags", "name"],
        });
        // An empty value is not an error yet: it is only a placeholder.
        let moves = json!({ "modifyPlan": [{ "result": { "diagnostics": [error] } }] });
        workspace.moves(&moves);
        workspace.configure(
            r#"
resource "terraform_data" "later" {}

resource "denobridge_resource" "a" {
  path = "./puppet.py"
  props = {
    name = "a"
    tags = { name = terraform_data.later.id, size = 1 }
    list = [terraform_data.later.id, "known"]
  }
}
"#,
        );
        workspace.plan().has_changes();
        let asked = workspace.calls_of("modifyPlan");
        let next = json!({
            "name": "a",
            "tags": { "name": "", "size": 1 },
            "list": ["", "known"],
        });
        assert_eq!(asked[0]["nextProps"], next);
        let mut unknown: Vec<String> = asked[0]["unknownProps"]
            .as_array()
            .expect("a list")
            .iter()
            .map(Value::to_string)
            .collect();
        unknown.sort();
        let paths = [
            json!(["nextProps", "list", "0"]).to_string(),
            json!(["nextProps", "tags", "name"]).to_string(),
        ];
        assert_eq!(unknown, paths);

        let failed = workspace.apply_fails();
        failed.says("Error: No name");
        answer(workspace, json!({ "noChanges": true }));
        workspace.forget_calls();
        workspace.apply();
        let asked = workspace.calls_of("modifyPlan");
        let last = asked.last().expect("a question");
        assert_eq!(last.get("unknownProps"), None);
        assert!(last["nextProps"]["tags"]["name"].is_string(), "{last}");
        workspace.assert_nothing_to_do();
        workspace.destroy();
    });
}

/// Neither the script nor the props are known when the plan is made.
#[test]
fn a_script_and_its_props_may_be_known_only_later() {
    trial(&[], |workspace| {
        workspace.configure(
            r#"
resource "terraform_data" "path" {
  input = "./puppet.py"
}

resource "terraform_data" "props" {
  input = { name = "b" }
}

resource "denobridge_resource" "a" {
  path  = terraform_data.path.output
  props = { name = "a" }
}

resource "denobridge_resource" "b" {
  command = ["python3", "-u", terraform_data.path.output]
  props   = terraform_data.props.output
}
"#,
        );
        workspace.apply();
        workspace.assert_nothing_to_do();
        workspace.destroy();
        assert_eq!(workspace.calls_of("delete").len(), 2);
    });
}

#[test]
fn problems_are_shown_where_they_are() {
    trial(&[], |workspace| {
        let problem = |severity: &str, path: Value| {
            json!({
                "severity": severity,
                "summary": format!("A {severity}"),
                "detail": "Look here.",
                "propPath": path,
            })
        };
        configure(workspace, "colour = \"no\"\n    sizes = [1, 2]");
        let warning = problem("warning", json!(["nextProps", "colour"]));
        answer(workspace, json!({ "diagnostics": [warning] }));
        let planned = workspace.plan().has_changes();
        let place = |line: &str| format!(r#"on main.tf line {line} Look here."#);
        planned.says("Warning: A warning");
        planned.says(&place(
            r#"12, in resource "denobridge_resource" "a": 12: colour = "no""#,
        ));

        let deep = problem("error", json!(["props", "sizes", 1]));
        let lost = problem("error", json!(["props", "nothing", "of", "that"]));
        answer(workspace, json!({ "diagnostics": [deep, lost] }));
        let failed = workspace.plan().fails();
        assert_eq!(failed.count("Error: A error"), 2, "{failed}");
        if workspace.terraform.has(Need::Identity) {
            failed.says(&place(
                r#"13, in resource "denobridge_resource" "a": 13: sizes = [1, 2]"#,
            ));
        }
        failed.says("with denobridge_resource.a,");
    });
}
