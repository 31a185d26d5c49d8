//! Types: what a value may be.

mod conformance;
mod error;
mod expression;
pub(crate) mod json;
mod printing;

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use smol_str::SmolStr;

use crate::msgpack::Key;
use crate::size::Size;
use crate::text::normalized;

pub use error::TypeError;

/// How deep a type may be nested when it is read from text.
pub const TYPE_DEPTH: usize = 128;

/// A type. Cheap to clone: what is inside is shared.
///
/// Displayed as HCL writes it, `list(object({ name = string }))`; [`Type::to_json`] writes it as
/// cty does in JSON. Both are read back by [`str::parse`] and [`Type::from_json`].
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Type {
    /// Unicode text.
    String,
    /// A number of any size and precision.
    Number,
    /// True or false.
    Bool,
    /// Not known yet, or any type at all.
    Dynamic,
    /// Elements of one type, in order.
    List(Arc<Type>),
    /// Elements of one type, without order, each once.
    Set(Arc<Type>),
    /// Elements of one type, each under a key.
    Map(Arc<Type>),
    /// A fixed number of elements, each of its own type.
    Tuple(TupleType),
    /// Named attributes, each of its own type.
    Object(ObjectType),
}

impl Type {
    /// A list of this.
    pub fn list(element: Type) -> Type {
        Type::List(Arc::new(element))
    }

    /// A set of this.
    pub fn set(element: Type) -> Type {
        Type::Set(Arc::new(element))
    }

    /// A map of this.
    pub fn map(element: Type) -> Type {
        Type::Map(Arc::new(element))
    }

    /// A tuple of these.
    pub fn tuple(elements: impl IntoIterator<Item = Type>) -> Type {
        Type::Tuple(TupleType::new(elements.into_iter().collect()))
    }

    /// An object with these attributes, all required. A name given twice has the last type.
    pub fn object<N: AsRef<str>>(attributes: impl IntoIterator<Item = (N, Type)>) -> Type {
        let attributes = attributes.into_iter().map(|(name, ty)| Attribute {
            name: normalized(name.as_ref()).into(),
            ty,
            is_optional: false,
        });
        Type::Object(ObjectType::new(attributes))
    }

    /// The type of a list's, set's or map's elements.
    pub fn element(&self) -> Option<&Type> {
        match self {
            Type::List(element) | Type::Set(element) | Type::Map(element) => Some(element),
            _ => None,
        }
    }

    /// String, number or bool.
    pub fn is_primitive(&self) -> bool {
        matches!(self, Type::String | Type::Number | Type::Bool)
    }

    /// List, set or map.
    pub fn is_collection(&self) -> bool {
        self.element().is_some()
    }

    /// Tuple or object.
    pub fn is_structural(&self) -> bool {
        matches!(self, Type::Tuple(_) | Type::Object(_))
    }

    /// The type is dynamic, or one inside it is.
    pub fn has_dynamic(&self) -> bool {
        match self {
            Type::Dynamic => true,
            Type::String | Type::Number | Type::Bool => false,
            Type::List(element) | Type::Set(element) | Type::Map(element) => element.has_dynamic(),
            Type::Tuple(tuple) => tuple.0.has_dynamic,
            Type::Object(object) => object.0.has_dynamic,
        }
    }

    /// An object in the type has optional attributes.
    pub fn has_optional(&self) -> bool {
        match self {
            Type::Dynamic | Type::String | Type::Number | Type::Bool => false,
            Type::List(element) | Type::Set(element) | Type::Map(element) => element.has_optional(),
            Type::Tuple(tuple) => tuple.0.has_optional,
            Type::Object(object) => object.0.has_optional,
        }
    }

    /// How deep the type is nested: 1 for a string, 2 for a list of strings.
    pub fn depth(&self) -> usize {
        match self {
            Type::Dynamic | Type::String | Type::Number | Type::Bool => 1,
            Type::List(element) | Type::Set(element) | Type::Map(element) => element.depth() + 1,
            Type::Tuple(tuple) => tuple.extent().depth,
            Type::Object(object) => object.extent().depth,
        }
    }

    /// Values have exactly this type: nothing is dynamic, nothing optional.
    pub(crate) fn is_exact(&self) -> bool {
        !self.has_dynamic() && !self.has_optional()
    }

    /// The type with every attribute required, at any depth: the type that values have.
    #[must_use]
    pub fn without_optional(&self) -> Type {
        if !self.has_optional() {
            return self.clone();
        }
        match self {
            Type::Dynamic | Type::String | Type::Number | Type::Bool => self.clone(),
            Type::List(element) => Type::list(element.without_optional()),
            Type::Set(element) => Type::set(element.without_optional()),
            Type::Map(element) => Type::map(element.without_optional()),
            Type::Tuple(tuple) => Type::tuple(tuple.elements().iter().map(Type::without_optional)),
            Type::Object(object) => {
                let required = |attribute: &Attribute| Attribute {
                    name: attribute.name.clone(),
                    ty: attribute.ty.without_optional(),
                    is_optional: false,
                };
                Type::Object(ObjectType::sorted(
                    object.attributes().iter().map(required).collect(),
                ))
            }
        }
    }
}

/// The extent of a tuple or object type. It is computed from the parts when the type is made, because
/// types are shared and visiting all parts may take too long.
pub(crate) struct Extent {
    pub(crate) size: Size,
    pub(crate) depth: usize,
}

impl Extent {
    fn of<'t>(parts: impl Iterator<Item = &'t Type> + Clone, names: usize) -> Extent {
        Extent {
            size: Size::of_parts(parts.clone().map(Type::size), names),
            depth: parts.map(Type::depth).max().unwrap_or(0) + 1,
        }
    }
}

/// The element types of a tuple.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct TupleType(Arc<Tuple>);

struct Tuple {
    elements: Vec<Type>,
    has_dynamic: bool,
    has_optional: bool,
    extent: Extent,
}

/// What else is in there follows from the elements.
impl PartialEq for Tuple {
    fn eq(&self, other: &Tuple) -> bool {
        self.elements == other.elements
    }
}

impl Eq for Tuple {}

impl Hash for Tuple {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.elements.hash(state);
    }
}

impl TupleType {
    /// A tuple of these.
    pub fn new(elements: Vec<Type>) -> TupleType {
        TupleType(Arc::new(Tuple {
            has_dynamic: elements.iter().any(Type::has_dynamic),
            has_optional: elements.iter().any(Type::has_optional),
            extent: Extent::of(elements.iter(), 0),
            elements,
        }))
    }

    pub(crate) fn extent(&self) -> &Extent {
        &self.0.extent
    }

    /// The element types, in order.
    pub fn elements(&self) -> &[Type] {
        &self.0.elements
    }
}

/// The attributes of an object.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ObjectType(Arc<Object>);

struct Object {
    attributes: Vec<Attribute>,
    /// The names of the attributes as msgpack has them.
    keys: Vec<Key>,
    has_dynamic: bool,
    has_optional: bool,
    extent: Extent,
}

/// What else is in there follows from the attributes.
impl PartialEq for Object {
    fn eq(&self, other: &Object) -> bool {
        self.attributes == other.attributes
    }
}

impl Eq for Object {}

impl Hash for Object {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.attributes.hash(state);
    }
}

/// One attribute of an [`ObjectType`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Attribute {
    /// The name, in normal form C.
    pub name: SmolStr,
    /// The type.
    pub ty: Type,
    /// A conversion fills the attribute with null where it is missing. Only the targets of
    /// conversions have optional attributes; values have all of theirs.
    pub is_optional: bool,
}

impl ObjectType {
    /// An object with these attributes. Of two with the same name the last is kept.
    pub fn new(attributes: impl IntoIterator<Item = Attribute>) -> ObjectType {
        let mut attributes: Vec<Attribute> = attributes.into_iter().collect();
        for attribute in &mut attributes {
            if let std::borrow::Cow::Owned(name) = normalized(&attribute.name) {
                attribute.name = name.into();
            }
        }
        if !attributes.is_sorted_by(|a, b| a.name < b.name) {
            // The sort is stable: of equal names the last given comes last, and is kept.
            attributes.sort_by(|a, b| a.name.cmp(&b.name));
            attributes.reverse();
            attributes.dedup_by(|a, b| a.name == b.name);
            attributes.reverse();
        }
        ObjectType::sorted(attributes)
    }

    /// As [`ObjectType::new`], of attributes that are in order already.
    pub(crate) fn sorted(attributes: Vec<Attribute>) -> ObjectType {
        ObjectType(Arc::new(Object {
            has_dynamic: attributes
                .iter()
                .any(|attribute| attribute.ty.has_dynamic()),
            has_optional: attributes
                .iter()
                .any(|attribute| attribute.is_optional || attribute.ty.has_optional()),
            keys: attributes
                .iter()
                .map(|attribute| Key::new(&attribute.name))
                .collect(),
            extent: Extent::of(
                attributes.iter().map(|attribute| &attribute.ty),
                attributes
                    .iter()
                    .map(|attribute| attribute.name.len())
                    .sum(),
            ),
            attributes,
        }))
    }

    /// The attributes, sorted by name.
    pub fn attributes(&self) -> &[Attribute] {
        &self.0.attributes
    }

    /// The attribute of this name.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.position(name).map(|index| &self.0.attributes[index])
    }

    pub(crate) fn extent(&self) -> &Extent {
        &self.0.extent
    }

    /// The names of the attributes as msgpack has them, in the same order.
    pub(crate) fn keys(&self) -> &[Key] {
        &self.0.keys
    }

    /// Values have exactly this type, see [`Type::is_exact`].
    pub(crate) fn is_exact(&self) -> bool {
        !self.0.has_dynamic && !self.0.has_optional
    }

    /// Where the attribute of this name stands in [`ObjectType::attributes`].
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        let find = |attribute: &Attribute| attribute.name.as_str().cmp(name);
        self.0.attributes.binary_search_by(find).ok()
    }

    /// The type is the same one, not only an equal one.
    pub(crate) fn is_same(&self, other: &ObjectType) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
