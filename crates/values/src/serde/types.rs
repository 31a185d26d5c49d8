//! Types as part of other types.

use ::serde::de::{Deserialize, DeserializeSeed, Deserializer, Error as _};
use ::serde::ser::{Serialize, SerializeSeq, Serializer};

use crate::json;
use crate::serde::value::ValueVisitor;
use crate::types::{ObjectType, TYPE_DEPTH, Type};

/// In cty's form, as [`Type::to_json`] writes it: `"string"`, `["list", "string"]`.
impl Serialize for Type {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Type::String => serializer.serialize_str("string"),
            Type::Number => serializer.serialize_str("number"),
            Type::Bool => serializer.serialize_str("bool"),
            Type::Dynamic => serializer.serialize_str("dynamic"),
            Type::List(element) => compound("list", &**element, None, serializer),
            Type::Set(element) => compound("set", &**element, None, serializer),
            Type::Map(element) => compound("map", &**element, None, serializer),
            Type::Tuple(tuple) => compound("tuple", tuple.elements(), None, serializer),
            Type::Object(object) => {
                let attributes = object.attributes().iter();
                let optional: Vec<&str> = { attributes.filter(|attribute| attribute.is_optional) }
                    .map(|attribute| attribute.name.as_str())
                    .collect();
                let optional = (!optional.is_empty()).then_some(optional);
                compound("object", &Attributes(object), optional, serializer)
            }
        }
    }
}

/// The kind, what it contains, and the optional attributes if there are some.
fn compound<S: Serializer>(
    kind: &str,
    content: &(impl Serialize + ?Sized),
    optional: Option<Vec<&str>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let length = if optional.is_some() { 3 } else { 2 };
    let mut parts = serializer.serialize_seq(Some(length))?;
    parts.serialize_element(kind)?;
    parts.serialize_element(content)?;
    if let Some(optional) = optional {
        parts.serialize_element(&optional)?;
    }
    parts.end()
}

struct Attributes<'t>(&'t ObjectType);

impl Serialize for Attributes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let attributes = self.0.attributes().iter();
        serializer.collect_map(attributes.map(|attribute| (&*attribute.name, &attribute.ty)))
    }
}

/// From cty's form, as [`Type::from_json`] reads it.
impl<'de> Deserialize<'de> for Type {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Type, D::Error> {
        // An object takes two levels.
        let visitor = ValueVisitor::with_depth(TYPE_DEPTH * 2);
        let value = visitor.deserialize(deserializer)?;
        // There is one reader of types, and it reads JSON. Its lines and columns mean nothing to
        // who has another format.
        let text = json::encode(&value, value.ty_ref()).map_err(D::Error::custom)?;
        Type::from_json(&text).map_err(|error| D::Error::custom(error.message))
    }
}
