//! Making values.

use std::sync::Arc;

use smol_str::SmolStr;

use crate::error::{Error, Problem};
use crate::marks::Marks;
use crate::path::Step;
use crate::refinement::Refinement;
use crate::text::{Text, normalized};
use crate::types::{Attribute, ObjectType, TupleType, Type};
use crate::value::{Content, Unknown, Value};
use crate::{Number, set};

impl Value {
    /// True.
    pub const TRUE: Value = Value(Content::Bool(true));
    /// False.
    pub const FALSE: Value = Value(Content::Bool(false));
    /// Null of no known type.
    pub const NULL: Value = Value(Content::Null(Type::Dynamic));

    /// A string, in normal form C.
    pub fn string(text: &str) -> Value {
        Value(Content::String(Text::new(text)))
    }

    /// A number.
    pub fn number(number: impl Into<Number>) -> Value {
        Value(Content::Number(number.into()))
    }

    /// Null of this type.
    pub fn null(ty: Type) -> Value {
        Value(Content::Null(ty.without_optional()))
    }

    /// A value of this type that is not known.
    pub fn unknown(ty: Type) -> Value {
        Value::unknown_with(ty.without_optional(), Refinement::default())
    }

    pub(crate) fn unknown_with(ty: Type, refinement: Refinement) -> Value {
        Value(Content::Unknown(Arc::new(Unknown { ty, refinement })))
    }

    /// A list of elements that all have this type. With [`Type::Dynamic`] their own type is
    /// taken, which must be one.
    ///
    /// # Errors
    /// An element has another type.
    pub fn list(element: Type, values: Vec<Value>) -> Result<Value, Error> {
        let (element, values) = of_one_type(element, values)?;
        Ok(Value::sequence_of(Type::list(element), values))
    }

    /// A set of elements that all have this type, each kept once. With [`Type::Dynamic`] their own
    /// type is taken, which must be one. Marks of the elements become marks of the set.
    ///
    /// # Errors
    /// An element has another type.
    pub fn set(element: Type, values: Vec<Value>) -> Result<Value, Error> {
        let (element, values) = of_one_type(element, values)?;
        let mut marks = Marks::none();
        let values = values
            .into_iter()
            .map(|value| value.unmark_deep_into(&mut marks))
            .collect();
        let values = set::arrange(&element, values);
        Ok(Value::sequence_of(Type::set(element), values).with_marks(&marks))
    }

    /// A map of elements that all have this type. With [`Type::Dynamic`] their own type is taken,
    /// which must be one. Of two equal keys the last is kept.
    ///
    /// # Errors
    /// An element has another type.
    pub fn map<K: Into<Text>>(
        element: Type,
        entries: impl IntoIterator<Item = (K, Value)>,
    ) -> Result<Value, Error> {
        let entries = entries
            .into_iter()
            .map(|(key, value)| (key.into(), value))
            .collect();
        let (keys, values): (Vec<Text>, Vec<Value>) = sorted_entries(entries).into_iter().unzip();
        let (element, values) =
            of_one_type(element, values).map_err(|error| by_key(error, &keys))?;
        Ok(Value::map_of(
            Type::map(element),
            keys.into_iter().zip(values),
        ))
    }

    /// A tuple.
    pub fn tuple(values: Vec<Value>) -> Value {
        let ty = TupleType::new(values.iter().map(Value::ty).collect());
        Value::sequence_of(Type::Tuple(ty), values)
    }

    /// An object. Of two equal names the last is kept.
    pub fn object<N: AsRef<str>>(attributes: impl IntoIterator<Item = (N, Value)>) -> Value {
        let named = |(name, value): (N, Value)| (SmolStr::from(normalized(name.as_ref())), value);
        let mut entries: Vec<(SmolStr, Value)> = attributes.into_iter().map(named).collect();
        keep_last(&mut entries);
        let attribute = |(name, value): &(SmolStr, Value)| Attribute {
            name: name.clone(),
            ty: value.ty(),
            is_optional: false,
        };
        let ty = ObjectType::sorted(entries.iter().map(attribute).collect());
        let values = entries.into_iter().map(|(_, value)| value);
        Value::sequence_of(Type::Object(ty), values)
    }
}

/// The entries in order of their keys, of equal ones the last.
pub(super) fn sorted_entries(mut entries: Vec<(Text, Value)>) -> Vec<(Text, Value)> {
    keep_last(&mut entries);
    entries
}

/// The entries are in order of their keys, and each key is there once.
pub(crate) fn are_in_order<K: Ord>(entries: &[(K, Value)]) -> bool {
    entries.is_sorted_by(|a, b| a.0 < b.0)
}

fn keep_last<K: Ord>(entries: &mut Vec<(K, Value)>) {
    if are_in_order(entries) {
        return;
    }
    // The sort is stable: of equal keys the last given comes last, and is kept.
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    entries.reverse();
    entries.dedup_by(|a, b| a.0 == b.0);
    entries.reverse();
}

/// The one type of the elements, and the elements of exactly that type: null and unknown ones of
/// no known type take it on.
pub(crate) fn of_one_type(
    wanted: Type,
    mut values: Vec<Value>,
) -> Result<(Type, Vec<Value>), Error> {
    let wanted = wanted.without_optional();
    let is_typed = |value: &&Value| *value.ty_ref() != Type::Dynamic;
    let element = match wanted.has_dynamic() {
        true => values
            .iter()
            .find(is_typed)
            .map_or(wanted.clone(), Value::ty),
        false => wanted.clone(),
    };
    for (index, value) in values.iter_mut().enumerate() {
        if *value.ty_ref() == element {
            continue;
        }
        if *value.ty_ref() != Type::Dynamic {
            let problem = match element == wanted && !wanted.has_dynamic() {
                true => Problem::WrongType {
                    wanted: element,
                    given: value.ty(),
                },
                false => Problem::MixedElements {
                    first: element,
                    given: value.ty(),
                },
            };
            return Err(Error::from(problem).below(Step::Index(index)));
        }
        *value = value.with_type_of_element(&element);
    }
    if !element.conforms_to(&wanted) {
        let problem = Problem::WrongType {
            wanted,
            given: element,
        };
        return Err(Error::from(problem).below(Step::Index(0)));
    }
    Ok((element, values))
}

/// An error that counted entries names their keys.
fn by_key(error: Error, keys: &[Text]) -> Error {
    match error.path().steps() {
        [Step::Index(index)] => {
            Error::from(error.problem().clone()).below(Step::Key(keys[*index].clone()))
        }
        _ => error,
    }
}

impl Value {
    /// A null or unknown of no known type, as one of this type.
    fn with_type_of_element(&self, element: &Type) -> Value {
        let (value, marks) = self.unmark();
        let typed = match value.is_null() {
            true => Value::null(element.clone()),
            false => Value::unknown(element.clone()),
        };
        typed.with_marks(&marks)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value(Content::Bool(value))
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::string(text)
    }
}

impl From<String> for Value {
    fn from(text: String) -> Value {
        Value::string(&text)
    }
}

impl From<Text> for Value {
    fn from(text: Text) -> Value {
        Value(Content::String(text))
    }
}

impl From<Number> for Value {
    fn from(number: Number) -> Value {
        Value(Content::Number(number))
    }
}

macro_rules! from_integer {
    ($($integer:ty),*) => {
        $(impl From<$integer> for Value {
            fn from(value: $integer) -> Value {
                Value::number(value)
            }
        })*
    };
}

from_integer!(i8, i16, i32, i64, u8, u16, u32, u64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_have_one_type() {
        let list = Value::list(Type::Dynamic, vec![Value::NULL, Value::from(1)]).unwrap();
        assert_eq!(list.ty(), Type::list(Type::Number));
        assert_eq!(list.elements().unwrap()[0], Value::null(Type::Number));
        let error = Value::list(Type::Dynamic, vec![Value::from("a"), Value::from(1)]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "at [1]: all elements must have one type, but this is a number, after a string"
        );
        let error = Value::map(Type::Bool, [("k", Value::from(1))]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "at [\"k\"]: a bool is required, but this is a number"
        );
    }

    #[test]
    fn the_last_of_equal_names_is_kept() {
        let object = Value::object([
            ("b", Value::from(1)),
            ("a", Value::from(2)),
            ("b", Value::from(3)),
        ]);
        let names: Vec<_> = object
            .attributes()
            .unwrap()
            .iter()
            .map(|(name, _)| name)
            .collect();
        assert_eq!(names, ["a", "b"]);
        assert_eq!(object.attributes().unwrap().get("b"), Some(&Value::from(3)));
    }
}
