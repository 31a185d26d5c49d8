//! cty values as plain msgpack, written and read by a type or by a schema.
//!
//! A plugin in any language sees ordinary maps, lists, texts and numbers: unknown is ext 0, a refined
//! unknown ext 12, and a value of the type `any` is `[bin type-json, value]`. What differs from the
//! encoding between Terraform and its providers (`tenon_values::msgpack`): a number is an integer or a
//! float64 wherever that has the same shortest decimal, and what a plugin returns may leave out what is
//! null.

mod decode;
mod encode;

use tenon_schema::{Attribute, AttributeType, Block, Body, Nesting};
use tenon_values::Type;

pub use decode::{decode, decode_over};
pub use encode::{encode, encode_into};

/// What a value is written and read by.
#[derive(Clone, Copy, Debug)]
pub enum Shape<'a> {
    /// A type.
    Type(&'a Type),
    /// An object of these attributes and blocks.
    Object(&'a [Attribute], &'a [Block]),
    /// Several objects of these attributes and blocks, which make this together.
    Nested(Nesting, &'a [Attribute], &'a [Block]),
}

impl<'a> From<&'a Type> for Shape<'a> {
    fn from(ty: &'a Type) -> Shape<'a> {
        Shape::Type(ty)
    }
}

impl<'a> From<&'a Body> for Shape<'a> {
    fn from(body: &'a Body) -> Shape<'a> {
        Shape::Object(&body.attributes, &body.blocks)
    }
}

impl<'a> From<&'a AttributeType> for Shape<'a> {
    fn from(ty: &'a AttributeType) -> Shape<'a> {
        match ty {
            AttributeType::Plain(ty) => Shape::Type(ty),
            AttributeType::Nested(nesting, attributes) => Shape::Nested(*nesting, attributes, &[]),
        }
    }
}

impl<'a> From<&'a Block> for Shape<'a> {
    fn from(block: &'a Block) -> Shape<'a> {
        Shape::Nested(block.nesting, &block.body.attributes, &block.body.blocks)
    }
}

impl<'a> Shape<'a> {
    /// The shape of an attribute or of a block of this name, if it is an object that has one.
    pub fn part(self, name: &str) -> Option<Shape<'a>> {
        let (attributes, blocks) = match self {
            Shape::Object(attributes, blocks)
            | Shape::Nested(Nesting::Single | Nesting::Group, attributes, blocks) => {
                (attributes, blocks)
            }
            Shape::Type(Type::Object(object)) => {
                return object.attribute(name).map(|one| Shape::Type(&one.ty));
            }
            _ => return None,
        };
        let attribute = attributes.iter().find(|one| one.name == name);
        let block = || blocks.iter().find(|one| one.name == name);
        { attribute.map(|one| Shape::from(&one.ty)) }.or_else(|| block().map(Shape::from))
    }

    /// The type of the values.
    pub fn implied_type(self) -> Type {
        match self {
            Shape::Type(ty) => ty.without_optional(),
            Shape::Object(attributes, blocks) => {
                let attributes = attributes.iter().map(|one| (&one.name, one.implied_type()));
                let blocks = blocks.iter().map(|one| (&one.name, one.implied_type()));
                Type::object(attributes.chain(blocks)).without_optional()
            }
            Shape::Nested(nesting, attributes, blocks) => {
                nesting.of(Shape::Object(attributes, blocks).implied_type())
            }
        }
    }
}
