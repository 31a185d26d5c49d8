//! What a plugin offers, read from its two schemas and written into them.
//!
//! Names stand in the [`Offer`] as the plugin gives them: types of resources without the prefix of the
//! provider. An object type with optional attributes becomes a nested attribute, so that users may leave
//! them out.

mod body;
mod functions;
mod write;

use std::collections::BTreeMap;

use tenon_rpc::Payload;
use tenon_rpc::wire::Packed;
use tenon_schema::{Offer, Resource, Schema, SchemaError};

use body::schema;

/// The answer to `functions/getSchema` and to `resources/getSchema`, each if the plugin has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schemas {
    /// The answer to `functions/getSchema`.
    pub functions: Option<Packed>,
    /// The answer to `resources/getSchema`.
    pub resources: Option<Packed>,
}

impl Schemas {
    /// What the plugin offers.
    ///
    /// # Errors
    /// The first mistake, with its place: `functions.slug.parameters.text`.
    pub fn offer(&self) -> Result<Offer, SchemaError> {
        let mut offer = Offer {
            // The name is not part of the schemas; this one passes the check.
            name: "plugin".to_owned(),
            ..Offer::default()
        };
        if let Some(answer) = &self.functions {
            for (name, sent) in named(answer, "functions")? {
                let function = functions::function(&sent);
                let function = function.map_err(|error| error.below(&name).below("functions"))?;
                offer.functions.insert(name, function);
            }
        }
        if let Some(answer) = &self.resources {
            if let Some(sent) = member(answer, "provider")? {
                offer.config = schema(&sent).map_err(|error| error.below("provider"))?;
            }
            let resource = |schema: Schema| Resource {
                schema,
                identity: None,
            };
            let resources = schemas(answer, "resources")?;
            offer.resources = { resources.into_iter() }
                .map(|(name, schema)| (name, resource(schema)))
                .collect();
            offer.data_sources = schemas(answer, "data_sources")?;
            offer.ephemeral_resources = schemas(answer, "ephemeral")?;
        }
        offer.check()?;
        check_reserved(&offer)?;
        Ok(offer)
    }
}

fn schemas(answer: &Packed, kind: &str) -> Result<BTreeMap<String, Schema>, SchemaError> {
    let read = |(name, sent): (String, Packed)| {
        let schema = schema(&sent).map_err(|error| error.below(&name).below(kind))?;
        Ok((name, schema))
    };
    named(answer, kind)?.into_iter().map(read).collect()
}

/// The members of a map, in their order.
fn members(map: &Packed) -> Result<Vec<(String, Packed)>, SchemaError> {
    let members = Payload::from(map.clone()).members();
    let members = members.map_err(|error| SchemaError::new("", error))?;
    let pack = |payload: Payload| {
        Packed::new(payload.bytes().clone()).map_err(|error| SchemaError::new("", error))
    };
    { members.into_iter() }
        .map(|(name, value)| Ok((name.to_string(), pack(value)?)))
        .collect()
}

/// A member of a map. Missing and nil are `None`.
fn member(map: &Packed, name: &str) -> Result<Option<Packed>, SchemaError> {
    let found = { members(map)?.into_iter() }.find(|(known, _)| known == name);
    Ok(found
        .map(|(_, value)| value)
        .filter(|value| !value.is_nil()))
}

/// The members of the map that is this member; none if it is missing.
fn named(map: &Packed, name: &str) -> Result<Vec<(String, Packed)>, SchemaError> {
    match member(map, name)? {
        Some(inner) => members(&inner).map_err(|error| error.below(name)),
        None => Ok(Vec::new()),
    }
}

/// Names that Terraform keeps for itself in the blocks of resources: an attribute of such a name would
/// never get a value.
const RESERVED: [&str; 7] = [
    "connection",
    "count",
    "depends_on",
    "for_each",
    "lifecycle",
    "provider",
    "provisioner",
];

fn check_reserved(offer: &Offer) -> Result<(), SchemaError> {
    let resources = { offer.resources.iter() }.map(|(name, one)| ("resources", name, &one.schema));
    let data = { offer.data_sources.iter() }.map(|(name, one)| ("data_sources", name, one));
    let ephemeral =
        { offer.ephemeral_resources.iter() }.map(|(name, one)| ("ephemeral", name, one));
    for (kind, name, schema) in resources.chain(data).chain(ephemeral) {
        let attributes = schema.body.attributes.iter().map(|one| &one.name);
        let mut names = attributes.chain(schema.body.blocks.iter().map(|one| &one.name));
        if let Some(reserved) = names.find(|name| RESERVED.contains(&name.as_str())) {
            let problem = "Terraform reserves this name in such blocks; choose another name";
            return Err(SchemaError::new(reserved, problem).below(name).below(kind));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
