//! From a JSON Schema to a form.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;
use tenon_protocols::acp::Raw;

use super::field::{Choice, Field, FieldKind, Format};
use super::{Form, FormError};

/// More fields than a person would fill in at a terminal.
const MOST_FIELDS: usize = 100;

#[derive(Deserialize)]
struct Schema {
    #[serde(default)]
    title: Option<String>,
    #[serde(default, rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    properties: Properties,
    #[serde(default)]
    required: Option<Vec<String>>,
}

/// Members in the order in which the agent wrote them.
#[derive(Default)]
struct Properties(Vec<(String, Property)>);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Property {
    #[serde(rename = "type")]
    kind: Option<String>,
    title: Option<String>,
    description: Option<String>,
    default: Option<Value>,
    min_length: Option<u64>,
    max_length: Option<u64>,
    pattern: Option<String>,
    format: Option<String>,
    minimum: Option<f64>,
    maximum: Option<f64>,
    min_items: Option<u64>,
    max_items: Option<u64>,
    items: Option<Choices>,
    #[serde(flatten)]
    choices: Choices,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Choices {
    #[serde(rename = "enum")]
    values: Option<Vec<String>>,
    enum_names: Option<Vec<String>>,
    one_of: Option<Vec<Titled>>,
    any_of: Option<Vec<Titled>>,
}

#[derive(Deserialize)]
struct Titled {
    #[serde(rename = "const")]
    value: String,
    title: Option<String>,
}

pub(super) fn read(schema: &Raw) -> Result<Form, FormError> {
    let schema: Schema = serde_json::from_str(schema.text())
        .map_err(|error| FormError::new(format!("requestedSchema: {error}")))?;
    if let Some(kind) = schema.kind.filter(|kind| kind != "object") {
        let problem = format!("requestedSchema: its type is {kind:?}; it must be \"object\"");
        return Err(FormError::new(problem));
    }
    let Properties(properties) = schema.properties;
    if properties.len() > MOST_FIELDS {
        let problem = format!("requestedSchema: more than {MOST_FIELDS} fields");
        return Err(FormError::new(problem));
    }
    let required = schema.required.unwrap_or_default();
    let is_there = |name: &String| properties.iter().any(|(known, _)| known == name);
    if let Some(name) = required.iter().find(|name| !is_there(name)) {
        let problem = format!("requestedSchema: {name:?} is required, but is not a field");
        return Err(FormError::new(problem));
    }
    let fields = properties.into_iter().map(|(name, property)| {
        let is_required = required.contains(&name);
        field(name, is_required, property)
    });
    Ok(Form {
        title: schema.title,
        fields: fields.collect::<Result<_, _>>()?,
    })
}

fn field(name: String, is_required: bool, property: Property) -> Result<Field, FormError> {
    let wrong =
        |problem: &str| FormError::new(format!("requestedSchema: field {name:?}: {problem}"));
    let Property {
        title,
        description,
        default,
        ..
    } = &property;
    let (title, description) = (title.clone(), description.clone());
    let default = default.clone();
    let kind = kind(property).map_err(|problem| wrong(&problem))?;
    let mut field = Field {
        name: name.clone(),
        title,
        description,
        is_required,
        default: None,
        kind,
    };
    // A default that the agent itself would refuse is not offered.
    field.default = default.filter(|default| field.check(default).is_ok());
    Ok(field)
}

fn kind(property: Property) -> Result<FieldKind, String> {
    let choices = |choices: Choices| -> Vec<Choice> { choices.list() };
    let kind = property.kind.as_deref().unwrap_or("string");
    match kind {
        "string" => match choices(property.choices) {
            list if list.is_empty() => Ok(FieldKind::Text {
                min: property.min_length,
                max: property.max_length,
                pattern: property.pattern,
                format: property.format.as_deref().and_then(format),
            }),
            list => Ok(FieldKind::One(list)),
        },
        "number" | "integer" => Ok(FieldKind::Number {
            is_whole: kind == "integer",
            min: property.minimum,
            max: property.maximum,
        }),
        "boolean" => Ok(FieldKind::Flag),
        "array" => match choices(property.items.unwrap_or_default()) {
            list if list.is_empty() => Err("a list needs items to choose from".to_owned()),
            list => Ok(FieldKind::Many {
                choices: list,
                min: property.min_items,
                max: property.max_items,
            }),
        },
        other => Err(format!(
            "the type {other:?} cannot be asked for; use string, number, integer, boolean or array"
        )),
    }
}

/// A format that is not known does not limit the text.
fn format(name: &str) -> Option<Format> {
    match name {
        "email" => Some(Format::Email),
        "uri" => Some(Format::Uri),
        "date" => Some(Format::Date),
        "date-time" => Some(Format::DateTime),
        _ => None,
    }
}

impl Choices {
    fn list(self) -> Vec<Choice> {
        let names = self.enum_names.unwrap_or_default();
        let values = self.values.into_iter().flatten().enumerate();
        let plain = values.map(|(at, value)| Choice {
            title: names.get(at).unwrap_or(&value).clone(),
            value,
        });
        let titled = [self.one_of, self.any_of].into_iter().flatten().flatten();
        let titled = titled.map(|Titled { value, title }| Choice {
            title: title.unwrap_or_else(|| value.clone()),
            value,
        });
        plain.chain(titled).collect()
    }
}

impl<'de> Deserialize<'de> for Properties {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Properties, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Properties;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the fields of a form")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Properties, A::Error> {
                let mut properties = Vec::new();
                while let Some(property) = map.next_entry()? {
                    properties.push(property);
                }
                Ok(Properties(properties))
            }
        }
        deserializer.deserialize_map(Reader)
    }
}
