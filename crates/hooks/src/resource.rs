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
    action: Option<Action>,
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
    pub(crate) configuration: &'a Configuration,
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
        self.of_applied(change, None)
    }

    /// A planned change that was carried out, with the values that the resource has now.
    pub(crate) fn of_applied(
        &self,
        change: &ResourceChange,
        now: Option<&StateResource>,
    ) -> Result<Resource, Error> {
        let values = &change.change;
        let sources = Sources {
            before: values.before.as_deref(),
            after: match now {
                Some(now) => now.values.as_deref(),
                None => values.after.as_deref(),
            },
            after_unknown: match now {
                Some(_) => NOWHERE,
                None => &values.after_unknown,
            },
            sensitive: [
                &values.before_sensitive,
                &values.after_sensitive,
                now.map_or(NOWHERE, |now| &now.sensitive_values),
            ],
        };
        let module = change.module_address.as_deref();
        let resource = self.resource(module, &change.resource, &sources)?;
        Ok(Resource {
            action: Some(values.action()),
            is_tainted: now.is_some_and(|now| now.tainted),
            ..resource
        })
    }

    /// A resource in a state, as it is before and after nothing has happened.
    pub(crate) fn of_state(
        &self,
        module: Option<&str>,
        resource: &StateResource,
    ) -> Result<Resource, Error> {
        self.of_states(module, Some(resource), resource)
    }

    /// A resource in a state, with what it was in an earlier one.
    pub(crate) fn of_states(
        &self,
        module: Option<&str>,
        earlier: Option<&StateResource>,
        now: &StateResource,
    ) -> Result<Resource, Error> {
        let sources = Sources {
            before: earlier.and_then(|earlier| earlier.values.as_deref()),
            after: now.values.as_deref(),
            after_unknown: NOWHERE,
            sensitive: [
                earlier.map_or(NOWHERE, |earlier| &earlier.sensitive_values),
                &now.sensitive_values,
                NOWHERE,
            ],
        };
        self.resource(module, &now.resource, &sources)
    }

    fn resource(
        &self,
        module: Option<&str>,
        identity: &Identity,
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
        let (config, doubt) = match self.configuration.expressions(module, identity) {
            Some(expressions) => {
                let config = Config {
                    expressions,
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
            None => (Value::null(ty), None),
        };
        Ok(Resource {
            identity: identity.clone(),
            module: module.map(str::to_owned),
            action: None,
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
            .text("resource_mode", &one.mode);
        if let Some(module) = &self.module {
            params = params.text("module", module);
        }
        if let Some(index) = &one.index {
            params = params.member("index", index)?;
        }
        if let Some(known) = self.action {
            params = params.text(action, known.name());
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
