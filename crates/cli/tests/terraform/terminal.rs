//! `tenon terraform` on a pseudo-terminal: prompts, colours, Ctrl-C.

use std::net::TcpListener;

use serde_json::json;

use crate::workspace::{names, trial};

const CONFIGURATION: &str = "resource \"terraform_data\" \"a\" {}\n";
const CONTROL_C: &str = "\u{3}";

#[test]
fn a_person_is_asked_as_terraform_asks() {
    trial(|workspace| {
        let config = r#"{ answers = {
            postPlan = { status = "warn", message = "think about it" }
            applyStageCompleted = { status = "warn", message = "too late" }
        } }"#;
        workspace.project(CONFIGURATION, config, "");
        workspace.run("init").succeeds();
        let answer = |answer: &str| json!([["expect", "Enter a value:"], ["send", answer]]);
        let refused = workspace.at_terminal("apply", &answer("no\n")).fails();
        assert!(
            refused
                .stdout
                .ends_with("Enter a value: no\n\nApply cancelled.\n"),
            "{refused}"
        );
        let asked = "\u{1b}[1mDo you want to perform these actions?\u{1b}[0m\r\n  \
                     Terraform will perform the actions described above.\r\n";
        assert!(refused.stderr.contains(asked), "{refused}");
        assert!(!workspace.path("terraform.tfstate").exists());
        // What hooks found is known before the answer, and shown once.
        assert_eq!(
            refused.count("think about it"),
            2,
            "on the screen, and with colours"
        );
        let warned = refused.stdout.find("think about it").unwrap();
        assert!(
            warned < refused.stdout.find("Do you want").unwrap(),
            "{refused}"
        );
        let applied = workspace.at_terminal("apply", &answer("yes\n")).succeeds();
        assert_eq!(applied.count("think about it"), 2, "{applied}");
        applied.says("warning puppet applyStageCompleted - too late");
        let plain = workspace
            .at_terminal("destroy -no-color", &answer("yes\n"))
            .succeeds();
        plain.says("Do you really want to destroy all resources?");
        assert!(!plain.stderr.contains('\u{1b}'), "{plain}");
        plain.says("1 destroyed");

        // Without a terminal, too.
        let refused = workspace.run("apply").fails();
        refused
            .says("Enter a value:")
            .says("error asking for approval: EOF");
        workspace.run_with("apply", "yes\n", &[]).succeeds();
    });
}

#[test]
fn control_c_at_the_question_applies_nothing() {
    trial(|workspace| {
        workspace.project(CONFIGURATION, "{}", "");
        workspace.run("init").succeeds();
        let steps = json!([["expect", "Enter a value:"], ["send", CONTROL_C]]);
        let stopped = workspace.at_terminal("apply", &steps).fails();
        stopped.says("error asking for approval: interrupted");
        assert!(!workspace.path("terraform.tfstate").exists());
    });
}

#[test]
fn control_c_once_ends_terraform_and_twice_ends_a_hook() {
    trial(|workspace| {
        // Terraform gets it once, from the terminal, and saves the state.
        let slow = "resource \"terraform_data\" \"a\" {}\nresource \"terraform_data\" \"b\" {\n  \
                    input = terraform_data.a.id\n  \
                    provisioner \"local-exec\" { command = \"echo begun; exec sleep 1000\" }\n}\n";
        workspace.project(slow, "{}", "");
        workspace.run("init").succeeds();
        workspace.calls();
        let steps = json!([
            ["expect", "begun"],
            ["expect", "begun"],
            ["send", CONTROL_C]
        ]);
        let stopped = workspace.at_terminal("apply -auto-approve", &steps).fails();
        stopped
            .says("Interrupt received")
            .says_nothing_of("Two interrupts received");
        let calls = workspace.calls();
        assert_eq!(names(&calls).last(), Some(&"applyStageFailed"));
        workspace
            .run("state list")
            .succeeds()
            .says("terraform_data.a");

        // During a hook, the first one stops the command and the second one does not wait for the plugin.
        let config = r#"{ acts = { postPlan = ["say", "hang"] } }"#;
        workspace.project(CONFIGURATION, config, "");
        let line = "puppet: postPlan has something to say";
        for steps in [
            json!([["expect", line], ["send", CONTROL_C]]),
            json!([["expect", line], ["send", CONTROL_C], ["send", CONTROL_C]]),
        ] {
            let stopped = workspace.at_terminal("-v apply -auto-approve", &steps);
            assert_eq!(stopped.code, Some(130), "{stopped}");
            workspace.until_nobody_is_left();
        }
    });
}

#[test]
fn control_c_twice_ends_everything() {
    trial(|workspace| {
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = server.local_addr().unwrap();
        // The server accepts connections and never answers.
        let slow = format!(
            "data \"terraform_remote_state\" \"slow\" {{\n  backend = \"http\"\n  \
             config = {{ address = \"http://{address}\", retry_max = 0 }}\n}}\n{CONFIGURATION}"
        );
        workspace.project(&slow, "{}", "");
        workspace.run("init").succeeds();
        workspace.calls();
        // The system merges two signals that come before a process has seen the first. Both processes say when they have.
        let steps = json!([
            ["expect", "Reading..."],
            ["send", CONTROL_C],
            ["expect", ["Interrupt received", "press Ctrl-C again"]],
            ["send", CONTROL_C]
        ]);
        let stopped = workspace.at_terminal("-v apply -auto-approve", &steps);
        assert_eq!(stopped.code, Some(130), "{stopped}");
        stopped.says("Two interrupts received");
        // It ends everything, so no hook is called.
        assert_eq!(names(&workspace.calls()).last(), Some(&"planStageStart"));
        workspace.until_nobody_is_left();
        workspace.project(CONFIGURATION, "{}", "");
        workspace.run("apply -auto-approve").succeeds();
    });
}
