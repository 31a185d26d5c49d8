//! Import of existing resources, by an id or by an identity.

use serde_json::json;
use tenon_tfplugin::proto::tfplugin6::*;
use tenon_values::{Type, Value};

use crate::blocks::{RESOURCE, assert_error, assert_none, packed, part, shown, value};
use crate::core::{Core, Held};
use crate::states::raw;

fn identity_type() -> Type {
    let attributes = "id = string, path = string, command = list(string), config_file = string, \
        allow_all = bool, allow = list(string), deny = list(string), props = string";
    format!("object({{ {attributes} }})").parse().unwrap()
}

fn identity(text: &str) -> ResourceIdentityData {
    let ty = identity_type();
    let value = tenon_values::json::decode(text.as_bytes(), &ty).unwrap();
    ResourceIdentityData {
        identity_data: Some(packed(&value, &ty)),
    }
}

const IDENTITY: &str = r#"{"id": "a", "path": "./f.ts", "command": null, "config_file": null,
    "allow_all": true, "allow": null, "deny": null, "props": "{\"x\": [1]}"}"#;

#[tokio::test]
async fn identities_have_one_version() {
    let core = Core::new(json!({})).await;
    let ask = async |version: i64, text: &str| {
        let request = upgrade_resource_identity::Request {
            type_name: RESOURCE.to_owned(),
            version,
            raw_identity: raw(text),
        };
        let answer = core.stage.client().upgrade_resource_identity(request).await;
        answer.unwrap().into_inner()
    };
    let upgraded = ask(0, IDENTITY).await;
    assert_none(&upgraded.diagnostics);
    assert_eq!(upgraded.upgraded_identity, Some(identity(IDENTITY)));
    let newer = ask(1, IDENTITY).await;
    assert_error(&newer.diagnostics, &["newer"]);
    for junk in ["", "{", "7", r#"{"id": []}"#] {
        let refused = ask(0, junk).await;
        assert!(
            !refused.diagnostics.is_empty() && refused.upgraded_identity.is_none(),
            "{junk}"
        );
    }
    core.stage.end().await;
}

async fn import(
    core: &Core,
    id: &str,
    identity: Option<ResourceIdentityData>,
) -> import_resource_state::Response {
    let request = import_resource_state::Request {
        type_name: RESOURCE.to_owned(),
        id: id.to_owned(),
        identity,
        client_capabilities: None,
    };
    core.stage
        .client()
        .import_resource_state(request)
        .await
        .unwrap()
        .into_inner()
}

#[tokio::test]
async fn an_import_leads_to_a_read() {
    let core = Core::new(json!({"read": {"result": {"props": {"a": 1}, "state": {"n": 2}}}})).await;
    let puppet = core.stage.puppet();
    let id = json!({"ID": 7, "Path": puppet, "timeout": "30"}).to_string();
    let imported = import(&core, &id, None).await;
    assert_none(&imported.diagnostics);
    let [resource] = imported.imported_resources.try_into().unwrap();
    assert_eq!(resource.type_name, RESOURCE);
    let held = Held {
        state: core.shapes.resource.decode(resource.state.as_ref()),
        private: resource.private,
        identity: resource.identity,
        diagnostics: Vec::new(),
    };
    assert_eq!(part(&held.state, "id"), Value::from("7"));
    assert_eq!(part(&held.state, "timeout"), Value::from(30));
    assert!(part(&held.state, "permissions").is_null());
    let read = core.read(&held).await;
    assert_none(&read.diagnostics);
    assert_eq!(part(&read.state, "props"), value(r#"{"a": 1}"#));
    assert!(read.private.is_empty());
    assert_eq!(
        core.stage.heard_of("read"),
        [json!({"id": "7", "props": null})]
    );
    // The same by the identity that it got.
    let again = import(&core, "", held.identity.clone()).await;
    assert_none(&again.diagnostics);
    let state = core
        .shapes
        .resource
        .decode(again.imported_resources[0].state.as_ref());
    assert_eq!(part(&state, "path"), Value::from(puppet.as_str()));
    assert_eq!(again.imported_resources[0].identity, held.identity);
    core.stage.end().await;
}

/// There is no state yet that an error could refer to.
#[tokio::test]
async fn a_script_that_is_not_there_is_an_error_of_the_import() {
    let core = Core::new(json!({})).await;
    let id = json!({"id": "a", "path": "./gone.py"}).to_string();
    let imported = import(&core, &id, None).await;
    assert_none(&imported.diagnostics);
    let [resource] = imported.imported_resources.try_into().unwrap();
    let mut held = Held {
        state: core.shapes.resource.decode(resource.state.as_ref()),
        private: resource.private,
        identity: resource.identity,
        diagnostics: Vec::new(),
    };
    let read = core.read(&held).await;
    assert_error(&read.diagnostics, &["There is no script at ./gone.py"]);
    let said = shown(&read.diagnostics);
    assert!(!said[0].contains("The state"), "{said:?}");
    // Later it is in the state.
    held.private.clear();
    let read = core.read(&held).await;
    assert_error(&read.diagnostics, &["./gone.py", "The state"]);
    core.stage.end().await;
}

#[tokio::test]
async fn an_identity_says_what_an_id_says() {
    let core = Core::new(json!({})).await;
    let imported = import(&core, "", Some(identity(IDENTITY))).await;
    assert_none(&imported.diagnostics);
    let state = core
        .shapes
        .resource
        .decode(imported.imported_resources[0].state.as_ref());
    assert_eq!(part(&state, "props"), value(r#"{"x": [1]}"#));
    assert_eq!(part(&part(&state, "permissions"), "all"), Value::TRUE);
    core.stage.end().await;
}

#[tokio::test]
async fn bad_imports_are_refused_with_a_next_step() {
    let core = Core::new(json!({})).await;
    for (id, word) in [
        ("", "not a JSON object"),
        ("./hello.txt", "not a JSON object"),
        ("[]", "not a JSON object"),
        ("{}", "no id"),
        (r#"{"id": null, "path": "p"}"#, "no id"),
        (r#"{"id": ["a"], "path": "p"}"#, "id"),
        (r#"{"id": "a"}"#, "either a path or a command"),
        (
            r#"{"id": "a", "path": "p", "command": ["c"]}"#,
            "either a path or a command",
        ),
        (r#"{"id": "a", "path": "p", "command": 1}"#, "command"),
        (
            r#"{"id": "a", "path": "p", "permissions": {"allow": "read"}}"#,
            "permissions",
        ),
    ] {
        let imported = import(&core, id, None).await;
        assert_error(
            &imported.diagnostics,
            &["Invalid Import ID Format", word, "./file.ts"],
        );
        assert!(imported.imported_resources.is_empty());
    }
    for (change, with, word) in [
        (
            r#""path": "./f.ts""#,
            r#""path": null"#,
            "either a path or a command",
        ),
        (r#""id": "a""#, r#""id": null"#, "id"),
        (r#""{\"x\": [1]}""#, r#""{""#, "props"),
    ] {
        let text = IDENTITY.replace(change, with);
        assert_ne!(text, IDENTITY);
        let imported = import(&core, "", Some(identity(&text))).await;
        assert_error(&imported.diagnostics, &["dentity", word]);
        assert!(imported.imported_resources.is_empty());
    }
    core.stage.end().await;
}

/// Upstream reads ids as Go reads JSON: unknown members are ignored.
#[tokio::test]
async fn keys_that_mean_nothing_are_ignored_with_a_warning() {
    let core = Core::new(json!({})).await;
    let id =
        r#"{"id": "a", "path": "p", "comment": {"x": 1}, "permissions": {"all": true, "note": 1}}"#;
    let imported = import(&core, id, None).await;
    assert_eq!(imported.imported_resources.len(), 1);
    let said = shown(&imported.diagnostics);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].starts_with("warning: Unknown keys in the import id"));
    assert!(said[0].contains("comment, permissions.note"), "{said:?}");
    let state = core
        .shapes
        .resource
        .decode(imported.imported_resources[0].state.as_ref());
    assert_eq!(part(&state, "id"), Value::from("a"));
    core.stage.end().await;
}
