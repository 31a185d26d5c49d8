//! Values.

mod assembly;
mod block;
mod construction;
mod equality;
mod hash;
mod marking;
mod operations;
mod printing;
mod refining;
mod selection;
mod walk;

use std::sync::Arc;

use crate::Number;
use crate::marks::Marks;
use crate::refinement::Refinement;
use crate::text::Text;
use crate::types::{ObjectType, Type};

use block::Block;
pub(crate) use construction::are_in_order;

/// A value, its type and its marks. Cheap to clone: what is inside is shared.
///
/// A value is known, null, or unknown: not decided yet, but of a known type and perhaps with a
/// [`Refinement`]. It may carry [`Marks`], of which [`Mark::SENSITIVE`](crate::Mark::SENSITIVE) is
/// the most common one. Look at it with [`Value::kind`].
///
/// `==` asks whether two values are the same in everything: type, marks, what is known. Whether
/// they are equal as HCL means it is [`Value::equals`], which may itself be unknown.
#[derive(Clone)]
pub struct Value(pub(crate) Content);

#[derive(Clone)]
pub(crate) enum Content {
    Bool(bool),
    Number(Number),
    String(Text),
    /// A list, a set in its order, a tuple, or an object in the order of its type's attributes.
    Sequence(Block<Value>),
    /// Sorted by key, each key once.
    Map(Block<(Text, Value)>),
    Null(Type),
    Unknown(Arc<Unknown>),
    Marked(Arc<Marked>),
}

pub(crate) struct Unknown {
    pub(crate) ty: Type,
    pub(crate) refinement: Refinement,
}

pub(crate) struct Marked {
    pub(crate) marks: Marks,
    /// Not marked itself.
    pub(crate) value: Value,
}

/// What a value is, to match on.
#[derive(Clone, Copy)]
pub enum Kind<'a> {
    /// Null, of the value's type.
    Null,
    /// Not known, apart from this.
    Unknown(&'a Refinement),
    /// True or false.
    Bool(bool),
    /// A number.
    Number(&'a Number),
    /// A string.
    String(&'a Text),
    /// The elements of a list.
    List(&'a [Value]),
    /// The elements of a set, in a stable order: strings by their bytes, numbers by size, false
    /// before true.
    Set(&'a [Value]),
    /// The elements of a tuple.
    Tuple(&'a [Value]),
    /// The keys and elements of a map, sorted by key.
    Map(&'a [(Text, Value)]),
    /// The attributes of an object.
    Object(Attributes<'a>),
    /// A marked value. The caller has to carry the marks over.
    Marked(&'a Marks, &'a Value),
}

/// The attributes of an object, sorted by name.
#[derive(Clone, Copy)]
pub struct Attributes<'a> {
    ty: &'a ObjectType,
    values: &'a [Value],
}

impl<'a> Attributes<'a> {
    /// The attribute of this name.
    pub fn get(&self, name: &str) -> Option<&'a Value> {
        self.ty.position(name).map(|index| &self.values[index])
    }

    /// All of them, with their names.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&'a str, &'a Value)> + use<'a> {
        let names = self
            .ty
            .attributes()
            .iter()
            .map(|attribute| attribute.name.as_str());
        names.zip(self.values)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// There are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The object's type.
    pub fn ty(&self) -> &'a ObjectType {
        self.ty
    }
}

impl std::fmt::Debug for Attributes<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_map().entries(self.iter()).finish()
    }
}

impl Value {
    /// The value's type.
    pub fn ty(&self) -> Type {
        self.ty_ref().clone()
    }

    pub(crate) fn ty_ref(&self) -> &Type {
        match &self.0 {
            Content::Bool(_) => &Type::Bool,
            Content::Number(_) => &Type::Number,
            Content::String(_) => &Type::String,
            Content::Sequence(sequence) => sequence.ty(),
            Content::Map(map) => map.ty(),
            Content::Null(ty) => ty,
            Content::Unknown(unknown) => &unknown.ty,
            Content::Marked(marked) => marked.value.ty_ref(),
        }
    }

    /// What the value is.
    pub fn kind(&self) -> Kind<'_> {
        match &self.0 {
            Content::Bool(value) => Kind::Bool(*value),
            Content::Number(number) => Kind::Number(number),
            Content::String(text) => Kind::String(text),
            Content::Sequence(sequence) => match sequence.ty() {
                Type::Set(_) => Kind::Set(sequence.items()),
                Type::Tuple(_) => Kind::Tuple(sequence.items()),
                Type::Object(ty) => Kind::Object(Attributes {
                    ty,
                    values: sequence.items(),
                }),
                _ => Kind::List(sequence.items()),
            },
            Content::Map(map) => Kind::Map(map.items()),
            Content::Null(_) => Kind::Null,
            Content::Unknown(unknown) => Kind::Unknown(&unknown.refinement),
            Content::Marked(marked) => Kind::Marked(&marked.marks, &marked.value),
        }
    }

    /// The value is null, marked or not.
    pub fn is_null(&self) -> bool {
        matches!(self.unmarked().0, Content::Null(_))
    }

    /// The value itself is known, which null is. Values inside it may not be.
    pub fn is_known(&self) -> bool {
        !matches!(self.unmarked().0, Content::Unknown(_))
    }

    /// The value is known, and so is everything inside it.
    pub fn is_wholly_known(&self) -> bool {
        match &self.unmarked().0 {
            Content::Unknown(_) => false,
            Content::Sequence(sequence) => sequence.items().iter().all(Value::is_wholly_known),
            Content::Map(map) => map.items().iter().all(|(_, value)| value.is_wholly_known()),
            _ => true,
        }
    }

    /// The bool, of a known and unmarked one.
    pub fn as_bool(&self) -> Option<bool> {
        match &self.0 {
            Content::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The number, of a known and unmarked one.
    pub fn as_number(&self) -> Option<&Number> {
        match &self.0 {
            Content::Number(number) => Some(number),
            _ => None,
        }
    }

    /// The string, of a known and unmarked one that is UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        self.as_text().and_then(Text::as_str)
    }

    /// The string, of a known and unmarked one.
    pub fn as_text(&self) -> Option<&Text> {
        match &self.0 {
            Content::String(text) => Some(text),
            _ => None,
        }
    }

    /// The elements, of a known and unmarked list, set or tuple.
    pub fn elements(&self) -> Option<&[Value]> {
        match self.kind() {
            Kind::List(values) | Kind::Set(values) | Kind::Tuple(values) => Some(values),
            _ => None,
        }
    }

    /// The keys and elements, of a known and unmarked map.
    pub fn entries(&self) -> Option<&[(Text, Value)]> {
        match &self.0 {
            Content::Map(map) => Some(map.items()),
            _ => None,
        }
    }

    /// The attributes, of a known and unmarked object.
    pub fn attributes(&self) -> Option<Attributes<'_>> {
        match self.kind() {
            Kind::Object(attributes) => Some(attributes),
            _ => None,
        }
    }

    /// What is known, of an unknown and unmarked value.
    pub fn refinement(&self) -> Option<&Refinement> {
        match &self.0 {
            Content::Unknown(unknown) => Some(&unknown.refinement),
            _ => None,
        }
    }

    /// The value below its marks.
    fn unmarked(&self) -> &Value {
        match &self.0 {
            Content::Marked(marked) => &marked.value,
            _ => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_small() {
        assert_eq!(size_of::<Value>(), 24);
    }
}
