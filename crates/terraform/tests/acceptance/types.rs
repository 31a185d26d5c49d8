//! The types and numbers that scripts return, compared with those in upstream's states.

use serde_json::{Value, json};

use crate::tools::Need;
use crate::trial::trial;
use crate::workspace::Workspace;

const LISTS: &str = r#"
data "denobridge_datasource" "a" {
  path  = "./library.ts"
  props = { ips = ["10.0.0.1", "10.0.0.2"] }
}

resource "denobridge_resource" "a" {
  path        = "./library.ts"
  permissions = { all = true }
  props       = { path = "a.txt", ips = ["10.0.0.1", "10.0.0.2"] }
}

resource "terraform_data" "of_data" {
  triggers_replace = data.denobridge_datasource.a.result.ips
}

resource "terraform_data" "of_resource" {
  triggers_replace = denobridge_resource.a.state.ips
}

resource "terraform_data" "of_empty" {
  triggers_replace = denobridge_resource.a.state.none
}

output "are_lists" {
  value = [
    data.denobridge_datasource.a.result.ips == tolist(["10.0.0.1", "10.0.0.2"]),
    denobridge_resource.a.state.ips == tolist(["10.0.0.1", "10.0.0.2"]),
    data.denobridge_datasource.a.result.none == tolist([]),
    length(concat(denobridge_resource.a.state.ips, denobridge_resource.a.state.none)) == 2,
    data.denobridge_datasource.a.result.mixed == [1, "a"],
  ]
}
"#;

fn instance(kind: &str, name: &str, attributes: &Value) -> Value {
    let provider = match kind {
        "terraform_data" => "terraform.io/builtin/terraform",
        _ => "registry.terraform.io/brad-jones/denobridge",
    };
    json!({
        "mode": "managed",
        "type": kind,
        "name": name,
        "provider": format!("provider[\"{provider}\"]"),
        "instances": [{ "schema_version": 0, "attributes": attributes, "sensitive_attributes": [] }],
    })
}

/// A state of the configuration above, whose arrays have these types, with or without the resource that
/// depends on the data source.
fn write_state(workspace: &Workspace, ips: &Value, none: &Value, has_data: bool) {
    let addresses = json!(["10.0.0.1", "10.0.0.2"]);
    let mixed = json!(["tuple", ["number", "string"]]);
    let trigger = |name: &str, ty: &Value, value: &Value| {
        let triggers = json!({ "type": ty, "value": value });
        let id = format!("00000000-0000-0000-0000-{:012}", name.len());
        let attributes =
            json!({ "id": id, "input": null, "output": null, "triggers_replace": triggers });
        instance("terraform_data", name, &attributes)
    };
    let bridge = json!({
        "config_file": null,
        "id": "a.txt",
        "path": "./library.ts",
        "permissions": { "all": true, "allow": null, "deny": null },
        "props": {
            "type": ["object", { "path": "string", "ips": ips }],
            "value": { "path": "a.txt", "ips": addresses },
        },
        "sensitive_state": null,
        "state": {
            "type": ["object", { "ips": ips, "none": none, "mixed": mixed }],
            "value": { "ips": addresses, "none": [], "mixed": [1, "a"] },
        },
        "write_only_props": null,
        "write_only_props_version": 1,
    });
    let mut resources = vec![
        instance("denobridge_resource", "a", &bridge),
        trigger("of_resource", ips, &addresses),
        trigger("of_empty", none, &json!([])),
    ];
    if has_data {
        resources.push(trigger("of_data", ips, &addresses));
    }
    let state = json!({
        "version": 4,
        "terraform_version": "1.11.4",
        "serial": 3,
        "lineage": "7d2b4ae0-3a8b-4a1c-9c58-3b4f2f6f1f6e",
        "outputs": {},
        "resources": resources,
        "check_results": null,
    });
    workspace.write("terraform.tfstate", &state.to_string());
    let kept = json!({ "path": "a.txt", "ips": addresses });
    workspace.write("a.txt", &kept.to_string());
}

#[test]
fn arrays_of_one_type_are_lists() {
    trial(&[Need::Deno], |workspace| {
        workspace.configure(LISTS);
        workspace.apply();
        let are_lists = workspace.output("are_lists");
        assert_eq!(are_lists, json!([true, true, true, true, true]));
        workspace.assert_nothing_to_do();
        workspace.destroy();
    });
}

/// Upstream's states have lists, those of Tenon's first versions tuples. Neither is a reason to
/// replace dependent resources. A data source has no stored state, so it returns lists at once.
#[test]
fn nothing_is_replaced_after_a_change_of_providers() {
    trial(&[Need::Deno, Need::TerraformRegistry], |workspace| {
        let string = json!("string");
        for (ips, none, has_data, applied) in [
            (
                json!(["list", "string"]),
                json!(["list", "dynamic"]),
                true,
                "0 added, 0 changed, 0 destroyed",
            ),
            (
                json!(["tuple", [string, string]]),
                json!(["tuple", []]),
                false,
                "1 added, 0 changed, 0 destroyed",
            ),
        ] {
            workspace.configure(LISTS);
            write_state(workspace, &ips, &none, has_data);
            workspace.apply().says(applied);
            workspace.assert_nothing_to_do();
            workspace.destroy();
        }
    });
}

/// JavaScript cannot represent these numbers, and returns the nearest double.
#[test]
fn numbers_beyond_doubles_settle() {
    trial(&[Need::Deno], |workspace| {
        let configure = |more: &str| {
            workspace.configure(&format!(
                r#"
resource "denobridge_resource" "a" {{
  path        = "./library.ts"
  permissions = {{ all = true }}
  props = {{
    path   = "a.txt"
    third  = 1 / 3
    large  = 9007199254740993
    larger = 123456789012345678901234567890
    tenth  = 0.1
    huge   = 1e400
    inside = [1 / 3, {{ deep = tolist([2 / 3, 9007199254740993]) }}, toset([1 / 3, 1])]
    {more}
  }}
}}
"#
            ));
        };
        configure("");
        workspace.apply();
        workspace.assert_nothing_to_do();
        configure("more = 1");
        workspace.apply().says("0 added, 1 changed, 0 destroyed");
        workspace.assert_nothing_to_do();
        workspace.destroy();
    });
}
