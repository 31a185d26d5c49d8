//! Bodies: the attributes and blocks between the braces of a block.

use tenon_values::convert::convert;
use tenon_values::{Type, Value};

use crate::{Attribute, Description};

/// The schema of a whole block: of a resource, a data source, a configuration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Schema {
    /// The version. It is raised when stored values of older versions need an upgrade.
    pub version: u64,
    /// The attributes and blocks.
    pub body: Body,
}

/// Attributes and nested blocks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Body {
    /// The attributes, in the order in which they are shown.
    pub attributes: Vec<Attribute>,
    /// The nested blocks.
    pub blocks: Vec<Block>,
    /// What it means.
    pub description: Description,
    /// Why it should no longer be used, and what to use instead.
    pub deprecation: Option<String>,
}

/// A nested block.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// The name.
    pub name: String,
    /// Whether it may be repeated, and the kind of value that its blocks make.
    pub nesting: Nesting,
    /// The minimum number of blocks.
    pub min: u64,
    /// The maximum number of blocks, if there is one.
    pub max: Option<u64>,
    /// What is in it.
    pub body: Body,
}

/// The kind of value that nested objects make together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nesting {
    /// One object, or null.
    Single,
    /// One object that is always there. If it is not written, its attributes are null.
    Group,
    /// A list of objects.
    List,
    /// A set of objects.
    Set,
    /// Objects by key: the label of the block.
    Map,
}

impl Schema {
    /// A schema with this version.
    pub fn new(version: u64, body: Body) -> Schema {
        Schema { version, body }
    }

    /// The type of a value of this schema, an object.
    pub fn implied_type(&self) -> Type {
        self.body.implied_type()
    }
}

/// A schema of version 0.
impl From<Body> for Schema {
    fn from(body: Body) -> Schema {
        Schema::new(0, body)
    }
}

impl Body {
    /// A body of these attributes, without blocks.
    pub fn new(attributes: impl IntoIterator<Item = Attribute>) -> Body {
        Body {
            attributes: attributes.into_iter().collect(),
            ..Body::default()
        }
    }

    /// With one more block.
    #[must_use]
    pub fn with_block(mut self, block: Block) -> Body {
        self.blocks.push(block);
        self
    }

    /// With a description.
    #[must_use]
    pub fn about(mut self, description: impl Into<Description>) -> Body {
        self.description = description.into();
        self
    }

    /// The attribute of this name.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes
            .iter()
            .find(|attribute| attribute.name == name)
    }

    /// The nested block of this name.
    pub fn block(&self, name: &str) -> Option<&Block> {
        self.blocks.iter().find(|block| block.name == name)
    }

    /// The type of a value of this body, an object.
    pub fn implied_type(&self) -> Type {
        implied_type_of(&self.attributes, &self.blocks)
    }

    /// An object of the implied type with the given values; the others are as if the user wrote
    /// nothing.
    pub fn object(&self, given: &[(&str, Value)]) -> Value {
        let value = |name: &str, absent: &dyn Fn() -> Value| {
            let found = given.iter().find(|(known, _)| *known == name);
            found.map_or_else(absent, |(_, value)| value.clone())
        };
        let attributes = self.attributes.iter().map(|attribute| {
            let absent = || Value::null(attribute.implied_type());
            (attribute.name.as_str(), value(&attribute.name, &absent))
        });
        let blocks = self.blocks.iter().map(|block| {
            let absent = || block.absent();
            (block.name.as_str(), value(&block.name, &absent))
        });
        Value::object(attributes.chain(blocks))
    }
}

impl Block {
    /// A nested block, any number of times.
    pub fn new(name: impl Into<String>, nesting: Nesting, body: Body) -> Block {
        Block {
            name: name.into(),
            nesting,
            min: 0,
            max: None,
            body,
        }
    }

    /// With limits on how many there are.
    #[must_use]
    pub fn between(mut self, min: u64, max: impl Into<Option<u64>>) -> Block {
        self.min = min;
        self.max = max.into();
        self
    }

    /// The type of the value that all blocks of this name make together.
    pub fn implied_type(&self) -> Type {
        self.nesting.of(self.body.implied_type())
    }

    /// The value if there is no such block.
    pub(crate) fn absent(&self) -> Value {
        let empty = match self.nesting {
            Nesting::Single => return Value::null(self.implied_type()),
            Nesting::Group => return self.body.object(&[]),
            Nesting::List | Nesting::Set => Value::tuple(Vec::new()),
            Nesting::Map => Value::object::<&str>([]),
        };
        // Nothing in it could fail to convert.
        convert(&empty, &self.implied_type()).unwrap_or(empty)
    }
}

impl Nesting {
    /// The type of the value that objects of this type make together. As in Terraform, lists and maps
    /// of objects without a fixed type are dynamic, because their elements may differ.
    pub fn of(self, object: Type) -> Type {
        match self {
            Nesting::Single | Nesting::Group => object,
            Nesting::Set => Type::set(object),
            Nesting::List | Nesting::Map if object.has_dynamic() => Type::Dynamic,
            Nesting::List => Type::list(object),
            Nesting::Map => Type::map(object),
        }
    }
}

pub(crate) fn implied_type_of(attributes: &[Attribute], blocks: &[Block]) -> Type {
    let attributes = { attributes.iter() }.map(|one| (one.name.as_str(), one.implied_type()));
    let blocks = { blocks.iter() }.map(|one| (one.name.as_str(), one.implied_type()));
    Type::object(attributes.chain(blocks))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(ty: Type) -> Body {
        Body::new([Attribute::new("a", ty)])
    }

    fn implied(nesting: Nesting, ty: Type) -> String {
        let block = Block::new("b", nesting, body(ty));
        block.implied_type().to_string()
    }

    #[test]
    fn nesting_decides_what_objects_make_together() {
        for (nesting, known, dynamic) in [
            (
                Nesting::Single,
                "object({ a = bool })",
                "object({ a = any })",
            ),
            (
                Nesting::Group,
                "object({ a = bool })",
                "object({ a = any })",
            ),
            (Nesting::List, "list(object({ a = bool }))", "any"),
            (
                Nesting::Set,
                "set(object({ a = bool }))",
                "set(object({ a = any }))",
            ),
            (Nesting::Map, "map(object({ a = bool }))", "any"),
        ] {
            assert_eq!(implied(nesting, Type::Bool), known, "{nesting:?}");
            assert_eq!(implied(nesting, Type::Dynamic), dynamic, "{nesting:?}");
        }
    }

    #[test]
    fn absent_blocks_have_the_implied_type() {
        for nesting in [
            Nesting::Single,
            Nesting::Group,
            Nesting::List,
            Nesting::Set,
            Nesting::Map,
        ] {
            let outer = body(Type::String).with_block(Block::new("b", nesting, body(Type::Bool)));
            let object = outer.object(&[("a", "x".into())]);
            assert_eq!(object.ty(), outer.implied_type(), "{nesting:?}");
            let b = object.attributes().unwrap().get("b").unwrap().clone();
            assert_eq!(b.is_null(), nesting == Nesting::Single, "{nesting:?}");
        }
    }
}
