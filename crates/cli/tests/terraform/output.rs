//! What `tenon terraform` prints besides what Terraform does, for people and for programs.

use serde_json::{Value, json};

use crate::outcome::Outcome;
use crate::workspace::{Workspace, names, trial};

const CONFIGURATION: &str = "resource \"terraform_data\" \"a\" {}\n";

fn prepared(workspace: &Workspace, configuration: &str) {
    workspace.project(configuration, "{}", "");
    workspace.run("init").succeeds();
    workspace.calls();
}

/// The lines of an output that must be all there is.
fn lines(outcome: &Outcome) -> Vec<Value> {
    assert_eq!(outcome.stderr, "", "{outcome}");
    let lines = outcome.stdout.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}")))
        .collect()
}

fn of_type<'a>(lines: &'a [Value], kind: &str) -> Vec<&'a Value> {
    lines.iter().filter(|line| line["type"] == kind).collect()
}

#[test]
fn with_json_a_failure_to_start_is_a_line_of_json() {
    trial(|workspace| {
        workspace.write("main.tf", CONFIGURATION);
        for (text, summary, code) in [
            (
                "plugin \"cost\" {\n  command = [\"./missing\"]\n}\nhooks = [\"cost\"]\n",
                "plugin \"cost\": the plugin could not be started",
                3,
            ),
            (
                "plugin \"cost\" {\n  command = [\"./missing\"]\n}\nhooks = [\"cots\"]\n",
                "unknown plugin `cots`",
                1,
            ),
            (
                "plugin \"store\" {\n  command = [\"./missing\"]\n}\nstorage = \"store\"\n",
                "tenon.hcl keeps the state in the plugin \"store\"",
                1,
            ),
        ] {
            workspace.write("tenon.hcl", text);
            let failed = workspace.run("apply -json -auto-approve");
            assert_eq!(failed.code, Some(code), "{failed}");
            let lines = lines(&failed);
            assert_eq!(lines.len(), 2, "{failed}");
            let diagnostic = &lines[0]["diagnostic"];
            assert_eq!(
                (&lines[0]["type"], &diagnostic["severity"]),
                (&json!("diagnostic"), &json!("error"))
            );
            let said = diagnostic["summary"].as_str().unwrap();
            assert!(said.starts_with(summary), "{failed}");
            assert_eq!(lines[1]["hooks"]["exit_code"], code, "{failed}");
        }
    });
}

#[test]
fn an_apply_with_json_tells_the_plan_once() {
    trial(|workspace| {
        prepared(workspace, CONFIGURATION);
        let applied = workspace.run("apply -json -auto-approve").succeeds();
        let lines = lines(&applied);
        for kind in ["version", "planned_change"] {
            assert_eq!(of_type(&lines, kind).len(), 1, "{kind}: {applied}");
        }
        assert_eq!(of_type(&lines, "apply_complete").len(), 1, "{applied}");
        assert_eq!(lines.last().unwrap()["hooks"]["exit_code"], 0);
        let destroyed = workspace.run("destroy -json -auto-approve").succeeds();
        let lines = self::lines(&destroyed);
        let summary = *of_type(&lines, "change_summary").last().unwrap();
        assert_eq!(summary["changes"]["operation"], "destroy", "{destroyed}");
        assert_eq!(
            summary["@message"],
            "Destroy complete! Resources: 1 destroyed."
        );
        // A saved plan is told when it is applied: no other command of these lines has shown it.
        workspace.run("plan -out=saved").succeeds();
        let applied = workspace.run("apply -json saved").succeeds();
        let lines = self::lines(&applied);
        assert_eq!(of_type(&lines, "version").len(), 1, "{applied}");
    });
}

#[test]
fn a_destroy_ends_as_a_destroy() {
    trial(|workspace| {
        prepared(workspace, CONFIGURATION);
        workspace
            .run("apply -auto-approve")
            .succeeds()
            .says("Apply complete!");
        let destroyed = workspace.run("destroy -auto-approve").succeeds();
        destroyed
            .says("Destroy complete! Resources: 1 destroyed.")
            .says_nothing_of("Apply complete!");
    });
}

#[test]
fn a_saved_plan_is_to_be_applied_with_tenon() {
    trial(|workspace| {
        prepared(workspace, CONFIGURATION);
        let planned = workspace.run("plan -out=saved").succeeds();
        planned
            .says("Saved the plan to: saved")
            .says("tenon terraform apply \"saved\"");
        assert!(!planned.stdout.contains("    terraform apply"), "{planned}");
        let quiet = [("TF_IN_AUTOMATION", "1")];
        let planned = workspace.run_with("plan -out=saved", "", &quiet).succeeds();
        planned.says_nothing_of("Saved the plan");
        let config = r#"{ answers = { postPlan = { status = "fail" } } }"#;
        workspace.project(CONFIGURATION, config, "");
        workspace
            .run("plan -out=saved")
            .fails()
            .says_nothing_of("Saved the plan");
    });
}

#[test]
fn a_file_that_is_not_a_plan_is_refused_in_plain_text() {
    trial(|workspace| {
        prepared(workspace, CONFIGURATION);
        workspace.write("junk", "this is not a plan");
        let refused = workspace.run("apply junk").fails();
        refused.says("show -json junk` failed").says("junk");
        for trace in ["\\u{1b}", "\u{1b}", "╷", "/proc/"] {
            assert!(!refused.stderr.contains(trace), "{refused}");
        }
    });
}

#[test]
fn records_that_cannot_be_written_do_not_stop_an_apply() {
    trial(|workspace| {
        let config = r#"{ answers = { postPlan = { metadata = { cost = 7 } } } }"#;
        workspace.project(CONFIGURATION, config, "");
        workspace.run("init").succeeds();
        // Nobody can create a folder here, not even root.
        workspace.write(".tenon", "");
        let applied = workspace.run("apply -auto-approve").succeeds();
        applied
            .says("warning: could not write ./.tenon/plans.json, so the review of the plan is not recorded")
            .says("warning: could not write ./.tenon/metadata.json, so what plugins noted about resources is lost")
            .says("hint: make the folder .tenon writable");
        workspace.run("plan -detailed-exitcode").succeeds();
        // The plan is reviewed again, because there is no record that it has passed.
        workspace.run("plan -out=saved").succeeds();
        workspace.calls();
        workspace.run("apply saved").succeeds();
        assert_eq!(names(&workspace.calls())[0], "postRefresh");
    });
}

#[test]
fn options_of_tenon_are_explained_where_they_are_wrong() {
    trial(|workspace| {
        prepared(workspace, CONFIGURATION);
        let refused = workspace.run("--verbos plan").fails();
        refused
            .says("tenon terraform has no option \"--verbos\"")
            .says("did you mean `tenon terraform --verbose plan`?")
            .says("come before the command");
        let refused = workspace.run("plan --no-plugins").fails();
        refused.says("hint: write `tenon terraform --no-plugins plan ...`");
        assert!(workspace.calls().is_empty());
    });
}
