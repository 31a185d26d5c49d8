//! Text of scripts cannot control the terminal on which Terraform prints it.

use serde_json::{Value, json};

use crate::outcome::Outcome;
use crate::tools::Need;
use crate::trial::trial;
use crate::workspace::Workspace;

/// Moves the cursor, sets a title, hides and reorders text, and starts a new line.
const HOSTILE: &str = "shown\u{1b}[7;7H\u{1b}]0;mine\u{7}\u{9b}7;7H\u{7f}\u{8}\r\
    \u{202e}\u{2066}\u{200f}\u{61c}\u{200b}\u{200d}\u{2060}\u{feff}\u{2028}\u{2029}\u{ad}\u{fff9}\
    \u{e0041}shown";

/// Checks that it was printed with its control characters escaped.
#[track_caller]
fn assert_is_harmless(outcome: &Outcome) {
    outcome.says("shown");
    let is_hidden = |one: &char| !one.is_ascii_graphic() && *one != '\u{1b}';
    let printed = format!("{}{}", outcome.stdout, outcome.stderr);
    for character in HOSTILE.chars().filter(is_hidden) {
        assert!(!printed.contains(character), "{character:?}: {printed:?}");
    }
    // Colours are Terraform's own.
    for sequence in ["\u{1b}[7;7H", "\u{1b}]"] {
        assert!(!printed.contains(sequence), "{sequence:?}: {printed:?}");
    }
}

fn configure(workspace: &Workspace) {
    workspace.configure(
        r#"
resource "denobridge_resource" "a" {
  path  = "./puppet.py"
  props = { name = "a" }
}
"#,
    );
}

fn diagnostic(severity: &str) -> Value {
    json!({
        "severity": severity, "summary": HOSTILE, "detail": HOSTILE,
        "propPath": ["props", HOSTILE, "name"],
    })
}

#[test]
fn failures_of_a_script() {
    trial(&[], |workspace| {
        configure(workspace);
        let error = json!({ "code": -32042, "message": HOSTILE, "data": HOSTILE });
        let stderr = json!({ "stderr": HOSTILE });
        for moves in [
            json!([stderr, { "error": error }]),
            json!([stderr, { "result": { "diagnostics": [diagnostic("error")] } }]),
            json!([stderr, { "exit": 3 }]),
            json!([{ "print": format!("starting: {HOSTILE}") }, { "exit": 3 }]),
        ] {
            workspace.moves(&json!({ "create": moves }));
            assert_is_harmless(&workspace.apply_fails());
        }
    });
}

#[test]
fn warnings_of_a_script() {
    trial(&[], |workspace| {
        configure(workspace);
        let answer = json!({ "diagnostics": [diagnostic("warning")] });
        workspace.moves(&json!({ "modifyPlan": [{ "result": answer }] }));
        assert_is_harmless(&workspace.plan());
    });
}

#[test]
fn errors_of_a_function() {
    trial(&[], |workspace| {
        workspace.configure(
            "output \"a\" {\n  value = provider::denobridge::call(\"./puppet.py\", \"f\")\n}\n",
        );
        for moves in [
            json!([{ "error": { "code": 1, "message": HOSTILE } }]),
            json!([{ "result": { "diagnostics": [diagnostic("error")] } }]),
        ] {
            workspace.moves(&json!({ "call": moves }));
            assert_is_harmless(&workspace.apply_fails());
        }
    });
}

#[test]
fn progress_of_an_action() {
    trial(&[Need::Actions], |workspace| {
        workspace.configure(
            r#"
action "denobridge_action" "a" {
  config {
    path  = "./puppet.py"
    props = {}
  }
}

resource "terraform_data" "a" {
  lifecycle {
    action_trigger {
      events  = [after_create]
      actions = [action.denobridge_action.a]
    }
  }
}
"#,
        );
        let answer = json!({ "done": true, "diagnostics": [diagnostic("warning")] });
        workspace.moves(&json!({ "invoke": [{ "progress": HOSTILE }, { "result": answer }] }));
        assert_is_harmless(&workspace.apply());
    });
}

/// The output and the answers of scripts are part of Terraform's log.
#[test]
fn the_log() {
    trial(&[], |workspace| {
        configure(workspace);
        let error = json!({ "code": 1, "message": HOSTILE });
        workspace.moves(&json!({ "create": [{ "stderr": HOSTILE }, { "error": error }] }));
        workspace.set("TF_LOG_PROVIDER", "debug");
        assert_is_harmless(&workspace.apply_fails());
    });
}
