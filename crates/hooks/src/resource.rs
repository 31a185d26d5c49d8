//! One resource, as hooks see it.

use serde_json::Value as Json;
use tenon_protocols::seasonings::Params;
use tenon_values::{Error, Type, Value};

use crate::changes::{Action, Configuration, Identity, ResourceChange, StateResource};
use crate::config_values::config_value;
use crate::schemas::Schemas;
use crate::values::{Masks, NOWHERE, Reader};

/// What is known of a resource at some stage of a command.
#[derive(Clone, Debug)]
pub(crate) struct Resource {
    pub(crate) identity: Identity,
    pub(crate) module: Option<String>,
    pub(crate) action: Option<Action>,
    pub(crate) before: Value,
    pub(crate) after: Value,
    config: Value,
    /// Where values were left out because they are sensitive.
    redacted: Vec<Vec<Json>>,
}

/// Makes [`Resource`]s of what Terraform says.
pub(crate) struct Resources<'a> {
    pub(crate) schemas: &'a Schemas,
    pub(crate) configuration: &'a Configuration,
    /// Sensitive values are sent.
    pub(crate) sends_sensitive: bool,
}

impl Resources<'_> {
    /// A planned change, or drift that was found.
    pub(crate) fn of_change(&self, change: &ResourceChange) -> Result<Resource, Error> {
        let values = &change.change;
        let ty = self.type_of(&change.resource);
        let sensitive = [&values.before_sensitive, &values.after_sensitive, NOWHERE];
        let mut reader = Reader::new(self.sends_sensitive);
        let known = Masks {
            sensitive,
            ..Masks::NONE
        };
        let before = reader.read(values.before.as_deref(), &ty, known)?;
        let unknown = Masks {
            unknown: &values.after_unknown,
            sensitive,
        };
        let after = reader.read(values.after.as_deref(), &ty, unknown)?;
        let module = change.module_address.as_deref();
        let config = self.config(module, &change.resource, sensitive, &mut reader)?;
        Ok(Resource {
            identity: change.resource.clone(),
            module: module.map(str::to_owned),
            action: Some(values.action()),
            before,
            after,
            config,
            redacted: reader.redacted,
        })
    }

    /// A resource in a state, as it is before and after nothing has happened.
    pub(crate) fn of_state(
        &self,
        module: Option<&str>,
        resource: &StateResource,
    ) -> Result<Resource, Error> {
        let ty = self.type_of(&resource.resource);
        let sensitive = [&resource.sensitive_values, NOWHERE, NOWHERE];
        let mut reader = Reader::new(self.sends_sensitive);
        let masks = Masks {
            sensitive,
            ..Masks::NONE
        };
        let value = reader.read(resource.values.as_deref(), &ty, masks)?;
        let config = self.config(module, &resource.resource, sensitive, &mut reader)?;
        Ok(Resource {
            identity: resource.resource.clone(),
            module: module.map(str::to_owned),
            action: None,
            before: value.clone(),
            after: value,
            config,
            redacted: reader.redacted,
        })
    }

    fn type_of(&self, resource: &Identity) -> Type {
        { self.schemas }.type_of(&resource.provider_name, &resource.mode, &resource.kind)
    }

    /// The configuration: constants, and unknown where there is an expression.
    fn config(
        &self,
        module: Option<&str>,
        resource: &Identity,
        [before, after, _]: [&Json; 3],
        reader: &mut Reader,
    ) -> Result<Value, Error> {
        let ty = self.type_of(resource);
        match self.configuration.expressions(module, resource) {
            Some(expressions) => {
                let secrets = { self.schemas }.secrets_of(
                    &resource.provider_name,
                    &resource.mode,
                    &resource.kind,
                );
                config_value(expressions, &ty, [before, after, &secrets], reader)
            }
            // It is in the state alone.
            None => Ok(Value::null(ty)),
        }
    }
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
