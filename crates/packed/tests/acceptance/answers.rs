//! Answers that are wrong: each is refused with the plugin, the method, the path and what to do.

use std::fs;

use crate::stage::{count, forget_calls, ready};
use crate::workspace::{Workspace, trial};

const THING: &str =
    "resource \"stage_thing\" \"a\" {\n  name   = \"one\"\n  secret = \"hunter2\"\n}\n";
const LOOK: &str = "data \"stage_look\" \"a\" {\n  name = \"one\"\n}\n";
const KEY: &str = "ephemeral \"stage_key\" \"a\" {\n  name = \"one\"\n}\n";
const MEASURE: &str = "output \"size\" {\n  value = provider::stage::measure(\"one\").size\n}\n";

/// What is wrong in every kind of answer, and what is said of it. `{}` is the member with the value.
const WRONG: [(&str, &str); 7] = [
    ("nan", "{}.size in the answer to"),
    ("misfit", "{}.size in the answer to"),
    ("refined", "{}.size in the answer to"),
    ("extra", "the attribute \"extra\" is not supported"),
    ("missing", "{} in the answer to"),
    ("list", "expected a map"),
    ("print", "debugging"),
];

#[test]
fn wrong_answers_are_refused() {
    trial(|workspace| {
        ready(workspace, "", "");
        for (text, method, member) in [
            (THING, "resources/planChange", "planned"),
            (LOOK, "resources/readData", "state"),
            (KEY, "resources/open", "result"),
            (MEASURE, "functions/call", "result"),
        ] {
            workspace.configure("stage", text);
            let (_, short) = method.split_once('/').unwrap();
            for (how, said) in WRONG {
                workspace.behave(&format!("{short} {how}"));
                let refused = workspace.run("plan").fails();
                refused
                    .says(&said.replace("{}", member))
                    .says(&format!("Plugin: stage, method {method}"))
                    .says_nothing_of("hunter2");
                let step = match how {
                    "print" => "stderr",
                    _ => "report it to the author of the plugin",
                };
                refused.says(step);
            }
            if member != "planned" && short != "call" {
                workspace.behave(&format!("{short} unknown"));
                let refused = workspace.run("plan").fails();
                let place = format!("{member}.size in the answer to {method}: it is unknown");
                refused
                    .says("Unknown value in the answer of the plugin")
                    .says(&place);
            }
            workspace.behave(&format!("{short} truncate"));
            let refused = workspace.run("plan").fails();
            refused.says(&format!("Plugin: stage, method {method}"));
        }
    });
}

/// Runs a plan; what is in Terraform's log.
fn logged_plan(workspace: &Workspace) -> String {
    let log = workspace.path("log");
    let variables = [
        ("TF_LOG_PROVIDER", "debug"),
        ("TF_LOG_PATH", log.to_str().unwrap()),
    ];
    workspace.run_with(&variables, "plan").succeeds();
    fs::read_to_string(log).unwrap()
}

#[test]
fn what_a_plugin_says_in_events_is_in_the_log() {
    trial(|workspace| {
        ready(workspace, "", MEASURE);
        workspace.behave("say");
        let log = logged_plan(workspace);
        let line = log.lines().find(|line| line.contains("the disk is full"));
        let line = line.unwrap_or_else(|| panic!("{log}"));
        assert!(line.contains("[WARN]"), "{line}");
        assert!(line.contains("the disk is full disk=sda1 free=0"), "{line}");
        assert!(log.contains("looks (1/2)"), "{log}");
    });
}

#[test]
fn a_function_may_answer_with_diagnostics() {
    trial(|workspace| {
        ready(workspace, "", MEASURE);
        workspace.behave("call complain");
        let refused = workspace.run("plan").fails();
        // At the argument.
        refused.says("Invalid value for \"text\" parameter: No key today: come back tomorrow");
        workspace.behave("call warn");
        let log = logged_plan(workspace);
        assert!(log.contains("No key today: come back tomorrow"), "{log}");
    });
}

#[test]
fn what_is_opened_and_refused_is_closed() {
    trial(|workspace| {
        ready(workspace, "", KEY);
        for (how, said) in [
            ("nan", "result.size in the answer to resources/open"),
            ("missing", "result in the answer to resources/open"),
            ("nil", "result in the answer to resources/open: it is nil"),
            (
                "unknown",
                "result.size in the answer to resources/open: it is unknown, but what exists is known",
            ),
            ("complain", "No key today"),
        ] {
            forget_calls(workspace);
            workspace.behave(&format!("open {how}"));
            workspace.run("plan").fails().says(said);
            assert_eq!(count(workspace, "resources/close opened"), 1, "{how}");
        }
    });
}

#[test]
fn plans_that_contradict_the_configuration_are_refused() {
    trial(|workspace| {
        ready(workspace, "", THING);
        for (how, said) in [
            (
                "another",
                "planned.name in the answer to resources/planChange: it differs from the configuration",
            ),
            (
                "nil",
                "planned in the answer to resources/planChange: it is nil",
            ),
        ] {
            workspace.behave(&format!("planChange {how}"));
            let refused = workspace.run("plan").fails();
            refused
                .says(said)
                .says("report it to the author of the plugin")
                .says("Plugin: stage, method resources/planChange");
        }
        let unknown = THING.replace("\"one\"", "terraform_data.b.id");
        let unknown = format!("resource \"terraform_data\" \"b\" {{}}\n{unknown}");
        workspace.configure("stage", &unknown);
        workspace.behave("planChange another");
        workspace.run("plan").fails().says(
            "planned.name in the answer to resources/planChange: it is known, but its configuration is unknown",
        );
    });
}

#[test]
fn wrong_answers_to_a_read_keep_the_state() {
    trial(|workspace| {
        ready(workspace, "", THING);
        workspace.run("apply -auto-approve").succeeds();
        let before = workspace.state();
        for (how, said) in [
            ("nan", "state.size in the answer to resources/read"),
            ("misfit", "state.size in the answer to resources/read"),
            (
                "unknown",
                "state.size in the answer to resources/read: it is unknown",
            ),
            ("extra", "the attribute \"extra\" is not supported"),
            (
                "missing",
                "state in the answer to resources/read: it is missing",
            ),
            ("truncate", "Could not read the resource"),
            // Only nil says that it is gone.
            ("gone", "there is no such thing"),
        ] {
            workspace.behave(&format!("read {how}"));
            let refused = workspace.run("apply -auto-approve").fails();
            refused
                .says(said)
                .says("Plugin: stage, method resources/read");
            assert_eq!(workspace.state()["resources"], before["resources"], "{how}");
        }
        workspace.behave("");
        workspace.run("plan -detailed-exitcode").succeeds();
    });
}

#[test]
fn wrong_answers_to_a_create_are_kept_and_tainted() {
    trial(|workspace| {
        ready(workspace, "", THING);
        for (how, said) in [
            ("nan", "state.size in the answer to resources/applyChange"),
            (
                "misfit",
                "state.size in the answer to resources/applyChange",
            ),
            (
                "refined",
                "state.size in the answer to resources/applyChange",
            ),
            (
                "list",
                "The answer to resources/applyChange: expected a map",
            ),
            (
                "another",
                "state.name in the answer to resources/applyChange: it differs from what was planned",
            ),
        ] {
            workspace.behave(&format!("applyChange {how}"));
            let refused = workspace.run("apply -auto-approve").fails();
            refused
                .says(said)
                .says("report it to the author of the plugin")
                .says("Plugin: stage, method resources/applyChange")
                .says_nothing_of("hunter2");
            assert_eq!(
                workspace.instance("stage_thing")["status"],
                "tainted",
                "{how}"
            );
            workspace.run("state rm stage_thing.a").succeeds();
        }
        // Without an answer nothing is known of a creation.
        for how in ["truncate", "print"] {
            workspace.behave(&format!("applyChange {how}"));
            let refused = workspace.run("apply -auto-approve").fails();
            refused
                .says("Whether the change was made is unknown")
                .says_nothing_of("hunter2");
        }
    });
}

#[test]
fn objects_in_arguments_may_leave_optional_attributes_out() {
    trial(|workspace| {
        let call = |call: &str| format!("output \"x\" {{\n  value = provider::stage::{call}\n}}\n");
        ready(workspace, "", "");
        let inner = r#""inner": {"c": null}"#;
        for (text, result) in [
            (
                r#"options({ a = "x" })"#,
                r#"{"options": {"a": "x", "b": null, "inner": null}}"#.to_owned(),
            ),
            (
                r#"options({ a = "x", b = 2, inner = {} })"#,
                format!(r#"{{"options": {{"a": "x", "b": 2, {inner}}}}}"#),
            ),
            (r#"more("t")"#, r#"{"text": "t"}"#.to_owned()),
            (
                r#"more("t", { a = "x", inner = {} })"#,
                format!(r#"{{"options": {{"a": "x", "b": null, {inner}}}, "text": "t"}}"#),
            ),
            (
                r#"several([{}, { a = "x" }])"#,
                r#"{"options": [[{"a": null}, {"a": "x"}]]}"#.to_owned(),
            ),
        ] {
            workspace.configure("stage", &call(text));
            workspace.run("apply -auto-approve").succeeds();
            assert_eq!(
                workspace.state()["outputs"]["x"]["value"],
                result.as_str(),
                "{text}"
            );
            workspace.run("plan -detailed-exitcode").succeeds();
        }
        workspace.configure("stage", &call("options({ b = 1 })"));
        workspace
            .run("plan")
            .fails()
            .says("attribute \"a\" is required");
    });
}
