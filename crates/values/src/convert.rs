//! Making a value of one type into one of another, and finding the type that several can become.

mod apply;
mod explain;
mod unify;
mod unknown;

use crate::error::Error;
use crate::types::{Attribute, Type};
use crate::value::Value;

use apply::Digits;
pub use unify::unify;

/// Which conversions count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Safety {
    /// Only those that every value survives, such as a number to a string.
    Safe,
    /// Also those that depend on the value, such as a string to a number.
    Unsafe,
}

/// The value as one of this type. [`Type::Dynamic`] is any type; optional attributes that are
/// missing become null, attributes that are not asked for are left out.
///
/// # Errors
/// There is no such conversion, or not for this value, or numbers would become more than 64 MiB of
/// digits. The error has the path to what is wrong.
pub fn convert(value: &Value, to: &Type) -> Result<Value, Error> {
    convert_within(value, to, &mut Digits::default())
}

fn convert_within(value: &Value, to: &Type, digits: &mut Digits) -> Result<Value, Error> {
    let from = value.ty_ref();
    if *from == to.without_optional() {
        return Ok(value.clone());
    }
    match is_available(from, to, Safety::Unsafe) {
        true => apply::apply(value, to, digits),
        false => Err(explain::explain(from, to)),
    }
}

impl Type {
    /// Values of this type can be converted to that one: all of them, or with
    /// [`Safety::Unsafe`] perhaps only some.
    pub fn converts_to(&self, to: &Type, safety: Safety) -> bool {
        is_available(self, to, safety)
    }
}

fn is_available(from: &Type, to: &Type, safety: Safety) -> bool {
    let is_unsafe = safety == Safety::Unsafe;
    let each = |from: &Type, to: &Type| is_available(from, to, safety);
    match (from, to) {
        (_, Type::Dynamic) => true,
        (from, to) if from == to => true,
        (Type::Dynamic, _) => is_unsafe,
        (Type::Number | Type::Bool, Type::String) => true,
        (Type::String, Type::Number | Type::Bool) => is_unsafe,
        (Type::Object(given), Type::Object(wanted)) => {
            let is_covered = |wanted: &Attribute| match given.attribute(&wanted.name) {
                Some(given) => each(&given.ty, &wanted.ty),
                None => wanted.is_optional,
            };
            wanted.attributes().iter().all(is_covered)
        }
        (Type::Tuple(given), Type::Tuple(wanted)) => {
            let (given, wanted) = (given.elements(), wanted.elements());
            given.len() == wanted.len()
                && given
                    .iter()
                    .zip(wanted)
                    .all(|(given, wanted)| each(given, wanted))
        }
        // The order and duplicates are lost.
        (Type::List(given), Type::Set(wanted)) => is_unsafe && each(given, wanted),
        (Type::List(given) | Type::Set(given), Type::List(wanted))
        | (Type::Set(given), Type::Set(wanted))
        | (Type::Map(given), Type::Map(wanted)) => each(given, wanted),
        (Type::Tuple(given), Type::List(wanted) | Type::Set(wanted)) => {
            let Some(element) = common_element(given.elements().iter(), wanted, safety) else {
                return false;
            };
            // With no better type than dynamic, only elements that have none themselves are alike.
            let is_undecided = **wanted == Type::Dynamic && element == Type::Dynamic;
            let is_alike = |given: &Type| !is_undecided || *given == Type::Dynamic;
            given
                .elements()
                .iter()
                .all(|given| is_alike(given) && each(given, &element))
        }
        (Type::Object(given), Type::Map(wanted)) => {
            let types = given.attributes().iter().map(|attribute| &attribute.ty);
            match common_element(types.clone(), wanted, safety) {
                Some(element) => types.into_iter().all(|given| each(given, &element)),
                None => false,
            }
        }
        // Whether the keys are there only the value tells; an optional one that does not fit may
        // be missing.
        (Type::Map(given), Type::Object(wanted)) => {
            let may_fit = |wanted: &Attribute| wanted.is_optional || each(given, &wanted.ty);
            is_unsafe && wanted.attributes().iter().all(may_fit)
        }
        _ => false,
    }
}

/// The element type of a collection that is made from these: the one that is asked for, or where
/// any is, the one that all can become.
fn common_element<'a>(
    types: impl Iterator<Item = &'a Type>,
    wanted: &Type,
    safety: Safety,
) -> Option<Type> {
    let mut types = types.peekable();
    if *wanted != Type::Dynamic || types.peek().is_none() {
        return Some(wanted.clone());
    }
    let types: Vec<Type> = types.cloned().collect();
    unify(&types, safety)
}
