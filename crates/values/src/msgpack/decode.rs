//! From msgpack to values.

use crate::Number;
use crate::error::{Error, Problem};
use crate::limits::Limits;
use crate::msgpack::reader::{Head, Reader};
use crate::msgpack::refinement;
use crate::path::Step;
use crate::text::Text;
use crate::types::{ObjectType, TupleType, Type};
use crate::value::{Value, are_in_order};

/// Reads a value of this type, within the default [`Limits`]. Bytes after the value are ignored.
///
/// # Errors
/// The bytes are not msgpack, or not a value of the type; the error has the path to what is wrong.
pub fn decode(bytes: &[u8], ty: &Type) -> Result<Value, Error> {
    decode_within(bytes, ty, Limits::default())
}

/// As [`decode`], within these limits.
///
/// # Errors
/// As for [`decode`], or a limit is passed.
pub fn decode_within(bytes: &[u8], ty: &Type, limits: Limits) -> Result<Value, Error> {
    value(&mut Reader::new(bytes, limits)?, ty)
}

pub(super) fn value(reader: &mut Reader<'_>, ty: &Type) -> Result<Value, Error> {
    let head = reader.head()?;
    match (head, ty) {
        (Head::String(bytes) | Head::Binary(bytes), Type::String) => {
            Ok(Value::from(Text::from_bytes(bytes)))
        }
        (Head::Bool(value), Type::Bool) => Ok(Value::from(value)),
        (Head::Nil, _) => Ok(Value::null(ty.clone())),
        (Head::Extension(code, payload), _) => {
            Ok(reader.spread(refinement::decode(code, payload, ty)?))
        }
        (_, Type::Number) => number(&head).map(Value::from),
        (Head::Array(length), Type::List(element)) => {
            let start = elements(reader, length, element)?;
            Value::list_read(ty, element, reader.values.drain(start..))
        }
        (Head::Array(length), Type::Set(element)) => {
            let start = elements(reader, length, element)?;
            Value::set_read(ty, element, reader.values.drain(start..))
        }
        (Head::Array(length), Type::Tuple(tuple)) => self::tuple(reader, length, tuple),
        (Head::Map(length), Type::Map(element)) => map(reader, length, ty, element),
        (Head::Map(length), Type::Object(object)) => self::object(reader, length, object),
        (Head::Array(length), Type::Dynamic) => dynamic(reader, length),
        (_, Type::Dynamic) => {
            Err(reader.fail("a dynamic value must be an array of its type and its value"))
        }
        _ => Err(Problem::Required {
            wanted: ty.clone(),
            found: head.name(),
        }
        .into()),
    }
}

/// The number that a peer wrote in any way.
pub(super) fn number(head: &Head<'_>) -> Result<Number, Error> {
    let required = |found| {
        Error::from(Problem::Required {
            wanted: Type::Number,
            found,
        })
    };
    match *head {
        Head::Unsigned(value) => Ok(Number::from(value)),
        Head::Signed(value) => Ok(Number::from(value)),
        Head::Float(value) => Ok(Number::try_from(value).map_err(Problem::from)?),
        Head::String(bytes) | Head::Binary(bytes) => {
            let text =
                std::str::from_utf8(bytes).map_err(|_| required("text that is not UTF-8"))?;
            Ok(text.parse::<Number>().map_err(Problem::from)?)
        }
        _ => Err(required(head.name())),
    }
}

/// Reads `length` values of one type, one level deeper. They stay in the reader; returns where they
/// begin.
fn elements(reader: &mut Reader<'_>, length: usize, element: &Type) -> Result<usize, Error> {
    reader.enter(length)?;
    let start = reader.values.len();
    for index in 0..length {
        let read = value(reader, element).map_err(|error| error.below(Step::Index(index)))?;
        reader.values.push(read);
    }
    reader.leave();
    Ok(start)
}

fn tuple(reader: &mut Reader<'_>, length: usize, ty: &TupleType) -> Result<Value, Error> {
    let wanted = ty.elements();
    if length != wanted.len() {
        let wanted = wanted.len();
        return Err(Problem::TupleLength {
            wanted,
            given: length,
        }
        .into());
    }
    reader.enter(length)?;
    let start = reader.values.len();
    for (index, element) in wanted.iter().enumerate() {
        let read = value(reader, element).map_err(|error| error.below(Step::Index(index)))?;
        reader.values.push(read);
    }
    reader.leave();
    Ok(Value::tuple_of(ty, reader.values.drain(start..)))
}

fn map(reader: &mut Reader<'_>, length: usize, ty: &Type, element: &Type) -> Result<Value, Error> {
    reader.enter(length.saturating_mul(2))?;
    let start = reader.entries.len();
    let mut rewritten = Vec::new();
    for _ in 0..length {
        let written = map_key(reader)?;
        let key = Text::from_bytes(written);
        if key.as_bytes() != written {
            rewritten.push(key.clone());
        }
        match value(reader, element) {
            Ok(value) => reader.entries.push((key, value)),
            Err(error) => return Err(error.below(Step::Key(key))),
        }
    }
    reader.leave();
    let entries = &reader.entries[start..];
    if let Some(key) = first_twice(&rewritten, entries) {
        return Err(Problem::SameKey(key.to_string()).into());
    }
    let is_in_order = are_in_order(entries);
    Value::map_read(ty, element, reader.entries.drain(start..), is_in_order)
}

/// The first of these keys that appears twice.
fn first_twice<'a>(keys: &'a [Text], entries: &[(Text, Value)]) -> Option<&'a Text> {
    if keys.is_empty() {
        return None;
    }
    let mut all: Vec<&Text> = entries.iter().map(|(key, _)| key).collect();
    all.sort_unstable();
    keys.iter().find(|key| {
        let position = all.partition_point(|known| known < key);
        all.get(position + 1).is_some_and(|next| next == key)
    })
}

/// The bytes of a map's key. Peers accept keys that are not strings if they are one byte, and read
/// them as empty.
fn map_key<'a>(reader: &mut Reader<'a>) -> Result<&'a [u8], Error> {
    let start = reader.offset();
    match reader.head()? {
        Head::String(bytes) | Head::Binary(bytes) => Ok(bytes),
        Head::Nil | Head::Bool(_) | Head::Unsigned(_) | Head::Signed(_)
            if reader.offset() - start == 1 =>
        {
            Ok(&[])
        }
        _ => Err(reader.fail("the key of a map must be a string")),
    }
}

/// An object. Peers write the attributes in order, so each is first looked for where it should be.
fn object(reader: &mut Reader<'_>, length: usize, ty: &ObjectType) -> Result<Value, Error> {
    let wanted = ty.attributes();
    if length != wanted.len() {
        return Err(wrong_attributes(reader, length, ty));
    }
    reader.enter(length.saturating_mul(2))?;
    let start = reader.values.len();
    for (attribute, key) in wanted.iter().zip(ty.keys()) {
        if !reader.skip_bytes(key.bytes()) {
            let name = attribute_key(reader)?;
            if name != attribute.name.as_bytes() {
                return out_of_order(reader, name, start, ty);
            }
        }
        let below = |error: Error| error.below(Step::Attribute(attribute.name.clone()));
        let read = value(reader, &attribute.ty).map_err(below)?;
        reader.values.push(read);
    }
    reader.leave();
    Ok(Value::object_of(ty, reader.values.drain(start..)))
}

/// The rest of an object, from a key that is not the next in order.
fn out_of_order<'a>(
    reader: &mut Reader<'a>,
    mut key: &'a [u8],
    start: usize,
    ty: &ObjectType,
) -> Result<Value, Error> {
    let wanted = ty.attributes();
    let mut values: Vec<Option<Value>> = reader.values.drain(start..).map(Some).collect();
    let read = values.len();
    values.resize(wanted.len(), None);
    for index in read..wanted.len() {
        if index > read {
            key = attribute_key(reader)?;
        }
        let Some(position) = position(key, ty) else {
            return Err(unsupported(key));
        };
        let below = |error: Error| error.below(Step::Attribute(wanted[position].name.clone()));
        values[position] = Some(value(reader, &wanted[position].ty).map_err(below)?);
    }
    reader.leave();
    let missing = |index: usize| Error::from(Problem::MissingAttribute(wanted[index].name.clone()));
    let values = values.into_iter().enumerate();
    let values: Result<Vec<Value>, Error> = values
        .map(|(index, value)| value.ok_or_else(|| missing(index)))
        .collect();
    Ok(Value::object_of(ty, values?.into_iter()))
}

fn attribute_key<'a>(reader: &mut Reader<'a>) -> Result<&'a [u8], Error> {
    match reader.head()? {
        Head::String(bytes) | Head::Binary(bytes) => Ok(bytes),
        Head::Nil => Ok(&[]),
        _ => Err(reader.fail("the names of attributes must be strings")),
    }
}

/// Where the attribute of this name stands. Names are compared before they are normalised.
fn position(name: &[u8], ty: &ObjectType) -> Option<usize> {
    std::str::from_utf8(name)
        .ok()
        .and_then(|name| ty.position(name))
}

fn unsupported(name: &[u8]) -> Error {
    Problem::UnsupportedAttribute(String::from_utf8_lossy(name).into()).into()
}

/// What is wrong with an object that has too few or too many attributes: a name says more than
/// a count.
fn wrong_attributes(reader: &mut Reader<'_>, length: usize, ty: &ObjectType) -> Error {
    let mut is_there = vec![false; ty.attributes().len()];
    let mut read = || -> Result<(), Error> {
        reader.enter(length.saturating_mul(2))?;
        for _ in 0..length {
            let name = attribute_key(reader)?;
            match position(name, ty) {
                Some(position) => is_there[position] = true,
                None => return Err(unsupported(name)),
            }
            reader.skip()?;
        }
        Ok(())
    };
    if let Err(error) = read() {
        return error;
    }
    let mut attributes = ty.attributes().iter().zip(is_there);
    match attributes.find(|(_, is_there)| !is_there) {
        Some((attribute, _)) => Problem::MissingAttribute(attribute.name.clone()).into(),
        None => reader.fail("an attribute appears twice"),
    }
}

/// A value with its type: an array of the type as JSON, and the value.
fn dynamic(reader: &mut Reader<'_>, length: usize) -> Result<Value, Error> {
    if length != 2 {
        return Err(reader.fail("a dynamic value must be an array of its type and its value"));
    }
    reader.enter(length)?;
    let (Head::String(json) | Head::Binary(json)) = reader.head()? else {
        return Err(reader.fail("the type of a dynamic value must be JSON text"));
    };
    let Ok(json) = std::str::from_utf8(json) else {
        return Err(reader.fail("the type of a dynamic value is not UTF-8"));
    };
    let ty = reader.type_from(json)?;
    let found = value(reader, &ty)?;
    reader.leave();
    found.with_readable_type(&ty)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_one_byte_that_are_not_strings_are_read_as_empty() {
        let ty = Type::map(Type::Number);
        let empty = Value::map(Type::Number, [("", Value::from(5))]).unwrap();
        for key in [0xc0, 0xc3, 0x01, 0xff] {
            assert_eq!(decode(&[0x81, key, 5], &ty).unwrap(), empty, "{key:02x}");
        }
        for key in [
            &[0xcc, 1][..],
            &[0xcb, 0, 0, 0, 0, 0, 0, 0, 0],
            &[0x90],
            &[0xd4, 0, 0],
        ] {
            decode(&[&[0x81], key, &[5]].concat(), &ty).unwrap_err();
        }
    }

    #[test]
    fn known_lengths_are_integers_of_any_kind() {
        let ty = Type::list(Type::String);
        let known = Value::unknown(ty.clone()).refine_shortest(2).unwrap();
        for payload in [
            &[0x81, 5, 2][..],
            &[0x81, 5, 0xd0, 2],
            &[0x81, 0xd0, 5, 0xcc, 2],
        ] {
            let bytes = [&[0xc7, payload.len() as u8, 12], payload].concat();
            assert_eq!(decode(&bytes, &ty).unwrap(), known, "{payload:02x?}");
        }
        // -1 as the least length says nothing; as the greatest it contradicts itself.
        let unknown = Value::unknown(ty.clone());
        assert_eq!(decode(&[0xc7, 3, 12, 0x81, 5, 0xff], &ty).unwrap(), unknown);
        decode(&[0xc7, 3, 12, 0x81, 6, 0xff], &ty).unwrap_err();
    }
}
