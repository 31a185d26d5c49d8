//! How many processes of a script are started.

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

/// The processes that handled the calls of a method.
fn processes(workspace: &Workspace, method: &str) -> BTreeSet<u64> {
    let calls = workspace.calls();
    let calls = calls.iter().filter(|call| call["method"] == method);
    calls
        .map(|call| call["process"].as_u64().expect("a number"))
        .collect()
}

/// At most as many as Terraform's parallelism, and each handles many calls.
#[test]
fn a_hundred_resources_share_a_few_processes() {
    trial(&[], |workspace| {
        configure(workspace, 100, "", "");
        let applied = workspace.apply();
        applied.says("Apply complete! Resources: 100 added, 0 changed, 0 destroyed.");
        assert_eq!(workspace.calls_of("create").len(), 100);
        assert!(processes(workspace, "create").len() <= PARALLELISM);
        workspace.assert_nothing_to_do();
        assert_eq!(workspace.calls_of("read").len(), 100);
        assert!(processes(workspace, "read").len() <= PARALLELISM);
        workspace.destroy();
        assert!(processes(workspace, "delete").len() <= PARALLELISM);
        let objects = fs::read_dir(workspace.path("objects")).map(Iterator::count);
        assert_eq!(objects.ok(), Some(0));
    });
}

/// Terraform's default parallelism.
const PARALLELISM: usize = 10;

#[test]
fn without_reuse_every_call_is_a_process() {
    trial(&[], |workspace| {
        // The provider sets it for all, and a resource overrides it for itself.
        for (resource, provider, count) in [
            ("reuse = false", "", 6),
            ("", "reuse = false", 6),
            ("reuse = true", "reuse = false", 1),
        ] {
            configure(workspace, 6, resource, provider);
            workspace.apply();
            workspace.forget_calls();
            // One call after the other.
            let planned = workspace.run("plan -detailed-exitcode -parallelism=1");
            planned.succeeds();
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

/// Calls run in parallel: each waits until all have started. Each has its own process, unless the script
/// accepts several calls at a time.
#[test]
fn calls_run_at_the_same_time() {
    trial(&[], |workspace| {
        let ten: Value = (0..10)
            .map(|number| {
                let begun = json!({ "touch": format!("started-{number}") });
                let others = (0..10).map(|other| json!({ "gate": format!("started-{other}") }));
                let moves: Vec<Value> = std::iter::once(begun).chain(others).collect();
                (format!("create object-{number}"), moves.into())
            })
            .collect::<serde_json::Map<String, Value>>()
            .into();
        for (attribute, count) in [
            ("", 10),
            ("max_in_flight = 10", 1),
            ("max_in_flight = 5", 2),
        ] {
            workspace.moves(&ten);
            configure(workspace, 10, attribute, "");
            workspace.forget_calls();
            workspace.apply();
            assert_eq!(processes(workspace, "create").len(), count, "{attribute}");
            workspace.destroy();
            for number in 0..10 {
                fs::remove_file(workspace.path(format!("started-{number}"))).expect("a file");
            }
        }
    });
}

fn configure_together(workspace: &Workspace, script: &str, count: usize, stray: &str) {
    workspace.configure(&format!(
        r#"
resource "denobridge_resource" "a" {{
  count       = {count}
  path        = "./{script}"
  props       = {{ number = count.index, count = {count}, {stray} }}
  permissions = {{ all = true }}
}}
"#
    ));
}

/// Scripts that block while they handle a call. None of these creates would finish if one had to wait for
/// another.
#[test]
fn synchronous_scripts_run_at_the_same_time() {
    for (script, needs, count) in [
        ("together.py", &[][..], 40),
        ("together.ts", &[Need::Deno], 10),
    ] {
        trial(needs, |workspace| {
            configure_together(workspace, script, count, "");
            let applied = workspace
                .run("apply -auto-approve -parallelism=40")
                .succeeds();
            applied.says(&format!("Resources: {count} added"));
            assert_eq!(workspace.instances().len(), count);
        });
    }
}

/// One of ten creates ends its process. The others have created their objects, and all of these are in
/// the state.
#[test]
fn a_stray_rejection_ends_one_process() {
    for (script, needs) in [("together.py", &[][..]), ("together.ts", &[Need::Deno])] {
        trial(needs, |workspace| {
            configure_together(workspace, script, 10, "stray = 5");
            let failed = workspace.apply_fails();
            assert_eq!(
                failed.count("Error: Failed to create resource"),
                1,
                "{failed}"
            );
            failed.says("with denobridge_resource.a[5],");
            failed.says("a stray rejection").says("exit status: 1");
            let known: BTreeSet<String> = workspace.instances().into_keys().collect();
            let expected = (0..10).filter(|number| *number != 5);
            let expected = expected.map(|number| format!("denobridge_resource.a[{number}]"));
            assert_eq!(known, expected.collect());
        });
    }
}

/// If a process that handles several calls dies, all of them are lost. Calls that only read are repeated,
/// so that only the one that caused it fails.
#[test]
fn a_call_that_kills_its_script_does_not_fail_the_others() {
    trial(&[], |workspace| {
        configure(workspace, 8, "max_in_flight = 8", "");
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

/// Scripts with different permissions never share a process.
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
