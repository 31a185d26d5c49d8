//! Taking over a resource that is there already: by a JSON text, or by its identity.

use serde_json::value::RawValue;
use tenon_values::{Type, Value, convert, json};

use crate::diagnostic::{self, Diagnostics};
use crate::proto::tfplugin6::import_resource_state::{ImportedResource, Request, Response};
use crate::proto::tfplugin6::{Diagnostic, ResourceIdentityData, upgrade_resource_identity};
use crate::schema::{IDENTITY, RESOURCE, RESOURCE_SHAPE, check_name, object_type};
use crate::wire;

pub(crate) fn import(request: Request) -> Response {
    if let Err(error) = check_name(&request.type_name, RESOURCE) {
        return Response {
            diagnostics: vec![error],
            ..Response::default()
        };
    }
    let by_identity = { request.identity }.filter(|identity| identity.identity_data.is_some());
    let mut diagnostics = Diagnostics::new();
    let state = match &by_identity {
        Some(identity) => from_identity(identity),
        None => from_text(&request.id, &mut diagnostics),
    };
    let imported = state.and_then(|state| {
        Ok(ImportedResource {
            type_name: RESOURCE.to_owned(),
            state: Some(wire::encode(&state, &RESOURCE_SHAPE.ty)?),
            private: Vec::new(),
            identity: by_identity.or_else(|| identity(&state)),
        })
    });
    match imported {
        Ok(imported) => Response {
            imported_resources: vec![imported],
            diagnostics,
            ..Response::default()
        },
        Err(error) => Response {
            diagnostics: vec![error],
            ..Response::default()
        },
    }
}

/// The members of an id, whose names may be in any case, as Go reads them. Others are ignored as
/// Go ignores them, with a warning: they may be misspelt.
fn from_text(id: &str, diagnostics: &mut Diagnostics) -> Result<Value, Diagnostic> {
    let refuse = |problem: String| {
        diagnostic::error(
            "Invalid Import ID Format",
            format!(
                "{problem}.\n\nThe id is JSON, as in:\n  \
                 {{\"id\": \"./hello.txt\", \"path\": \"./file.ts\", \"props\": {{\"path\": \
                 \"./hello.txt\"}}, \"permissions\": {{\"all\": true}}}}\n\
                 Besides id and path (or command) everything may be left out."
            ),
        )
    };
    let members: std::collections::BTreeMap<String, Box<RawValue>> = serde_json::from_str(id)
        .map_err(|error| refuse(format!("{id:?} is not a JSON object: {error}")))?;
    let known = [
        "id",
        "path",
        "command",
        "props",
        "config_file",
        "permissions",
        "reuse",
        "timeout",
        "max_in_flight",
    ];
    let mut parts = Vec::new();
    let mut ignored = Vec::new();
    for (member, text) in members {
        let name = member.to_ascii_lowercase();
        let Some(name) = known.into_iter().find(|known| *known == name) else {
            ignored.push(member);
            continue;
        };
        let read = json::implied(text.get().as_bytes())
            .map_err(|error| refuse(format!("{name}: {error}")))?;
        let value = match name {
            "props" => read,
            "permissions" => permissions(&read, &mut ignored, &refuse)?,
            _ => converted(name, &read, &refuse)?,
        };
        parts.push((name, value));
    }
    let has = |name| {
        parts
            .iter()
            .any(|(part, value)| *part == name && !value.is_null())
    };
    if !has("id") {
        return Err(refuse("There is no id in it".to_owned()));
    }
    if has("path") == has("command") {
        return Err(refuse("It needs either a path or a command".to_owned()));
    }
    if !ignored.is_empty() {
        diagnostics.push(diagnostic::warning(
            "Unknown keys in the import id",
            format!(
                "{} in the import id: ignored. The keys are {} (and all, allow and deny in \
                 permissions).",
                ignored.join(", "),
                known.join(", ")
            ),
        ));
    }
    Ok(RESOURCE_SHAPE.block(&parts))
}

fn converted(
    name: &str,
    value: &Value,
    refuse: &impl Fn(String) -> Diagnostic,
) -> Result<Value, Diagnostic> {
    let found = RESOURCE_SHAPE
        .attributes
        .iter()
        .find(|one| one.name == name);
    let ty = found.map_or(Type::Dynamic, |attribute| attribute.ty.clone());
    convert::convert(value, &ty).map_err(|error| refuse(format!("{name}: {error}")))
}

/// Permissions with what is absent as null, as in a configuration that does not mention it.
fn permissions(
    value: &Value,
    ignored: &mut Vec<String>,
    refuse: &impl Fn(String) -> Diagnostic,
) -> Result<Value, Diagnostic> {
    if value.is_null() {
        return converted("permissions", value, refuse);
    }
    let Some(given) = value.attributes() else {
        return Err(refuse("permissions is not an object".to_owned()));
    };
    let part = |wanted: &str| {
        let found = given
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(wanted));
        found.map_or(Value::NULL, |(_, value)| value.clone())
    };
    let known = ["all", "allow", "deny"];
    let is_known = |name: &str| known.iter().any(|known| name.eq_ignore_ascii_case(known));
    let others = { given.iter() }.filter(|(name, _)| !is_known(name));
    ignored.extend(others.map(|(name, _)| format!("permissions.{name}")));
    let all = known.map(|name| (name, part(name)));
    converted("permissions", &Value::object(all), refuse)
}

fn from_identity(identity: &ResourceIdentityData) -> Result<Value, Diagnostic> {
    let identity = wire::decode(identity.identity_data.as_ref(), &object_type(&IDENTITY))?;
    let part = |name: &str| wire::part(&identity, name);
    let given = |name: &str| !part(name).is_null();
    if !given("id") || !identity.is_wholly_known() {
        return Err(diagnostic::error(
            "Incomplete identity",
            "The identity needs an id, and all of it has to be known.",
        ));
    }
    if given("path") == given("command") {
        return Err(diagnostic::error(
            "Incomplete identity",
            "The identity needs either a path or a command besides the id: the script is asked for \
             the rest.",
        ));
    }
    let props = match wire::text(&identity, "props") {
        None => Value::NULL,
        Some(text) => json::implied(text.as_bytes()).map_err(|error| {
            diagnostic::error("Invalid identity", format!("props is not JSON: {error}."))
        })?,
    };
    let has_permissions = ["allow_all", "allow", "deny"].into_iter().any(given);
    let permissions = match has_permissions {
        false => Value::NULL,
        true => Value::object([
            ("all", part("allow_all")),
            ("allow", part("allow")),
            ("deny", part("deny")),
        ]),
    };
    let parts = ["id", "path", "command", "config_file"].map(|name| (name, part(name)));
    let rest = [("props", props), ("permissions", permissions)];
    let parts: Vec<_> = parts
        .into_iter()
        .chain(rest)
        .filter(|(_, value)| !value.is_null())
        .collect();
    Ok(RESOURCE_SHAPE.block(&parts))
}

/// The identity of a resource as it is. Its props are left out: they may be secrets.
pub(super) fn identity(state: &Value) -> Option<ResourceIdentityData> {
    if state.is_null() {
        return None;
    }
    let permissions = wire::part(state, "permissions");
    let parts = IDENTITY.iter().map(|attribute| {
        let value = match attribute.name {
            "props" => Value::NULL,
            "allow_all" => wire::part(&permissions, "all"),
            "allow" | "deny" => wire::part(&permissions, attribute.name),
            name => wire::part(state, name),
        };
        (attribute.name, value)
    });
    let data = wire::encode(&Value::object(parts), &object_type(&IDENTITY)).ok()?;
    Some(ResourceIdentityData {
        identity_data: Some(data),
    })
}

/// There has been one version of identities so far.
pub(crate) fn upgrade_identity(
    request: &upgrade_resource_identity::Request,
) -> upgrade_resource_identity::Response {
    let text = request.raw_identity.as_ref().map(|raw| raw.json.as_slice());
    let upgraded = check_name(&request.type_name, RESOURCE)
        .and_then(|()| super::upgrade::check_version(request.version))
        .and_then(|()| super::upgrade::known_members(text.unwrap_or(b"null"), &IDENTITY))
        .and_then(|text| {
            json::decode(text.as_bytes(), &object_type(&IDENTITY)).map_err(|error| {
                diagnostic::error(
                    "Unreadable identity",
                    format!("The identity in the state: {error}."),
                )
            })
        })
        .and_then(|identity| wire::encode(&identity, &object_type(&IDENTITY)));
    match upgraded {
        Ok(data) => upgrade_resource_identity::Response {
            upgraded_identity: Some(ResourceIdentityData {
                identity_data: Some(data),
            }),
            diagnostics: Vec::new(),
        },
        Err(error) => upgrade_resource_identity::Response {
            upgraded_identity: None,
            diagnostics: vec![error],
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(id: &str) -> Result<Value, String> {
        from_text(id, &mut Diagnostics::new()).map_err(|refused| refused.detail)
    }

    #[test]
    fn an_id_is_read_as_upstream_reads_it() {
        let state = read(
            r#"{"ID": "a", "Path": "./f.ts", "props": {"x": [1]}, "permissions": {"All": true}}"#,
        );
        let state = state.unwrap();
        assert_eq!(wire::text(&state, "id").as_deref(), Some("a"));
        assert_eq!(wire::part(&state, "props").to_string(), "{ x = [1] }");
        let permissions = wire::part(&state, "permissions");
        assert_eq!(wire::part(&permissions, "all"), Value::TRUE);
        assert!(wire::part(&permissions, "allow").is_null());
        let state = read(r#"{"id": 7, "command": ["node", "f.js"]}"#).unwrap();
        assert_eq!(wire::text(&state, "id").as_deref(), Some("7"));
        assert!(wire::part(&state, "permissions").is_null());
        assert!(wire::part(&state, "props").is_null());
    }

    #[test]
    fn what_is_wrong_is_said_with_an_example() {
        for (id, problem) in [
            ("plain", "is not a JSON object"),
            ("{}", "no id"),
            (r#"{"id": "a"}"#, "either a path or a command"),
            (
                r#"{"id": "a", "path": "p", "permissions": 1}"#,
                "permissions",
            ),
            (r#"{"id": "a", "path": "p", "reuse": "often"}"#, "reuse"),
        ] {
            let refused = read(id).unwrap_err();
            assert!(refused.contains(problem), "{id}: {refused}");
            assert!(refused.contains("./file.ts"), "{refused}");
        }
    }

    #[test]
    fn unknown_keys_are_ignored_with_a_warning() {
        let mut diagnostics = Diagnostics::new();
        let id =
            r#"{"id": "a", "path": "p", "Colour": 1, "permissions": {"all": true, "none": 1}}"#;
        let state = from_text(id, &mut diagnostics).unwrap();
        assert_eq!(wire::text(&state, "path").as_deref(), Some("p"));
        let [warning] = &diagnostics[..] else {
            panic!("{diagnostics:?}");
        };
        assert!(!diagnostic::has_errors(&diagnostics));
        let expected = "Colour, permissions.none in the import id: ignored. The keys are id, path,";
        assert!(warning.detail.starts_with(expected), "{}", warning.detail);
    }

    #[test]
    fn an_identity_leads_back_to_its_state() {
        let state = read(r#"{"id": "a", "path": "./f.ts", "permissions": {"allow": ["read"]}}"#);
        let state = state.unwrap();
        let back = from_identity(&identity(&state).unwrap()).unwrap();
        assert_eq!(back, state);
        assert_eq!(identity(&Value::null(RESOURCE_SHAPE.ty.clone())), None);
    }
}
