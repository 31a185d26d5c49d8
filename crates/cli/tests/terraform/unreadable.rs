//! What Terraform is asked besides the command: states that it does not show any more, and how often it is asked.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::outcome::Outcome;
use crate::workspace::{Workspace, names, trial};

const CONFIGURATION: &str = "resource \"terraform_data\" \"a\" {}\n";

const BROKEN: &str = "resource \"terraform_data\" \"a\" {}\nresource \"terraform_data\" \"b\" {\n  \
    provisioner \"local-exec\" { command = \"exit 7\" }\n}\n";

/// A command of a Terraform that shows no state once it has changed it.
fn run(workspace: &Workspace, words: &str) -> Outcome {
    let real = workspace.terraform.program.display();
    let text = format!(
        "#!/bin/sh\nif [ -e changed ] && [ \"$1 $2 $#\" = 'show -json 2' ]; then\n  echo 'the disk is on fire' >&2\n  \
         exit 1\nfi\n'{real}' \"$@\"\ncode=$?\ncase $1 in apply | import | refresh) : > changed ;; esac\nexit $code\n"
    );
    workspace.write("terraform", &text);
    let program = workspace.path("terraform");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let _not_there = fs::remove_file(workspace.path("changed"));
    workspace.calls();
    let words: Vec<&str> = ["terraform"].into_iter().chain(words.split(' ')).collect();
    workspace.chosen_program(&words, program.to_str())
}

fn of<'a>(calls: &'a [Value], hook: &str) -> Vec<&'a Value> {
    calls.iter().filter(|call| call["hook"] == hook).collect()
}

#[test]
fn hooks_after_an_apply_are_called_with_what_is_known() {
    trial(|workspace| {
        workspace.project(CONFIGURATION, "{}", "");
        workspace.run("init").succeeds();
        let told = run(workspace, "apply -auto-approve");
        assert_eq!(told.code, Some(1), "{told}");
        told.says("Apply complete!").says(
            "`terraform apply` has completed, but the state could not be read after it, so the hooks after the apply \
             saw the planned values",
        );
        told.says("the disk is on fire");
        let calls = workspace.calls();
        let applied = of(&calls, "postApply");
        assert_eq!(applied.len(), 1, "{calls:?}");
        assert_eq!(applied[0]["applied_action"], "Create");
        assert_eq!(applied[0]["after"]["id"], "(unknown)");
        let completed = of(&calls, "applyStageCompleted");
        assert_eq!(completed[0]["resources"].as_array().unwrap().len(), 1);

        // What a hook says then is shown as well.
        let config =
            r#"{ answers = { applyStageCompleted = { status = "fail", message = "too late" } } }"#;
        workspace.project(CONFIGURATION, config, "");
        let told = run(workspace, "apply -auto-approve").fails();
        told.says("too late")
            .says("`terraform apply` has completed");
        told.says_nothing_of("nothing was applied");
    });
}

#[test]
fn hooks_that_cannot_be_called_are_named() {
    trial(|workspace| {
        workspace.project(BROKEN, "{}", "");
        workspace.run("init").succeeds();
        let told = run(workspace, "apply -auto-approve").fails();
        told.says("local-exec provisioner error").says(
            "`terraform apply` has ended with exit code 1, but the state could not be read after it, so it is unknown \
             what was applied: postApply was not called, and applyStageFailed got no resources",
        );
        let calls = workspace.calls();
        assert!(of(&calls, "postApply").is_empty());
        let failed = of(&calls, "applyStageFailed");
        assert_eq!(failed[0]["resources"].as_array().unwrap().len(), 0);
        assert!(!failed[0]["errors"].as_array().unwrap().is_empty());

        let told = run(workspace, "refresh").fails();
        told.says("`terraform refresh` has completed")
            .says("postRefresh was not called");
        assert!(of(&workspace.calls(), "postRefresh").is_empty());

        workspace.project("resource \"terraform_data\" \"c\" {}\n", "{}", "");
        let told = run(workspace, "import terraform_data.c id").fails();
        told.says("`terraform import` has completed")
            .says("applyStageCompleted got no resources");
        let calls = workspace.calls();
        assert_eq!(names(&calls), ["applyStageStart", "applyStageCompleted"]);
    });
}

/// Terraform starts all providers to answer.
#[test]
fn schemas_are_asked_for_once_in_a_command() {
    trial(|workspace| {
        workspace.project(CONFIGURATION, "{}", "");
        workspace.run("init").succeeds();
        let real = workspace.terraform.program.display();
        let text = format!("#!/bin/sh\necho \"$1 $2\" >> asked\nexec '{real}' \"$@\"\n");
        workspace.write("terraform", &text);
        let program = workspace.path("terraform");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        for words in ["apply -auto-approve", "apply -auto-approve", "refresh"] {
            let words: Vec<&str> = ["terraform"].into_iter().chain(words.split(' ')).collect();
            workspace
                .chosen_program(&words, program.to_str())
                .succeeds();
            let asked = fs::read_to_string(workspace.path("asked")).unwrap();
            fs::remove_file(workspace.path("asked")).unwrap();
            let schemas = asked.lines().filter(|line| *line == "providers schema");
            assert_eq!(schemas.count(), 1, "{words:?}: {asked}");
        }
    });
}
