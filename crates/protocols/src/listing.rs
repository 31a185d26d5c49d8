//! What a server offers.

use serde::Serialize;
use serde_json::{Map, Value, json};

/// Everything a server offers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Listing {
    /// Its name and version, if it reports them.
    pub server: Option<String>,
    /// What it offers, grouped by kind.
    pub offers: Vec<Offer>,
}

/// One thing a server offers.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Offer {
    /// What kind of thing: `tool`, `action`, `function`.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// What it is for.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// Its parameters.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<Parameter>,
    /// The type of what it returns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// An example call with placeholders for the required parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<Sample>,
}

/// A parameter of an offer.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its type, in the notation of the protocol.
    #[serde(rename = "type")]
    pub ty: String,
    /// Whether it is required.
    pub required: bool,
    /// Its default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    /// What it means.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub about: String,
}

/// An example call.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sample {
    /// The method.
    pub method: &'static str,
    /// Its params.
    pub params: Value,
}

impl Listing {
    /// A name with a version, if there is either.
    pub(crate) fn server_name(name: &str, version: &str) -> Option<String> {
        let shown = format!("{name} {version}").trim().to_owned();
        (!shown.is_empty()).then_some(shown)
    }
}

impl Offer {
    pub(crate) fn new(kind: &'static str, name: impl Into<String>) -> Offer {
        Offer {
            kind,
            name: name.into(),
            ..Offer::default()
        }
    }

    #[must_use]
    pub(crate) fn about(mut self, about: &str) -> Offer {
        about.trim().clone_into(&mut self.about);
        self
    }

    /// Required parameters come first.
    #[must_use]
    pub(crate) fn with_parameters(mut self, mut parameters: Vec<Parameter>) -> Offer {
        parameters.sort_by_key(|parameter| !parameter.required);
        self.parameters = parameters;
        self
    }

    /// How it is called, given what is required.
    #[must_use]
    pub(crate) fn called(
        mut self,
        method: &'static str,
        params: impl FnOnce(Value) -> Value,
    ) -> Offer {
        let required = self.parameters.iter().filter(|given| given.required);
        let given = required.map(|given| (given.name.clone(), placeholder(&given.ty)));
        let params = params(Value::Object(given.collect::<Map<_, _>>()));
        self.call = Some(Sample { method, params });
        self
    }
}

/// A placeholder of this type.
fn placeholder(ty: &str) -> Value {
    // The notations of several protocols meet here, so only the beginning is examined.
    let is = |prefixes: &[&str]| prefixes.iter().any(|prefix| ty.starts_with(prefix));
    if let Some(first) = ty
        .split(" | ")
        .next()
        .filter(|first| first.starts_with('"'))
    {
        return serde_json::from_str(first).unwrap_or_default();
    }
    match () {
        () if is(&["string"]) => json!(""),
        () if is(&["number", "integer"]) => json!(0),
        () if is(&["bool"]) => json!(false),
        () if is(&["array", "list", "set", "tuple"]) => json!([]),
        () if is(&["object", "map"]) => json!({}),
        () => Value::Null,
    }
}

/// The type that a JSON Schema describes, in a few words.
pub(crate) fn schema_type(schema: &Value) -> String {
    let joined = |parts: Vec<String>| parts.join(" | ");
    if let Some(values) = schema["enum"].as_array() {
        return joined(values.iter().map(Value::to_string).collect());
    }
    if let Some(value) = schema.get("const") {
        return value.to_string();
    }
    for any in ["anyOf", "oneOf"] {
        if let Some(schemas) = schema[any].as_array() {
            return joined(schemas.iter().map(schema_type).collect());
        }
    }
    match &schema["type"] {
        Value::String(ty) if ty == "array" && schema["items"].is_object() => {
            format!("array of {}", schema_type(&schema["items"]))
        }
        Value::String(ty) => ty.clone(),
        Value::Array(types) => {
            let types = types.iter().filter_map(Value::as_str);
            joined(types.map(str::to_owned).collect())
        }
        _ => "any".into(),
    }
}

/// The members of an object that a JSON Schema describes.
pub(crate) fn schema_parameters(schema: &Value) -> Vec<Parameter> {
    let required: Vec<&str> = schema["required"]
        .as_array()
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let Some(properties) = schema["properties"].as_object() else {
        return Vec::new();
    };
    let parameter = |(name, property): (&String, &Value)| Parameter {
        name: name.clone(),
        ty: schema_type(property),
        required: required.contains(&name.as_str()),
        default: property.get("default").cloned(),
        about: text(&property["description"]),
    };
    properties.iter().map(parameter).collect()
}

/// The text, or nothing.
pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_in_a_few_words() {
        for (schema, expected) in [
            (json!({ "type": "string" }), "string"),
            (json!({ "enum": ["a", "b"] }), r#""a" | "b""#),
            (
                json!({ "type": "array", "items": { "type": "number" } }),
                "array of number",
            ),
            (json!({ "type": ["string", "null"] }), "string | null"),
            (
                json!({ "anyOf": [{ "type": "integer" }, { "const": "all" }] }),
                r#"integer | "all""#,
            ),
            (json!({}), "any"),
            (json!(true), "any"),
        ] {
            assert_eq!(schema_type(&schema), expected);
        }
    }

    #[test]
    fn a_call_to_start_from_has_what_is_required() {
        let schema = json!({
            "properties": {
                "a": { "type": "string", "default": "x" },
                "n": { "type": "integer" },
                "z": { "enum": ["high", "low"] },
            },
            "required": ["n", "z"],
        });
        let offer = Offer::new("tool", "t")
            .with_parameters(schema_parameters(&schema))
            .called("tools/call", |given| json!({ "arguments": given }));
        let names: Vec<&str> = offer.parameters.iter().map(|p| p.name.as_str()).collect();
        assert_eq!(names, ["n", "z", "a"]);
        let call = offer.call.expect("a call");
        assert_eq!(call.params, json!({ "arguments": { "n": 0, "z": "high" } }));
    }
}
