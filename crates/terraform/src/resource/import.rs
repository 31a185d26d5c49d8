//! Importing a resource: by a JSON text, or by its identity.

use crate::schema::{self, IDENTITY, RESOURCE_SCHEMA};
use serde_json::value::RawValue;
use tenon_schema::Attribute;
use tenon_tfplugin::{
    Diagnostic, Diagnostics, ImportRequest, ImportResponse, ImportedResource, Private, block,
};
use tenon_values::{Type, Value, convert, json};

/// The name in the private data of a resource that was imported and not read yet, as
/// terraform-plugin-framework has it.
const IMPORTED: &str = ".import_before_read";

/// The private data of a resource that was imported, without the note that it was. None if it was not,
/// or has been read since.
pub(super) fn read_first(private: &[u8]) -> Option<Private> {
    let mut private = Private::read(private).ok()?;
    private.get::<bool>(IMPORTED)?;
    private.set::<bool>(IMPORTED, None);
    Some(private)
}

pub(crate) fn import(request: ImportRequest) -> Result<ImportResponse, Diagnostics> {
    let mut diagnostics = Diagnostics::new();
    let mut private = Private::default();
    private.set(IMPORTED, Some(&true));
    let state = match &request.identity {
        Some(identity) => from_identity(identity)?,
        None => from_text(&request.id, &mut diagnostics)?,
    };
    let imported = ImportedResource {
        type_name: request.type_name,
        identity: request.identity.or_else(|| identity(&state)),
        state,
        private: private.to_bytes(),
    };
    Ok(ImportResponse {
        resources: vec![imported],
        diagnostics,
    })
}

/// The members of an id, whose names may be in any case, as Go reads them. Others are ignored as
/// Go ignores them, with a warning: they may be misspelt.
fn from_text(id: &str, diagnostics: &mut Diagnostics) -> Result<Value, Diagnostic> {
    let refuse = |problem: String| {
        Diagnostic::error(
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
    let known: Vec<_> = { ["id"].into_iter() }
        .chain(schema::script_attributes())
        .collect();
    let mut parts = Vec::new();
    let mut ignored = Vec::new();
    for (member, text) in members {
        let name = member.to_ascii_lowercase();
        let Some(name) = known.iter().copied().find(|known| *known == name) else {
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
        diagnostics.push(Diagnostic::warning(
            "Unknown keys in the import id",
            format!(
                "{} in the import id: ignored. The keys are {} (and all, allow and deny in \
                 permissions).",
                ignored.join(", "),
                known.join(", ")
            ),
        ));
    }
    Ok(RESOURCE_SCHEMA.object(&parts))
}

fn converted(
    name: &str,
    value: &Value,
    refuse: &impl Fn(String) -> Diagnostic,
) -> Result<Value, Diagnostic> {
    let ty = RESOURCE_SCHEMA.attribute(name).map(Attribute::implied_type);
    let ty = ty.unwrap_or(Type::Dynamic);
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
    let known: Vec<_> = schema::permission_attributes().collect();
    let is_known = |name: &str| known.iter().any(|known| name.eq_ignore_ascii_case(known));
    let others = { given.iter() }.filter(|(name, _)| !is_known(name));
    ignored.extend(others.map(|(name, _)| format!("permissions.{name}")));
    let all = known.iter().map(|name| (*name, part(name)));
    converted("permissions", &Value::object(all), refuse)
}

fn from_identity(identity: &Value) -> Result<Value, Diagnostic> {
    let part = |name: &str| block::part(identity, name);
    let given = |name: &str| !part(name).is_null();
    if !given("id") || !identity.is_wholly_known() {
        return Err(Diagnostic::error(
            "Incomplete identity",
            "The identity needs an id, and all of it must be known.",
        ));
    }
    if given("path") == given("command") {
        return Err(Diagnostic::error(
            "Incomplete identity",
            "The identity needs either a path or a command besides the id: the script is asked for \
             the rest.",
        ));
    }
    let props = match block::text(identity, "props") {
        None => Value::NULL,
        Some(text) => json::implied(text.as_bytes()).map_err(|error| {
            Diagnostic::error("Invalid identity", format!("props is not JSON: {error}."))
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
    Ok(RESOURCE_SCHEMA.object(&parts))
}

/// The identity of a resource whose script may have changed since it got its identity. The props in it
/// are those that it was imported with.
pub(super) fn current_identity(known: Option<&Value>, state: &Value) -> Option<Value> {
    let current = identity(state)?;
    let props = known.map(|known| block::part(known, "props"));
    let props = props.filter(|props| !props.is_null());
    Some(match props {
        Some(props) => block::with(&current, [("props", props)]),
        None => current,
    })
}

/// The identity of a resource as it is. Its props are left out: they may be secrets.
pub(super) fn identity(state: &Value) -> Option<Value> {
    if state.is_null() {
        return None;
    }
    let permissions = block::part(state, "permissions");
    let parts = IDENTITY.attributes.iter().map(|attribute| {
        let value = match attribute.name.as_str() {
            "props" => Value::NULL,
            "allow_all" => block::part(&permissions, "all"),
            name @ ("allow" | "deny") => block::part(&permissions, name),
            name => block::part(state, name),
        };
        (attribute.name.as_str(), value)
    });
    Some(Value::object(parts))
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
        assert_eq!(block::text(&state, "id").as_deref(), Some("a"));
        assert_eq!(block::part(&state, "props").to_string(), "{ x = [1] }");
        let permissions = block::part(&state, "permissions");
        assert_eq!(block::part(&permissions, "all"), Value::TRUE);
        assert!(block::part(&permissions, "allow").is_null());
        let state = read(r#"{"id": 7, "command": ["node", "f.js"]}"#).unwrap();
        assert_eq!(block::text(&state, "id").as_deref(), Some("7"));
        assert!(block::part(&state, "permissions").is_null());
        assert!(block::part(&state, "props").is_null());
    }

    #[test]
    fn an_invalid_id_is_reported_with_an_example() {
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
        assert_eq!(block::text(&state, "path").as_deref(), Some("p"));
        let [warning] = &diagnostics[..] else {
            panic!("{diagnostics:?}");
        };
        assert!(!tenon_tfplugin::has_errors(&diagnostics));
        let expected = "Colour, permissions.none in the import id: ignored. The keys are id, path,";
        assert!(warning.detail.starts_with(expected), "{}", warning.detail);
    }

    #[test]
    fn an_identity_leads_back_to_its_state() {
        let state = read(r#"{"id": "a", "path": "./f.ts", "permissions": {"allow": ["read"]}}"#);
        let state = state.unwrap();
        let back = from_identity(&identity(&state).unwrap()).unwrap();
        assert_eq!(back, state);
        assert_eq!(identity(&Value::null(RESOURCE_SCHEMA.implied_type())), None);
    }
}
