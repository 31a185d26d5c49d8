//! Whether a schema is one that scenarios can be written against.

use std::collections::BTreeMap;
use std::fmt::Display;

use tenon_values::Type;

use super::{AttrSchema, ProviderSchema, VERSION};

/// What a scenario says about an action, beside the action's own attributes.
pub const RESERVED: [&str; 9] = [
    "provider",
    "depends_on",
    "lifecycle",
    "for_each",
    "count",
    "timeout",
    "retry",
    "idempotent",
    "assert",
];

/// A schema that no scenario can be written against.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the schema of provider {provider:?} is wrong at {place}: {problem}")]
pub struct SchemaError {
    /// The name of the provider.
    pub provider: String,
    /// Where in the schema: `actions.greet.attrs.name`.
    pub place: String,
    /// What is wrong there.
    pub problem: String,
}

impl ProviderSchema {
    /// Whether scenarios can be written against the schema.
    ///
    /// # Errors
    /// The first thing that is wrong: another version of the protocol, a name that is none or
    /// that scenarios need themselves, a default that does not fit or is never used, outputs that
    /// have no names.
    pub fn check(&self) -> Result<(), SchemaError> {
        let checked = self.check_head().and_then(|()| self.check_attributes());
        checked.map_err(|Fault { place, problem }| SchemaError {
            provider: self.name.clone(),
            place,
            problem,
        })
    }

    fn check_head(&self) -> Result<(), Fault> {
        if self.protocol != VERSION {
            let problem = match self.protocol.as_str() {
                "" => format!("it names no version; {VERSION:?} is wanted"),
                other => format!("it speaks version {other:?}, but {VERSION:?} is wanted"),
            };
            return Err(Fault::new("protocol", problem));
        }
        check_name("name", &self.name)?;
        if self.max_in_flight == Some(0) {
            let problem = "at least 1 action has to be possible at a time";
            return Err(Fault::new("max_in_flight", problem));
        }
        Ok(())
    }

    fn check_attributes(&self) -> Result<(), Fault> {
        check_all("config", &self.config)?;
        if let Some((name, _)) = { self.config.iter() }.find(|(_, one)| one.idempotency_key) {
            let problem = "only an attribute of an action can be an idempotency key";
            return Err(Fault::new(format!("config.{name}"), problem));
        }
        for (name, action) in &self.actions {
            let place = format!("actions.{name}");
            check_name(&place, name)?;
            check_all(&format!("{place}.attrs"), &action.attrs)?;
            check_keys(&format!("{place}.attrs"), &action.attrs)?;
            if let Some(reserved) = RESERVED
                .iter()
                .find(|name| action.attrs.contains_key(**name))
            {
                let problem = "scenarios use this name themselves; take another";
                return Err(Fault::new(format!("{place}.attrs.{reserved}"), problem));
            }
            if let Some(outputs) = &action.outputs {
                check_outputs(&format!("{place}.outputs"), &outputs.ty)?;
            }
        }
        Ok(())
    }
}

struct Fault {
    place: String,
    problem: String,
}

impl Fault {
    fn new(place: impl Into<String>, problem: impl Display) -> Fault {
        Fault {
            place: place.into(),
            problem: problem.to_string(),
        }
    }
}

fn check_all(place: &str, attributes: &BTreeMap<String, AttrSchema>) -> Result<(), Fault> {
    for (name, attribute) in attributes {
        let place = format!("{place}.{name}");
        check_name(&place, name)?;
        match attribute.default_value() {
            Err(error) => return Err(Fault::new(place, format_args!("the default: {error}"))),
            Ok(Some(_)) if attribute.required => {
                let problem = "it is required, so its default is never used; leave one of them out";
                return Err(Fault::new(place, problem));
            }
            Ok(_) => {}
        }
    }
    Ok(())
}

/// One attribute at most is an idempotency key, and `true` has to reach it as a bool.
fn check_keys(place: &str, attributes: &BTreeMap<String, AttrSchema>) -> Result<(), Fault> {
    let mut first = None;
    for (name, attribute) in attributes.iter().filter(|(_, one)| one.idempotency_key) {
        let place = format!("{place}.{name}");
        if attribute.ty != Type::Dynamic || attribute.required || attribute.default.is_some() {
            let problem = "an idempotency key has the type any, is not required and has no default";
            return Err(Fault::new(place, problem));
        }
        if let Some(first) = first.replace(name) {
            let problem = format!("{first:?} is the idempotency key already");
            return Err(Fault::new(place, problem));
        }
    }
    Ok(())
}

/// A name that a scenario can use without quotes.
fn check_name(place: &str, name: &str) -> Result<(), Fault> {
    let mut characters = name.chars();
    let is_start = |first: char| first.is_alphabetic() || first == '_';
    let is_part = |next: char| next.is_alphanumeric() || next == '_' || next == '-';
    match characters.next().is_some_and(is_start) && characters.all(is_part) {
        true => Ok(()),
        false => {
            let problem = format!("{name:?} is no name: letters, digits, `_` and `-` make one");
            Err(Fault::new(place, problem))
        }
    }
}

/// Scenarios refer to outputs by name, and the wire has them in an object.
fn check_outputs(place: &str, ty: &Type) -> Result<(), Fault> {
    match ty {
        Type::Object(_) | Type::Map(_) | Type::Dynamic => Ok(()),
        other => {
            let problem = format!("outputs are an object or a map, not {other}");
            Err(Fault::new(place, problem))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_problem(schema: &str, problem: &str) {
        let schema: ProviderSchema = serde_json::from_str(schema).unwrap();
        assert_eq!(schema.check().unwrap_err().to_string(), problem);
    }

    fn with_attribute(name: &str, attribute: &str) -> String {
        format!(
            r#"{{"name":"p","protocol":"1","actions":{{"a":{{"attrs":{{"{name}":{attribute}}}}}}}}}"#
        )
    }

    #[test]
    fn the_version_is_right_or_wrong() {
        assert_problem(
            r#"{"name":"p","protocol":"2"}"#,
            "the schema of provider \"p\" is wrong at protocol: it speaks version \"2\", \
             but \"1\" is wanted",
        );
        assert_problem(
            r#"{"name":"p"}"#,
            "the schema of provider \"p\" is wrong at protocol: it names no version; \
             \"1\" is wanted",
        );
    }

    #[test]
    fn names_can_be_written_in_scenarios() {
        assert_problem(
            &with_attribute("a b", r#"{"type":"string"}"#),
            "the schema of provider \"p\" is wrong at actions.a.attrs.a b: \"a b\" is no name: \
             letters, digits, `_` and `-` make one",
        );
        for reserved in RESERVED {
            let schema = with_attribute(reserved, r#"{"type":"any"}"#);
            let schema: ProviderSchema = serde_json::from_str(&schema).unwrap();
            let error = schema.check().unwrap_err();
            assert_eq!(error.place, format!("actions.a.attrs.{reserved}"));
        }
    }

    #[test]
    fn defaults_fit_and_are_used() {
        assert_problem(
            &with_attribute("n", r#"{"type":"list(number)","default":true}"#),
            "the schema of provider \"p\" is wrong at actions.a.attrs.n: the default: \
             a list of number is required, but this is a bool",
        );
        assert_problem(
            &with_attribute("n", r#"{"type":"number","default":1,"required":true}"#),
            "the schema of provider \"p\" is wrong at actions.a.attrs.n: it is required, so its \
             default is never used; leave one of them out",
        );
    }

    #[test]
    fn an_action_has_one_idempotency_key_of_any_type() {
        for wrong in [
            r#"{"type":"string","idempotency_key":true}"#,
            r#"{"type":"any","idempotency_key":true,"required":true}"#,
            r#"{"type":"any","idempotency_key":true,"default":true}"#,
        ] {
            assert_problem(
                &with_attribute("key", wrong),
                "the schema of provider \"p\" is wrong at actions.a.attrs.key: an idempotency key \
                 has the type any, is not required and has no default",
            );
        }
        let key = r#"{"type":"any","idempotency_key":true}"#;
        assert_problem(
            &with_attribute("one", &format!(r#"{key},"two":{key}"#)),
            "the schema of provider \"p\" is wrong at actions.a.attrs.two: \"one\" is the \
             idempotency key already",
        );
        assert_problem(
            &format!(r#"{{"name":"p","protocol":"1","config":{{"key":{key}}}}}"#),
            "the schema of provider \"p\" is wrong at config.key: only an attribute of an action \
             can be an idempotency key",
        );
        let schema = with_attribute("key", key);
        let schema: ProviderSchema = serde_json::from_str(&schema).unwrap();
        assert_eq!(schema.check(), Ok(()));
        assert_eq!(schema.actions["a"].idempotency_key(), Some("key"));
    }

    #[test]
    fn outputs_have_names() {
        let schema = |ty: &str| {
            format!(
                r#"{{"name":"p","protocol":"1","actions":{{"a":{{"outputs":{{"type":"{ty}"}}}}}}}}"#
            )
        };
        assert_problem(
            &schema("list(string)"),
            "the schema of provider \"p\" is wrong at actions.a.outputs: outputs are an object \
             or a map, not list(string)",
        );
        for ty in ["any", "map(string)", "object({ a = string })"] {
            let schema: ProviderSchema = serde_json::from_str(&schema(ty)).unwrap();
            assert_eq!(schema.check(), Ok(()));
        }
    }
}
