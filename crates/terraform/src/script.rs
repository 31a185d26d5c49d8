//! Which script a block runs, and how.

use std::num::NonZeroUsize;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tenon_tfplugin::{Diagnostic, block};
use tenon_values::{Kind, Value};

use crate::schema;

/// The attributes of a block that say what to run. Written down, they have the names that
/// terraform-provider-denobridge gives them in the private data of ephemeral resources.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub(crate) struct Script {
    #[serde(rename = "DenoScriptPath", deserialize_with = "empty_as_none")]
    pub(crate) path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) command: Option<Vec<String>>,
    #[serde(rename = "DenoConfigPath", deserialize_with = "empty_as_none")]
    pub(crate) config_file: Option<String>,
    #[serde(rename = "DenoPermissions")]
    pub(crate) permissions: Option<Permissions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reuse: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) timeout: Option<Duration>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) max_in_flight: Option<NonZeroUsize>,
}

/// What a script in Deno may do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub(crate) struct Permissions {
    pub(crate) all: bool,
    #[serde(deserialize_with = "null_as_default")]
    pub(crate) allow: Vec<String>,
    #[serde(deserialize_with = "null_as_default")]
    pub(crate) deny: Vec<String>,
}

impl Script {
    /// The script of a block. None while something about it is unknown.
    pub(crate) fn of(block: &Value) -> Result<Option<Script>, Diagnostic> {
        let part = |name: &str| block::part(block, name);
        let mut names = schema::script_attributes().filter(|name| *name != "props");
        if !names.all(|name| part(name).is_wholly_known()) {
            return Ok(None);
        }
        let (command, permissions) = (part("command"), part("permissions"));
        let lists = ["allow", "deny"].map(|name| ("permissions", block::part(&permissions, name)));
        for (name, list) in { lists.into_iter() }.chain([("command", command.clone())]) {
            if has_null(&list) {
                let refused = Diagnostic::error("Invalid script", "There is a null in the list.");
                return Err(refused.at(name));
            }
        }
        let script = Script {
            path: block::text(block, "path"),
            command: texts(&command),
            config_file: block::text(block, "config_file"),
            permissions: Permissions::of(&permissions),
            reuse: part("reuse").as_bool(),
            timeout: limit(&part("timeout"))?,
            max_in_flight: count(&part("max_in_flight"))?,
        };
        script.check()?;
        Ok(Some(script))
    }

    fn check(&self) -> Result<(), Diagnostic> {
        let refuse = |attribute: &str, detail: &str| {
            let refused = Diagnostic::error("Invalid script", detail);
            Err(refused.at(attribute))
        };
        match (self.path.as_deref(), self.command.as_deref()) {
            (Some(_), Some(_)) => refuse(
                "command",
                "path and command are both set. Remove one of them.",
            ),
            (None, None) => refuse(
                "path",
                "Neither path nor command is set. Set path to a script, or command to a program and its \
                 arguments.",
            ),
            (Some(""), _) => refuse("path", "The path is empty."),
            (_, Some([])) => refuse(
                "command",
                "The command is empty. Its first element is a program.",
            ),
            _ => Ok(()),
        }
    }

    /// The name that errors and logs use.
    pub(crate) fn name(&self) -> String {
        match (&self.path, &self.command) {
            (Some(path), _) => path.clone(),
            (None, Some(command)) => command.join(" "),
            (None, None) => String::new(),
        }
    }

    /// The attribute that says what to run.
    pub(crate) fn attribute(&self) -> &'static str {
        match self.path {
            Some(_) => "path",
            None => "command",
        }
    }
}

impl Permissions {
    fn of(value: &Value) -> Option<Permissions> {
        let Kind::Object(parts) = value.kind() else {
            return None;
        };
        let list = |name| parts.get(name).and_then(texts).unwrap_or_default();
        Some(Permissions {
            all: parts.get("all").and_then(Value::as_bool).unwrap_or(false),
            allow: list("allow"),
            deny: list("deny"),
        })
    }

    /// The arguments that grant and deny them.
    pub(crate) fn arguments(&self) -> Vec<String> {
        if self.all {
            return vec!["--allow-all".to_owned()];
        }
        let allowed = self.allow.iter().map(|entry| format!("--allow-{entry}"));
        let denied = self.deny.iter().map(|entry| format!("--deny-{entry}"));
        allowed.chain(denied).collect()
    }
}

fn texts(value: &Value) -> Option<Vec<String>> {
    let texts = { value.elements()?.iter() }.map(|element| element.as_text());
    let texts = texts.map(|text| Some(text?.to_string_lossy().into_owned()));
    texts.collect()
}

/// Whether there is a null in a list of strings.
fn has_null(list: &Value) -> bool {
    let elements = list.elements();
    elements.is_some_and(|elements| elements.iter().any(Value::is_null))
}

/// A number of seconds.
pub(crate) fn limit(value: &Value) -> Result<Option<Duration>, Diagnostic> {
    let Some(number) = value.as_number() else {
        return Ok(None);
    };
    let seconds = number.to_text().parse::<f64>().ok();
    match seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()) {
        Some(limit) if !limit.is_zero() => Ok(Some(limit)),
        _ => {
            let detail = format!(
                "{value} is not a positive number of seconds. Remove timeout for no limit."
            );
            Err(Diagnostic::error("Invalid timeout", detail).at("timeout"))
        }
    }
}

/// How many calls a process takes at a time.
fn count(value: &Value) -> Result<Option<NonZeroUsize>, Diagnostic> {
    let Some(number) = value.as_number() else {
        return Ok(None);
    };
    match number.to_text().parse::<NonZeroUsize>() {
        Ok(count) => Ok(Some(count)),
        Err(_) => {
            let detail = format!(
                "{value} is not a whole number of at least 1. Remove max_in_flight to use what the \
                 script answers to health, or one call at a time."
            );
            Err(Diagnostic::error("Invalid max_in_flight", detail).at("max_in_flight"))
        }
    }
}

/// Go writes a text that is not there as an empty one.
fn empty_as_none<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<String>, D::Error> {
    Ok(Option::<String>::deserialize(deserializer)?.filter(|text| !text.is_empty()))
}

/// Go writes an empty list as null.
fn null_as_default<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<String>, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::ACTION_SCHEMA;

    fn of(given: &[(&str, Value)]) -> Result<Option<Script>, String> {
        Script::of(&ACTION_SCHEMA.object(given)).map_err(|refused| refused.detail)
    }

    #[test]
    fn one_of_path_and_command_says_what_to_run() {
        let command = Value::list(tenon_values::Type::String, vec!["node".into()]).unwrap();
        let path = of(&[("path", "./a.ts".into())]).unwrap().unwrap();
        assert_eq!((path.name().as_str(), path.attribute()), ("./a.ts", "path"));
        let program = of(&[("command", command.clone())]).unwrap().unwrap();
        assert_eq!(program.command.as_deref(), Some(&["node".to_owned()][..]));
        assert!(of(&[]).unwrap_err().contains("Neither path nor command"));
        let both = of(&[("path", "a".into()), ("command", command)]);
        assert!(both.unwrap_err().contains("Remove one of them"));
    }

    #[test]
    fn what_is_unknown_is_not_run() {
        let unknown = Value::unknown(tenon_values::Type::String);
        assert_eq!(of(&[("path", unknown)]).unwrap(), None);
    }

    #[test]
    fn permissions_become_arguments_in_their_order() {
        let permissions = Permissions {
            all: false,
            allow: vec!["read".into(), "net=example.com:443".into()],
            deny: vec!["env".into()],
        };
        let expected = ["--allow-read", "--allow-net=example.com:443", "--deny-env"];
        assert_eq!(permissions.arguments(), expected);
        let all = Permissions {
            all: true,
            ..permissions
        };
        assert_eq!(all.arguments(), ["--allow-all"]);
    }

    #[test]
    fn a_timeout_is_a_positive_number() {
        let timeout = |number: f64| {
            let number = serde_json::Number::from_f64(number).unwrap().to_string();
            let value = tenon_values::json::implied(number.as_bytes()).unwrap();
            limit(&value).map_err(|refused| refused.detail)
        };
        assert_eq!(timeout(1.5).unwrap(), Some(Duration::from_millis(1500)));
        for wrong in [0.0, -1.0, 1e300] {
            assert!(
                timeout(wrong)
                    .unwrap_err()
                    .contains("not a positive number")
            );
        }
    }

    #[test]
    fn calls_in_flight_are_a_whole_number() {
        let count = |number: i64| count(&Value::from(number)).map_err(|refused| refused.detail);
        assert_eq!(count(8).unwrap().map(NonZeroUsize::get), Some(8));
        for wrong in [0, -1] {
            assert!(count(wrong).unwrap_err().contains("not a whole number"));
        }
        let half = tenon_values::json::implied(b"1.5").unwrap();
        assert!(super::count(&half).is_err());
    }

    #[test]
    fn is_read_as_upstream_writes_it() {
        let text = r#"{"DenoBinaryPath":"/usr/bin/deno","DenoScriptPath":"./a.ts","DenoConfigPath":"",
            "DenoPermissions":{"All":false,"Allow":["read"],"Deny":null}}"#;
        let script: Script = serde_json::from_str(text).unwrap();
        assert_eq!(script.path.as_deref(), Some("./a.ts"));
        assert_eq!(script.config_file, None);
        assert_eq!(script.permissions.unwrap().arguments(), ["--allow-read"]);
    }
}
