//! States of older versions. There has been one so far, which is that of
//! terraform-provider-denobridge v0.4.1 as well.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use tenon_values::{Value, json};

use crate::diagnostic;
use crate::proto::tfplugin6::upgrade_resource_state::{Request, Response};
use crate::proto::tfplugin6::{Diagnostic, RawState};
use crate::schema::{Attribute, RESOURCE, RESOURCE_SHAPE, check_name};
use crate::wire;

pub(crate) fn upgrade(request: &Request) -> Response {
    let upgraded = check_name(&request.type_name, RESOURCE)
        .and_then(|()| check_version(request.version))
        .and_then(|()| state(request.raw_state.as_ref()));
    match upgraded.and_then(|state| wire::encode(&state, &RESOURCE_SHAPE.ty)) {
        Ok(state) => Response {
            upgraded_state: Some(state),
            diagnostics: Vec::new(),
        },
        Err(error) => Response {
            upgraded_state: None,
            diagnostics: vec![error],
        },
    }
}

/// There has been one version so far.
pub(super) fn check_version(version: i64) -> Result<(), Diagnostic> {
    match version {
        0 => Ok(()),
        version => Err(diagnostic::error(
            "State of a newer provider",
            format!(
                "The state was written with version {version} of the schema, and this provider \
                 knows version 0. Use a newer provider."
            ),
        )),
    }
}

/// The state of a resource as a state file holds it.
pub(super) fn state(raw: Option<&RawState>) -> Result<Value, Diagnostic> {
    let text = raw.map(|raw| raw.json.as_slice()).unwrap_or_default();
    if text.is_empty() {
        return Err(diagnostic::error(
            "Unreadable state",
            "The state is of a form that was used before Terraform 0.12.",
        ));
    }
    let text = known_members(text, &RESOURCE_SHAPE.attributes)?;
    json::decode(text.as_bytes(), &RESOURCE_SHAPE.ty)
        .map_err(|error| unreadable(&error.to_string()))
}

/// The text of an object without the members that nobody knows: another version may have more.
pub(super) fn known_members(text: &[u8], attributes: &[Attribute]) -> Result<String, Diagnostic> {
    let members: Option<BTreeMap<String, Box<RawValue>>> =
        serde_json::from_slice(text).map_err(|error| unreadable(&error.to_string()))?;
    let known = members.map(|mut members| {
        members.retain(|name, _| attributes.iter().any(|attribute| attribute.name == name));
        members
    });
    serde_json::to_string(&known).map_err(|error| unreadable(&error.to_string()))
}

fn unreadable(problem: &str) -> Diagnostic {
    diagnostic::error(
        "Unreadable state",
        format!("What the state holds for this resource does not fit: {problem}."),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_of_upstream_is_read() {
        let raw = RawState {
            json: br#"{"id": "a", "path": "./f.ts", "props": {"value": {"n": 0.1}, "type": ["object", {"n": "number"}]},
                "permissions": {"all": true, "allow": null, "deny": null}, "later": 1}"#.to_vec(),
            ..RawState::default()
        };
        let state = state(Some(&raw)).unwrap();
        assert_eq!(wire::part(&state, "props").to_string(), "{ n = 0.1 }");
        assert!(wire::part(&state, "modified_props").is_null());
        let newer = upgrade(&Request {
            type_name: RESOURCE.to_owned(),
            version: 1,
            ..Request::default()
        });
        assert_eq!(newer.diagnostics[0].summary, "State of a newer provider");
    }
}
