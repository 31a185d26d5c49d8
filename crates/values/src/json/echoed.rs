//! Values that a program returned as plain JSON, beside the value that it was given before.

use std::collections::{HashMap, HashSet};

use crate::error::Error;
use crate::json::implied;
use crate::number::Number;
use crate::types::{ObjectType, TupleType, Type};
use crate::value::{Kind, Value};

/// What an array becomes where `prior` says nothing about its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrays {
    /// A tuple, as a literal in HCL.
    Tuples,
    /// A list if its elements have one type, otherwise a tuple. Nulls and empty arrays take the
    /// type of the other elements; an empty array is a `list(any)`.
    Lists,
}

/// The value of plain JSON that a program returned, where it may be `prior` again.
///
/// Most programs hold numbers as doubles and know one kind of array. So a number that is the same
/// double as the one in its place in `prior`, and not an integer that no double is, is that number
/// with all its digits, a null in the place
/// of a number that no double can hold is that number, and types are those of `prior` wherever the
/// JSON fits them. Marks are not taken over.
///
/// # Errors
/// As for [`implied`].
pub fn echoed(text: &[u8], prior: &Value, arrays: Arrays) -> Result<Value, Error> {
    let value = implied(text)?;
    Ok(arrays.echo(&value, &prior.unmark_deep().0))
}

impl Arrays {
    fn echo(self, value: &Value, prior: &Value) -> Value {
        if let Some(fitted) = self.fit(value, prior.ty_ref(), Some(prior)) {
            return fitted;
        }
        // Not all of it fits, but parts may.
        let element = prior.ty_ref().element().cloned().map(Value::unknown);
        let part = |value: &Value, prior: Option<&Value>| match prior.or(element.as_ref()) {
            Some(prior) => self.echo(value, prior),
            None => self.settle(value),
        };
        match value.kind() {
            Kind::Object(attributes) => {
                let prior = prior.attributes();
                Value::object({ attributes.iter() }.map(|(name, value)| {
                    let prior = prior.as_ref().and_then(|prior| prior.get(name));
                    (name, part(value, prior))
                }))
            }
            Kind::Tuple(values) => {
                let prior = match prior.kind() {
                    Kind::Tuple(values) | Kind::List(values) => values,
                    _ => &[],
                };
                let values = { values.iter().enumerate() }
                    .map(|(index, value)| part(value, prior.get(index)));
                self.array(values.collect())
            }
            _ => value.clone(),
        }
    }

    /// The value as one of this type, if JSON says the same of both: arrays may be lists, sets or
    /// tuples, objects may be maps. No string becomes a number.
    fn fit(self, value: &Value, ty: &Type, prior: Option<&Value>) -> Option<Value> {
        let elements = match prior.map(Value::kind) {
            Some(Kind::List(values) | Kind::Tuple(values)) => values,
            _ => &[],
        };
        let part = |name: &str| match prior?.kind() {
            Kind::Object(attributes) => attributes.get(name),
            Kind::Map(entries) => {
                let found =
                    entries.binary_search_by(|(key, _)| key.as_bytes().cmp(name.as_bytes()));
                found.ok().map(|index| &entries[index].1)
            }
            _ => None,
        };
        match (value.kind(), ty) {
            (_, Type::Dynamic) => Some(self.settle(value)),
            (Kind::Null, Type::Number) if prior.is_some_and(is_beyond_doubles) => prior.cloned(),
            (Kind::Null, _) => Some(Value::null(ty.clone())),
            (Kind::Number(number), Type::Number) => {
                let kept = prior.filter(|prior| is_same_double(number, prior));
                Some(kept.unwrap_or(value).clone())
            }
            (Kind::String(_), Type::String) | (Kind::Bool(_), Type::Bool) => Some(value.clone()),
            (Kind::Tuple(values), Type::List(element)) => {
                let fitted = { values.iter().enumerate() }
                    .map(|(index, value)| self.fit(value, element, elements.get(index)));
                Value::list(Type::clone(element), fitted.collect::<Option<_>>()?).ok()
            }
            (Kind::Tuple(values), Type::Set(element)) => self.fit_set(values, element, prior),
            (Kind::Tuple(values), Type::Tuple(tuple)) if values.len() == tuple.elements().len() => {
                let fitted = { values.iter().zip(tuple.elements()).enumerate() }
                    .map(|(index, (value, ty))| self.fit(value, ty, elements.get(index)));
                Some(Value::tuple(fitted.collect::<Option<_>>()?))
            }
            (Kind::Object(attributes), Type::Map(element)) => {
                let fitted = { attributes.iter() }
                    .map(|(name, value)| Some((name, self.fit(value, element, part(name))?)));
                Value::map(Type::clone(element), fitted.collect::<Option<Vec<_>>>()?).ok()
            }
            (Kind::Object(attributes), Type::Object(object))
                if attributes.len() == object.attributes().len() =>
            {
                let fitted = attributes.iter().map(|(name, value)| {
                    let ty = &object.attribute(name)?.ty;
                    Some((name, self.fit(value, ty, part(name))?))
                });
                Some(Value::object(fitted.collect::<Option<Vec<_>>>()?))
            }
            _ => None,
        }
    }

    /// A set, unless two elements would become one.
    fn fit_set(self, values: &[Value], element: &Type, prior: Option<&Value>) -> Option<Value> {
        // Elements of a set have no place, so those of before are found by what a double keeps,
        // unless they are there as they are.
        let prior = prior.and_then(Value::elements).unwrap_or_default();
        let exact: HashSet<&Value> = prior.iter().collect();
        let known: HashMap<Value, &Value> = { prior.iter() }
            .map(|prior| (as_doubles(prior), prior))
            .collect();
        let fitted = values.iter().map(|value| {
            let fitted = self.fit(value, element, None)?;
            if exact.contains(&fitted) {
                return Some(fitted);
            }
            let may_be_echo = fitted.as_number().is_none_or(may_be_a_double);
            let kept = known.get(&as_doubles(&fitted)).filter(|_| may_be_echo);
            Some(kept.map_or(fitted, |kept| Value::clone(kept)))
        });
        let set = Value::set(Type::clone(element), fitted.collect::<Option<_>>()?).ok()?;
        let count = set.elements().map_or(0, <[Value]>::len);
        (count == values.len()).then_some(set)
    }

    /// The value where nothing is known of before.
    fn settle(self, value: &Value) -> Value {
        match (self, value.kind()) {
            (Arrays::Lists, Kind::Object(attributes)) => {
                Value::object({ attributes.iter() }.map(|(name, value)| (name, self.settle(value))))
            }
            (Arrays::Lists, Kind::Tuple(values)) => {
                self.array({ values.iter() }.map(|value| self.settle(value)).collect())
            }
            _ => value.clone(),
        }
    }

    fn array(self, values: Vec<Value>) -> Value {
        if self == Arrays::Tuples {
            return Value::tuple(values);
        }
        let ty = { values.iter() }.try_fold(Type::Dynamic, |ty, value| join(&ty, value.ty_ref()));
        let Some(element) = ty else {
            return Value::tuple(values);
        };
        let filled = { values.iter() }.map(|value| fill(value, &element));
        match Value::list(element.clone(), filled.collect()) {
            Ok(list) => list,
            Err(_) => Value::tuple(values),
        }
    }
}

/// The type of two elements of one array, if they have one. What is dynamic is that of a null or of
/// an empty array.
fn join(one: &Type, other: &Type) -> Option<Type> {
    match (one, other) {
        _ if one == other => Some(one.clone()),
        (Type::Dynamic, ty) | (ty, Type::Dynamic) => Some(ty.clone()),
        (Type::List(one), Type::List(other)) => join(one, other).map(Type::list),
        (Type::Object(one), Type::Object(other)) => join_objects(one, other),
        (Type::Tuple(one), Type::Tuple(other)) => join_tuples(one, other),
        _ => None,
    }
}

fn join_objects(one: &ObjectType, other: &ObjectType) -> Option<Type> {
    if one.attributes().len() != other.attributes().len() {
        return None;
    }
    let joined = { one.attributes().iter() }.map(|attribute| {
        let other = other.attribute(&attribute.name)?;
        Some((attribute.name.as_str(), join(&attribute.ty, &other.ty)?))
    });
    Some(Type::object(joined.collect::<Option<Vec<_>>>()?))
}

fn join_tuples(one: &TupleType, other: &TupleType) -> Option<Type> {
    if one.elements().len() != other.elements().len() {
        return None;
    }
    let pairs = one.elements().iter().zip(other.elements());
    let joined = pairs.map(|(one, other)| join(one, other));
    Some(Type::tuple(joined.collect::<Option<Vec<_>>>()?))
}

/// The value with this type for its nulls and empty lists, whose own was not known.
fn fill(value: &Value, ty: &Type) -> Value {
    match (value.kind(), ty) {
        _ if value.ty_ref() == ty => value.clone(),
        (Kind::Null, _) => Value::null(ty.clone()),
        (Kind::List(values), Type::List(element)) => {
            let filled = values.iter().map(|value| fill(value, element));
            let list = Value::list(Type::clone(element), filled.collect());
            list.unwrap_or_else(|_| value.clone())
        }
        (Kind::Tuple(values), Type::Tuple(tuple)) => {
            let pairs = values.iter().zip(tuple.elements());
            Value::tuple(pairs.map(|(value, ty)| fill(value, ty)).collect())
        }
        (Kind::Object(attributes), Type::Object(object)) => {
            Value::object(attributes.iter().map(|(name, value)| {
                let ty = object.attribute(name).map(|attribute| &attribute.ty);
                (name, ty.map_or_else(|| value.clone(), |ty| fill(value, ty)))
            }))
        }
        _ => value.clone(),
    }
}

fn is_same_double(number: &Number, prior: &Value) -> bool {
    let prior = prior.as_number().map(Number::to_f64);
    // Two numbers beyond the doubles have nothing in common.
    prior.is_some_and(|prior| prior.is_finite() && prior == number.to_f64())
        && may_be_a_double(number)
}

/// Whether a program with doubles may have written this number. An integer with more digits than
/// that comes from one with exact integers, such as Python, which means just this one.
fn may_be_a_double(number: &Number) -> bool {
    let Ok(double) = Number::try_from(number.to_f64()) else {
        return false;
    };
    let shortest = || double.to_text().parse::<Number>();
    !number.is_integer() || *number == double || shortest().is_ok_and(|text| text == *number)
}

/// JavaScript reads such a number as infinity, and writes that as null.
fn is_beyond_doubles(prior: &Value) -> bool {
    let number = prior.as_number();
    number.is_some_and(|number| !number.is_infinite() && number.to_f64().is_infinite())
}

/// The value as a program has it whose numbers are doubles.
fn as_doubles(value: &Value) -> Value {
    let round = |_: &_, value: Value| {
        let double = { value.as_number() }.map(Number::to_f64);
        let rounded = { double.filter(|double| double.is_finite()) }
            .and_then(|double| Number::try_from(double).ok());
        Ok(rounded.map_or(value, Value::number))
    };
    { value.transform(&mut { round }) }.unwrap_or_else(|_| value.clone())
}
