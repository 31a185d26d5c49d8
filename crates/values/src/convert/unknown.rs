//! Converting what is not known: the type changes, and some of what is known stays.

use crate::convert::{Safety, unify};
use crate::error::Error;
use crate::types::{Attribute, ObjectType, Type};
use crate::value::Value;

/// An unknown value as one of this type. That it is not null stays true, and so do lengths where
/// the conversion keeps the number of elements.
pub(super) fn convert(value: &Value, to: &Type) -> Result<Value, Error> {
    let from = value.ty_ref();
    let range = value.range();
    let to = without_dynamic(from, &to.without_optional());
    let mut converted = Value::unknown(to.clone());
    if range.is_not_null() {
        converted = converted.refine_not_null()?;
    }
    let (shortest, longest) = match (from, &to) {
        (Type::Object(object), Type::Map(_)) => exactly(object.attributes().len()),
        (Type::Tuple(tuple), Type::List(_)) => exactly(tuple.elements().len()),
        (Type::Tuple(tuple), Type::Set(_)) => match tuple.elements().len() {
            length @ (0 | 1) => exactly(length),
            // Elements may turn out to be equal, but not into nothing.
            length => (1, Some(length as u64)),
        },
        (from, Type::Set(_)) if from.is_collection() => (range.shortest().min(1), range.longest()),
        (from, to) if from.is_collection() && to.is_collection() => {
            (range.shortest(), range.longest())
        }
        _ => (0, None),
    };
    if shortest > 0 {
        converted = converted.refine_shortest(shortest)?;
    }
    match longest {
        Some(longest) => converted.refine_longest(longest),
        None => Ok(converted),
    }
}

fn exactly(length: usize) -> (u64, Option<u64>) {
    (length as u64, Some(length as u64))
}

/// The type `to`, with what `from` has in the place of everything dynamic. There is a conversion
/// from one to the other.
pub(super) fn without_dynamic(from: &Type, to: &Type) -> Type {
    if *from == Type::Dynamic || !to.has_dynamic() {
        return to.clone();
    }
    let element = |to: &Type| match from {
        Type::List(from) | Type::Set(from) | Type::Map(from) => without_dynamic(from, to),
        Type::Tuple(tuple) => common(tuple.elements().iter(), to),
        Type::Object(object) => common(
            object.attributes().iter().map(|attribute| &attribute.ty),
            to,
        ),
        _ => to.clone(),
    };
    match to {
        Type::Dynamic => from.clone(),
        Type::String | Type::Number | Type::Bool => to.clone(),
        Type::List(to) => Type::list(element(to)),
        Type::Set(to) => Type::set(element(to)),
        Type::Map(to) => Type::map(element(to)),
        Type::Tuple(to) => match from {
            Type::Tuple(from) => {
                let pairs = from.elements().iter().zip(to.elements());
                Type::tuple(pairs.map(|(from, to)| without_dynamic(from, to)))
            }
            _ => Type::Tuple(to.clone()),
        },
        Type::Object(to) => {
            let attribute = |attribute: &Attribute| {
                let own = match from {
                    Type::Object(from) => from.attribute(&attribute.name).map(|from| &from.ty),
                    Type::Map(from) => Some(&**from),
                    _ => None,
                };
                let ty = own.map_or_else(
                    || attribute.ty.clone(),
                    |from| without_dynamic(from, &attribute.ty),
                );
                Attribute {
                    name: attribute.name.clone(),
                    ty,
                    is_optional: attribute.is_optional,
                }
            };
            Type::Object(ObjectType::sorted(
                to.attributes().iter().map(attribute).collect(),
            ))
        }
    }
}

/// The element type of a collection that is made of elements of several types.
fn common<'a>(types: impl Iterator<Item = &'a Type>, to: &Type) -> Type {
    let types: Vec<Type> = types.cloned().collect();
    match unify(&types, Safety::Unsafe) {
        Some(common) => without_dynamic(&common, to),
        None => to.clone(),
    }
}
