//! Schemas of blocks.

use serde::Deserialize;
use tenon_rpc::wire::Packed;
use tenon_schema::{Attribute, AttributeType, Block, Body, Nesting, Presence, Schema, SchemaError};
use tenon_values::{Type, Value};

use super::super::types::read_type;
use super::super::value;
use super::members;
use crate::lenient::null_as_default;

#[derive(Deserialize)]
struct WireSchema {
    #[serde(default, deserialize_with = "null_as_default")]
    version: u64,
    #[serde(default, deserialize_with = "null_as_default")]
    description: String,
    #[serde(default)]
    deprecation: Option<String>,
    #[serde(default)]
    attributes: Option<Packed>,
    #[serde(default)]
    blocks: Option<Packed>,
}

#[derive(Deserialize)]
struct WireBlock {
    nesting: String,
    #[serde(default, deserialize_with = "null_as_default")]
    min: u64,
    #[serde(default)]
    max: Option<u64>,
    #[serde(default, deserialize_with = "null_as_default")]
    description: String,
    #[serde(default)]
    deprecation: Option<String>,
    #[serde(default)]
    attributes: Option<Packed>,
    #[serde(default)]
    blocks: Option<Packed>,
}

#[derive(Deserialize)]
struct WireAttribute {
    #[serde(rename = "type")]
    ty: Packed,
    #[serde(default, deserialize_with = "null_as_default")]
    required: bool,
    #[serde(default, deserialize_with = "null_as_default")]
    optional: bool,
    #[serde(default, deserialize_with = "null_as_default")]
    computed: bool,
    #[serde(default)]
    default: Option<Packed>,
    #[serde(default, deserialize_with = "null_as_default")]
    sensitive: bool,
    #[serde(default, deserialize_with = "null_as_default")]
    write_only: bool,
    #[serde(default, deserialize_with = "null_as_default")]
    replace: bool,
    #[serde(default, deserialize_with = "null_as_default")]
    stable: bool,
    #[serde(default, deserialize_with = "null_as_default")]
    description: String,
    #[serde(default)]
    deprecation: Option<String>,
}

/// A whole block: of a resource, a data source, the configuration.
pub(super) fn schema(sent: &Packed) -> Result<Schema, SchemaError> {
    let sent: WireSchema = sent.decode().map_err(|error| SchemaError::new("", error))?;
    let body = body(sent.attributes.as_ref(), sent.blocks.as_ref())?;
    let body = Body {
        description: sent.description.into(),
        deprecation: sent.deprecation,
        ..body
    };
    Ok(Schema::new(sent.version, body))
}

fn body(attributes: Option<&Packed>, blocks: Option<&Packed>) -> Result<Body, SchemaError> {
    let mut body = Body::default();
    let each = |map: Option<&Packed>, name: &str| {
        let members = map.map(members).transpose();
        let members = members.map_err(|error| error.below(name))?;
        Ok(members.unwrap_or_default())
    };
    for (name, sent) in each(attributes, "attributes")? {
        let attribute = attribute(&name, &sent);
        body.attributes
            .push(attribute.map_err(|error| error.below(&name))?);
    }
    for (name, sent) in each(blocks, "blocks")? {
        let block = block(&name, &sent);
        body.blocks.push(block.map_err(|error| error.below(&name))?);
    }
    Ok(body)
}

fn block(name: &str, sent: &Packed) -> Result<Block, SchemaError> {
    let sent: WireBlock = sent.decode().map_err(|error| SchemaError::new("", error))?;
    let nesting = match sent.nesting.as_str() {
        "single" => Nesting::Single,
        "group" => Nesting::Group,
        "list" => Nesting::List,
        "set" => Nesting::Set,
        "map" => Nesting::Map,
        other => {
            let problem = format!(
                "the nesting {other:?} is unknown; there are \"single\", \"list\", \"set\", \"map\" and \"group\""
            );
            return Err(SchemaError::new("nesting", problem));
        }
    };
    let body = body(sent.attributes.as_ref(), sent.blocks.as_ref())?;
    let body = Body {
        description: sent.description.into(),
        deprecation: sent.deprecation,
        ..body
    };
    Ok(Block::new(name, nesting, body).between(sent.min, sent.max.filter(|max| *max > 0)))
}

fn attribute(name: &str, sent: &Packed) -> Result<Attribute, SchemaError> {
    let sent: WireAttribute = sent.decode().map_err(|error| SchemaError::new("", error))?;
    let fail = |problem: String| SchemaError::new("", problem);
    let ty = read_type(sent.ty.bytes()).map_err(fail)?;
    let presence = match (sent.required, sent.optional, sent.computed) {
        (true, false, false) => Presence::Required,
        (true, _, _) => {
            let problem = "it is required, so it is neither optional nor computed";
            return Err(SchemaError::new("", problem));
        }
        (false, true, true) => Presence::OptionalComputed,
        (false, false, true) => Presence::Computed,
        (false, _, false) => Presence::Optional,
    };
    let default = default_value(sent.default.as_ref(), &ty).map_err(fail)?;
    let is_nested = presence.is_configurable() && !sent.write_only;
    let ty = match is_nested {
        true => with_optional(ty),
        false => AttributeType::Plain(ty.without_optional()),
    };
    Ok(Attribute {
        ty,
        presence,
        default,
        is_sensitive: sent.sensitive,
        is_write_only: sent.write_only,
        replaces: sent.replace,
        is_stable: sent.stable,
        description: sent.description.into(),
        deprecation: sent.deprecation,
        ..Attribute::new(name, Type::Dynamic)
    })
}

/// Objects with optional attributes as nested attributes. Terraform's types have no optional
/// attributes where values are sent, so where objects are nested otherwise all of theirs are required.
fn with_optional(ty: Type) -> AttributeType {
    let (nesting, object) = match &ty {
        Type::Object(object) => (Nesting::Single, object),
        Type::List(element) | Type::Set(element) | Type::Map(element) => match &**element {
            Type::Object(object) => {
                let nesting = match &ty {
                    Type::List(_) => Nesting::List,
                    Type::Set(_) => Nesting::Set,
                    _ => Nesting::Map,
                };
                (nesting, object)
            }
            _ => return AttributeType::Plain(ty.without_optional()),
        },
        _ => return AttributeType::Plain(ty),
    };
    if !ty.has_optional() {
        return AttributeType::Plain(ty);
    }
    let attributes = object.attributes().iter().map(|one| Attribute {
        ty: with_optional(one.ty.clone()),
        presence: match one.is_optional {
            true => Presence::Optional,
            false => Presence::Required,
        },
        ..Attribute::new(one.name.as_str(), Type::Dynamic)
    });
    AttributeType::Nested(nesting, attributes.collect())
}

/// The default, as a value of the type.
pub(super) fn default_value(sent: Option<&Packed>, ty: &Type) -> Result<Option<Value>, String> {
    let Some(sent) = sent.filter(|sent| !sent.is_nil()) else {
        return Ok(None);
    };
    let default =
        value::decode(sent.bytes(), ty).map_err(|error| format!("the default: {error}"))?;
    match default.is_wholly_known() {
        true => Ok(Some(default)),
        false => Err("the default has an unknown value in it".to_owned()),
    }
}
