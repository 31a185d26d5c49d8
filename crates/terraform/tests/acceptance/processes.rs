//! How many processes a script is.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json};

use crate::tools::Need;
use crate::trial::trial;
use crate::workspace::Workspace;

fn configure(workspace: &Workspace, count: usize, reuse: &str, provider: &str) {
    workspace.configure(&format!(
        r#"
provider "denobridge" {{
  {provider}
}}

resource "denobridge_resource" "a" {{
  count = {count}
  path  = "./puppet.py"
  props = {{ name = "object-${{count.index}}" }}
  {reuse}
}}
"#
    ));
}

/// The processes that took the calls of a method.
fn processes(workspace: &Workspace, method: &str) -> BTreeSet<u64> {
    let calls = workspace.calls();
    let calls = calls.iter().filter(|call| call["method"] == method);
    calls
        .map(|call| call["process"].as_u64().expect("a number"))
        .collect()
}

#[test]
fn a_hundred_resources_are_one_process() {
    trial(&[], |workspace| {
        configure(workspace, 100, "", "");
        let applied = workspace.apply();
        applied.says("Apply complete! Resources: 100 added, 0 changed, 0 destroyed.");
        assert_eq!(workspace.calls_of("create").len(), 100);
        assert_eq!(processes(workspace, "create").len(), 1);
        workspace.assert_nothing_to_do();
        assert_eq!(workspace.calls_of("read").len(), 100);
        assert_eq!(processes(workspace, "read").len(), 1);
        workspace.destroy();
        assert_eq!(processes(workspace, "delete").len(), 1);
        let objects = fs::read_dir(workspace.path("objects")).map(Iterator::count);
        assert_eq!(objects.ok(), Some(0));
    });
}

#[test]
fn without_reuse_every_call_is_a_process() {
    trial(&[], |workspace| {
        // The provider says it for all, and a resource otherwise for itself.
        for (resource, provider, count) in [
            ("reuse = false", "", 6),
            ("", "reuse = false", 6),
            ("reuse = true", "reuse = false", 1),
        ] {
            configure(workspace, 6, resource, provider);
            workspace.apply();
            workspace.forget_calls();
            workspace.assert_nothing_to_do();
            assert_eq!(workspace.calls_of("read").len(), 6);
            assert_eq!(
                processes(workspace, "read").len(),
                count,
                "{resource} {provider}"
            );
        }
        workspace.destroy();
    });
}

/// Calls run at the same time: each waits until all are there.
#[test]
fn calls_run_at_the_same_time() {
    trial(&[], |workspace| {
        let ten: Value = (0..10)
            .map(|number| {
                let other = format!("started-{}", (number + 1) % 10);
                let moves = json!([{ "touch": format!("started-{number}") }, { "until": other }]);
                (format!("create object-{number}"), moves)
            })
            .collect::<serde_json::Map<String, Value>>()
            .into();
        workspace.moves(&ten);
        configure(workspace, 10, "", "");
        workspace.apply();
        assert_eq!(processes(workspace, "create").len(), 1);
    });
}

/// A script that dies of one resource takes the calls for the others with it. What only reads is
/// asked again, so that only the one that is to blame fails.
#[test]
fn one_that_kills_the_script_does_not_spoil_the_others() {
    trial(&[], |workspace| {
        configure(workspace, 8, "", "");
        workspace.apply();
        let deadly = json!([{ "sleep": 0.3 }, { "exit": 9 }]);
        let slow = json!([{ "sleep": 0.6 }]);
        workspace.moves(&json!({ "read": slow, "read object-5": deadly }));
        let failed = workspace.plan().fails();
        assert_eq!(
            failed.count("Error: Failed to read resource"),
            1,
            "{failed}"
        );
        failed.says("with denobridge_resource.a[5],");
        failed.says("exit status: 9");
        workspace.moves(&json!({}));
        workspace.destroy();
    });
}

/// Permissions are part of what a script is: one with less never runs in a process with more.
#[test]
fn permissions_are_never_shared() {
    trial(&[Need::Deno], |workspace| {
        workspace.configure(
            r#"
resource "denobridge_resource" "may" {
  path        = "./stateless.ts"
  props       = { path = "may.txt", content = "a" }
  permissions = { all = true }
}

resource "denobridge_resource" "may_not" {
  depends_on = [denobridge_resource.may]
  path       = "./stateless.ts"
  props      = { path = "may-not.txt", content = "b" }
}
"#,
        );
        let failed = workspace.apply_fails();
        failed.says("Requires write access to \"may-not.txt\"");
        failed.says("with denobridge_resource.may_not,");
        assert!(workspace.has("may.txt"));
        assert!(!workspace.has("may-not.txt"));
    });
}
