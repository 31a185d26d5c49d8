//! Saved plans, options of Terraform, and what is passed to it as it is.

use std::fs;

use serde_json::{Value, json};

use crate::workspace::{Workspace, names, trial};

const CONFIGURATION: &str = r#"
variable "size" { default = "small" }
resource "terraform_data" "a" { input = var.size }
output "size" { value = terraform_data.a.output }
"#;

fn prepared(workspace: &Workspace, config: &str) {
    workspace.project(CONFIGURATION, config, "");
    workspace.run("init").succeeds();
    workspace.calls();
}

fn output(workspace: &Workspace) -> String {
    let output = workspace.run("output -raw size").succeeds();
    output.stdout
}

#[test]
fn a_saved_plan_is_reviewed_once() {
    trial(|workspace| {
        prepared(
            workspace,
            r#"{ answers = { postPlan = { metadata = { cost = 7 } } } }"#,
        );
        workspace.run("plan -out=saved").succeeds();
        let planned = workspace.calls();
        let sum = planned.last().unwrap()["plan_sha256"].clone();
        let plans = fs::read_to_string(workspace.path(".tenon/plans.json")).unwrap();
        let plans: Value = serde_json::from_str(&plans).unwrap();
        assert_eq!(plans["reviewed"][0]["sha256"], sum);
        assert_eq!(plans["reviewed"][0]["file"], "saved");

        workspace.run("apply saved").succeeds();
        let calls = workspace.calls();
        assert_eq!(names(&calls)[0], "applyStageStart", "{calls:?}");
        assert_eq!(calls[0]["plan_sha256"], sum);
        // What was noted at the review is there, and is kept.
        assert_eq!(calls[1]["metadata"]["puppet"], json!({"cost": 7}));
        let notes = fs::read_to_string(workspace.path(".tenon/metadata.json")).unwrap();
        assert!(notes.contains("\"cost\":7"), "{notes}");

        // One that no hook has seen is shown to them first.
        workspace
            .terraform("plan -out=other -var size=large", &[])
            .succeeds();
        workspace.run("apply other").succeeds();
        assert!(names(&workspace.calls()).contains(&"postPlan"));
        assert_eq!(output(workspace), "large");

        // So is one that passed plugins with other settings.
        workspace.run("plan -out=third -var size=huge").succeeds();
        workspace.project(
            CONFIGURATION,
            r#"{ answers = { planStageCompleted = { status = "fail", message = "too large" } } }"#,
            "",
        );
        workspace.run("apply third").fails().says("too large");
        assert_eq!(output(workspace), "large");
        // One that was saved in the same file and did not pass is shown again, and does not pass either.
        workspace
            .run("plan -out=saved -var size=huge")
            .fails()
            .says("too large");
        workspace.run("apply saved").fails().says("too large");
        assert_eq!(output(workspace), "large");
    });
}

#[test]
fn a_plan_that_was_swapped_is_refused() {
    trial(|workspace| {
        prepared(workspace, "{}");
        workspace.run("plan -out=saved").succeeds();
        workspace
            .terraform("plan -out=other -var size=evil", &[])
            .succeeds();
        fs::copy(workspace.path("other"), workspace.path("saved")).unwrap();
        workspace.calls();
        let refused = workspace.run("apply saved").fails();
        refused.says("saved has changed since it was reviewed, so it is not applied");
        refused.says("hint: plan again with `tenon terraform plan -out=saved`");
        assert!(workspace.calls().is_empty());

        // During the last hook, too.
        prepared(
            workspace,
            r#"{ acts = { preApply = ["overwrite=saved"] } }"#,
        );
        workspace.run("plan -out=saved").succeeds();
        let refused = workspace.run("apply saved").fails();
        refused.says("saved has changed since it was reviewed");
        assert!(!workspace.path("terraform.tfstate").exists());

        // A file that is not a plan is called by its name.
        workspace.write("saved", "nothing");
        fs::remove_file(workspace.path(".tenon/plans.json")).unwrap();
        workspace
            .run("apply saved")
            .fails()
            .says("show -json saved");
        workspace
            .run("apply missing")
            .fails()
            .says("missing: No such file");
    });
}

#[test]
fn options_of_terraform_mean_what_they_mean_to_it() {
    trial(|workspace| {
        fs::create_dir(workspace.path("sub")).unwrap();
        prepared(workspace, "{}");
        for name in ["main.tf", "tenon.hcl"] {
            fs::rename(workspace.path(name), workspace.path(&format!("sub/{name}"))).unwrap();
        }
        workspace.run("-chdir=sub init").succeeds();
        let plan = workspace.run("-chdir=sub plan -detailed-exitcode -out=saved");
        assert_eq!(plan.code, Some(2), "{plan}");
        assert!(workspace.path("sub/saved").exists());
        workspace.run("-chdir=sub apply saved").succeeds();
        assert!(workspace.path("sub/terraform.tfstate").exists());
        assert!(workspace.path("sub/.tenon/plans.json").exists());
        assert!(!workspace.path(".tenon").exists());
        workspace
            .run("-chdir=sub plan -detailed-exitcode")
            .succeeds();

        // Options in the environment are for the command that was typed.
        let defaults = [
            ("TF_CLI_ARGS_apply", "-auto-approve -var 'size=very large'"),
            ("TF_CLI_ARGS_plan", "-var size=wrong"),
        ];
        workspace
            .run_with("-chdir=sub apply", "", &defaults)
            .succeeds();
        let size = workspace.run("-chdir=sub output -raw size").succeeds();
        assert_eq!(size.stdout, "very large");

        // Hooks cannot be avoided with them.
        fs::remove_file(workspace.path("sub/calls.jsonl")).unwrap();
        let defaults = [("TF_CLI_ARGS_apply", "-auto-approve")];
        workspace
            .run_with("-chdir=sub apply -json", "", &defaults)
            .succeeds();
        let calls = fs::read_to_string(workspace.path("sub/calls.jsonl")).unwrap();
        assert!(calls.contains("applyStageCompleted"), "{calls}");

        // Every workspace has a state of its own.
        workspace.run("-chdir=sub workspace new test").succeeds();
        let refused = workspace.run_with("-chdir=sub apply", "no\n", &[]).fails();
        refused.says("Do you want to perform these actions in workspace \"test\"?");
        workspace.run("-chdir=sub apply -auto-approve").succeeds();
        assert!(
            workspace
                .path("sub/terraform.tfstate.d/test/terraform.tfstate")
                .exists()
        );

        // A local state of another name.
        workspace
            .run("-chdir=sub apply -auto-approve -state=own.tfstate")
            .succeeds();
        assert!(workspace.path("sub/own.tfstate").exists());
    });
}

#[test]
fn an_ephemeral_variable_reaches_the_apply() {
    trial(|workspace| {
        workspace.project(
            "variable \"token\" {\n  type = string\n  ephemeral = true\n}\n\
             resource \"terraform_data\" \"a\" {}\n",
            "{}",
            "",
        );
        workspace.run("init").succeeds();
        workspace
            .run("apply -auto-approve -var token=once")
            .succeeds();
    });
}

/// Nothing is changed on the way: these are the same bytes.
#[test]
fn other_commands_are_those_of_terraform() {
    trial(|workspace| {
        prepared(workspace, "{}");
        workspace.run("apply -auto-approve").succeeds();
        workspace.calls();
        for words in [
            "version",
            "-version",
            "-help",
            "plan -help",
            "",
            "nonsense",
            "show",
            "show -json",
            "output -json",
            "state list",
            "state pull",
            "validate -json",
            "fmt -check -diff",
            "providers",
            "workspace list",
            "graph",
            "apply -json",
            "console -bogus",
        ] {
            let (ours, theirs) = (workspace.run(words), workspace.terraform(words, &[]));
            assert_eq!(ours.code, theirs.code, "{ours}\n{theirs}");
            // Every line of JSON has its time.
            if !words.starts_with("apply") {
                assert_eq!(ours.stdout, theirs.stdout, "{words}");
                assert_eq!(ours.stderr, theirs.stderr, "{words}");
            }
        }
        assert!(workspace.calls().is_empty());

        // What Terraform prints around hooks is its own, too.
        let (ours, theirs) = (workspace.run("plan"), workspace.terraform("plan", &[]));
        assert_eq!(ours.stdout, theirs.stdout);
        let (ours, theirs) = (
            workspace.run("apply -auto-approve -var size=b"),
            workspace.terraform("apply -auto-approve -var size=b", &[]),
        );
        assert!(ours.stdout.contains("1 changed"), "{ours}");
        assert!(theirs.stdout.contains("0 changed"), "{theirs}");
    });
}

#[test]
fn plugins_can_be_switched_off() {
    trial(|workspace| {
        prepared(workspace, "{}");
        workspace.run("--no-plugins plan").succeeds();
        let off = [("TENON_NO_PLUGINS", "1")];
        workspace.run_with("plan", "", &off).succeeds();
        assert!(workspace.calls().is_empty());
        assert!(!workspace.path(".tenon").exists());
        workspace
            .run_with("plan", "", &[("TENON_NO_PLUGINS", "0")])
            .succeeds();
        assert!(!workspace.calls().is_empty());
        // Even where tenon.hcl is not valid.
        workspace.write("tenon.hcl", "hooks = [\"cost\"]\n");
        let invalid = workspace.run("plan");
        assert_eq!(invalid.code, Some(1), "{invalid}");
        invalid.says("unknown plugin `cost`");
        workspace.run("--no-plugins plan").succeeds();
    });
}

#[test]
fn the_program_is_chosen_by_option_environment_and_file() {
    trial(|workspace| {
        prepared(workspace, "{}");
        let text = fs::read_to_string(workspace.path("tenon.hcl")).unwrap();
        workspace.write("tenon.hcl", &format!("{text}program = \"./of-file\"\n"));
        let chosen = |words: &[&str], environment: Option<&str>| {
            workspace.chosen_program(words, environment)
        };
        assert!(
            chosen(
                &["terraform", "--program", "./of-option", "plan"],
                Some("./of-env")
            )
            .says("./of-option: No such file")
            .has_said("--program PATH")
        );
        chosen(&["terraform", "plan"], Some("./of-env")).says("./of-env: No such file");
        chosen(&["terraform", "plan"], None).says("./of-file: No such file");
    });
}
