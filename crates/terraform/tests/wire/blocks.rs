//! Encoded blocks of configuration and state, with the types of the provider's schema.

use tenon_tfplugin::proto::tfplugin6::attribute_path::step::Selector;
use tenon_tfplugin::proto::tfplugin6::schema::Attribute;
use tenon_tfplugin::proto::tfplugin6::{
    AttributePath, Diagnostic, DynamicValue, Schema, get_provider_schema,
};
use tenon_values::{Type, Value, json, msgpack};

use crate::stage::Stage;

pub(crate) const RESOURCE: &str = "denobridge_resource";
pub(crate) const DATA_SOURCE: &str = "denobridge_datasource";
pub(crate) const EPHEMERAL: &str = "denobridge_ephemeral_resource";
pub(crate) const ACTION: &str = "denobridge_action";

/// A kind of block: its attributes and their type together.
#[derive(Clone)]
pub(crate) struct Shape {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) ty: Type,
}

/// All kinds of blocks.
pub(crate) struct Shapes {
    pub(crate) provider: Shape,
    pub(crate) resource: Shape,
    pub(crate) data_source: Shape,
    pub(crate) ephemeral: Shape,
    pub(crate) action: Shape,
}

impl Shapes {
    /// As the provider's schema describes them.
    pub(crate) async fn of(stage: &Stage) -> Shapes {
        let request = get_provider_schema::Request::default();
        let all = stage.client().get_provider_schema(request).await.unwrap();
        let all = all.into_inner();
        Shapes {
            provider: Shape::of(all.provider.as_ref().unwrap()),
            resource: Shape::of(&all.resource_schemas[RESOURCE]),
            data_source: Shape::of(&all.data_source_schemas[DATA_SOURCE]),
            ephemeral: Shape::of(&all.ephemeral_resource_schemas[EPHEMERAL]),
            action: Shape::of(all.action_schemas[ACTION].schema.as_ref().unwrap()),
        }
    }
}

impl Shape {
    fn of(schema: &Schema) -> Shape {
        let attributes = schema.block.as_ref().unwrap().attributes.clone();
        Shape {
            ty: object_type(&attributes),
            attributes,
        }
    }

    /// A block with these values; everything else in it is null.
    pub(crate) fn block(&self, given: &[(&str, Value)]) -> Value {
        for (name, _) in given {
            assert!(
                self.attributes.iter().any(|one| one.name == *name),
                "{name}"
            );
        }
        Value::object(self.attributes.iter().map(|attribute| {
            let found = given.iter().find(|(name, _)| *name == attribute.name);
            let value = found.map(|(_, value)| value.clone());
            let name = attribute.name.as_str();
            (
                name,
                value.unwrap_or_else(|| Value::null(type_of(attribute))),
            )
        }))
    }

    pub(crate) fn encode(&self, value: &Value) -> Option<DynamicValue> {
        Some(packed(value, &self.ty))
    }

    /// The value that was sent, which must have this type.
    #[track_caller]
    pub(crate) fn decode(&self, sent: Option<&DynamicValue>) -> Value {
        let sent = sent.expect("a value");
        assert!(sent.json.is_empty(), "Terraform expects msgpack");
        msgpack::decode(&sent.msgpack, &self.ty).unwrap()
    }
}

pub(crate) fn object_type(attributes: &[Attribute]) -> Type {
    Type::object(
        attributes
            .iter()
            .map(|one| (one.name.as_str(), type_of(one))),
    )
}

fn type_of(attribute: &Attribute) -> Type {
    match &attribute.nested_type {
        Some(nested) => object_type(&nested.attributes),
        None => Type::from_json(std::str::from_utf8(&attribute.r#type).unwrap()).unwrap(),
    }
}

pub(crate) fn packed(value: &Value, ty: &Type) -> DynamicValue {
    DynamicValue {
        msgpack: msgpack::encode(value, ty).unwrap(),
        json: Vec::new(),
    }
}

/// The value of a JSON text, as in HCL: arrays are tuples.
pub(crate) fn value(text: &str) -> Value {
    json::implied(text.as_bytes()).unwrap()
}

/// A list of texts.
pub(crate) fn texts(texts: &[&str]) -> Value {
    let texts = texts.iter().map(|text| Value::from(*text)).collect();
    Value::list(Type::String, texts).unwrap()
}

/// An attribute of a block.
#[track_caller]
pub(crate) fn part(block: &Value, name: &str) -> Value {
    let parts = block.attributes().expect("a block");
    parts.get(name).expect("an attribute of this name").clone()
}

/// The block with other values in some places.
pub(crate) fn with(block: &Value, changes: &[(&str, Value)]) -> Value {
    let parts = block.attributes().expect("a block");
    Value::object(parts.iter().map(|(name, value)| {
        let change = changes.iter().find(|(changed, _)| *changed == name);
        (name, change.map_or(value, |(_, value)| value).clone())
    }))
}

/// Diagnostics, one line each: severity, path, text.
pub(crate) fn shown(diagnostics: &[Diagnostic]) -> Vec<String> {
    let lines = diagnostics.iter().map(|one| {
        let severity = match one.severity {
            1 => "error",
            2 => "warning",
            other => panic!("severity {other}"),
        };
        let place = one.attribute.as_ref().map(place).unwrap_or_default();
        format!("{severity}{place}: {}: {}", one.summary, one.detail)
    });
    lines.collect()
}

/// A path to an attribute, as ` at .props["a"][0]`.
pub(crate) fn place(path: &AttributePath) -> String {
    let steps = path.steps.iter().map(|step| match &step.selector {
        Some(Selector::AttributeName(name)) => format!(".{name}"),
        Some(Selector::ElementKeyString(key)) => format!("[{key:?}]"),
        Some(Selector::ElementKeyInt(index)) => format!("[{index}]"),
        None => panic!("a step without a selector makes Terraform panic"),
    });
    format!(" at {}", steps.collect::<String>())
}

/// Checks that the only diagnostic is an error with all of these texts.
#[track_caller]
pub(crate) fn assert_error(diagnostics: &[Diagnostic], words: &[&str]) {
    let lines = shown(diagnostics);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].starts_with("error"), "{lines:?}");
    for word in words {
        assert!(lines[0].contains(word), "no {word:?} in {}", lines[0]);
    }
}

/// Checks that there are no diagnostics.
#[track_caller]
pub(crate) fn assert_none(diagnostics: &[Diagnostic]) {
    assert_eq!(shown(diagnostics), Vec::<String>::new());
}
