//! Getting at what is inside a value, known or not.

use crate::Number;
use crate::error::{Error, Problem};
use crate::marks::Marks;
use crate::text::normalized;
use crate::types::Type;
use crate::value::equality::answer;
use crate::value::{Content, Kind, Value};

impl Value {
    /// The attribute of an object, with the marks of both. Of an unknown object it is unknown.
    ///
    /// # Errors
    /// The value is null or no object, or has no such attribute.
    pub fn attribute(&self, name: &str) -> Result<Value, Error> {
        let (value, marks) = self.unmark();
        let name = normalized(name);
        let found = match (value.ty_ref(), &value.0) {
            (_, Content::Null(_)) => return Err(Problem::Null.into()),
            (Type::Dynamic, _) => Value::unknown(Type::Dynamic),
            (Type::Object(object), content) => match (object.position(&name), content) {
                (None, _) => return Err(Problem::UnsupportedAttribute(name.into()).into()),
                (Some(position), Content::Sequence(sequence)) => sequence.items()[position].clone(),
                (Some(position), _) => Value::unknown(object.attributes()[position].ty.clone()),
            },
            (given, _) => return Err(wrong_type(Type::object::<&str>([]), given)),
        };
        Ok(found.with_marks(&marks))
    }

    /// The element of a list, tuple or map under this key, with the marks of all three. It is
    /// unknown where the key or the value is.
    ///
    /// # Errors
    /// The value is null or has no elements with keys, the key is of the wrong type, or there is
    /// no such element.
    pub fn index(&self, key: &Value) -> Result<Value, Error> {
        let shown = match key.is_marked() {
            true => "under this key, which is marked".to_owned(),
            false => key.to_string(),
        };
        let (value, key, marks) = self.with_key(key);
        let key_type = match value.ty_ref() {
            Type::Dynamic if !value.is_known() => {
                return Ok(Value::unknown(Type::Dynamic).with_marks(&marks));
            }
            Type::List(_) | Type::Tuple(_) => Type::Number,
            Type::Map(_) => Type::String,
            _ if value.is_null() => return Err(Problem::Null.into()),
            given => return Err(wrong_type(Type::list(Type::Dynamic), given)),
        };
        if value.is_null() || key.is_null() {
            return Err(Problem::Null.into());
        }
        if *key.ty_ref() != key_type && *key.ty_ref() != Type::Dynamic {
            return Err(wrong_type(key_type, key.ty_ref()));
        }
        let missing = || Error::from(Problem::NoElement(shown.clone()));
        let found = match (value.ty_ref(), key.is_known()) {
            (Type::Tuple(_), false) => Value::unknown(Type::Dynamic),
            (Type::Tuple(tuple), true) if !value.is_known() => {
                let position = position(&key).ok_or_else(missing)?;
                Value::unknown(tuple.elements().get(position).ok_or_else(missing)?.clone())
            }
            (ty, is_known) if !is_known || !value.is_known() => {
                Value::unknown(ty.element().cloned().unwrap_or(Type::Dynamic))
            }
            _ => value.element_at(&key).ok_or_else(missing)?.clone(),
        };
        Ok(found.with_marks(&marks))
    }

    /// Whether there is an element under this key: a bool, perhaps unknown. A key of another type
    /// leads to none.
    ///
    /// # Errors
    /// The value is null, or has no elements with keys.
    pub fn has_index(&self, key: &Value) -> Result<Value, Error> {
        let (value, key, marks) = self.with_key(key);
        let fits = match value.ty_ref() {
            _ if value.is_null() => return Err(Problem::Null.into()),
            Type::Dynamic => return Ok(answer(None).with_marks(&marks)),
            Type::List(_) | Type::Tuple(_) => *key.ty_ref() == Type::Number,
            Type::Map(_) => *key.ty_ref() == Type::String,
            given => return Err(wrong_type(Type::list(Type::Dynamic), given)),
        };
        let result = match value.ty_ref() {
            _ if *key.ty_ref() == Type::Dynamic => None,
            _ if !fits || key.is_null() => Some(false),
            _ if !key.is_known() => None,
            Type::Tuple(tuple) => {
                Some(position(&key).is_some_and(|at| at < tuple.elements().len()))
            }
            _ if !value.is_known() => None,
            _ => Some(value.element_at(&key).is_some()),
        };
        Ok(answer(result).with_marks(&marks))
    }

    /// Whether a set has this element: a bool, perhaps unknown.
    ///
    /// # Errors
    /// The value is null or no set.
    pub fn has_element(&self, element: &Value) -> Result<Value, Error> {
        let (value, mut marks) = self.unmark();
        let element = element.clone().unmark_deep_into(&mut marks);
        let wanted = match value.ty_ref() {
            _ if value.is_null() => return Err(Problem::Null.into()),
            Type::Set(wanted) => wanted,
            given => return Err(wrong_type(Type::set(Type::Dynamic), given)),
        };
        let may_fit = element.ty_ref() == &**wanted || element.ty_ref().has_dynamic();
        let result = match value.elements() {
            _ if !may_fit && !wanted.has_dynamic() => Some(false),
            Some(elements) if element.is_wholly_known() && elements.contains(&element) => {
                Some(true)
            }
            Some(_) if element.is_wholly_known() && value.is_wholly_known() => Some(false),
            _ => None,
        };
        Ok(answer(result).with_marks(&marks))
    }

    /// How many elements a collection or tuple has: a number, perhaps unknown but in a range.
    ///
    /// # Errors
    /// The value is null, or has no elements.
    pub fn length(&self) -> Result<Value, Error> {
        let (value, marks) = self.unmark();
        let ty = value.ty_ref();
        if value.is_null() {
            return Err(Problem::Null.into());
        }
        if !ty.is_collection() && !matches!(ty, Type::Tuple(_) | Type::Dynamic) {
            return Err(wrong_type(Type::list(Type::Dynamic), ty));
        }
        let (shortest, longest) = value.length_range();
        let mut length = Value::unknown(Type::Number)
            .refine_not_null()?
            .refine_lower(shortest.into(), true)?;
        if let Some(longest) = longest {
            length = length.refine_upper(longest.into(), true)?;
        }
        Ok(length.with_marks(&marks))
    }

    /// The least and the greatest length that the value can have. An unknown element of a set may
    /// turn out to be equal to another.
    pub(crate) fn length_range(&self) -> (u64, Option<u64>) {
        let exactly = |length: usize| (length as u64, Some(length as u64));
        match (self.kind(), self.ty_ref()) {
            (Kind::Set(values), _) if values.len() > 1 && !self.is_wholly_known() => {
                (1, Some(values.len() as u64))
            }
            (Kind::List(values) | Kind::Set(values), _) => exactly(values.len()),
            (Kind::Map(entries), _) => exactly(entries.len()),
            (_, Type::Tuple(tuple)) => exactly(tuple.elements().len()),
            (Kind::Unknown(refinement), _) => (refinement.shortest, refinement.longest),
            _ => (0, None),
        }
    }

    fn with_key(&self, key: &Value) -> (Value, Value, Marks) {
        let (value, mut marks) = self.unmark();
        let (key, more) = key.unmark();
        marks.extend(&more);
        (value, key, marks)
    }

    /// The element of a known list, tuple or map under a known key.
    fn element_at(&self, key: &Value) -> Option<&Value> {
        match self.kind() {
            Kind::List(values) | Kind::Tuple(values) => values.get(position(key)?),
            Kind::Map(entries) => {
                let key = key.as_text()?;
                let at = entries.binary_search_by(|(known, _)| known.cmp(key)).ok()?;
                Some(&entries[at].1)
            }
            _ => None,
        }
    }
}

fn wrong_type(wanted: Type, given: &Type) -> Error {
    let given = given.clone();
    Problem::WrongType { wanted, given }.into()
}

/// A number as a place in a list.
fn position(key: &Value) -> Option<usize> {
    key.as_number()
        .and_then(Number::to_u64)
        .and_then(|index| usize::try_from(index).ok())
}
