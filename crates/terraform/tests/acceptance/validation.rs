//! What `terraform validate` rejects, and the effects of a provider block.

use crate::tools::Need;
use crate::trial::trial;
use crate::workspace::Workspace;

/// Checks that a block with this additional line is invalid.
fn assert_refused(workspace: &Workspace, block: &str, line: &str, words: &[&str]) {
    let (before, after) = block.split_once("MORE").expect("a place for it");
    workspace.configure(&format!("{before}{line}{after}"));
    let refused = workspace.run("validate").fails();
    for word in words.iter().chain(&[line]) {
        refused.says(word);
    }
    workspace.configure(&format!("{before}{after}"));
    workspace.run("validate").succeeds();
}

const RESOURCE: &str = r#"
resource "denobridge_resource" "a" {
  path  = "./puppet.py"
  props = { name = "a" }
  MORE
}
"#;

#[test]
fn attributes_that_only_the_provider_sets() {
    trial(&[], |workspace| {
        let words = ["Error: Read-only attribute is set", "Remove it"];
        for line in [
            r#"id = "a""#,
            "state = { a = 1 }",
            r#"sensitive_state = "a""#,
            "modified_props = { name = \"b\" }",
        ] {
            assert_refused(workspace, RESOURCE, line, &words);
        }
        for kind in [
            r#"data "denobridge_datasource""#,
            r#"ephemeral "denobridge_ephemeral_resource""#,
        ] {
            let block =
                format!("{kind} \"a\" {{\n  path  = \"./puppet.py\"\n  props = {{}}\n  MORE\n}}\n");
            for line in ["result = 5", "sensitive_result = {}"] {
                assert_refused(workspace, &block, line, &words);
            }
        }
    });
}

#[test]
fn props_that_are_null() {
    trial(&[], |workspace| {
        let block = |kind: &str| {
            format!("{kind} \"a\" {{\n  path  = \"./puppet.py\"\n  props = null\n}}\n")
        };
        for kind in [
            r#"resource "denobridge_resource""#,
            r#"data "denobridge_datasource""#,
            r#"ephemeral "denobridge_ephemeral_resource""#,
        ] {
            workspace.configure(&block(kind));
            let refused = workspace.run("validate").fails();
            refused
                .says("Error: Required attribute is null")
                .says("props = null");
        }
        if workspace.terraform.has(Need::Actions) {
            let action = "action \"denobridge_action\" \"a\" {\n  config {\n    path  = \"./puppet.py\"\n    props = null\n  }\n}\n";
            workspace.configure(action);
            let refused = workspace.run("validate").fails();
            refused.says("Error: Required attribute is null");
        }
    });
}

#[test]
fn versions_that_are_not_whole_numbers() {
    trial(&[], |workspace| {
        let line = "write_only_props_version = 1.5";
        assert_refused(
            workspace,
            RESOURCE,
            line,
            &["Error: Invalid version", "whole number"],
        );
    });
}

#[test]
fn a_deno_of_another_version() {
    trial(&[Need::Deno], |workspace| {
        let configure = |version: &str| {
            workspace.configure(&format!(
                r#"
provider "denobridge" {{
  deno_version = "{version}"
}}

data "denobridge_datasource" "a" {{
  path  = "./library.ts"
  props = {{}}
}}
"#
            ));
        };
        configure("v2.0.1");
        let refused = workspace.plan().fails();
        refused
            .says("Error: Wrong version of Deno")
            .says("deno_version = \"v2.0.1\"");
        refused
            .says("deno_version requires Deno 2.0.1")
            .says("npm install -g deno@2.0.1");
        configure("latest");
        workspace.assert_nothing_to_do();
        configure("2");
        workspace.assert_nothing_to_do();
    });
}
