//! Plugins that misbehave in a hook.

use serde_json::Value;

use crate::outcome::Outcome;
use crate::workspace::{Workspace, names, trial};

/// Two resources, so that a hook would be called twice.
const CONFIGURATION: &str = "resource \"terraform_data\" \"a\" {\n  count = 2\n}\n";

/// What comes of an apply whose hook after the plan does this.
fn misbehaving(workspace: &Workspace, deeds: &str) -> (Outcome, Vec<Value>) {
    let config = format!("{{ acts = {{ postPlan = {deeds} }} }}");
    workspace.project(CONFIGURATION, &config, "");
    let text = std::fs::read_to_string(workspace.path("tenon.hcl")).unwrap();
    let limit = match deeds.contains("hang") {
        true => "hook_timeout_seconds = 0.5\n",
        false => "",
    };
    workspace.write("tenon.hcl", &format!("{text}{limit}"));
    workspace.calls();
    let failed = workspace.run("apply -auto-approve").fails();
    // Nothing was applied, and the plugin was not asked again.
    assert!(!workspace.path("terraform.tfstate").exists(), "{failed}");
    failed.says("1 hook failed, nothing was applied");
    // What the plugin writes cannot control the terminal.
    assert!(!failed.stderr.contains('\u{1b}'), "{failed}");
    let calls = workspace.calls();
    (failed, calls)
}

#[test]
fn a_plugin_that_dies_is_shown_with_its_last_words() {
    trial(|workspace| {
        workspace.project(CONFIGURATION, "{}", "");
        workspace.run("init").succeeds();
        let (failed, calls) = misbehaving(workspace, r#"["say", "die"]"#);
        assert_eq!(names(&calls), ["planStageStart", "postPlan"]);
        failed
            .says("failed puppet postPlan terraform_data.a[0] the plugin ended before it answered");
        failed.says(
            "plugin puppet, postPlan of terraform_data.a[0]: the plugin ended before it answered",
        );
        failed.says("tests/terraform/hooks.py it ended with exit status: 3");
        failed.says("last lines of its stderr: postPlan has something to say");
        failed.says("hint: `tenon terraform --verbose ...`");
    });
}

#[test]
fn a_plugin_that_does_not_answer_is_given_up() {
    trial(|workspace| {
        workspace.project(CONFIGURATION, "{}", "");
        workspace.run("init").succeeds();
        let (failed, calls) = misbehaving(workspace, r#"["say", "hang"]"#);
        assert_eq!(names(&calls), ["planStageStart", "postPlan"]);
        failed.says("no answer within 500ms");
        failed.says("postPlan has something to say");
        failed.says("raise `hook_timeout_seconds` in tenon.hcl");
    });
}

#[test]
fn what_is_not_a_message_is_a_failure() {
    trial(|workspace| {
        workspace.project(CONFIGURATION, "{}", "");
        workspace.run("init").succeeds();
        let (failed, _) = misbehaving(workspace, r#"["print"]"#);
        failed.says("stdout belongs to the protocol");
        let (failed, _) = misbehaving(workspace, r#"["rubbish"]"#);
        failed.says("puppet postPlan terraform_data.a[0]");
        let (failed, _) = misbehaving(workspace, r#"["cut"]"#);
        failed.says("plugin puppet, postPlan of terraform_data.a[0]:");
    });
}

/// The plugin is still there, so the other resources are shown to it as well.
#[test]
fn an_error_or_an_invalid_answer_is_a_failure_of_one_hook() {
    trial(|workspace| {
        let acts = |acts: &str| {
            workspace.project(CONFIGURATION, acts, "");
            workspace.calls();
            let failed = workspace.run("apply -auto-approve").fails();
            failed.says("2 hooks failed");
            assert_eq!(
                names(&workspace.calls()).last(),
                Some(&"planStageCompleted")
            );
            failed
        };
        workspace.project(CONFIGURATION, "{}", "");
        workspace.run("init").succeeds();
        // The message of an error is for the user.
        let failed = acts(r#"{ acts = { postPlan = ["fail"] } }"#);
        failed.says("failed puppet postPlan terraform_data.a[1] it is against the rules");
        failed.says_nothing_of("hint:");
        // Other errors are faults of the plugin.
        let failed = acts(r#"{ acts = { postPlan = ["raise"] } }"#);
        failed.says("KeyError: 'no such thing'");
        failed.says("Traceback (most recent call last):");
        let failed = acts(r#"{ answers = { postPlan = [1] } }"#);
        failed.says("invalid answer:");
        failed.says("hint: a hook is answered with a map");
        let failed = acts(r#"{ answers = { postPlan = { status = "perhaps" } } }"#);
        failed.says("invalid answer: the status \"perhaps\" is not success, warning or fail");
        // Nothing at all is not a pass, nor are the members of a pass in another form.
        let failed = acts("{ answers = { postPlan = null } }");
        failed.says("invalid answer: the result is nil, not a map");
        let failed = acts(r#"{ answers = { postPlan = ["ok", null, null, null] } }"#);
        failed.says("invalid answer: the result is an array, not a map");
        let failed = acts(r#"{ answers = { postPlan = { warnings = "one" } } }"#);
        failed.says("invalid answer: `warnings` is a text, not a list of texts");
    });
}

#[test]
fn a_plugin_that_cannot_be_used_is_named() {
    trial(|workspace| {
        workspace.write("main.tf", CONFIGURATION);
        workspace.write(
            "tenon.hcl",
            "plugin \"cost\" {\n  command = [\"./missing\"]\n}\nhooks = [\"cost\"]\n",
        );
        let failed = workspace.run("plan");
        assert_eq!(failed.code, Some(3), "{failed}");
        failed.says("plugin \"cost\": the plugin could not be started");
        workspace.write(
            "tenon.hcl",
            "plugin \"cost\" {\n  command = [\"sh\", \"-c\", \"echo no price list >&2; exit 1\"]\n}\n\
             hooks = [\"cost\"]\n",
        );
        let failed = workspace.run("plan");
        assert_eq!(failed.code, Some(3), "{failed}");
        failed.says("plugin \"cost\":").says("no price list");
    });
}

/// A plugin with hooks of these names.
const NAMED: &str = r#"
import os, sys
sys.path.insert(0, os.environ["EXAMPLES"])
from seasonings import serve
serve("named", "1", {f"middleware/{name}": lambda params: {} for name in sys.argv[1:]})
"#;

#[test]
fn a_misspelt_hook_is_not_silent() {
    trial(|workspace| {
        workspace.write("main.tf", CONFIGURATION);
        workspace.write("named.py", NAMED);
        let project = |names: &str| {
            let text = format!(
                "plugin \"named\" {{\n  command = [\"python3\", \"named.py\", {names}]\n  env = [\"EXAMPLES\"]\n}}\n\
                 hooks = [\"named\"]\n"
            );
            workspace.write("tenon.hcl", &text);
        };
        project(r#""postPaln", "preApply""#);
        workspace.run("init").succeeds();
        let applied = workspace.run("apply -auto-approve").succeeds();
        applied.says(
            "warning named init - unknown capability `hooks.postPaln`, which is never called; did you mean \
             `hooks.postPlan`?",
        );
        project(r#""postPaln""#);
        let refused = workspace.run("apply -auto-approve");
        assert_eq!(refused.code, Some(3), "{refused}");
        refused
            .says("the plugin \"named\" has no hooks: its capabilities are unknown: hooks.postPaln")
            .says("hint: did you mean `hooks.postPlan`?");
    });
}
