//! Converts a provider's schema to and from the host-neutral offer.

use std::collections::BTreeMap;

use tenon_schema::{
    Action, Attribute, AttributeType, Body, Nesting, Offer, Presence, Schema, SchemaError, Unfit,
};
use tenon_values::{Attribute as Member, ObjectType, Type, Value};

use super::{ActionSchema, AttrSchema, ProviderSchema, VERSION};

/// Converts the whole schema. Fails if a default does not fit its type.
impl TryFrom<&ProviderSchema> for Offer {
    type Error = SchemaError;

    fn try_from(schema: &ProviderSchema) -> Result<Offer, SchemaError> {
        let config = body(&schema.config).map_err(|error| error.below("config"))?;
        let mut offer = Offer {
            name: schema.name.clone(),
            version: schema.version.clone(),
            config: Schema::from(config),
            max_in_flight: schema.max_in_flight,
            ..Offer::default()
        };
        for (name, schema) in &schema.actions {
            let action = action(schema).map_err(|error| error.below(name).below("actions"))?;
            offer.actions.insert(name.clone(), action);
        }
        Ok(offer)
    }
}

fn action(schema: &ActionSchema) -> Result<Action, SchemaError> {
    let output = { schema.outputs.as_ref() }.map(|outputs| attribute("outputs", outputs));
    Ok(Action {
        input: body(&schema.attrs).map_err(|error| error.below("attrs"))?,
        output: output.transpose()?,
        is_idempotent: schema.idempotent,
        description: schema.description.as_str().into(),
    })
}

fn body(attributes: &BTreeMap<String, AttrSchema>) -> Result<Body, SchemaError> {
    let attributes = { attributes.iter() }.map(|(name, schema)| attribute(name, schema));
    attributes.collect::<Result<Vec<_>, _>>().map(Body::new)
}

fn attribute(name: &str, schema: &AttrSchema) -> Result<Attribute, SchemaError> {
    let default = { schema.default_value() }
        .map_err(|error| SchemaError::new(name, format_args!("the default: {error}")))?;
    Ok(attribute_with(name, schema, default))
}

fn attribute_with(name: &str, schema: &AttrSchema, default: Option<Value>) -> Attribute {
    Attribute {
        presence: match schema.required {
            true => Presence::Required,
            false => Presence::Optional,
        },
        default,
        is_sensitive: schema.sensitive,
        is_idempotency_key: schema.idempotency_key,
        ..Attribute::new(name, schema.ty.clone()).about(schema.description.as_str())
    }
}

impl AttrSchema {
    /// The value of the attribute: see [`Attribute::complete`].
    ///
    /// # Errors
    /// As there.
    pub fn complete(&self, given: Option<&Value>) -> Result<Option<Value>, Unfit> {
        let default = self.default_value();
        let default = default.map_err(|error| Unfit::Default(vec![error]))?;
        attribute_with("", self, default).complete(given)
    }
}

/// Converts the configuration and the actions; Orchard has no place for the rest of an offer. Fails for
/// what Orchard cannot express: nested blocks, and defaults that are not JSON.
impl TryFrom<&Offer> for ProviderSchema {
    type Error = SchemaError;

    fn try_from(offer: &Offer) -> Result<ProviderSchema, SchemaError> {
        let config = &offer.config.body;
        let mut schema = ProviderSchema {
            name: offer.name.clone(),
            version: offer.version.clone(),
            protocol: VERSION.to_owned(),
            config: attributes(config).map_err(|error| error.below("config"))?,
            max_in_flight: offer.max_in_flight,
            ..ProviderSchema::default()
        };
        for (name, action) in &offer.actions {
            let below = |error: SchemaError| error.below(name).below("actions");
            let action = ActionSchema {
                description: action.description.text.clone(),
                attrs: attributes(&action.input).map_err(below)?,
                outputs: { action.output.as_ref().map(attr_schema) }
                    .transpose()
                    .map_err(below)?,
                idempotent: action.is_idempotent,
            };
            schema.actions.insert(name.clone(), action);
        }
        Ok(schema)
    }
}

fn attributes(body: &Body) -> Result<BTreeMap<String, AttrSchema>, SchemaError> {
    if let Some(block) = body.blocks.first() {
        let problem = "Orchard has no blocks; use an attribute that holds objects";
        return Err(SchemaError::new(&block.name, problem));
    }
    { body.attributes.iter() }
        .map(|attribute| Ok((attribute.name.clone(), attr_schema(attribute)?)))
        .collect()
}

fn attr_schema(attribute: &Attribute) -> Result<AttrSchema, SchemaError> {
    let schema = AttrSchema {
        required: attribute.presence == Presence::Required,
        description: attribute.description.text.clone(),
        sensitive: attribute.is_sensitive || attribute.is_write_only,
        idempotency_key: attribute.is_idempotency_key,
        ..AttrSchema::new(written_type(attribute))
    };
    match &attribute.default {
        Some(default) => { schema.with_default(default) }.map_err(|error| {
            SchemaError::new(&attribute.name, format_args!("the default: {error}"))
        }),
        None => Ok(schema),
    }
}

/// The type as users write it: with attributes that may be left out.
fn written_type(attribute: &Attribute) -> Type {
    let (nesting, attributes) = match &attribute.ty {
        AttributeType::Plain(ty) => return ty.clone(),
        AttributeType::Nested(nesting, attributes) => (nesting, attributes),
    };
    let members = attributes.iter().map(|one| Member {
        name: one.name.as_str().into(),
        ty: written_type(one),
        is_optional: one.presence != Presence::Required,
    });
    let object = Type::Object(ObjectType::new(members));
    match nesting {
        Nesting::Single | Nesting::Group => object,
        nesting => nesting.of(object),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenon_schema::Block;

    /// The wire format is the same after converting there and back.
    #[test]
    fn nothing_is_lost_on_the_way_there_and_back() {
        let text = r#"{"name":"a","version":"2","protocol":"1","config":{"k":{"type":"string","required":true,"sensitive":true}},"actions":{"b":{"description":"Does","attrs":{"n":{"type":"list(number)","required":false,"default":[1.5],"description":"How many"},"o":{"type":"any","required":false,"idempotency_key":true},"p":{"type":"list(object({ at = number, on = optional(bool) }))","required":true}},"outputs":{"type":"object({ a = string })","required":false,"sensitive":true},"idempotent":true},"c":{"attrs":{}}},"max_in_flight":4}"#;
        let schema: ProviderSchema = serde_json::from_str(text).unwrap();
        let offer = Offer::try_from(&schema).unwrap();
        assert_eq!(offer.check(), Ok(()));
        assert_eq!(offer.actions["b"].input.attributes.len(), 3);
        let again = ProviderSchema::try_from(&offer).unwrap();
        assert_eq!(serde_json::to_string(&again).unwrap(), text);
    }

    #[test]
    fn nested_attributes_become_a_type() {
        let rule = [
            Attribute::new("port", Type::Number).required(),
            Attribute::new("open", Type::Bool),
        ];
        let mut offer = Offer::default();
        offer.config.body = Body::new([Attribute::nested("rules", Nesting::List, rule)]);
        let schema = ProviderSchema::try_from(&offer).unwrap();
        assert_eq!(
            schema.config["rules"].ty.to_string(),
            "list(object({ open = optional(bool), port = number }))"
        );
        let block = Block::new("rule", Nesting::List, Body::default());
        offer.config.body = Body::default().with_block(block);
        let error = ProviderSchema::try_from(&offer).unwrap_err().to_string();
        assert!(
            error.starts_with("config.rule: Orchard has no blocks"),
            "{error}"
        );
    }
}
