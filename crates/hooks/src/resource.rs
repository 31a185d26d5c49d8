//! One resource, as hooks see it.

use serde_json::Value as Json;
use serde_json::value::RawValue;
use tenon_protocols::Secrets;
use tenon_protocols::seasonings::Params;
use tenon_values::{Error, Type, Value};

use crate::changes::{Action, Configuration, Identity, ResourceChange, StateResource};
use crate::config_values::Config;
use crate::schemas::{Block, Schemas};
use crate::values::{Masks, NOWHERE, Reader};

/// What is known of a resource at some stage of a command.
#[derive(Clone, Debug)]
pub(crate) struct Resource {
    pub(crate) identity: Identity,
    module: Option<String>,
    pub(crate) action: Action,
    before: Value,
    after: Value,
    config: Value,
    /// It was created, but not completely: Terraform will replace it.
    is_tainted: bool,
    /// Where values were left out because they are sensitive.
    redacted: Vec<Vec<Json>>,
    /// Why its configuration could not be read, for the user.
    pub(crate) doubt: Option<String>,
}

/// Makes [`Resource`]s of what Terraform says.
pub(crate) struct Resources<'a> {
    pub(crate) schemas: &'a Schemas,
    /// `None` if Terraform has not been asked for it: it shows the configuration of a plan alone.
    pub(crate) configuration: Option<&'a Configuration>,
    /// Sensitive values are sent, and learned.
    pub(crate) sent: Option<Secrets>,
}

/// Where the values of a resource come from.
struct Sources<'a> {
    before: Option<&'a RawValue>,
    after: Option<&'a RawValue>,
    after_unknown: &'a Json,
    /// What is sensitive before or after is sensitive in both.
    sensitive: [&'a Json; 3],
}

impl Resources<'_> {
    /// A planned change, or drift that was found.
    pub(crate) fn of_change(&self, change: &ResourceChange) -> Result<Resource, Error> {
        let values = &change.change;
        let sources = Sources {
            before: values.before.as_deref(),
            after: values.after.as_deref(),
            after_unknown: &values.after_unknown,
            sensitive: [&values.before_sensitive, &values.after_sensitive, NOWHERE],
        };
        let module = change.module_address.as_deref();
        self.resource(module, &change.resource, values.action(), &sources)
    }

    /// A planned change that was carried out, with the values that the resource has now, if it is there.
    pub(crate) fn of_applied(
        &self,
        change: &ResourceChange,
        now: Option<&StateResource>,
    ) -> Result<Resource, Error> {
        let values = &change.change;
        let sources = Sources {
            before: values.before.as_deref(),
            after: now.and_then(|now| now.values.as_deref()),
            after_unknown: NOWHERE,
            sensitive: [
                &values.before_sensitive,
                &values.after_sensitive,
                now.map_or(NOWHERE, |now| &now.sensitive_values),
            ],
        };
        let action = match (values.action(), now) {
            // The old one was deleted, and the new one could not be created.
            (Action::Replace, None) => Action::Delete,
            (action, _) => action,
        };
        let module = change.module_address.as_deref();
        let resource = self.resource(module, &change.resource, action, &sources)?;
        Ok(Resource {
            is_tainted: now.is_some_and(|now| now.tainted),
            ..resource
        })
    }

    /// A resource in a state, as it is before and after nothing has happened.
    pub(crate) fn of_state(
        &self,
        module: Option<&str>,
        resource: &StateResource,
        action: Action,
    ) -> Result<Resource, Error> {
        let states = (Some(resource), Some(resource));
        self.of_states(module, &resource.resource, states, action)
    }

    /// A data source that was read.
    pub(crate) fn of_read(
        &self,
        module: Option<&str>,
        now: &StateResource,
    ) -> Result<Resource, Error> {
        self.of_states(module, &now.resource, (None, Some(now)), Action::Read)
    }

    /// A resource that was refreshed, in the state before and in the state after.
    pub(crate) fn of_refreshed(
        &self,
        module: Option<&str>,
        identity: &Identity,
        (earlier, now): (Option<&StateResource>, Option<&StateResource>),
    ) -> Result<Resource, Error> {
        let action = match (earlier, now) {
            _ if identity.mode == "data" => Action::Read,
            (_, None) => Action::Delete,
            (Some(earlier), Some(now)) if earlier.text() != now.text() => Action::Update,
            _ => Action::NoOp,
        };
        self.of_states(module, identity, (earlier, now), action)
    }

    fn of_states(
        &self,
        module: Option<&str>,
        identity: &Identity,
        (earlier, now): (Option<&StateResource>, Option<&StateResource>),
        action: Action,
    ) -> Result<Resource, Error> {
        let sources = Sources {
            before: earlier.and_then(|earlier| earlier.values.as_deref()),
            after: now.and_then(|now| now.values.as_deref()),
            after_unknown: NOWHERE,
            sensitive: [
                earlier.map_or(NOWHERE, |earlier| &earlier.sensitive_values),
                now.map_or(NOWHERE, |now| &now.sensitive_values),
                NOWHERE,
            ],
        };
        self.resource(module, identity, action, &sources)
    }

    fn resource(
        &self,
        module: Option<&str>,
        identity: &Identity,
        action: Action,
        sources: &Sources<'_>,
    ) -> Result<Resource, Error> {
        let Identity {
            provider_name,
            mode,
            kind,
            ..
        } = identity;
        let block = self.schemas.block(provider_name, mode, kind);
        // What has no schema is taken by the shape of each value.
        let ty = { block.as_ref() }.and_then(Block::implied_type);
        let ty = ty.unwrap_or(Type::Dynamic);
        // What the schema says is sensitive, whatever the plan says.
        let secrets = { block.as_ref() }.map_or(Json::Null, Block::secrets);
        let [a, b, c] = sources.sensitive;
        let known = Masks {
            sensitive: [a, b, c, &secrets],
            ..Masks::NONE
        };
        let unknown = Masks {
            unknown: sources.after_unknown,
            ..known
        };
        let mut reader = Reader::new(self.sent.clone());
        let before = reader.read(sources.before, &ty, known)?;
        let after = reader.read(sources.after, &ty, unknown)?;
        let written = { self.configuration }.map(|all| all.resource(module, identity));
        let (config, doubt) = match written {
            Some(Some(written)) => {
                let config = Config {
                    expressions: written.expressions(),
                    block: block.as_ref(),
                    after: sources.after,
                };
                // Terraform has accepted it, so it stops nothing here.
                match config.value(&ty, known.sensitive, &mut reader) {
                    Ok(config) => (config, None),
                    Err(error) => (Value::unknown(ty), Some(doubt(identity, &error))),
                }
            }
            // It is in the state alone.
            Some(None) => (Value::null(ty), None),
            None => (Value::unknown(ty), None),
        };
        Ok(Resource {
            identity: identity.clone(),
            module: module.map(str::to_owned),
            action,
            before,
            after,
            config,
            is_tainted: false,
            redacted: reader.redacted,
            doubt,
        })
    }
}

fn doubt(identity: &Identity, error: &Error) -> String {
    format!(
        "{}: its configuration could not be read, so hooks see it as unknown: {error}",
        identity.address
    )
}

impl Resource {
    /// The members of a hook's params that are about this resource.
    pub(crate) fn params(&self, action: &str) -> Result<Params, Error> {
        let one = &self.identity;
        let mut params = Params::new()
            .text("address", &one.address)
            .text("provider", &one.provider_name)
            .text("resource_type", &one.kind)
            .text("resource_name", &one.name)
            .text("resource_mode", &one.mode)
            .text(action, self.action.name());
        if let Some(module) = &self.module {
            params = params.text("module", module);
        }
        if let Some(index) = &one.index {
            params = params.member("index", index)?;
        }
        if self.is_tainted {
            params = params.member("tainted", &true)?;
        }
        // By their own types: a value whose type is open is sent as it is.
        for (name, value) in [
            ("before", &self.before),
            ("after", &self.after),
            ("config", &self.config),
        ] {
            params = params.value(name, value, &value.ty())?;
        }
        params.member("sensitive_paths", &self.redacted)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tenon_rpc::Format;

    use super::*;
    use crate::changes::PlanJson;

    const SCHEMAS: &str = r#"{"provider_schemas": {"p": {"resource_schemas": {"t": {"block": {
        "attributes": {
            "id": {"type": "string"},
            "login": {"nested_type": {"nesting_mode": "list", "attributes": {
                "user": {"type": "string"},
                "keys": {"nested_type": {"nesting_mode": "map", "attributes": {
                    "private": {"type": "string", "sensitive": true}, "public": {"type": "string"}}}}}}},
            "open": {"nested_type": {"nesting_mode": "list", "attributes": {
                "any": {"type": "dynamic"}, "token": {"type": "string", "write_only": true}}}}
        },
        "block_types": {"disk": {"nesting_mode": "set", "block": {"block_types": {
            "lock": {"nesting_mode": "single", "block": {"attributes": {
                "code": {"type": "string", "sensitive": true}}}}}}}}
    }}}}}}"#;

    fn sent(resource: &Resource) -> Json {
        let payload = resource.params("action").unwrap().into_payload();
        let mut params: Json = payload.to_format(Format::Json).unwrap().decode().unwrap();
        params[0].take()
    }

    /// A state does not say what is sensitive by the schema of a newer provider.
    #[test]
    fn what_the_schema_says_is_secret_holds_for_old_states_at_every_depth() {
        let schemas = Schemas::parse(SCHEMAS).unwrap();
        let configuration = Configuration::default();
        let resources = Resources {
            schemas: &schemas,
            configuration: Some(&configuration),
            sent: None,
        };
        let state: StateResource = serde_json::from_value(json!({
            "address": "t.a", "mode": "managed", "type": "t", "name": "a", "provider_name": "p",
            "values": {
                "id": "7",
                "login": [{"user": "ann", "keys": {"k": {"private": "hunter2", "public": "x"}}}],
                "open": [{"any": {"x": 1}, "token": "hunter2"}],
                "disk": [{"lock": {"code": "hunter2"}}],
            },
            "sensitive_values": {"login": [{"keys": {}}], "open": [{"any": {}}], "disk": [{"lock": {}}]},
        }))
        .unwrap();
        let resource = resources.of_state(None, &state, Action::NoOp).unwrap();
        let sent = sent(&resource);
        assert!(!sent.to_string().contains("hunter2"), "{sent}");
        assert_eq!(sent["after"]["login"][0]["keys"]["k"]["public"], "x");
        assert_eq!(
            sent["sensitive_paths"],
            json!([
                ["disk"],
                ["login", 0, "keys", "k", "private"],
                ["open", 0, "token"]
            ])
        );
    }

    #[test]
    fn half_of_a_replacement_is_a_deletion() {
        let schemas = Schemas::default();
        let configuration = Configuration::default();
        let resources = Resources {
            schemas: &schemas,
            configuration: Some(&configuration),
            sent: None,
        };
        let plan: PlanJson = serde_json::from_value(json!({ "resource_changes": [{
            "address": "t.a", "mode": "managed", "type": "t", "name": "a", "provider_name": "p",
            "change": {"actions": ["delete", "create"], "before": {"id": "7"}, "after": {"size": 1},
                "after_unknown": {"id": true}},
        }] }))
        .unwrap();
        let sent = sent(
            &resources
                .of_applied(&plan.resource_changes[0], None)
                .unwrap(),
        );
        assert_eq!(sent["action"], "Delete");
        assert_eq!(
            (&sent["before"]["id"], &sent["after"]),
            (&json!("7"), &Json::Null)
        );
    }
}
