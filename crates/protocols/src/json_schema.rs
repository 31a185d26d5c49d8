//! Schemas as JSON Schema (draft 2020-12): what agents and editors read.
//!
//! ```
//! use serde_json::json;
//! use tenon_protocols::json_schema;
//! use tenon_schema::{Attribute, Body};
//! use tenon_values::Type;
//!
//! let body = Body::new([
//!     Attribute::new("city", Type::String).required(),
//!     Attribute::new("days", Type::Number).with_default(1.into()).about("How many days."),
//! ]);
//! assert_eq!(
//!     json_schema::input(&body),
//!     json!({
//!         "type": "object",
//!         "properties": {
//!             "city": { "type": "string" },
//!             "days": { "type": "number", "description": "How many days.", "default": 1 },
//!         },
//!         "required": ["city"],
//!         "additionalProperties": false,
//!     }),
//! );
//! ```

use serde_json::{Map, Value, json};
use tenon_schema::{Attribute, AttributeType, Block, Body, Nesting, Presence};
use tenon_values::Type;

use crate::Json;

/// Where null is allowed besides the values of optional attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nulls {
    /// Nowhere.
    Optional,
    /// Everywhere. In the type system of Terraform, every value may be null, and a type does not say
    /// whether it ever is.
    Anywhere,
}

/// What users give for a body: an object without the attributes that only the plugin sets.
pub fn input(body: &Body) -> Value {
    let attributes = body.attributes.iter();
    let attributes = attributes.filter(|one| one.presence.is_configurable());
    let members = attributes
        .map(attribute)
        .chain(body.blocks.iter().map(block));
    let mut schema = object(members);
    annotate(
        &mut schema,
        &body.description.text,
        body.deprecation.is_some(),
    );
    schema
}

/// Values of a type.
pub fn of_type(ty: &Type, nulls: Nulls) -> Value {
    let part = |ty: &Type| match nulls {
        Nulls::Optional => of_type(ty, nulls),
        Nulls::Anywhere => nullable(of_type(ty, nulls)),
    };
    match ty {
        Type::String => json!({ "type": "string" }),
        Type::Number => json!({ "type": "number" }),
        Type::Bool => json!({ "type": "boolean" }),
        Type::Dynamic => json!({}),
        Type::List(element) => json!({ "type": "array", "items": part(element) }),
        Type::Set(element) => {
            json!({ "type": "array", "items": part(element), "uniqueItems": true })
        }
        Type::Map(element) => json!({ "type": "object", "additionalProperties": part(element) }),
        Type::Tuple(tuple) => {
            let elements: Vec<Value> = tuple.elements().iter().map(part).collect();
            let length = elements.len();
            json!({ "type": "array", "prefixItems": elements, "minItems": length, "maxItems": length })
        }
        Type::Object(all) => object(all.attributes().iter().map(|one| {
            let schema = match one.is_optional {
                true => nullable(of_type(&one.ty, nulls)),
                false => part(&one.ty),
            };
            (one.name.to_string(), schema, !one.is_optional)
        })),
    }
}

/// The schema with null as one more value.
pub fn nullable(mut schema: Value) -> Value {
    // A schema without a type allows null already.
    if let Some(ty @ Value::String(_)) = schema.get_mut("type") {
        *ty = json!([ty.take(), "null"]);
    }
    schema
}

/// An object of members: the name, the schema, and whether it must be there.
fn object(members: impl Iterator<Item = (String, Value, bool)>) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for (name, schema, is_required) in members {
        if is_required {
            required.push(name.clone());
        }
        properties.insert(name, schema);
    }
    required.sort_unstable();
    let mut schema = json!({
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    });
    if !required.is_empty() {
        schema["required"] = required.into();
    }
    schema
}

fn attribute(attribute: &Attribute) -> (String, Value, bool) {
    let is_required = attribute.presence == Presence::Required;
    let mut schema = match &attribute.ty {
        AttributeType::Plain(ty) => of_type(ty, Nulls::Optional),
        AttributeType::Nested(nesting, attributes) => {
            nested(*nesting, input(&Body::new(attributes.iter().cloned())))
        }
    };
    let default = { attribute.default.as_ref() }
        .and_then(|default| Json::of(&default.unmark_deep().0).ok())
        .and_then(|default| serde_json::from_str::<Value>(default.text()).ok());
    match default {
        Some(default) => schema["default"] = default,
        None if !is_required => schema = nullable(schema),
        None => {}
    }
    let about = &attribute.description.text;
    annotate(&mut schema, about, attribute.deprecation.is_some());
    (attribute.name.clone(), schema, is_required)
}

fn block(block: &Block) -> (String, Value, bool) {
    let mut schema = nested(block.nesting, input(&block.body));
    if matches!(block.nesting, Nesting::List | Nesting::Set) {
        if block.min > 0 {
            schema["minItems"] = block.min.into();
        }
        if let Some(max) = block.max {
            schema["maxItems"] = max.into();
        }
    }
    (block.name.clone(), schema, block.min > 0)
}

/// What objects of this schema make together.
fn nested(nesting: Nesting, object: Value) -> Value {
    match nesting {
        Nesting::Single | Nesting::Group => object,
        Nesting::List => json!({ "type": "array", "items": object }),
        Nesting::Set => json!({ "type": "array", "items": object, "uniqueItems": true }),
        Nesting::Map => json!({ "type": "object", "additionalProperties": object }),
    }
}

fn annotate(schema: &mut Value, description: &str, is_deprecated: bool) {
    if !description.is_empty() {
        schema["description"] = description.into();
    }
    if is_deprecated {
        schema["deprecated"] = true.into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(ty: &str, nulls: Nulls) -> Value {
        let ty: Type = ty.parse().expect("a type");
        of_type(&ty, nulls)
    }

    #[test]
    fn every_type_has_a_schema() {
        for (ty, schema) in [
            ("string", json!({ "type": "string" })),
            ("any", json!({})),
            (
                "list(number)",
                json!({ "type": "array", "items": { "type": "number" } }),
            ),
            (
                "set(bool)",
                json!({ "type": "array", "items": { "type": "boolean" }, "uniqueItems": true }),
            ),
            (
                "map(any)",
                json!({ "type": "object", "additionalProperties": {} }),
            ),
            (
                "tuple([string, bool])",
                json!({
                    "type": "array",
                    "prefixItems": [{ "type": "string" }, { "type": "boolean" }],
                    "minItems": 2,
                    "maxItems": 2,
                }),
            ),
            (
                "object({ b = optional(string), a = number })",
                json!({
                    "type": "object",
                    "properties": { "a": { "type": "number" }, "b": { "type": ["string", "null"] } },
                    "required": ["a"],
                    "additionalProperties": false,
                }),
            ),
        ] {
            assert_eq!(of(ty, Nulls::Optional), schema, "{ty}");
        }
    }

    #[test]
    fn a_type_whose_values_may_be_null_says_so_at_every_depth() {
        assert_eq!(
            of("list(object({ a = number }))", Nulls::Anywhere),
            json!({
                "type": "array",
                "items": {
                    "type": ["object", "null"],
                    "properties": { "a": { "type": ["number", "null"] } },
                    "required": ["a"],
                    "additionalProperties": false,
                },
            })
        );
    }

    #[test]
    fn what_the_plugin_computes_is_not_asked_for() {
        let rule = Body::new([Attribute::new("port", Type::Number).required()]).about("A rule.");
        let body = Body::new([
            Attribute::new("id", Type::String).computed(),
            Attribute::new("name", Type::String).deprecated("use title"),
        ])
        .with_block(Block::new("rule", Nesting::List, rule).between(1, 3));
        assert_eq!(
            input(&body),
            json!({
                "type": "object",
                "properties": {
                    "name": { "type": ["string", "null"], "deprecated": true },
                    "rule": {
                        "type": "array",
                        "minItems": 1,
                        "maxItems": 3,
                        "items": {
                            "type": "object",
                            "description": "A rule.",
                            "properties": { "port": { "type": "number" } },
                            "required": ["port"],
                            "additionalProperties": false,
                        },
                    },
                },
                "required": ["rule"],
                "additionalProperties": false,
            })
        );
    }
}
