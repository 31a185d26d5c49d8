//! Ctrl-C and `kill -9` in the middle of an apply: the state has what was done, and no process is left.

use std::collections::BTreeSet;
use std::fs;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::running::Running;
use crate::trial::trial;
use crate::workspace::Workspace;

/// Starts an apply of twenty resources, of which the last ten never finish, and waits until
/// no more can be done.
fn half_done(workspace: &Workspace) -> Running<'_> {
    let hanging: serde_json::Map<String, Value> = (10..20)
        .map(|number| {
            (
                format!("create object-{number}"),
                json!([{ "gate": "never" }]),
            )
        })
        .collect();
    workspace.moves(&Value::from(hanging));
    workspace.configure(
        r#"
resource "denobridge_resource" "a" {
  count = 20
  path  = "./puppet.py"
  props = { name = "object-${count.index}" }
}

resource "denobridge_resource" "b" {
  depends_on = [denobridge_resource.a]
  path       = "./puppet.py"
  props      = { name = "after-all" }
}
"#,
    );
    let running = workspace.start("apply -auto-approve -parallelism=20");
    workspace.wait_until("half of it is done", || {
        workspace.calls_of("create").len() == 20
            && objects(workspace).len() == 10
            && reported(workspace) == 10
    });
    running
}

/// How many of them are done as far as Terraform knows: until then, an answer may be lost if a process
/// is killed.
fn reported(workspace: &Workspace) -> usize {
    let said = fs::read_to_string(workspace.path("stdout")).unwrap_or_default();
    said.matches("Creation complete").count()
}

/// The names of the objects that the script created.
fn objects(workspace: &Workspace) -> BTreeSet<String> {
    let files = fs::read_dir(workspace.path("objects"));
    let names = files
        .into_iter()
        .flatten()
        .flatten()
        .map(|file| file.file_name());
    names
        .map(|name| name.to_string_lossy().trim_end_matches(".json").to_owned())
        .collect()
}

/// The names of the objects in the state.
fn known(workspace: &Workspace) -> BTreeSet<String> {
    let instances = workspace.instances();
    let ids = instances
        .values()
        .map(|instance| &instance["attributes"]["id"]);
    ids.map(|id| id.as_str().expect("an id").to_owned())
        .collect()
}

/// Sends Ctrl-C, and waits until Terraform has received it.
fn interrupt(workspace: &Workspace, running: &Running<'_>) {
    running.interrupt();
    until_stopping(workspace);
}

/// Waits until Terraform says that it stops.
fn until_stopping(workspace: &Workspace) {
    workspace.wait_until("Terraform has been told", || {
        workspace.read("stdout").contains("Interrupt received")
    });
}

/// Everything that was started is finished, and nothing else is started.
#[test]
fn after_ctrl_c_the_state_has_what_was_created() {
    trial(&[], |workspace| {
        let running = half_done(workspace);
        interrupt(workspace, &running);
        workspace.write("never", "");
        let outcome = running.wait().fails();
        workspace.assert_nobody_left();
        assert_eq!(known(workspace), objects(workspace));
        assert_eq!(known(workspace).len(), 20, "{outcome}");

        workspace.moves(&json!({}));
        workspace.apply().says("1 added, 0 changed, 0 destroyed");
        workspace.destroy();
    });
}

/// At the second Ctrl-C, Terraform stops without waiting.
#[test]
fn after_ctrl_c_twice_no_process_is_left() {
    trial(&[], |workspace| {
        let running = half_done(workspace);
        interrupt(workspace, &running);
        running.interrupt();
        running.wait().fails();
        workspace.assert_nobody_left();
    });
}

/// Calls that only read are not waited for: nothing is lost.
#[test]
fn after_ctrl_c_what_only_reads_is_given_up() {
    trial(&[], |workspace| {
        workspace.moves(&json!({ "read": [{ "gate": "never" }] }));
        workspace.configure(
            r#"
data "denobridge_datasource" "a" {
  path  = "./puppet.py"
  props = {}
}
"#,
        );
        let running = workspace.start("plan");
        workspace.wait_until("it has begun", || workspace.calls_of("read").len() == 1);
        running.interrupt();
        running.wait().fails().says("interrupted");
        workspace.assert_nobody_left();
    });
}

/// However long it takes: what a running create makes must be in the state.
#[test]
fn after_ctrl_c_what_runs_may_finish() {
    trial(&[], |workspace| {
        workspace.moves(&json!({ "create": [{ "touch": "begun" }, { "sleep": 7 }] }));
        workspace.configure(
            r#"
resource "denobridge_resource" "a" {
  path  = "./puppet.py"
  props = { name = "a" }
}

resource "denobridge_resource" "b" {
  depends_on = [denobridge_resource.a]
  path       = "./puppet.py"
  props      = { name = "b" }
}
"#,
        );
        let running = workspace.start("apply -auto-approve");
        workspace.wait_until("it has begun", || workspace.has("begun"));
        running.interrupt();
        running.wait().fails();
        workspace.assert_nobody_left();
        assert_eq!(known(workspace), BTreeSet::from(["a".to_owned()]));
        assert_eq!(objects(workspace), known(workspace));
    });
}

/// Terraform handles SIGTERM like Ctrl-C, and so does the provider if both get it.
#[test]
fn after_sigterm_to_the_group_what_runs_may_finish() {
    trial(&[], |workspace| {
        workspace.moves(&json!({ "create": [{ "touch": "begun" }, { "gate": "go" }] }));
        workspace.configure(
            r#"
resource "denobridge_resource" "a" {
  path  = "./puppet.py"
  props = { name = "a" }
}

resource "denobridge_resource" "b" {
  depends_on = [denobridge_resource.a]
  path       = "./puppet.py"
  props      = { name = "b" }
}
"#,
        );
        let running = workspace.start("apply -auto-approve");
        workspace.wait_until("it has begun", || workspace.has("begun"));
        running.terminate();
        until_stopping(workspace);
        workspace.write("go", "");
        running.wait().fails();
        workspace.assert_nobody_left();
        assert_eq!(known(workspace), BTreeSet::from(["a".to_owned()]));
        assert_eq!(objects(workspace), known(workspace));
    });
}

#[test]
fn after_ctrl_c_a_start_that_hangs_is_given_up() {
    trial(&[], |workspace| {
        workspace.write(
            "hang.py",
            "import time\nopen('begun', 'w').close()\ntime.sleep(600)\n",
        );
        workspace.configure(
            r#"
data "denobridge_datasource" "a" {
  path  = "./hang.py"
  props = {}
}
"#,
        );
        let running = workspace.start("plan");
        workspace.wait_until("it has begun", || workspace.has("begun"));
        running.interrupt();
        running.wait().fails().says("interrupted");
        workspace.assert_nobody_left();
    });
}

#[test]
fn when_terraform_is_killed_no_process_is_left() {
    trial(&[], |workspace| {
        let running = half_done(workspace);
        running.kill();
        assert_eq!(running.wait().code, None);
        workspace.assert_nobody_left();
    });
}

#[test]
fn when_the_provider_is_killed_no_script_is_left() {
    trial(&[], |workspace| {
        let running = half_done(workspace);
        let providers = workspace.providers();
        assert!(!providers.is_empty());
        for provider in providers {
            let provider = Pid::from_raw(provider).expect("a process");
            kill_process(provider, Signal::KILL).expect("a provider");
        }
        running.wait().fails();
        workspace.assert_nobody_left();
        assert_eq!(known(workspace), objects(workspace));
    });
}
