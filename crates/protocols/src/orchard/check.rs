//! Checks that scenarios can be written for a schema.

use tenon_schema::{Action, Attribute, Offer, SchemaError as Fault, check_name};
use tenon_values::Type;

use super::{ProviderSchema, VERSION};

/// The attributes and blocks of every action in a scenario, besides its own attributes.
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

/// A schema that no scenario can be written for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the schema of provider {provider:?} is invalid at {place}: {problem}")]
pub struct SchemaError {
    /// The name of the provider.
    pub provider: String,
    /// Where in the schema: `actions.greet.attrs.name`.
    pub place: String,
    /// What is wrong there.
    pub problem: String,
}

impl ProviderSchema {
    /// Checks that scenarios can be written for the schema.
    ///
    /// # Errors
    /// The first problem: another version of the protocol, an invalid or reserved name, a default that
    /// does not fit or is never used, outputs without names.
    pub fn check(&self) -> Result<(), SchemaError> {
        let checked = { self.check_head() }
            .and_then(|()| Offer::try_from(self))
            .and_then(|offer| check_offer(&offer));
        checked.map_err(|Fault { place, problem }| SchemaError {
            provider: self.name.clone(),
            place,
            problem,
        })
    }

    fn check_head(&self) -> Result<(), Fault> {
        if self.protocol != VERSION {
            let problem = match self.protocol.as_str() {
                "" => format!("no protocol version; expected {VERSION:?}"),
                other => format!("unsupported protocol version {other:?}; expected {VERSION:?}"),
            };
            return Err(Fault::new("protocol", problem));
        }
        check_name(&self.name).map_err(|error| error.below("name"))?;
        if self.max_in_flight == Some(0) {
            let problem = "must be at least 1";
            return Err(Fault::new("max_in_flight", problem));
        }
        Ok(())
    }
}

fn check_offer(offer: &Offer) -> Result<(), Fault> {
    let config = &offer.config.body;
    config.check().map_err(|error| error.below("config"))?;
    if let Some(key) = { config.attributes.iter() }.find(|one| one.is_idempotency_key) {
        let problem = "only an attribute of an action can be an idempotency key";
        return Err(Fault::new(format!("config.{}", key.name), problem));
    }
    for (name, action) in &offer.actions {
        let checked = check_name(name).and_then(|()| check_action(action));
        checked.map_err(|error| error.below(name).below("actions"))?;
    }
    Ok(())
}

fn check_action(action: &Action) -> Result<(), Fault> {
    { action.input.check() }.map_err(|error| error.below("attrs"))?;
    if let Some(reserved) = RESERVED
        .iter()
        .find(|name| action.input.attribute(name).is_some())
    {
        let problem = "this name is reserved in scenarios; rename the attribute";
        return Err(Fault::new(format!("attrs.{reserved}"), problem));
    }
    // Scenarios refer to outputs by name, and the wire has them in an object.
    match action.output.as_ref().map(Attribute::implied_type) {
        None | Some(Type::Object(_) | Type::Map(_) | Type::Dynamic) => Ok(()),
        Some(other) => {
            let problem = format!("outputs must be an object or a map, not {other}");
            Err(Fault::new("outputs", problem))
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
    fn other_versions_are_refused() {
        assert_problem(
            r#"{"name":"p","protocol":"2"}"#,
            "the schema of provider \"p\" is invalid at protocol: unsupported protocol version \
             \"2\"; expected \"1\"",
        );
        assert_problem(
            r#"{"name":"p"}"#,
            "the schema of provider \"p\" is invalid at protocol: no protocol version; \
             expected \"1\"",
        );
    }

    #[test]
    fn names_can_be_written_in_scenarios() {
        assert_problem(
            &with_attribute("a b", r#"{"type":"string"}"#),
            "the schema of provider \"p\" is invalid at actions.a.attrs.a b: \"a b\" is not a \
             valid name: use letters, digits, `_` and `-`, and begin with a letter or `_`",
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
            "the schema of provider \"p\" is invalid at actions.a.attrs.n: the default: \
             a list of number is required, but this is a bool",
        );
        assert_problem(
            &with_attribute("n", r#"{"type":"number","default":1,"required":true}"#),
            "the schema of provider \"p\" is invalid at actions.a.attrs.n: it is required, so its \
             default is never used; remove one of them",
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
                "the schema of provider \"p\" is invalid at actions.a.attrs.key: an idempotency key \
                 must have the type any, be optional and have no default",
            );
        }
        let key = r#"{"type":"any","idempotency_key":true}"#;
        assert_problem(
            &with_attribute("one", &format!(r#"{key},"two":{key}"#)),
            "the schema of provider \"p\" is invalid at actions.a.attrs.two: \"one\" is already the \
             idempotency key",
        );
        assert_problem(
            &format!(r#"{{"name":"p","protocol":"1","config":{{"key":{key}}}}}"#),
            "the schema of provider \"p\" is invalid at config.key: only an attribute of an action \
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
            "the schema of provider \"p\" is invalid at actions.a.outputs: outputs must be an \
             object or a map, not list(string)",
        );
        for ty in ["any", "map(string)", "object({ a = string })"] {
            let schema: ProviderSchema = serde_json::from_str(&schema(ty)).unwrap();
            assert_eq!(schema.check(), Ok(()));
        }
    }
}
