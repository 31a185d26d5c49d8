//! Actions: invoked by a trigger or by hand, with progress.

use serde_json::{Value, json};

use crate::tools::Need;
use crate::trial::trial;
use crate::workspace::Workspace;

fn configure(workspace: &Workspace) {
    workspace.configure(
        r#"
action "denobridge_action" "a" {
  config {
    path = "./puppet.py"
    props = {
      name = "a"
      size = terraform_data.a.input
    }
  }
}

resource "terraform_data" "a" {
  input = 3
  lifecycle {
    action_trigger {
      events  = [after_create]
      actions = [action.denobridge_action.a]
    }
  }
}
"#,
    );
}

#[test]
fn progress_is_shown_in_order() {
    trial(&[Need::Actions], |workspace| {
        let progress = |number: usize| json!({ "progress": format!("step {number} of 20") });
        let mut moves: Vec<Value> = (1..=20).map(progress).collect();
        let warning =
            json!({ "severity": "warning", "summary": "Slow", "detail": "It took long." });
        moves.push(json!({ "result": { "done": true, "diagnostics": [warning] } }));
        workspace.moves(&json!({ "invoke": moves }));
        configure(workspace);
        let applied = workspace.apply();
        assert_eq!(
            workspace.calls_of("invoke"),
            [json!({ "props": { "name": "a", "size": 3 } })]
        );
        let shown: Vec<usize> = (1..=20)
            .map(|number| applied.stdout.find(&format!("step {number} of 20")))
            .map(|place| place.expect("every step"))
            .collect();
        assert!(shown.is_sorted(), "{applied}");
        assert!(!applied.stdout.contains('\r'), "{applied}");
        applied.says("Slow: It took long.");
        workspace.assert_nothing_to_do();

        workspace.forget_calls();
        let invoke = "apply -auto-approve -invoke=action.denobridge_action.a";
        let invoked = workspace.run(invoke).succeeds();
        invoked.says("step 20 of 20");
        assert_eq!(workspace.calls_of("invoke").len(), 1);
    });
}

#[test]
fn an_action_that_fails_says_why_and_where() {
    trial(&[Need::Actions], |workspace| {
        let error = json!({
            "severity": "error",
            "summary": "Too big",
            "detail": "At most 2.",
            "propPath": ["props", "size"],
        });
        let moves = json!([{ "progress": "measuring" }, { "result": { "diagnostics": [error] } }]);
        workspace.moves(&json!({ "invoke": moves }));
        configure(workspace);
        let failed = workspace.apply_fails();
        failed.says("measuring");
        failed.says("Error when invoking action");
        // Terraform 1.15 shows no line of the action's block.
        failed.says("Too big: At most 2. Attribute: props.size");
        // Resources that were created before it stay.
        assert_eq!(workspace.instances().len(), 1);

        let invoke = "apply -auto-approve -invoke=action.denobridge_action.a";
        let thrown = json!({ "code": -32000, "message": "the pump is broken" });
        workspace.moves(&json!({ "invoke": [{ "stderr": "pumping" }, { "error": thrown }] }));
        let failed = workspace.run(invoke).fails();
        failed
            .says("the pump is broken")
            .says("pumping")
            .says("puppet.py");

        workspace.moves(&json!({ "invoke": [{ "result": { "done": false } }] }));
        let failed = workspace.run(invoke).fails();
        failed.says("puppet.py");
    });
}

/// Progress has no id of the action it belongs to, so actions must not run in one script at the same
/// time.
#[test]
fn every_action_has_its_own_progress() {
    trial(&[Need::Actions], |workspace| {
        workspace.moves(&json!({
            "invoke a": [{ "progress": "for a" }, { "sleep": 0.2 }, { "progress": "still for a" }],
            "invoke b": [{ "progress": "for b" }, { "sleep": 0.2 }, { "progress": "still for b" }],
        }));
        workspace.configure(
            r#"
action "denobridge_action" "each" {
  for_each = toset(["a", "b"])
  config {
    path  = "./puppet.py"
    props = { name = each.key }
  }
}

resource "terraform_data" "a" {
  lifecycle {
    action_trigger {
      events  = [after_create]
      actions = [action.denobridge_action.each["a"]]
    }
  }
}

resource "terraform_data" "b" {
  lifecycle {
    action_trigger {
      events  = [after_create]
      actions = [action.denobridge_action.each["b"]]
    }
  }
}
"#,
        );
        let applied = workspace.apply();
        for name in ["a", "b"] {
            let action =
                format!(r#"denobridge_action.each["{name}"] (triggered by terraform_data.{name})"#);
            applied.says(&format!("{action}: for {name}"));
            applied.says(&format!("{action}: still for {name}"));
        }
    });
}
