//! Ctrl-C, time limits and plugins that die: nothing that was created is forgotten.

use serde_json::Value;

use crate::stage::{count, forget_calls, ready};
use crate::workspace::{Workspace, trial};

/// Three things, one after the other.
const CHAIN: &str = r#"
resource "stage_thing" "a" {
  name = "a"
}
resource "stage_thing" "b" {
  name       = "b"
  secret     = "hunter2"
  depends_on = [stage_thing.a]
}
resource "stage_thing" "c" {
  name       = "c"
  depends_on = [stage_thing.b]
}
"#;

const A: &str = "stage_thing.a";
const B: &str = "stage_thing.b";

fn status(workspace: &Workspace, name: &str) -> Value {
    let state = workspace.state();
    let resources = state["resources"].as_array().unwrap();
    let found = resources.iter().find(|one| one["name"] == name);
    found.unwrap_or_else(|| panic!("no {name} in {state}"))["instances"][0]["status"].clone()
}

#[test]
fn ctrl_c_keeps_what_was_created() {
    trial(|workspace| {
        ready(workspace, "", CHAIN);
        for (behaviour, left) in [("wait finish", &[A, B][..]), ("wait refuse", &[A])] {
            forget_calls(workspace);
            workspace.behave(behaviour);
            let running = workspace.start("apply -auto-approve");
            workspace.until("the second creation", || count(workspace, "waiting") > 0);
            running.interrupt();
            let ended = running.wait().fails();
            ended.says_nothing_of("hunter2");
            assert_eq!(count(workspace, "cancelled"), 1, "{ended}");
            assert_eq!(workspace.addresses(), left, "{ended}");
            assert_eq!(status(workspace, "a"), Value::Null);
            workspace.behave("");
            workspace.run("apply -auto-approve").succeeds();
            workspace.run("plan -detailed-exitcode").succeeds();
            workspace.run("destroy -auto-approve").succeeds();
        }
    });
}

#[test]
fn what_is_opened_after_ctrl_c_is_closed() {
    trial(|workspace| {
        ready(
            workspace,
            "",
            "ephemeral \"stage_key\" \"k\" {\n  name = \"k\"\n}\n",
        );
        workspace.behave("wait open");
        let running = workspace.start("plan");
        workspace.until("the opening", || count(workspace, "waiting") > 0);
        running.interrupt();
        running.wait().fails();
        assert_eq!(count(workspace, "cancelled"), 1);
        assert_eq!(count(workspace, "resources/close opened"), 1);
    });
}

/// A plugin that does not react to being cancelled is ended with Terraform.
#[test]
fn a_second_ctrl_c_ends_a_plugin_that_hangs() {
    trial(|workspace| {
        ready(workspace, "", CHAIN);
        workspace.behave("hang");
        let running = workspace.start("apply -auto-approve");
        workspace.until("the second creation", || count(workspace, "waiting") > 0);
        running.interrupt();
        workspace.until("the cancellation", || count(workspace, "cancelled") > 0);
        running.interrupt();
        running.wait().fails();
        assert_eq!(workspace.addresses(), [A]);
    });
}

#[test]
fn a_plugin_that_dies_loses_nothing() {
    trial(|workspace| {
        ready(
            workspace,
            "",
            &CHAIN.replace(
                "name = \"a\"",
                "name = \"a\"\n  lifecycle { ignore_changes = all }",
            ),
        );
        // While it creates: what was created before is kept.
        workspace
            .run("apply -auto-approve -target=stage_thing.a")
            .succeeds();
        workspace.behave("applyChange die");
        let died = workspace.run("apply -auto-approve").fails();
        died.says("Could not create the resource")
            .says("Plugin: stage, method resources/applyChange")
            .says("Whether the change was made is unknown")
            .says_nothing_of("hunter2");
        assert_eq!(workspace.addresses(), [A]);
        workspace.behave("");
        workspace.run("apply -auto-approve").succeeds();
        // While it deletes.
        workspace.behave("applyChange die");
        let died = workspace.run("destroy -auto-approve").fails();
        died.says("Could not delete the resource");
        assert_eq!(workspace.addresses().len(), 3);
        // While it reads.
        workspace.behave("read die");
        workspace
            .run("plan")
            .fails()
            .says("Could not read the resource");
        workspace.behave("");
        workspace.run("plan -detailed-exitcode").succeeds();
    });
}

#[test]
fn a_call_that_takes_too_long_is_ended() {
    trial(|workspace| {
        let look = "data \"stage_look\" \"x\" {}\n";
        ready(workspace, "--timeout 500ms", look);
        workspace.behave("hang data");
        let late = workspace.run("plan").fails();
        late.says("Could not read the data source")
            .says("did not answer within 500ms")
            .says("--timeout")
            .says("Plugin: stage, method resources/readData");
        workspace.configure("stage", CHAIN);
        // The plugin is asked to cancel, and what it answers then counts.
        forget_calls(workspace);
        workspace.behave("wait finish");
        workspace.run("apply -auto-approve").succeeds();
        assert_eq!(count(workspace, "cancelled"), 1);
        workspace.run("destroy -auto-approve").succeeds();
        // Also if it answers that it has cancelled the call: that alone would not say why.
        workspace.behave("wait refuse");
        let late = workspace.run("apply -auto-approve").fails();
        late.says("cancelled, nothing was created")
            .says("The call was cancelled after 500ms, the time limit")
            .says("--timeout");
        workspace.run("destroy -auto-approve").succeeds();
        forget_calls(workspace);
        workspace.behave("hang");
        let late = workspace.run("apply -auto-approve").fails();
        late.says("Could not create the resource")
            .says("did not answer within 500ms")
            .says("Whether the change was made is unknown")
            .says_nothing_of("hunter2");
        assert_eq!(workspace.addresses(), [A]);
        assert_eq!(count(workspace, "cancelled"), 1);
    });
}
