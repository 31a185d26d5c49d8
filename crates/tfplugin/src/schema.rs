//! The attributes of a block: as Terraform is told of them, and as the type of its values.

use tenon_values::{Type, Value};

use crate::proto::tfplugin6::schema::object::NestingMode;
use crate::proto::tfplugin6::{self as proto, StringKind};

/// A block.
pub(crate) struct Shape {
    pub(crate) attributes: Vec<Attribute>,
    description: String,
    kind: StringKind,
    /// The type of a whole block: an object of all attributes.
    pub(crate) ty: Type,
}

/// An attribute of a block.
pub(crate) struct Attribute {
    pub(crate) name: &'static str,
    pub(crate) ty: Type,
    nested: Vec<Attribute>,
    description: String,
    pub(crate) is_required: bool,
    is_computed: bool,
    is_optional: bool,
    is_sensitive: bool,
    is_write_only: bool,
}

impl Shape {
    pub(crate) fn new(description: &str, mut attributes: Vec<Attribute>) -> Shape {
        attributes.sort_by_key(|attribute| attribute.name);
        Shape {
            ty: object_type(&attributes),
            attributes,
            description: description.to_owned(),
            kind: StringKind::Plain,
        }
    }

    /// Its texts are written in Markdown.
    pub(crate) fn in_markdown(self) -> Shape {
        Shape {
            kind: StringKind::Markdown,
            ..self
        }
    }

    pub(crate) fn to_proto(&self) -> proto::Schema {
        let kind = self.kind as i32;
        let attributes = self.attributes.iter().map(|attribute| {
            let attribute = attribute.to_proto();
            proto::schema::Attribute {
                description_kind: kind,
                ..attribute
            }
        });
        proto::Schema {
            version: 0,
            block: Some(proto::schema::Block {
                attributes: attributes.collect(),
                description: self.description.clone(),
                description_kind: kind,
                ..proto::schema::Block::default()
            }),
        }
    }

    /// A block of these attributes; all others are null.
    pub(crate) fn block(&self, given: &[(&str, Value)]) -> Value {
        Value::object(self.attributes.iter().map(|attribute| {
            let found = given.iter().find(|(name, _)| *name == attribute.name);
            let value = match found {
                Some((_, value)) => value.clone(),
                None => Value::null(attribute.ty.clone()),
            };
            (attribute.name, value)
        }))
    }
}

impl Attribute {
    pub(crate) fn new(name: &'static str, ty: Type) -> Attribute {
        Attribute {
            name,
            ty,
            nested: Vec::new(),
            description: String::new(),
            is_required: false,
            is_optional: false,
            is_computed: false,
            is_sensitive: false,
            is_write_only: false,
        }
    }

    /// An object whose attributes are described one by one.
    pub(crate) fn nested(name: &'static str, attributes: Vec<Attribute>) -> Attribute {
        Attribute {
            ty: object_type(&attributes),
            nested: attributes,
            ..Attribute::new(name, Type::Dynamic)
        }
    }

    pub(crate) fn required(self) -> Attribute {
        Attribute {
            is_required: true,
            ..self
        }
    }

    pub(crate) fn optional(self) -> Attribute {
        Attribute {
            is_optional: true,
            ..self
        }
    }

    pub(crate) fn computed(self) -> Attribute {
        Attribute {
            is_computed: true,
            ..self
        }
    }

    pub(crate) fn sensitive(self) -> Attribute {
        Attribute {
            is_sensitive: true,
            ..self
        }
    }

    pub(crate) fn write_only(self) -> Attribute {
        Attribute {
            is_write_only: true,
            ..self
        }
    }

    /// Whether only the provider gives it a value.
    pub(crate) fn is_read_only(&self) -> bool {
        self.is_computed && !self.is_optional
    }

    pub(crate) fn about(self, description: &str) -> Attribute {
        Attribute {
            description: description.to_owned(),
            ..self
        }
    }

    pub(crate) fn to_proto(&self) -> proto::schema::Attribute {
        let nested = !self.nested.is_empty();
        proto::schema::Attribute {
            name: self.name.to_owned(),
            r#type: match nested {
                true => Vec::new(),
                false => self.ty.to_json().into_bytes(),
            },
            nested_type: nested.then(|| proto::schema::Object {
                attributes: self.nested.iter().map(Attribute::to_proto).collect(),
                nesting: NestingMode::Single as i32,
                ..proto::schema::Object::default()
            }),
            description: self.description.clone(),
            required: self.is_required,
            optional: self.is_optional,
            computed: self.is_computed,
            sensitive: self.is_sensitive,
            write_only: self.is_write_only,
            ..proto::schema::Attribute::default()
        }
    }

    pub(crate) fn to_identity(&self) -> proto::resource_identity_schema::IdentityAttribute {
        proto::resource_identity_schema::IdentityAttribute {
            name: self.name.to_owned(),
            r#type: self.ty.to_json().into_bytes(),
            required_for_import: self.is_required,
            optional_for_import: self.is_optional,
            description: self.description.clone(),
        }
    }
}

/// The type of an object of these attributes.
pub(crate) fn object_type(attributes: &[Attribute]) -> Type {
    Type::object(
        attributes
            .iter()
            .map(|attribute| (attribute.name, attribute.ty.clone())),
    )
}
