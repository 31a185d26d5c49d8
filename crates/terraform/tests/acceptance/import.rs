//! Import of existing objects.

use crate::file::file;
use crate::tools::Need;
use crate::trial::trial;
use crate::workspace::Workspace;

fn import(workspace: &Workspace, id: &str) {
    let words = ["import", "denobridge_resource.a", id];
    let outcome = workspace.start_words(&words).wait().succeeds();
    outcome.says("Import successful!");
}

#[test]
fn a_file_is_imported_by_json() {
    trial(&[], |workspace| {
        workspace.write("a.txt", "one");
        workspace.configure(&file("file.py", "a.txt", "one"));
        import(workspace, r#"{"id":"a.txt","path":"./file.py"}"#);
        workspace.assert_nothing_to_do();
        workspace.destroy();
        assert!(!workspace.has("a.txt"));
    });
}

/// Go ignores the case of member names, so existing configurations may use any case.
#[test]
fn a_file_is_imported_by_json_with_permissions() {
    trial(&[Need::Deno], |workspace| {
        workspace.write("a.txt", "one");
        workspace.configure(&file("file.ts", "a.txt", "one"));
        let id = r#"{"ID":"a.txt","Path":"./file.ts","permissions":{"all":true},"props":{"path":"a.txt"}}"#;
        import(workspace, id);
        workspace.assert_nothing_to_do();
        assert_eq!(
            workspace.attribute("sensitive_state")["secret"],
            "resource-secret"
        );
        workspace.destroy();
    });
}

#[test]
fn an_invalid_import_id_is_an_error_with_an_example() {
    trial(&[], |workspace| {
        workspace.configure(&file("file.py", "a.txt", "one"));
        for (id, why) in [
            ("a.txt", "a.txt"),
            (r#"{"path":"./file.py"}"#, "id"),
            (r#"{"id":"a.txt"}"#, "path"),
        ] {
            let words = ["import", "denobridge_resource.a", id];
            let outcome = workspace.start_words(&words).wait().fails();
            outcome
                .says("Invalid Import ID")
                .says(why)
                .says(r#"{"id":"#);
        }
        let words = [
            "import",
            "denobridge_resource.a",
            r#"{"id":"nothing.txt","path":"./file.py"}"#,
        ];
        let outcome = workspace.start_words(&words).wait().fails();
        outcome.says("Cannot import non-existent remote object");
    });
}

#[test]
fn a_file_is_imported_by_its_identity() {
    trial(&[Need::Identity], |workspace| {
        workspace.write("a.txt", "one");
        let resource = file("file.py", "a.txt", "one");
        workspace.configure(&format!(
            r#"{resource}
import {{
  to       = denobridge_resource.a
  identity = {{ id = "a.txt", path = "./file.py" }}
}}
"#
        ));
        let applied = workspace.apply();
        applied.says("Apply complete! Resources: 1 imported, 0 added, 0 changed, 0 destroyed.");
        workspace.assert_nothing_to_do();
        let identity = &workspace.instances()["denobridge_resource.a"]["identity"];
        assert_eq!(identity["id"], "a.txt");
        workspace.destroy();
    });
}

/// A script that was moved is found by the identity, too.
#[test]
fn an_identity_names_the_script_of_the_configuration() {
    trial(&[Need::Identity], |workspace| {
        workspace.configure(&file("file.py", "a.txt", "one"));
        workspace.apply();
        workspace.write("moved.py", &workspace.read("file.py"));
        workspace.configure(&file("moved.py", "a.txt", "one"));
        workspace.apply().says("0 added, 1 changed, 0 destroyed");
        let identity = &workspace.instances()["denobridge_resource.a"]["identity"];
        assert_eq!(identity["path"], "./moved.py");
        workspace.assert_nothing_to_do();
        workspace.destroy();
    });
}

#[test]
fn an_identity_may_have_all_that_a_script_needs() {
    trial(&[Need::Identity, Need::Deno], |workspace| {
        workspace.write("a.txt", "one");
        workspace.configure(
            r#"
resource "denobridge_resource" "a" {
  command     = ["python3", "-u", "file.py"]
  props       = { path = "a.txt", content = "one" }
}

resource "denobridge_resource" "b" {
  path        = "./file.ts"
  props       = { path = "a.txt", content = "one" }
  permissions = { allow = ["read", "write"] }
  config_file = "/dev/null"
}

import {
  to       = denobridge_resource.a
  identity = { id = "a.txt", command = ["python3", "-u", "file.py"] }
}

import {
  to       = denobridge_resource.b
  identity = {
    id          = "a.txt"
    path        = "./file.ts"
    allow       = ["read", "write"]
    config_file = "/dev/null"
    props       = jsonencode({ path = "a.txt" })
  }
}
"#,
        );
        let applied = workspace.apply();
        applied.says("Apply complete! Resources: 2 imported, 0 added, 0 changed, 0 destroyed.");
        workspace.assert_nothing_to_do();
    });
}

#[test]
fn a_configuration_is_generated_of_what_is_imported() {
    trial(&[Need::Actions], |workspace| {
        workspace.write("a.txt", "one");
        workspace.configure(
            r#"
import {
  to = denobridge_resource.a
  id = jsonencode({ id = "a.txt", path = "./file.py" })
}
"#,
        );
        workspace
            .run("plan -generate-config-out=generated.tf")
            .succeeds();
        let generated = workspace.read("generated.tf");
        assert!(generated.contains(r#"content = "one""#), "{generated}");
        for computed in ["state", "write_only_props_version", "modified_props"] {
            assert!(!generated.contains(computed), "{computed} in {generated}");
        }
        workspace.apply().says("1 imported, 0 added, 0 changed");
        workspace.assert_nothing_to_do();
        workspace.destroy();
    });
}
