//! States that terraform-provider-denobridge v0.4.1 wrote are used without changes.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::tools::Need;
use crate::trial::trial;
use crate::workspace::Workspace;

/// Denobridge stores a hash of write-only props: of their JSON as Go writes it.
fn private(write_only_props: &str) -> String {
    let hash: String = Sha256::digest(write_only_props)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let kept = STANDARD.encode(json!({ "hash": hash }).to_string());
    STANDARD.encode(json!({ "write_only_props_hash": kept }).to_string())
}

fn write_state(workspace: &Workspace, instance: &Value) {
    let state = json!({
        "version": 4,
        "terraform_version": "1.14.3",
        "serial": 3,
        "lineage": "7d2b4ae0-3a8b-4a1c-9c58-3b4f2f6f1f6e",
        "outputs": {},
        "resources": [{
            "mode": "managed",
            "type": "denobridge_resource",
            "name": "a",
            "provider": "provider[\"registry.terraform.io/brad-jones/denobridge\"]",
            "instances": [instance],
        }],
        "check_results": null,
    });
    workspace.write("terraform.tfstate", &state.to_string());
}

/// Dynamic attributes are encoded as the plugin framework encodes them: every array is a list, and
/// every number a machine number.
fn instance(more: &Value) -> Value {
    let props = json!({
        "type": ["object", { "name": "string", "sizes": ["list", "number"], "rate": "number" }],
        "value": { "name": "a", "sizes": [1, 2], "rate": 0.1 },
    });
    let mut instance = json!({
        "schema_version": 0,
        "attributes": {
            "config_file": null,
            "id": "a",
            "path": "./puppet.py",
            "permissions": { "all": true, "allow": null, "deny": null },
            "props": props,
            "sensitive_state": { "type": ["object", { "secret": "string" }], "value": { "secret": "s" } },
            "state": { "type": ["object", { "version": "number" }], "value": { "version": 1 } },
            "write_only_props": null,
            "write_only_props_version": 1,
        },
        "sensitive_attributes": [[{ "type": "get_attr", "value": "sensitive_state" }]],
    });
    if let (Some(instance), Some(more)) = (instance.as_object_mut(), more.as_object()) {
        instance.extend(more.clone());
    }
    instance
}

fn configure(workspace: &Workspace, token: &str) {
    workspace.configure(&format!(
        r#"
resource "denobridge_resource" "a" {{
  path        = "./puppet.py"
  props       = {{ name = "a", sizes = [1, 2], rate = 0.1 }}
  permissions = {{ all = true }}
  {token}
}}
"#
    ));
    let props = json!({ "name": "a", "sizes": [1, 2], "rate": 0.1 });
    std::fs::create_dir_all(workspace.path("objects")).expect("a folder");
    let kept = json!({ "props": props, "version": 1 });
    workspace.write("objects/a.json", &kept.to_string());
    let with = json!([{ "with": { "sensitiveState": { "secret": "s" } } }]);
    workspace.moves(&json!({ "read": with, "update": with }));
}

#[test]
fn a_state_of_denobridge_can_be_continued() {
    trial(&[Need::TerraformRegistry], |workspace| {
        let private = private(r#"{"less":"\u003c","token":"one"}"#);
        write_state(workspace, &instance(&json!({ "private": private })));
        let token = r#"write_only_props = { token = "one", less = "<" }"#;
        configure(workspace, token);
        workspace.assert_nothing_to_do();
        workspace
            .run("apply -refresh-only -auto-approve")
            .succeeds();
        workspace.assert_nothing_to_do();
        assert_eq!(workspace.calls_of("update"), Vec::<Value>::new());

        // Other values plan nothing, as with upstream, unless the version says so.
        let token = r#"write_only_props = { token = "two", less = "<" }"#;
        configure(workspace, token);
        workspace.assert_nothing_to_do();
        configure(
            workspace,
            &format!("{token}\n  write_only_props_version = 2"),
        );
        workspace.apply().says("0 added, 1 changed, 0 destroyed");
        assert_eq!(workspace.attribute("write_only_props_version"), 2);
        let update = &workspace.calls_of("update")[0];
        assert_eq!(
            update["nextWriteOnlyProps"],
            json!({ "token": "two", "less": "<" })
        );
        workspace.assert_nothing_to_do();
        workspace.destroy();
        assert!(!workspace.has("objects/a.json"));
    });
}

/// Denobridge could not add write-only props to a resource that had none: the update failed.
#[test]
fn a_state_of_denobridge_without_private_data_can_be_continued() {
    trial(&[Need::TerraformRegistry], |workspace| {
        write_state(workspace, &instance(&json!({})));
        configure(workspace, "");
        workspace.assert_nothing_to_do();
        configure(workspace, r#"write_only_props = { token = "one" }"#);
        workspace.apply().says("0 added, 1 changed, 0 destroyed");
        assert_eq!(workspace.attribute("write_only_props_version"), 2);
        workspace.assert_nothing_to_do();
        workspace.destroy();
    });
}

/// It wrote a null or empty lists for permissions that were imported.
#[test]
fn a_state_that_denobridge_imported_settles() {
    trial(&[Need::TerraformRegistry], |workspace| {
        let mut imported = instance(&json!({}));
        imported["attributes"]["permissions"] = json!({ "all": true, "allow": [], "deny": [] });
        imported["attributes"]["write_only_props_version"] = Value::Null;
        write_state(workspace, &imported);
        configure(workspace, "");
        workspace.apply();
        workspace.assert_nothing_to_do();
        workspace.destroy();
    });
}
