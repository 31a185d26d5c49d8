//! Hooks around plan and apply.

use std::fs;

use serde_json::{Value, json};

use crate::workspace::{Workspace, names, puppet, trial};

const CONFIGURATION: &str = r#"
variable "size" { default = "small" }
resource "terraform_data" "a" {
  input = { size = var.size, secret = sensitive("hunter2") }
}
resource "terraform_data" "b" {
  triggers_replace = terraform_data.a.id
}
"#;

fn project(workspace: &Workspace, config: &str, rest: &str) {
    workspace.project(CONFIGURATION, config, rest);
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
        refused.says("2 hooks failed, nothing was applied");
        // All hooks were called, and nothing was applied.
        let calls = workspace.calls();
        assert_eq!(names(&calls).last(), Some(&"planStageCompleted"));
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
        failed.says_nothing_of("nothing was applied");
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
fn plugins_are_called_in_order_and_see_the_metadata_of_those_before() {
    trial(|workspace| {
        workspace.write("main.tf", "resource \"terraform_data\" \"a\" {}\n");
        let first = r#"{ name = "one", answers = {
            postPlan = { metadata = { cost = 7 } }
            preApply = { status = "fail", message = "not today" }
        } }"#;
        let second = r#"{ name = "two", answers = {
            planStageCompleted = { status = "pass", message = "costs 7 per month" }
        } }"#;
        let text = format!(
            "{}{}hooks = [\"one\", \"two\"]\n",
            puppet("one", first, ""),
            puppet("two", second, "")
        );
        workspace.write("tenon.hcl", &text);
        workspace.run("init").succeeds();
        workspace.calls();
        let refused = workspace.run("apply -auto-approve").fails();
        let calls = workspace.calls();
        let called: Vec<(&str, &str)> = calls
            .iter()
            .map(|call| {
                let text = |name: &str| call[name].as_str().unwrap();
                (text("plugin"), text("hook"))
            })
            .collect();
        let expected = [
            ("one", "planStageStart"),
            ("two", "planStageStart"),
            ("one", "postPlan"),
            ("two", "postPlan"),
            ("one", "planStageCompleted"),
            ("two", "planStageCompleted"),
            ("one", "applyStageStart"),
            ("two", "applyStageStart"),
            // A failure of a hook before something stops the chain.
            ("one", "preApply"),
        ];
        assert_eq!(called, expected);
        assert_eq!(calls[2]["metadata"], json!({}));
        assert_eq!(calls[3]["metadata"], json!({"one": {"cost": 7}}));
        let resources = &calls[5]["resources"];
        assert_eq!(resources[0]["metadata"], json!({"one": {"cost": 7}}));
        let table: Vec<&str> = refused
            .stderr
            .lines()
            .filter(|line| !line.is_empty())
            .collect();
        assert_eq!(
            table,
            [
                "result  plugin  hook                resource          message",
                "ok      two     planStageCompleted  -                 costs 7 per month",
                "failed  one     preApply            terraform_data.a  not today",
                "1 hook failed, nothing was applied",
            ]
        );
        assert!(!workspace.path("terraform.tfstate").exists());

        // The same for a program: every line is JSON.
        let refused = workspace.run("apply -auto-approve -json").fails();
        assert_eq!(refused.stderr, "");
        let lines: Vec<Value> = { refused.stdout.lines() }
            .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}")))
            .collect();
        let ours = |line: &&Value| line["@module"] == "tenon.hooks";
        let ours: Vec<&Value> = lines.iter().filter(ours).collect();
        assert_eq!(ours.len(), 3);
        assert_eq!(
            ours[1]["finding"],
            json!({"plugin": "one", "hook": "preApply", "address": "terraform_data.a",
                "result": "failed", "message": "not today"})
        );
        assert_eq!(
            (&ours[1]["@level"], &ours[1]["type"]),
            (&json!("error"), &json!("hook_finding"))
        );
        assert_eq!(
            ours[2]["hooks"],
            json!({"warnings": 0, "failures": 1, "exit_code": 1})
        );
        assert_eq!(lines[0]["type"], "version");
        let told = workspace.run("--json plan").succeeds();
        let last = told.stdout.lines().last().unwrap();
        assert!(last.contains("\"hook_summary\""), "{told}");
    });
}

#[test]
fn destroy_refresh_and_import_have_hooks() {
    trial(|workspace| {
        let config = r#"{ answers = {
            postRefresh = { status = "warn", message = "seen", metadata = { seen = true } }
            postPlan = { metadata = { cost = 1 } }
        } }"#;
        project(workspace, config, "");
        workspace.run("init").succeeds();
        workspace.run("import terraform_data.a some-id").succeeds();
        let calls = workspace.calls();
        assert_eq!(
            names(&calls)[2..],
            ["applyStageStart", "applyStageCompleted"]
        );
        assert_eq!(calls[3]["summary"]["import"], 1);
        assert_eq!(calls[3]["resources"][0]["address"], "terraform_data.a");

        let refreshed = workspace.run("refresh").succeeds();
        refreshed.says("warning puppet postRefresh terraform_data.a seen");
        let calls = workspace.calls();
        assert_eq!(names(&calls), ["preRefresh", "postRefresh"]);
        assert_eq!(calls[1]["before"]["id"], "some-id");
        assert_eq!(calls[1]["after"]["id"], "some-id");

        workspace.run("apply -auto-approve").succeeds();
        workspace.calls();
        let notes = || fs::read_to_string(workspace.path(".tenon/metadata.json")).unwrap();
        assert!(notes().contains("terraform_data.b"), "{}", notes());

        let config = r#"{ answers = { preApply = { status = "fail", message = "keep it" } } }"#;
        project(workspace, config, "");
        workspace
            .run("destroy -auto-approve")
            .fails()
            .says("keep it");
        let list = workspace.run("state list").succeeds();
        assert_eq!(list.stdout.lines().count(), 2);
        workspace.calls();
        project(workspace, "{}", "");
        workspace.run("apply -destroy -auto-approve").succeeds();
        let calls = workspace.calls();
        let is_deleted = |call: &&Value| call["applied_action"] == "Delete";
        assert_eq!(calls.iter().filter(is_deleted).count(), 2, "{calls:?}");
        // What was destroyed leaves no metadata.
        assert_eq!(notes().trim(), r#"{"format":1,"lineages":{}}"#);
    });
}

#[test]
fn a_plan_that_fails_is_told_to_plugins() {
    trial(|workspace| {
        project(workspace, "{}", "");
        workspace.write(
            "main.tf",
            "resource \"terraform_data\" \"a\" { nothing = 1 }\n",
        );
        workspace.run("init").succeeds();
        workspace.calls();
        workspace
            .run("plan -detailed-exitcode")
            .fails()
            .says("Unsupported argument");
        let calls = workspace.calls();
        assert_eq!(names(&calls), ["planStageStart", "planStageFailed"]);
        let errors = calls[1]["errors"][0].as_str().unwrap();
        assert!(errors.starts_with("Unsupported argument\n"), "{errors}");

        // An apply that fails somewhere: what was done is shown, and the exit code is Terraform's.
        workspace.write(
            "main.tf",
            "resource \"terraform_data\" \"a\" {}\nresource \"terraform_data\" \"b\" {\n  \
             input = terraform_data.a.id\n  provisioner \"local-exec\" { command = \"exit 7\" }\n}\n",
        );
        workspace.run("apply -auto-approve").fails();
        let calls = workspace.calls();
        let is_applied = |call: &&Value| call["hook"] == "postApply";
        let applied: Vec<_> = calls.iter().filter(is_applied).collect();
        assert_eq!(applied.len(), 2, "{calls:?}");
        assert_eq!(applied[0]["address"], "terraform_data.a");
        assert_eq!(applied[0]["tainted"], Value::Null);
        // It was created, although its provisioner failed.
        assert_eq!(applied[1]["address"], "terraform_data.b");
        assert_eq!(applied[1]["tainted"], true);
        assert_eq!(names(&calls).last(), Some(&"applyStageFailed"));
    });
}

#[test]
fn numbers_in_hooks_are_exact() {
    trial(|workspace| {
        let number = "12345678901234567890123.25";
        let text = format!("resource \"terraform_data\" \"a\" {{ input = {number} }}\n");
        project(workspace, "{}", "");
        workspace.write("main.tf", &text);
        workspace.run("init").succeeds();
        workspace.run("plan").succeeds();
        let calls = workspace.calls();
        let planned = calls
            .iter()
            .find(|call| call["hook"] == "postPlan")
            .unwrap();
        // A number that a float would round travels as text.
        assert_eq!(planned["config"]["input"], number);
        assert_eq!(planned["after"]["input"], number);
    });
}

/// The hook that a call is of, and the resource.
fn called<'a>(calls: &'a [Value], hook: &str) -> Vec<(&'a str, &'a str)> {
    let calls = calls.iter().filter(|call| call["hook"] == hook);
    let text = |call: &'a Value, name: &str| call[name].as_str().unwrap();
    calls
        .map(|call| (text(call, "address"), text(call, "applied_action")))
        .collect()
}

#[test]
fn after_an_apply_hooks_see_what_was_changed() {
    trial(|workspace| {
        let configuration = |input: &str| {
            format!(
                "resource \"terraform_data\" \"a\" {{ input = \"{input}\" }}\nresource \"terraform_data\" \"b\" {{}}\n"
            )
        };
        workspace.project(&configuration("one"), "{}", "");
        workspace.run("init").succeeds();
        workspace.run("apply -auto-approve").succeeds();
        workspace.calls();
        workspace.project(&configuration("two"), "{}", "");
        workspace.run("apply -auto-approve").succeeds();
        let calls = workspace.calls();
        assert_eq!(
            called(&calls, "postApply"),
            [("terraform_data.a", "Update")]
        );

        // A resource whose provisioner failed exists, and is tainted.
        let tainted = "resource \"terraform_data\" \"c\" {\n  provisioner \"local-exec\" { command = \"exit 7\" }\n}\n";
        workspace.project(&format!("{}{tainted}", configuration("two")), "{}", "");
        workspace.run("apply -auto-approve").fails();
        let calls = workspace.calls();
        assert_eq!(
            called(&calls, "postApply"),
            [("terraform_data.c", "Create")]
        );
        let applied = calls
            .iter()
            .find(|call| call["hook"] == "postApply")
            .unwrap();
        assert_eq!(applied["tainted"], true, "{applied}");
        // What Terraform says about the failure.
        let failed = calls.last().unwrap();
        assert_eq!(failed["hook"], "applyStageFailed");
        let errors = failed["errors"].as_array().unwrap();
        let error = errors[0].as_str().unwrap();
        assert!(
            error.starts_with("local-exec provisioner error\n") && error.contains("exit status 7"),
            "{error}"
        );
        assert!(!error.contains('│') && !error.contains('\u{1b}'), "{error}");
    });
}

#[test]
fn hooks_get_the_errors_of_a_failed_plan() {
    trial(|workspace| {
        let wrong = "resource \"terraform_data\" \"a\" { input = one(two) }\n";
        workspace.project("", "{}", "");
        workspace.run("init").succeeds();
        workspace.project(wrong, "{}", "");
        for command in ["plan", "plan -json"] {
            workspace.calls();
            let failed = workspace.run(command).fails();
            // The user sees it as well.
            let all = format!("{}{}", failed.stdout, failed.stderr);
            assert!(all.contains("Invalid reference"), "{failed}");
            let calls = workspace.calls();
            let told = calls.last().unwrap();
            assert_eq!(told["hook"], "planStageFailed");
            let error = told["errors"][0].as_str().unwrap();
            assert!(error.starts_with("Invalid reference\n"), "{error}");
        }
    });
}

#[test]
fn metadata_moves_with_its_resource() {
    trial(|workspace| {
        let config = r#"{ answers = { postPlan = { metadata = { cost = 7 } } } }"#;
        workspace.project("resource \"terraform_data\" \"a\" {}\n", config, "");
        workspace.run("init").succeeds();
        workspace.run("apply -auto-approve").succeeds();
        let moved = "resource \"terraform_data\" \"b\" {}\nmoved {\n  from = terraform_data.a\n  to = terraform_data.b\n}\n";
        workspace.project(moved, "{}", "");
        workspace.calls();
        workspace.run("apply -auto-approve").succeeds();
        assert_eq!(
            called(&workspace.calls(), "postApply"),
            [("terraform_data.b", "NoOp")]
        );
        let state = fs::read_to_string(workspace.path("terraform.tfstate")).unwrap();
        let state: Value = serde_json::from_str(&state).unwrap();
        let notes = fs::read_to_string(workspace.path(".tenon/metadata.json")).unwrap();
        let notes: Value = serde_json::from_str(&notes).unwrap();
        let serials = &notes["lineages"][state["lineage"].as_str().unwrap()];
        let now = &serials[state["serial"].to_string()];
        assert_eq!(now["terraform_data.b"]["puppet"]["cost"], 7, "{notes}");
    });
}

#[test]
fn what_a_plugin_says_in_events_is_shown_with_verbose() {
    trial(|workspace| {
        project(workspace, r#"{ acts = { planStageStart = ["log"] } }"#, "");
        workspace.run("init").succeeds();
        let quiet = workspace.run("plan").succeeds();
        quiet.says_nothing_of("the disk is full");
        let verbose = workspace.run("--verbose plan").succeeds();
        verbose
            .says("puppet: [WARN] the disk is full disk=sda1 free=0")
            .says("puppet: looks (1/2)");
    });
}

/// What a replacement left that failed half-way has the address of the resource that is in use.
#[test]
fn hooks_do_not_see_deposed_objects() {
    trial(|workspace| {
        workspace.project("resource \"terraform_data\" \"a\" {}\n", "{}", "");
        workspace.run("init").succeeds();
        workspace.run("apply -auto-approve").succeeds();
        let file = workspace.path("terraform.tfstate");
        let mut state: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        let instances = state["resources"][0]["instances"].as_array_mut().unwrap();
        let mut deposed = instances[0].clone();
        deposed["deposed"] = "00000001".into();
        deposed["attributes"]["id"] = "left".into();
        instances.push(deposed);
        fs::write(&file, state.to_string()).unwrap();
        workspace.calls();
        workspace.run("refresh").succeeds();
        let refreshed = names(&workspace.calls()).len();
        assert_eq!(refreshed, 2, "preRefresh and postRefresh");
        workspace.run("apply -auto-approve").succeeds();
        let calls = workspace.calls();
        let resources = calls.iter().filter(|call| call["address"].is_string());
        let seen: Vec<(&str, &Value)> = resources
            .map(|call| (call["hook"].as_str().unwrap(), &call["planned_action"]))
            .collect();
        let read = json!("Read");
        let same = json!("NoOp");
        let expected = [
            ("preRefresh", &read),
            ("prePlan", &read),
            ("postRefresh", &same),
            ("postPlan", &same),
            ("preApply", &same),
        ];
        assert_eq!(seen, expected);
        assert!(!Value::from(calls).to_string().contains("left"));
        // It is destroyed all the same, which the summary counts.
        let state = fs::read_to_string(&file).unwrap();
        assert!(!state.contains("deposed"), "{state}");
    });
}
