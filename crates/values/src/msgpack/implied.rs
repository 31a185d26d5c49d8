//! The type of msgpack that came without one.

use crate::error::Error;
use crate::limits::Limits;
use crate::msgpack::reader::{Head, Reader};
use crate::path::Step;
use crate::text::Text;
use crate::types::{Attribute, ObjectType, TupleType, Type};

/// The type that plain msgpack has: arrays are tuples, maps are objects, nil and extensions are
/// dynamic.
///
/// # Errors
/// The bytes are not one msgpack value, or one that no type has: binary data, a key that is no
/// string.
pub fn implied_type(bytes: &[u8]) -> Result<Type, Error> {
    let mut reader = Reader::new(bytes, Limits::default())?;
    let ty = read(&mut reader)?;
    match reader.is_at_end() {
        true => Ok(ty),
        false => Err(reader.fail("the value ends here, but more follows")),
    }
}

fn read(reader: &mut Reader<'_>) -> Result<Type, Error> {
    match reader.head()? {
        Head::Nil | Head::Extension(..) => Ok(Type::Dynamic),
        Head::Bool(_) => Ok(Type::Bool),
        Head::Unsigned(_) | Head::Signed(_) | Head::Float(_) => Ok(Type::Number),
        Head::String(_) => Ok(Type::String),
        Head::Binary(_) => Err(reader.fail("binary data has no type")),
        Head::Array(length) => {
            reader.enter(length)?;
            let mut elements = Vec::new();
            for index in 0..length {
                elements.push(read(reader).map_err(|error| error.below(Step::Index(index)))?);
            }
            reader.leave();
            Ok(Type::Tuple(TupleType::new(elements)))
        }
        Head::Map(length) => {
            reader.enter(length.saturating_mul(2))?;
            let mut attributes = Vec::new();
            for _ in 0..length {
                let name = match reader.head()? {
                    Head::String(bytes) | Head::Binary(bytes) => Text::from_bytes(bytes),
                    Head::Nil => Text::new(""),
                    _ => return Err(reader.fail("the names of attributes must be strings")),
                };
                let name = name.to_string_lossy().into();
                let ty = read(reader)
                    .map_err(|error| error.below(Step::Attribute(Clone::clone(&name))))?;
                attributes.push(Attribute {
                    name,
                    ty,
                    is_optional: false,
                });
            }
            reader.leave();
            Ok(Type::Object(ObjectType::new(attributes)))
        }
    }
}
