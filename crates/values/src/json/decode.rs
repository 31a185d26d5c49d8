//! From JSON to values, by type.

use std::borrow::Cow;

use crate::error::{Error, Problem};
use crate::json::{Reader, Token};
use crate::limits::Limits;
use crate::path::Step;
use crate::text::{Text, normalized};
use crate::types::{ObjectType, TYPE_DEPTH, TupleType, Type};
use crate::value::{Value, are_in_order};
use crate::{Number, types};

/// Reads a value of this type, within the default [`Limits`]. Text after the value is ignored.
///
/// Strings may be written as numbers or bools, and these as strings. Attributes that are missing
/// are null.
///
/// # Errors
/// The text is not JSON, or not a value of the type; the error has the path to what is wrong.
pub fn decode(text: &[u8], ty: &Type) -> Result<Value, Error> {
    decode_within(text, ty, Limits::default())
}

/// As [`decode`], within these limits.
///
/// # Errors
/// As for [`decode`], or a limit is passed.
pub fn decode_within(text: &[u8], ty: &Type, limits: Limits) -> Result<Value, Error> {
    let reader = Reader::new(text, limits)?;
    let elements = limits.elements;
    Decoder {
        reader,
        elements,
        limits,
    }
    .value(ty)
}

struct Decoder<'a> {
    reader: Reader<'a>,
    /// How many values may still come.
    elements: usize,
    limits: Limits,
}

impl<'a> Decoder<'a> {
    fn token(&mut self) -> Result<Token<'a>, Error> {
        self.reader
            .value()
            .map_err(|fault| self.reader.error(fault))
    }

    fn next_element(&mut self) -> Result<bool, Error> {
        self.reader
            .next_element()
            .map_err(|fault| self.reader.error(fault))
    }

    fn next_key(&mut self) -> Result<Option<Cow<'a, str>>, Error> {
        self.reader
            .next_key()
            .map_err(|fault| self.reader.error(fault))
    }

    fn value(&mut self, ty: &Type) -> Result<Value, Error> {
        self.elements = self.limits.count(self.elements, 1)?;
        let token = self.token()?;
        let found = token.name();
        match (token, ty) {
            (Token::Null, _) => Ok(Value::null(ty.clone())),
            (Token::String(text), Type::String) => Ok(Value::string(&text)),
            (Token::Number(text), Type::String) => Ok(Value::from(text)),
            (Token::Bool(value), Type::String) => {
                Ok(Value::from(if value { "true" } else { "false" }))
            }
            (Token::Number(text), Type::Number) => number(text),
            (Token::String(text), Type::Number) => number(&text),
            (Token::Bool(value), Type::Bool) => Ok(Value::from(value)),
            (Token::String(text), Type::Bool) => match &*text {
                "true" | "1" => Ok(Value::TRUE),
                "false" | "0" => Ok(Value::FALSE),
                _ => Err(Problem::not_a_bool(&text).into()),
            },
            (Token::Array, Type::List(element)) => {
                Value::list_read(ty, element, self.elements(element)?.into_iter())
            }
            (Token::Array, Type::Set(element)) => {
                Value::set_read(ty, element, self.elements(element)?.into_iter())
            }
            (Token::Array, Type::Tuple(tuple)) => self.tuple(tuple),
            (Token::Object, Type::Map(element)) => self.map(ty, element),
            (Token::Object, Type::Object(object)) => self.object(object),
            (Token::Object, Type::Dynamic) => self.dynamic(),
            (_, Type::Dynamic) => {
                Err(self.misfit("a dynamic value must be an object with its type and value"))
            }
            _ => Err(Problem::Required {
                wanted: ty.clone(),
                found,
            }
            .into()),
        }
    }

    fn misfit(&self, message: &'static str) -> Error {
        self.reader.error(self.reader.fail(message))
    }

    fn elements(&mut self, element: &Type) -> Result<Vec<Value>, Error> {
        let mut values = Vec::new();
        while self.next_element()? {
            let below = |error: Error| error.below(Step::Index(values.len()));
            let value = self.value(element).map_err(below)?;
            values.push(value);
        }
        Ok(values)
    }

    fn tuple(&mut self, ty: &TupleType) -> Result<Value, Error> {
        let wanted = ty.elements();
        let mut values = Vec::new();
        while self.next_element()? {
            let Some(element) = wanted.get(values.len()) else {
                return Err(Problem::TupleLength {
                    wanted: wanted.len(),
                    given: values.len() + 1,
                }
                .into());
            };
            let below = |error: Error| error.below(Step::Index(values.len()));
            let value = self.value(element).map_err(below)?;
            values.push(value);
        }
        if values.len() < wanted.len() {
            return Err(Problem::TupleLength {
                wanted: wanted.len(),
                given: values.len(),
            }
            .into());
        }
        Ok(Value::tuple_of(ty, values.into_iter()))
    }

    fn map(&mut self, ty: &Type, element: &Type) -> Result<Value, Error> {
        let mut entries = Vec::new();
        while let Some(key) = self.next_key()? {
            let key = Text::new(&key);
            match self.value(element) {
                Ok(value) => entries.push((key, value)),
                Err(error) => return Err(error.below(Step::Key(key))),
            }
        }
        let is_in_order = are_in_order(&entries);
        Value::map_read(ty, element, entries.into_iter(), is_in_order)
    }

    fn object(&mut self, ty: &ObjectType) -> Result<Value, Error> {
        let wanted = ty.attributes();
        // Two bytes may stand for as many nulls as the type has attributes.
        self.elements = self.limits.count(self.elements, wanted.len())?;
        let mut values: Vec<Option<Value>> = vec![None; wanted.len()];
        while let Some(key) = self.next_key()? {
            let Some(position) = ty.position(&normalized(&key)) else {
                return Err(Problem::UnsupportedAttribute(key.into()).into());
            };
            let below = |error: Error| error.below(Step::Attribute(wanted[position].name.clone()));
            values[position] = Some(self.value(&wanted[position].ty).map_err(below)?);
        }
        let or_null = |(value, attribute): (Option<Value>, &types::Attribute)| {
            value.unwrap_or_else(|| Value::null(attribute.ty.clone()))
        };
        let values = values.into_iter().zip(wanted).map(or_null);
        Ok(Value::object_of(ty, values))
    }

    /// An object of a type and a value, in either order.
    fn dynamic(&mut self) -> Result<Value, Error> {
        let mut ty = None;
        let mut value_at = None;
        while let Some(key) = self.next_key()? {
            match &*key {
                "type" => {
                    let read = types::json::read_type(&mut self.reader, TYPE_DEPTH);
                    ty = Some(read.map_err(|fault| self.reader.error(fault))?);
                }
                "value" => {
                    value_at = Some(self.reader.clone());
                    self.reader
                        .skip()
                        .map_err(|fault| self.reader.error(fault))?;
                }
                _ => {
                    return Err(self.misfit(
                        "a dynamic value has a \"type\" and a \"value\", and nothing else",
                    ));
                }
            }
        }
        match (ty, value_at) {
            (Some(ty), Some(reader)) => {
                let Decoder {
                    elements, limits, ..
                } = *self;
                let mut decoder = Decoder {
                    reader,
                    elements,
                    limits,
                };
                let value = decoder.value(&ty)?;
                self.elements = decoder.elements;
                value.with_readable_type(&ty)
            }
            (None, _) => Err(self.misfit("the dynamic value has no \"type\"")),
            (_, None) => Err(self.misfit("the dynamic value has no \"value\"")),
        }
    }
}

pub(super) fn number(text: &str) -> Result<Value, Error> {
    let number: Number = text.parse().map_err(Problem::from)?;
    Ok(Value::from(number))
}
