//! The types of resources, from `terraform providers schema -json`.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value as Json;
use serde_json::value::RawValue;
use tenon_values::Type;

/// The schemas of all providers of a configuration.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Schemas {
    #[serde(default)]
    provider_schemas: BTreeMap<String, Provider>,
}

#[derive(Debug, Default, Deserialize)]
struct Provider {
    #[serde(default)]
    resource_schemas: BTreeMap<String, Schema>,
    #[serde(default)]
    data_source_schemas: BTreeMap<String, Schema>,
}

/// A large provider has a thousand of these, and a plan uses a few: the rest is left unread.
#[derive(Debug, Deserialize)]
struct Schema {
    block: Box<RawValue>,
}

/// The schema of a resource, or of a block in it.
#[derive(Deserialize)]
pub(crate) struct Block {
    #[serde(default)]
    pub(crate) attributes: BTreeMap<String, Attribute>,
    #[serde(default)]
    pub(crate) block_types: BTreeMap<String, NestedBlock>,
}

#[derive(Deserialize)]
pub(crate) struct Attribute {
    #[serde(rename = "type")]
    pub(crate) ty: Option<Box<RawValue>>,
    nested_type: Option<NestedAttributes>,
    #[serde(default)]
    sensitive: bool,
    #[serde(default)]
    write_only: bool,
}

#[derive(Deserialize)]
struct NestedAttributes {
    #[serde(default)]
    attributes: BTreeMap<String, Attribute>,
    nesting_mode: String,
}

#[derive(Deserialize)]
pub(crate) struct NestedBlock {
    pub(crate) nesting_mode: String,
    pub(crate) block: Block,
}

impl Schemas {
    pub(crate) fn parse(text: &str) -> Result<Schemas, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// The schema of a resource; `None` if there is none, or it cannot be read.
    pub(crate) fn block(&self, provider: &str, mode: &str, kind: &str) -> Option<Block> {
        let provider = self.provider_schemas.get(provider)?;
        let schema = match mode {
            "data" => provider.data_source_schemas.get(kind),
            _ => provider.resource_schemas.get(kind),
        };
        serde_json::from_str(schema?.block.get()).ok()
    }
}

impl Block {
    /// The type of its values; `None` if the schema cannot be read.
    pub(crate) fn implied_type(&self) -> Option<Type> {
        let mut types = attribute_types(&self.attributes)?;
        for (name, nested) in &self.block_types {
            let block = nested.block.implied_type()?;
            types.push((name, nested_type(&nested.nesting_mode, block)?));
        }
        Some(Type::object(types))
    }

    /// A mask of what it says is sensitive or write-only.
    pub(crate) fn secrets(&self) -> Json {
        let mut masks = secret_attributes(&self.attributes);
        for (name, nested) in &self.block_types {
            masks.insert(
                name.clone(),
                every(&nested.nesting_mode, nested.block.secrets()),
            );
        }
        Json::Object(masks)
    }
}

fn secret_attributes(attributes: &BTreeMap<String, Attribute>) -> serde_json::Map<String, Json> {
    let masks = attributes.iter().map(|(name, attribute)| {
        let mask = match &attribute.nested_type {
            _ if attribute.sensitive || attribute.write_only => Json::Bool(true),
            Some(nested) => {
                let inner = Json::Object(secret_attributes(&nested.attributes));
                every(&nested.nesting_mode, inner)
            }
            None => Json::Bool(false),
        };
        (name.clone(), mask)
    });
    masks.collect()
}

/// The mask of what nests objects with this mask.
fn every(mode: &str, mask: Json) -> Json {
    match mode {
        "single" | "group" => mask,
        _ => serde_json::json!({ "*": mask }),
    }
}

fn attribute_types(attributes: &BTreeMap<String, Attribute>) -> Option<Vec<(&String, Type)>> {
    let types = attributes.iter().map(|(name, attribute)| {
        let ty = match (&attribute.ty, &attribute.nested_type) {
            (Some(ty), _) => Type::from_json(ty.get()).ok()?.without_optional(),
            (None, Some(nested)) => {
                let object = Type::object(attribute_types(&nested.attributes)?);
                nested_type(&nested.nesting_mode, object)?
            }
            (None, None) => return None,
        };
        Some((name, ty))
    });
    types.collect()
}

fn nested_type(mode: &str, object: Type) -> Option<Type> {
    Some(match mode {
        "single" | "group" => object,
        "set" => Type::set(object),
        // Their elements may differ in type.
        "list" | "map" if object.has_dynamic() => Type::Dynamic,
        "list" => Type::list(object),
        "map" => Type::map(object),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::Schemas;

    /// In the form of Terraform 1.11, shortened.
    const SCHEMAS: &str = r#"{
        "format_version": "1.0",
        "provider_schemas": {
            "example.com/x/y": {
                "provider": { "version": 0, "block": {} },
                "resource_schemas": {
                    "y_thing": { "version": 1, "block": {
                        "attributes": {
                            "id": { "type": "string", "computed": true },
                            "tags": { "type": ["map", "string"], "optional": true },
                            "rules": { "nested_type": { "nesting_mode": "list", "attributes": {
                                "port": { "type": "number", "required": true } } } }
                        },
                        "block_types": {
                            "disk": { "nesting_mode": "set", "min_items": 1, "block": {
                                "attributes": { "size": { "type": "number" },
                                    "key": { "type": "string", "write_only": true } } } },
                            "any": { "nesting_mode": "list", "block": {
                                "attributes": { "value": { "type": "dynamic" } } } }
                        }
                    } },
                    "y_odd": { "version": 0, "block": { "attributes": { "a": {} } } }
                },
                "data_source_schemas": { "y_thing": { "version": 0, "block": {} } }
            }
        }
    }"#;

    #[test]
    fn the_type_of_a_resource_is_that_of_its_schema() {
        let schemas = Schemas::parse(SCHEMAS).unwrap();
        let block = |mode, kind| schemas.block("example.com/x/y", mode, kind);
        let type_of = |mode, kind| block(mode, kind)?.implied_type().map(|ty| ty.to_string());
        assert_eq!(
            type_of("managed", "y_thing"),
            Some("object({ any = any, disk = set(object({ key = string, size = number })), id = string, \
             rules = list(object({ port = number })), tags = map(string) })".to_owned())
        );
        let secrets = block("managed", "y_thing").unwrap().secrets();
        assert_eq!(secrets["disk"]["*"]["key"], true);
        assert_eq!(secrets["rules"]["*"]["port"], false);
        assert_eq!(type_of("data", "y_thing").as_deref(), Some("object({})"));
        assert_eq!(type_of("managed", "y_odd"), None);
        assert_eq!(type_of("managed", "y_other"), None);
        assert!(schemas.block("other", "managed", "y_thing").is_none());
    }
}
