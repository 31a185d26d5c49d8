//! Putting values together from parts that are known to fit.

use crate::error::{Error, Problem};
use crate::set;
use crate::text::Text;
use crate::types::{Attribute, ObjectType, TYPE_DEPTH, TupleType, Type};
use crate::value::block::Block;
use crate::value::construction::sorted_entries;
use crate::value::{Content, Value};

impl Value {
    /// An object of this type, or of the more exact one that the values have, from the values in
    /// the order of its attributes.
    pub(crate) fn object_of(
        ty: &ObjectType,
        values: impl ExactSizeIterator<Item = Value>,
    ) -> Value {
        if ty.is_exact() {
            return Value::sequence_of(Type::Object(ty.clone()), values);
        }
        let values: Vec<Value> = values.collect();
        let attribute = |(attribute, value): (&Attribute, &Value)| Attribute {
            name: attribute.name.clone(),
            ty: value.ty(),
            is_optional: false,
        };
        let exact = ty.attributes().iter().zip(&values).map(attribute).collect();
        Value::sequence_of(Type::Object(ObjectType::sorted(exact)), values)
    }

    /// A tuple of this type, or of the more exact one that the values have.
    pub(crate) fn tuple_of(ty: &TupleType, values: impl ExactSizeIterator<Item = Value>) -> Value {
        let ty = Type::Tuple(ty.clone());
        match ty.is_exact() {
            true => Value::sequence_of(ty, values),
            false => Value::tuple(values.collect()),
        }
    }

    /// A list, set or map that was read by its type. The elements are as it says, unless it leaves
    /// something open: then they have their own types, which must be the same.
    pub(crate) fn list_read(
        ty: &Type,
        element: &Type,
        values: impl ExactSizeIterator<Item = Value>,
    ) -> Result<Value, Error> {
        match element.is_exact() {
            true => Ok(Value::sequence_of(ty.clone(), values)),
            false => Value::list(element.clone(), values.collect()),
        }
    }

    /// See [`Value::list_read`].
    pub(crate) fn set_read(
        ty: &Type,
        element: &Type,
        values: impl ExactSizeIterator<Item = Value>,
    ) -> Result<Value, Error> {
        let values = values.collect();
        match element.is_exact() {
            true => Ok(Value::sequence_of(
                ty.clone(),
                set::arrange(element, values),
            )),
            false => Value::set(element.clone(), values),
        }
    }

    /// See [`Value::list_read`]. Entries that are not in order are put in order.
    pub(crate) fn map_read(
        ty: &Type,
        element: &Type,
        entries: impl ExactSizeIterator<Item = (Text, Value)>,
        is_in_order: bool,
    ) -> Result<Value, Error> {
        match (element.is_exact(), is_in_order) {
            (true, true) => Ok(Value::map_of(ty.clone(), entries)),
            (true, false) => Ok(Value::map_of(ty.clone(), sorted_entries(entries.collect()))),
            (false, _) => Value::map(element.clone(), entries),
        }
    }

    /// The value, which was read by this type at a dynamic place. Types inside types may add up to
    /// one that peers could not read.
    pub(crate) fn with_readable_type(self, ty: &Type) -> Result<Value, Error> {
        match ty.has_dynamic() && self.ty_ref().depth() > TYPE_DEPTH {
            true => Err(Problem::Limit {
                what: "the depth of a type",
                limit: TYPE_DEPTH,
            }
            .into()),
            false => Ok(self),
        }
    }

    /// A sequence whose values are known to be as its type says.
    pub(crate) fn sequence_of<I>(ty: Type, values: I) -> Value
    where
        I: IntoIterator<Item = Value, IntoIter: ExactSizeIterator>,
    {
        Value(Content::Sequence(Block::new(ty, values)))
    }

    /// A map whose entries are known to be sorted, and as its type says.
    pub(crate) fn map_of<I>(ty: Type, entries: I) -> Value
    where
        I: IntoIterator<Item = (Text, Value), IntoIter: ExactSizeIterator>,
    {
        Value(Content::Map(Block::new(ty, entries)))
    }

    pub(crate) fn empty_map(element: Type) -> Value {
        Value::map_of(Type::map(element), Vec::new())
    }
}
