//! The schemas of a plugin, written from what it offers.

use std::collections::BTreeMap;

use tenon_rpc::wire::Packed;
use tenon_schema::{
    Attribute, AttributeType, Block, Body, Function, Nesting, Offer, Parameter, Presence, Schema,
};
use tenon_values::{Attribute as Member, Error, ObjectType, Problem, Type};

use super::super::params::Params;
use super::Schemas;

impl Schemas {
    /// The schemas of what a plugin offers, as [`Schemas::offer`] reads them.
    ///
    /// Actions and identities have no place in them, and of nested attributes only names, types and
    /// whether they are required.
    ///
    /// # Errors
    /// A default does not fit its type.
    pub fn of(offer: &Offer) -> Result<Schemas, Error> {
        let functions = all(offer.functions.iter(), function)?;
        let resources = { offer.resources.iter() }.map(|(name, one)| (name, &one.schema));
        let mut answer = Params::new();
        let config = &offer.config.body;
        if !config.attributes.is_empty() || !config.blocks.is_empty() {
            answer = answer.map("provider", schema(&offer.config)?);
        }
        answer = answer.map("resources", all(resources, schema)?);
        for (kind, schemas) in [
            ("data_sources", &offer.data_sources),
            ("ephemeral", &offer.ephemeral_resources),
        ] {
            answer = with_schemas(answer, kind, schemas)?;
        }
        Ok(Schemas {
            functions: Some(packed(Params::new().map("functions", functions))?),
            resources: Some(packed(answer)?),
        })
    }
}

fn packed(answer: Params) -> Result<Packed, Error> {
    Packed::new(answer.into_answer().bytes().clone())
        .map_err(|error| Problem::Serde(error.to_string()).into())
}

fn with_schemas(
    answer: Params,
    kind: &str,
    schemas: &BTreeMap<String, Schema>,
) -> Result<Params, Error> {
    match schemas.is_empty() {
        true => Ok(answer),
        false => Ok(answer.map(kind, all(schemas.iter(), schema)?)),
    }
}

/// A map of everything of a kind, by name.
fn all<'a, T: 'a>(
    named: impl Iterator<Item = (&'a String, &'a T)>,
    write: impl Fn(&T) -> Result<Params, Error>,
) -> Result<Params, Error> {
    let mut map = Params::new();
    for (name, one) in named {
        map = map.map(name, write(one)?);
    }
    Ok(map)
}

fn function(function: &Function) -> Result<Params, Error> {
    let parameters = function.parameters.iter().map(parameter);
    let parameters = parameters.collect::<Result<Vec<Params>, Error>>()?;
    let mut written = about(Params::new(), "summary", &function.summary);
    written = about(written, "description", &function.description.text);
    written = written.maps("parameters", parameters);
    if let Some(variadic) = &function.variadic {
        written = written.map("variadic", parameter(variadic)?);
    }
    written = written.text("returns", &function.returns.to_string());
    written = flags(written, &[("sensitive", function.is_sensitive)])?;
    Ok(deprecated(written, function.deprecation.as_deref()))
}

fn parameter(parameter: &Parameter) -> Result<Params, Error> {
    let mut written = Params::new()
        .text("name", &parameter.name)
        .text("type", &parameter.ty.to_string());
    written = about(written, "description", &parameter.description.text);
    written = flags(
        written,
        &[
            ("optional", parameter.is_optional),
            ("allow_null", parameter.allows_null),
            ("allow_unknown", parameter.allows_unknown),
        ],
    )?;
    match &parameter.default {
        Some(default) => written.value("default", default, &parameter.ty),
        None => Ok(written),
    }
}

fn schema(schema: &Schema) -> Result<Params, Error> {
    let written = match schema.version {
        0 => Params::new(),
        version => Params::new().member("version", &version)?,
    };
    body(written, &schema.body)
}

fn body(written: Params, body: &Body) -> Result<Params, Error> {
    let written = about(written, "description", &body.description.text);
    let mut written = deprecated(written, body.deprecation.as_deref());
    let mut attributes = Params::new();
    for one in &body.attributes {
        attributes = attributes.map(&one.name, attribute(one)?);
    }
    written = written.map("attributes", attributes);
    if body.blocks.is_empty() {
        return Ok(written);
    }
    let mut blocks = Params::new();
    for one in &body.blocks {
        blocks = blocks.map(&one.name, block(one)?);
    }
    Ok(written.map("blocks", blocks))
}

fn block(block: &Block) -> Result<Params, Error> {
    let nesting = match block.nesting {
        Nesting::Single => "single",
        Nesting::Group => "group",
        Nesting::List => "list",
        Nesting::Set => "set",
        Nesting::Map => "map",
    };
    let mut written = Params::new().text("nesting", nesting);
    if block.min > 0 {
        written = written.member("min", &block.min)?;
    }
    if let Some(max) = block.max {
        written = written.member("max", &max)?;
    }
    body(written, &block.body)
}

fn attribute(attribute: &Attribute) -> Result<Params, Error> {
    let ty = type_of(&attribute.ty);
    let written = Params::new().text("type", &ty.to_string());
    let presence = attribute.presence;
    let written = flags(
        written,
        &[
            ("required", presence == Presence::Required),
            (
                "optional",
                matches!(presence, Presence::Optional | Presence::OptionalComputed),
            ),
            ("computed", presence.is_computed()),
            ("sensitive", attribute.is_sensitive),
            ("write_only", attribute.is_write_only),
            ("replace", attribute.replaces),
            ("stable", attribute.is_stable),
        ],
    )?;
    let written = match &attribute.default {
        Some(default) => written.value("default", default, &ty)?,
        None => written,
    };
    let written = about(written, "description", &attribute.description.text);
    Ok(deprecated(written, attribute.deprecation.as_deref()))
}

/// Nested attributes as an object type, in which those that need not be given are optional.
fn type_of(ty: &AttributeType) -> Type {
    let (nesting, attributes) = match ty {
        AttributeType::Plain(ty) => return ty.clone(),
        AttributeType::Nested(nesting, attributes) => (nesting, attributes),
    };
    let members = attributes.iter().map(|one| Member {
        name: one.name.as_str().into(),
        ty: type_of(&one.ty),
        is_optional: one.presence != Presence::Required,
    });
    let object = Type::Object(ObjectType::new(members));
    match nesting {
        Nesting::Single | Nesting::Group => object,
        Nesting::List => Type::list(object),
        Nesting::Set => Type::set(object),
        Nesting::Map => Type::map(object),
    }
}

/// With a text, unless it is empty.
fn about(written: Params, name: &str, text: &str) -> Params {
    match text.is_empty() {
        true => written,
        false => written.text(name, text),
    }
}

fn deprecated(written: Params, reason: Option<&str>) -> Params {
    match reason {
        Some(reason) => written.text("deprecation", reason),
        None => written,
    }
}

/// With the flags that are set.
fn flags(mut written: Params, flags: &[(&str, bool)]) -> Result<Params, Error> {
    for (name, _) in flags.iter().filter(|(_, is_set)| *is_set) {
        written = written.member(name, &true)?;
    }
    Ok(written)
}
