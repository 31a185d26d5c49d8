//! Errors of running scripts, and what the user sees.

use serde_json::{Value, json};

use crate::outcome::Outcome;
use crate::tools::Need;
use crate::trial::trial;
use crate::workspace::Workspace;

fn configure(workspace: &Workspace, attributes: &str) {
    workspace.configure(&format!(
        r#"
resource "denobridge_resource" "a" {{
  path  = "./puppet.py"
  props = {{ name = "a" }}
  {attributes}
}}
"#
    ));
}

/// A create that fails, with these moves.
fn create_fails(workspace: &Workspace, moves: Value) -> Outcome {
    workspace.moves(&json!({ "create": moves }));
    let failed = workspace.apply_fails();
    failed.says("with denobridge_resource.a,").says("puppet.py");
    failed.says_nothing_of("Plugin did not respond");
    failed.says_nothing_of("Provider produced");
    assert_eq!(workspace.instances().len(), 0, "{failed}");
    failed
}

#[test]
fn an_error_is_shown_with_all_that_is_known() {
    trial(&[], |workspace| {
        configure(workspace, "");
        let thrown = json!({ "code": -32042, "message": "the quota is used up" });
        let moves = json!([{ "stderr": "asking the service" }, { "error": thrown }]);
        let failed = create_fails(workspace, moves);
        failed
            .says("create")
            .says("the quota is used up")
            .says("-32042");
        failed.says("asking the service");
        // Code and message of the TypeScript library for everything that is thrown.
        let thrown = json!({ "code": -32603, "message": "Internal error" });
        let moves = json!([{ "stderr": "TypeError: x is undefined" }, { "error": thrown }]);
        let failed = create_fails(workspace, moves);
        failed.says("TypeError: x is undefined");
    });
}

/// The thrown message is shown first, not the generic "Internal error".
#[test]
fn an_error_that_the_library_hides_is_shown() {
    trial(&[Need::Deno], |workspace| {
        let configure = |more: &str| {
            workspace.configure(&format!(
                r#"
resource "denobridge_resource" "a" {{
  path        = "./library.ts"
  permissions = {{ all = true }}
  props       = {{ path = "a.txt", {more} }}
}}
"#
            ));
        };
        configure("refuse = \"no disk\"");
        let failed = workspace.apply_fails();
        failed.says("Error: Failed to create resource");
        failed.says(
            "Error: the quota is used up: no disk (the script answered: Internal error) Script:",
        );

        // Terraform itself does not say which resource could not be deleted.
        configure("keep = true");
        workspace.apply();
        let failed = workspace.run("destroy -auto-approve").fails();
        failed.says("Error: Failed to delete resource");
        failed.says("Error: it is to be kept (the script answered: Internal error)");
        failed.says("Resource: denobridge_resource with id \"a.txt\"");
        workspace.run("state rm denobridge_resource.a").succeeds();
    });
}

/// Terraform does not name a resource whose block was removed.
#[test]
fn errors_about_a_resource_without_a_block_name_it() {
    trial(&[], |workspace| {
        configure(workspace, "");
        workspace.apply();
        workspace.configure("");
        let problem = json!({
            "severity": "error", "summary": "No", "detail": "Not now.", "propPath": ["props", "name"],
        });
        let resource = "Resource: denobridge_resource with id \"a\"";
        let moves = json!([{ "result": { "diagnostics": [problem] } }]);
        workspace.moves(&json!({ "read": moves }));
        workspace.plan().fails().says("Not now.").says(resource);
        workspace.moves(&json!({ "modifyPlan": moves }));
        let failed = workspace.plan().fails();
        failed.says("Not now. Attribute: props.name").says(resource);
        workspace.moves(&json!({ "delete": moves }));
        let failed = workspace.apply_fails();
        failed.says("Not now. Attribute: props.name").says(resource);
        workspace.moves(&json!({}));
        workspace.apply();
    });
}

#[test]
fn a_crash_is_shown_with_status_and_last_words() {
    trial(&[], |workspace| {
        configure(workspace, "");
        let failed = create_fails(
            workspace,
            json!([{ "stderr": "out of luck" }, { "exit": 3 }]),
        );
        failed
            .says("create")
            .says("exit status: 3")
            .says("out of luck");

        workspace.moves(&json!({}));
        workspace.apply();
        workspace.moves(&json!({ "read": [{ "stderr": "no eyes" }, { "exit": 4 }] }));
        let failed = workspace.plan().fails();
        failed
            .says("read")
            .says("exit status: 4")
            .says("no eyes")
            .says("puppet.py");
        assert_eq!(workspace.instances().len(), 1);

        // A call that only reads can be repeated.
        workspace.moves(&json!({ "read": [{ "exit_once": 5 }] }));
        workspace.assert_nothing_to_do();
        assert!(workspace.has("exited"));
        workspace.destroy();
    });
}

#[test]
fn a_call_that_never_ends_has_a_timeout() {
    trial(&[], |workspace| {
        configure(workspace, "timeout = 1");
        let failed = create_fails(workspace, json!([{ "gate": "never" }]));
        failed.says("create").says("within 1s");
        // A slow script that answers in time.
        configure(workspace, "timeout = 30");
        workspace.moves(&json!({ "create": [{ "sleep": 1.2 }] }));
        workspace.apply();
        workspace.destroy();
    });
}

/// A script that ignores `shutdown`, the end of its stdin and SIGTERM.
#[test]
fn a_script_that_does_not_want_to_end_is_ended() {
    trial(&[], |workspace| {
        configure(workspace, "");
        workspace.moves(&json!({
            "start": [{ "deaf": true }],
            "shutdown": [{ "gate": "never" }],
            "end": [{ "gate": "never" }],
        }));
        workspace.apply();
        workspace.assert_nobody_left();
        workspace.destroy();
    });
}

#[test]
fn lines_that_are_not_messages_are_skipped() {
    trial(&[], |workspace| {
        configure(workspace, "");
        let garbage = [
            "Downloading 3 packages ...",
            "{\"level\":\"info\"}",
            "{broken",
            "[1,2]",
            "null",
            "",
            "{\"jsonrpc\":\"2.0\",\"id\":4711,\"result\":{}}",
            "{\"jsonrpc\":\"2.0\",\"method\":\"log\",\"params\":{}}",
        ];
        let moves: Vec<Value> = garbage
            .iter()
            .map(|line| json!({ "print": line }))
            .collect();
        workspace.moves(&json!({ "start": moves, "create": moves, "read": moves }));
        workspace.apply();
        workspace.assert_nothing_to_do();
        workspace.destroy();
    });
}

/// Text without a line break, usually progress.
#[test]
fn text_around_an_answer_is_skipped() {
    trial(&[], |workspace| {
        configure(workspace, "");
        let printed = |text: &str| json!([{ "write": text }]);
        workspace.moves(&json!({
            "start": printed("Loading {plugins} ... "),
            "create": printed("\u{1b}[2K\r50%..."),
            "read": printed("{\"level\":\"info\"} "),
            "delete": printed("removing {"),
        }));
        workspace.apply();
        workspace.assert_nothing_to_do();
        workspace.destroy();
        let answer = json!([{ "write": "50%... {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":NaN}\n" }]);
        // Whether it is the answer to the plan or to the create, it is reported without waiting.
        workspace.moves(&json!({ "modifyPlan": answer, "create": [{ "gate": "never" }] }));
        let failed = workspace.apply_fails();
        failed.says("cannot be read").says("50%...");
    });
}

#[test]
fn answers_of_the_wrong_kind_are_reported() {
    trial(&[], |workspace| {
        configure(workspace, "");
        for (answer, seen) in [
            (json!("hello"), "answers with an object"),
            (json!(["a", {}]), "answers with an object"),
        ] {
            let failed = create_fails(workspace, json!([{ "result": answer }]));
            failed.says("create").says(seen);
        }
        // The created object is in the state, tainted.
        for (answer, seen) in [
            (
                json!({ "id": "a", "diagnostics": 5 }),
                "A diagnostic of the script cannot be read",
            ),
            (json!({ "id": ["a"] }), "id in the answer to create"),
        ] {
            workspace.moves(&json!({ "create": [{ "result": answer }] }));
            let failed = workspace.apply_fails();
            failed.says(seen).says_nothing_of("struct");
            assert_eq!(workspace.instances().len(), 1, "{failed}");
        }
        workspace.moves(&json!({}));
        workspace.apply();
        for answer in [json!([]), json!({ "exists": "perhaps" })] {
            workspace.moves(&json!({ "read": [{ "result": answer }] }));
            let failed = workspace.plan().fails();
            failed.says("read").says("puppet.py");
        }
        workspace.moves(&json!({}));
        workspace.destroy();
    });
}

#[test]
fn an_answer_without_end_is_cut_off() {
    trial(&[], |workspace| {
        configure(workspace, "");
        let failed = create_fails(workspace, json!([{ "print_bytes": 17 * 1024 * 1024 }]));
        failed.says("16777216 bytes");
        assert!(
            failed.stderr.len() < 10_000,
            "{} bytes",
            failed.stderr.len()
        );
    });
}

#[test]
fn a_flood_on_stderr_blocks_nothing() {
    trial(&[], |workspace| {
        configure(workspace, "");
        workspace.moves(&json!({ "create": [{ "flood": 10 * 1024 * 1024 }] }));
        workspace.apply();
        workspace.destroy();
        let thrown = json!({ "code": 1, "message": "too much" });
        let moves = json!([{ "flood": 10 * 1024 * 1024 }, { "error": thrown }]);
        let failed = create_fails(workspace, moves);
        failed.says("too much").says("flood");
        assert!(
            failed.stderr.len() < 100_000,
            "{} bytes",
            failed.stderr.len()
        );
    });
}
