//! What a Seasonings plugin offers: its capabilities, and the schemas of functions and resources.

use serde_json::{Value, json};
use tenon_rpc::{CallError, ErrorCode, Payload, Peer};
use tenon_values::Type;

use crate::lifecycle::{Work, call, decode};
use crate::listing::{Listing, Offer, Parameter, text};

pub(super) fn list<'a>(peer: &'a Peer, begun: &'a Payload) -> Work<'a, Result<Listing, CallError>> {
    Box::pin(async move {
        let begun = decode(begun)?;
        let capabilities = capabilities(&begun);
        let has = |level: &str| capabilities.iter().any(|name| level_of(name) == level);
        let mut offers = Vec::new();
        if has("functions") {
            let schema = schema(peer, "functions/getSchema").await?;
            offers.extend(named(&schema["functions"]).map(function));
        }
        if has("resources") {
            let schema = schema(peer, "resources/getSchema").await?;
            if schema["provider"].is_object() {
                offers.push(block("provider", "configuration", &schema["provider"]));
            }
            for (member, kind) in [
                ("resources", "resource"),
                ("data_sources", "data source"),
                ("ephemeral", "ephemeral resource"),
            ] {
                offers
                    .extend(named(&schema[member]).map(|(name, schema)| block(name, kind, schema)));
            }
        }
        // Hooks and storage have no schema: the names of the capabilities are all there is.
        let without_schema = |name: &&String| !matches!(level_of(name), "functions" | "resources");
        let others = capabilities.iter().filter(without_schema);
        offers.extend(others.map(|name| Offer::new("capability", name)));
        let info = match &begun["provider_info"] {
            Value::Null => &begun,
            info => info,
        };
        Ok(Listing {
            server: Listing::server_name(&text(&info["name"]), &text(&info["version"])),
            offers,
        })
    })
}

/// The names of the capabilities; the list has one of two names.
fn capabilities(begun: &Value) -> Vec<String> {
    let lists = [&begun["capabilities"], &begun["supported_capabilities"]];
    let names = lists.into_iter().filter_map(Value::as_array).flatten();
    names.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The part of the protocol that a capability belongs to.
fn level_of(capability: &str) -> &str {
    capability.split(['.', '/']).next().unwrap_or(capability)
}

/// A plugin may lack a method of a capability that it declares.
async fn schema(peer: &Peer, method: &'static str) -> Result<Value, CallError> {
    match call(peer, method, Some(json!([{}]))).await {
        Ok(answer) => decode(&answer),
        Err(CallError::Answered(error)) if error.code == ErrorCode::METHOD_NOT_FOUND => {
            Ok(Value::Null)
        }
        Err(error) => Err(error),
    }
}

fn named(members: &Value) -> impl Iterator<Item = (&String, &Value)> {
    members.as_object().into_iter().flatten()
}

fn function((name, schema): (&String, &Value)) -> Offer {
    let fixed = schema["parameters"].as_array().into_iter().flatten();
    let mut parameters: Vec<Parameter> = fixed.map(parameter).collect();
    if schema["variadic"].is_object() {
        let mut rest = parameter(&schema["variadic"]);
        rest.ty = format!("list({})", rest.ty);
        rest.required = false;
        parameters.push(rest);
    }
    let about = match text(&schema["summary"]) {
        about if about.is_empty() => text(&schema["description"]),
        about => about,
    };
    let mut offer = Offer::new("function", name)
        .about(&about)
        .with_parameters(parameters)
        .called(
            "functions/call",
            |given| json!({ "name": name, "arguments": given }),
        );
    let returns = &schema["returns"];
    offer.result = (!returns.is_null()).then(|| type_text(returns));
    offer
}

fn parameter(schema: &Value) -> Parameter {
    let is_optional = schema["optional"] == true || schema.get("default").is_some();
    Parameter {
        name: text(&schema["name"]),
        ty: type_text(&schema["type"]),
        required: !is_optional,
        default: schema.get("default").cloned(),
        about: text(&schema["description"]),
    }
}

/// A resource, a data source or the configuration: attributes, and blocks by their nesting.
fn block(name: &str, kind: &'static str, schema: &Value) -> Offer {
    let attributes = named(&schema["attributes"]).map(|(name, attribute)| Parameter {
        name: name.clone(),
        ty: match attribute["computed"] == true && attribute["optional"] != true {
            true => format!("{}, computed", type_text(&attribute["type"])),
            false => type_text(&attribute["type"]),
        },
        required: attribute["required"] == true,
        default: attribute.get("default").cloned(),
        about: text(&attribute["description"]),
    });
    let blocks = named(&schema["blocks"]).map(|(name, block)| Parameter {
        name: name.clone(),
        ty: format!("{} block", text(&block["nesting"])),
        required: block["min"].as_u64().is_some_and(|min| min > 0),
        ..Parameter::default()
    });
    Offer::new(kind, name)
        .about(&text(&schema["description"]))
        .with_parameters(attributes.chain(blocks).collect())
}

/// A type in either of its two notations.
fn type_text(ty: &Value) -> String {
    match ty {
        Value::String(text) => text.clone(),
        ty => Type::from_json(&ty.to_string()).map_or_else(|_| ty.to_string(), |ty| ty.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_with_everything() {
        let schema = json!({
            "summary": "Joins texts.",
            "parameters": [
                { "name": "separator", "type": "string", "description": "Stands between." },
                { "name": "limit", "type": "number", "default": 3 },
            ],
            "variadic": { "name": "parts", "type": ["list", "string"] },
            "returns": "string",
        });
        let offer = function((&"join".to_owned(), &schema));
        let shown: Vec<String> = offer
            .parameters
            .iter()
            .map(|given| format!("{} {} {}", given.name, given.ty, given.required))
            .collect();
        assert_eq!(
            shown,
            [
                "separator string true",
                "limit number false",
                "parts list(list(string)) false",
            ]
        );
        assert_eq!(offer.result.as_deref(), Some("string"));
    }

    #[test]
    fn resources_with_everything() {
        let schema = json!({
            "attributes": {
                "name": { "type": "string", "required": true },
                "id": { "type": "string", "computed": true },
            },
            "blocks": { "rule": { "nesting": "list", "min": 1, "attributes": {} } },
        });
        let offer = block("bucket", "resource", &schema);
        let shown: Vec<String> = offer
            .parameters
            .iter()
            .map(|given| format!("{} {} {}", given.name, given.ty, given.required))
            .collect();
        assert_eq!(
            shown,
            [
                "name string true",
                "rule list block true",
                "id string, computed false"
            ]
        );
    }
}
