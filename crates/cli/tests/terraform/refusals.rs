//! Hooks that fail, before and after everything that has hooks.

use std::fs;

use serde_json::Value;

use crate::workspace::{Workspace, examples, names, trial};

const CONFIGURATION: &str =
    "resource \"terraform_data\" \"a\" {}\nresource \"terraform_data\" \"b\" {}\n";

/// Makes a hook fail.
fn refuse(workspace: &Workspace, hook: &str) {
    let config =
        format!("{{ answers = {{ {hook} = {{ status = \"fail\", message = \"no {hook}\" }} }} }}");
    workspace.project(CONFIGURATION, &config, "");
    workspace.calls();
}

fn addresses(workspace: &Workspace) -> Vec<String> {
    let text = fs::read_to_string(workspace.path("terraform.tfstate")).unwrap_or("{}".into());
    let state: Value = serde_json::from_str(&text).unwrap();
    let resources = state["resources"].as_array().cloned().unwrap_or_default();
    let names = resources.iter().map(|one| one["name"].as_str().unwrap());
    names.map(str::to_owned).collect()
}

#[test]
fn a_hook_that_fails_before_something_stops_it() {
    trial(|workspace| {
        // Terraform is not even started.
        for (hook, command) in [
            ("initStageStart", "init"),
            ("planStageStart", "plan"),
            ("planStageStart", "apply -auto-approve"),
            ("applyStageStart", "import terraform_data.a id"),
        ] {
            refuse(workspace, hook);
            let refused = workspace.run(command).fails();
            refused.says(&format!("failed puppet {hook} - no {hook}"));
            assert_eq!(refused.stdout, "", "{refused}");
            assert_eq!(names(&workspace.calls()), [hook]);
        }
        workspace.project(CONFIGURATION, "{}", "");
        workspace.run("import terraform_data.a id").succeeds();
        for (hook, command) in [
            ("preRefresh", "refresh"),
            ("preRefresh", "plan"),
            ("prePlan", "apply -auto-approve"),
        ] {
            refuse(workspace, hook);
            let refused = workspace.run(command).fails();
            refused.says(&format!("failed puppet {hook} terraform_data.a no {hook}"));
            assert_eq!(refused.stdout, "", "{refused}");
        }
        for hook in [
            "postRefresh",
            "planStageCompleted",
            "applyStageStart",
            "preApply",
        ] {
            refuse(workspace, hook);
            let refused = workspace.run("apply -auto-approve").fails();
            refused
                .says(&format!("no {hook}"))
                .says("nothing was applied");
        }
        assert_eq!(addresses(workspace), ["a"]);
    });
}

#[test]
fn a_hook_that_fails_after_something_changes_the_exit_code_alone() {
    trial(|workspace| {
        refuse(workspace, "initStageCompleted");
        let told = workspace.run("init").fails();
        told.says("successfully initialized")
            .says("no initStageCompleted");
        refuse(workspace, "applyStageCompleted");
        workspace.run("import terraform_data.a id").fails();
        assert_eq!(addresses(workspace), ["a"]);
        refuse(workspace, "postRefresh");
        workspace.run("refresh").fails().says("no postRefresh");
        assert_eq!(names(&workspace.calls()), ["preRefresh", "postRefresh"]);
        refuse(workspace, "postApply");
        let told = workspace.run("apply -auto-approve").fails();
        told.says("Apply complete!").says("no postApply");
        // Nothing was done to the imported one. The hook of the stage is called all the same.
        let calls = workspace.calls();
        let is_after = |call: &&serde_json::Value| call["hook"] == "postApply";
        let after: Vec<_> = calls.iter().filter(is_after).collect();
        assert_eq!(after.len(), 1);
        assert_eq!(after[0]["address"], "terraform_data.b");
        assert_eq!(names(&calls).last(), Some(&"applyStageCompleted"));
        assert_eq!(addresses(workspace), ["a", "b"]);
        // A plan with changes has another exit code, unless a hook fails.
        workspace.write("main.tf", "");
        let told = workspace.run("plan -detailed-exitcode");
        assert_eq!(told.code, Some(2), "{told}");
        refuse(workspace, "postPlan");
        workspace.write("main.tf", "");
        workspace.run("plan -detailed-exitcode").fails();
    });
}

#[test]
fn the_example_of_a_cost_estimator_works() {
    trial(|workspace| {
        let configuration = "variable \"size\" { default = \"small\" }\n\
            resource \"terraform_data\" \"a\" {\n  count = 2\n  input = { size = var.size }\n}\n";
        workspace.write("main.tf", configuration);
        let cost = examples().join("cost.py");
        let text = format!(
            "plugin \"cost\" {{\n  command = [\"python3\", \"{}\"]\n  config  = {{ budget = 100 }}\n}}\n\
             hooks = [\"cost\"]\n",
            cost.display()
        );
        workspace.write("tenon.hcl", &text);
        workspace.run("init").succeeds();
        let told = workspace.run("apply -auto-approve").succeeds();
        told.says("ok cost planStageCompleted - the plan costs $10 per month");
        let refused = workspace.run("apply -auto-approve -var size=large").fails();
        refused.says(
            "warning cost postPlan terraform_data.a[0] terraform_data.a[0] costs $80 per month",
        );
        refused.says("failed cost planStageCompleted - the plan costs $160 per month, and the budget is $100");
        refused.says("1 hook failed, nothing was applied");
    });
}
