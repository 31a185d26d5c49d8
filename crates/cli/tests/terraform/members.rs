//! What hooks are called with: each member that the protocol has, in every command and for every action.

use std::fs;

use serde_json::{Value, json};

use crate::workspace::{Workspace, trial};

/// What every hook of a resource gets.
const OF_RESOURCES: [&str; 11] = [
    "address",
    "provider",
    "resource_type",
    "resource_name",
    "resource_mode",
    "before",
    "after",
    "config",
    "resources",
    "sensitive_paths",
    "metadata",
];

/// What every hook of a stage gets.
const OF_STAGES: [&str; 3] = ["stage", "resources", "summary"];

fn check(call: &Value, members: &[&str], action: &str) {
    let sent = call.as_object().unwrap();
    for name in members.iter().copied().chain([action]) {
        assert!(sent.contains_key(name), "{name} is missing in {call}");
    }
}

/// The calls since the last time, which have all their members: the hook, the address and the action of each that is
/// about a resource.
fn complete(workspace: &Workspace) -> Vec<[String; 3]> {
    let calls = workspace.calls();
    let mut seen = Vec::new();
    for call in &calls {
        let hook = call["hook"].as_str().unwrap();
        let action = match hook {
            "postApply" | "applyStageCompleted" | "applyStageFailed" => "applied_action",
            _ => "planned_action",
        };
        let resources = call["resources"].as_array().unwrap();
        for one in resources {
            check(one, &OF_RESOURCES[..8], action);
            check(one, &OF_RESOURCES[9..], action);
        }
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        if call["address"].is_string() {
            check(call, &OF_RESOURCES, action);
            assert_eq!(resources.len(), 1);
            assert_eq!(resources[0]["metadata"], call["metadata"]);
            seen.push([hook.to_owned(), text(&call["address"]), text(&call[action])]);
        } else {
            check(call, &OF_STAGES, "stage");
            for count in ["add", "change", "destroy", "import"] {
                assert!(call["summary"][count].is_number(), "{call}");
            }
            let is_of_plan = ["planStageCompleted", "applyStageCompleted"].contains(&hook);
            let is_import = call["summary"]["import"] == 1;
            if is_of_plan && !is_import {
                assert!(call["plan_sha256"].is_string(), "{call}");
            }
            for one in resources {
                let all = [
                    format!("{hook} has"),
                    text(&one["address"]),
                    text(&one[action]),
                ];
                seen.push(all);
            }
        }
    }
    seen
}

fn only<'a>(seen: &'a [[String; 3]], hook: &str) -> Vec<(&'a str, &'a str)> {
    let of_hook = seen.iter().filter(|[one, ..]| one == hook);
    of_hook
        .map(|[_, address, action]| (address.as_str(), action.as_str()))
        .collect()
}

#[test]
fn every_hook_gets_all_members() {
    trial(|workspace| {
        let version = |text: &str, order: &str| {
            format!(
                "resource \"terraform_data\" \"none\" {{}}\n\
                 resource \"terraform_data\" \"a\" {{ input = \"{text}\" }}\n\
                 resource \"terraform_data\" \"b\" {{\n  triggers_replace = \"{text}\"\n  \
                 lifecycle {{ create_before_destroy = {order} }}\n}}\n"
            )
        };
        workspace.project(&version("one", "false"), "{}", "");
        workspace.run("init").succeeds();
        complete(workspace);
        workspace
            .run("import terraform_data.none some-id")
            .succeeds();
        let seen = complete(workspace);
        let none = ("terraform_data.none", "NoOp");
        assert_eq!(only(&seen, "applyStageCompleted has"), [none]);

        workspace.run("apply -auto-approve").succeeds();
        let seen = complete(workspace);
        let (a, b) = ("terraform_data.a", "terraform_data.b");
        for hook in ["preRefresh", "prePlan"] {
            assert_eq!(only(&seen, hook), [("terraform_data.none", "Read")]);
        }
        assert_eq!(only(&seen, "postRefresh"), [none]);
        for hook in ["postPlan", "planStageCompleted has", "preApply"] {
            assert_eq!(only(&seen, hook), [(a, "Create"), (b, "Create"), none]);
        }
        for hook in ["postApply", "applyStageCompleted has"] {
            assert_eq!(only(&seen, hook), [(a, "Create"), (b, "Create")]);
        }
        for (text, order) in [("two", "false"), ("three", "true")] {
            workspace.project(&version(text, order), "{}", "");
            workspace.run("apply -auto-approve").succeeds();
            let seen = complete(workspace);
            for hook in ["postPlan", "planStageCompleted has", "preApply"] {
                assert_eq!(only(&seen, hook), [(a, "Update"), (b, "Replace"), none]);
            }
            for hook in ["postApply", "applyStageCompleted has"] {
                assert_eq!(only(&seen, hook), [(a, "Update"), (b, "Replace")]);
            }
        }
        workspace.run("refresh").succeeds();
        let seen = complete(workspace);
        let all = |action| [(a, action), (b, action), ("terraform_data.none", action)];
        assert_eq!(only(&seen, "preRefresh"), all("Read"));
        assert_eq!(only(&seen, "postRefresh"), all("NoOp"));

        let forgotten =
            "removed {\n  from = terraform_data.a\n  lifecycle { destroy = false }\n}\n";
        workspace.project(forgotten, "{}", "");
        workspace.run("apply -auto-approve").succeeds();
        let seen = complete(workspace);
        let left = [
            (a, "Forget"),
            (b, "Delete"),
            ("terraform_data.none", "Delete"),
        ];
        for hook in ["postPlan", "preApply", "postApply"] {
            assert_eq!(only(&seen, hook), left, "{hook}");
        }
    });
}

/// The configuration is what is written: nothing but nulls, if nothing is written. Before a plan it is unknown, because
/// Terraform shows the configuration of a plan alone.
#[test]
fn a_resource_without_arguments_has_a_configuration() {
    trial(|workspace| {
        workspace.project("resource \"terraform_data\" \"a\" {}\n", "{}", "");
        workspace.run("init").succeeds();
        workspace.run("apply -auto-approve").succeeds();
        let config = |calls: &[Value], hook: &str| {
            let call = calls.iter().find(|call| call["hook"] == hook).unwrap();
            call["config"].clone()
        };
        let calls = workspace.calls();
        for hook in ["postPlan", "preApply", "postApply"] {
            let written = config(&calls, hook);
            assert!(written.is_object(), "{hook}: {written}");
            assert_eq!(written["input"], Value::Null);
        }
        workspace.write("main.tf", "");
        workspace.run("apply -auto-approve").succeeds();
        let calls = workspace.calls();
        for hook in ["preRefresh", "prePlan"] {
            assert_eq!(config(&calls, hook), "(unknown)");
        }
        // It is in the state alone.
        for hook in ["postRefresh", "postPlan", "postApply"] {
            assert_eq!(config(&calls, hook), Value::Null);
        }
    });
}

const DATA: &str = r#"
data "terraform_remote_state" "now" {
  backend = "local"
  config  = { path = "other.json" }
}
resource "terraform_data" "a" {}
data "terraform_remote_state" "later" {
  backend = "local"
  config  = { path = terraform_data.a.id == "" ? "" : "other.json" }
}
"#;

#[test]
fn hooks_see_data_sources_that_were_read_for_the_plan() {
    trial(|workspace| {
        let state = json!({"version": 4, "terraform_version": "1.11.0", "serial": 1, "lineage": "l",
            "outputs": {"size": {"value": 7, "type": "number"}}, "resources": []});
        workspace.write("other.json", &state.to_string());
        workspace.project(DATA, "{}", "");
        workspace.run("init").succeeds();
        workspace.calls();
        let (now, later, a) = (
            "data.terraform_remote_state.now",
            "data.terraform_remote_state.later",
            "terraform_data.a",
        );
        workspace.run("plan").succeeds();
        let calls = workspace.calls();
        let call = calls.iter().find(|call| call["address"] == now).unwrap();
        assert_eq!(
            (&call["hook"], &call["resource_mode"]),
            (&json!("postPlan"), &json!("data"))
        );
        assert_eq!(call["before"], Value::Null);
        assert_eq!(call["after"]["outputs"], json!({"size": 7}));
        assert_eq!(call["config"]["backend"], "local");
        workspace.run("apply -auto-approve").succeeds();
        let seen = complete(workspace);
        let planned = [(later, "Read"), (a, "Create"), (now, "Read")];
        for hook in ["postPlan", "planStageCompleted has"] {
            assert_eq!(only(&seen, hook), planned, "{hook}");
        }
        // The apply reads only the other one.
        for hook in ["preApply", "postApply", "applyStageCompleted has"] {
            assert_eq!(only(&seen, hook), planned[..2], "{hook}");
        }
        // One that is in the state alone is not read.
        workspace.write("main.tf", "resource \"terraform_data\" \"a\" {}\n");
        workspace.run("plan").succeeds();
        assert_eq!(only(&complete(workspace), "postPlan"), [(a, "NoOp")]);
        fs::remove_file(workspace.path("other.json")).unwrap();
    });
}
