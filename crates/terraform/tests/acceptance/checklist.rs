//! The tests of upstream denobridge, one by one.

use serde_json::{Value, json};

use crate::tools::Need;
use crate::trial::trial;
use crate::workspace::Workspace;

/// Create, update in place, replace, import: the four steps of each resource.
fn four_steps(workspace: &Workspace, script: &str, attributes: &str, blocks: &str) {
    let configure = |path: &str, content: &str| {
        workspace.configure(&format!(
            r#"
resource "denobridge_resource" "a" {{
  path        = "./{script}"
  props       = {{ path = "{path}", content = "{content}" }}
  permissions = {{ all = true }}
  {attributes}
}}
{blocks}
"#
        ));
    };
    configure("./test.txt", "Hello World");
    workspace.apply();
    assert_eq!(workspace.attribute("id"), "./test.txt");
    let props = json!({ "path": "./test.txt", "content": "Hello World" });
    assert_eq!(workspace.attribute("props"), props);
    workspace.assert_nothing_to_do();

    configure("./test.txt", "Good Bye");
    let applied = workspace.apply();
    applied.says("0 added, 1 changed, 0 destroyed");
    assert_eq!(workspace.read("test.txt"), "Good Bye");

    configure("./test2.txt", "Hello Again");
    let applied = workspace.apply();
    applied.says("denobridge_resource.a must be replaced");
    applied.says("1 added, 0 changed, 1 destroyed");
    assert!(!workspace.has("test.txt"));
    assert_eq!(workspace.read("test2.txt"), "Hello Again");

    let before = without_version(workspace);
    workspace.run("state rm denobridge_resource.a").succeeds();
    let id = json!({
        "id": "./test2.txt",
        "path": format!("./{script}"),
        "props": { "path": "./test2.txt", "content": "Hello Again" },
        "permissions": { "all": true },
    });
    let words = ["import", "denobridge_resource.a", &id.to_string()];
    workspace.start_words(&words).wait().succeeds();
    assert_eq!(without_version(workspace), before);
}

/// All attributes but the one that an import cannot know.
fn without_version(workspace: &Workspace) -> Value {
    let mut instances = workspace.instances();
    let instance = instances
        .remove("denobridge_resource.a")
        .expect("a resource");
    let mut attributes = instance["attributes"].clone();
    attributes["write_only_props_version"].take();
    attributes
}

#[test]
fn a_resource_with_state_and_write_only_props() {
    trial(&[Need::Deno], |workspace| {
        let attributes = "write_only_props = {
    specialId = ephemeral.denobridge_ephemeral_resource.id.result.uuid
  }";
        let ephemeral = r#"
ephemeral "denobridge_ephemeral_resource" "id" {
  path  = "./hash.ts"
  props = {}
}"#;
        four_steps(workspace, "file.ts", attributes, ephemeral);
        assert!(is_uuid(&workspace.read("special-id")));
        let time = workspace.attribute("state")["mtime"].as_u64();
        assert!(time.is_some_and(|time| time > 0), "{time:?}");
        let secret = workspace.attribute("sensitive_state");
        assert_eq!(secret, json!({ "secret": "resource-secret" }));
        let shown = workspace.run("show").succeeds();
        shown.says("sensitive_state = (sensitive value)");
        shown.says_nothing_of("resource-secret");
    });
}

#[test]
fn a_resource_without_state() {
    trial(&[Need::Deno], |workspace| {
        four_steps(workspace, "stateless.ts", "", "");
        assert_eq!(workspace.attribute("state"), Value::Null);
        assert_eq!(workspace.attribute("sensitive_state"), Value::Null);
    });
}

/// Schema libraries reject a null where they expect an object or an absent value.
#[test]
fn a_resource_that_validates() {
    trial(&[Need::Deno], |workspace| {
        let configure = |owner: &str| {
            workspace.configure(&format!(
                r#"
resource "denobridge_resource" "a" {{
  path = "./validated.ts"
  props = {{
    path = "./test.txt"
    owner = {{
      name = {owner}
    }}
  }}
  permissions = {{ allow = ["read", "write"] }}
}}
"#
            ));
        };
        configure("5");
        let failed = workspace.apply_fails();
        failed.says("Error: Validation Issue");
        failed.says("expected string, received number");
        failed.says(r#"with denobridge_resource.a,"#);
        if workspace.terraform.has(Need::Identity) {
            failed.says("name = 5");
        }
        assert!(!workspace.has("test.txt"));

        configure(r#""ann""#);
        workspace.apply();
        workspace.assert_nothing_to_do();
        configure(r#""bob""#);
        workspace.apply().says("0 added, 1 changed, 0 destroyed");
        workspace.assert_nothing_to_do();
        workspace.destroy();
    });
}

#[test]
fn a_data_source_without_permissions() {
    trial(&[Need::Deno], |workspace| {
        workspace.configure(
            r#"
data "denobridge_datasource" "a" {
  path  = "./hash.ts"
  props = { value = "Hello World" }
}

output "hash" {
  value = data.denobridge_datasource.a.result.hashedValue
}

output "secret" {
  value     = data.denobridge_datasource.a.sensitive_result.secret
  sensitive = true
}
"#,
        );
        workspace.apply().says_nothing_of("datasource-secret");
        assert_eq!(
            workspace.output("hash"),
            "a591a6d40bf420404a011733cfb7b190d62c65bf0bcda32b57b277d9ad9f146e"
        );
        assert_eq!(workspace.output("secret"), "datasource-secret");
        workspace.assert_nothing_to_do();

        // A secret that leaks is found by its mark.
        workspace.configure(
            r#"
data "denobridge_datasource" "a" {
  path  = "./hash.ts"
  props = { value = "Hello World" }
}

output "leak" {
  value = data.denobridge_datasource.a.sensitive_result.secret
}
"#,
        );
        workspace
            .apply_fails()
            .says("Output refers to sensitive values");
    });
}

/// The result of an ephemeral resource is visible only to resources that use it.
#[test]
fn an_ephemeral_resource_without_permissions() {
    trial(&[Need::Deno], |workspace| {
        workspace.configure(
            r#"
ephemeral "denobridge_ephemeral_resource" "a" {
  path  = "./hash.ts"
  props = {}
}

resource "denobridge_resource" "a" {
  path  = "./puppet.py"
  props = { name = "a" }
  write_only_props = {
    uuid   = ephemeral.denobridge_ephemeral_resource.a.result.uuid
    secret = ephemeral.denobridge_ephemeral_resource.a.sensitive_result.secret
  }
}
"#,
        );
        workspace.apply();
        let seen = &workspace.calls_of("create")[0]["writeOnlyProps"];
        assert!(is_uuid(seen["uuid"].as_str().unwrap_or_default()), "{seen}");
        assert_eq!(seen["secret"], "ephemeral-secret");
        assert!(
            !workspace
                .read("terraform.tfstate")
                .contains("ephemeral-secret")
        );
        workspace.assert_nothing_to_do();
        workspace.destroy();
    });
}

fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    let is_hex = |group: &&str| group.chars().all(|letter| letter.is_ascii_hexdigit());
    lengths == [8, 4, 4, 4, 12] && groups.iter().all(is_hex) && groups[2].starts_with('4')
}

#[test]
fn an_action_that_writes_a_file() {
    trial(&[Need::Deno, Need::Actions], |workspace| {
        let configure = |props: &str| {
            workspace.configure(&format!(
                r#"
action "denobridge_action" "a" {{
  config {{
    path        = "./hash.ts"
    props       = {{ {props} }}
    permissions = {{ allow = ["write"] }}
  }}
}}

resource "terraform_data" "a" {{
  lifecycle {{
    action_trigger {{
      events  = [before_create]
      actions = [action.denobridge_action.a]
    }}
  }}
}}
"#
            ));
        };
        configure(r#"path = "./a.txt", content = "Hello World""#);
        workspace.apply();
        assert_eq!(workspace.read("a.txt"), "Hello World");
        workspace.destroy();

        configure(r#"path = "./b.txt", content = "Again", args = ["a", "b", "c"]"#);
        let applied = workspace.apply();
        for progress in ["argument a", "argument b", "argument c", "written"] {
            applied.says(&format!("(triggered by terraform_data.a): {progress}"));
        }
        assert_eq!(workspace.read("b.txt"), "Again");
    });
}
