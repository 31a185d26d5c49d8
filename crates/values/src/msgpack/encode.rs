//! From values to msgpack.

use crate::Number;
use crate::convert;
use crate::error::{Error, Problem};
use crate::limits::Limits;
use crate::msgpack::{refinement, writer};
use crate::path::Step;
use crate::text::Text;
use crate::types::Type;
use crate::value::{Content, Value};

/// The most room that is made for elements that are not written yet.
const ROOM_AHEAD: usize = 1 << 20;

/// Writes a value by this type. A value of another type is converted first.
///
/// # Errors
/// The value cannot be converted, or it or one inside it is marked: the error has the path.
pub fn encode(value: &Value, ty: &Type) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    encode_into(value, ty, &mut out)?;
    Ok(out)
}

/// As [`encode`], appended to `out`. If it fails, `out` is unchanged.
///
/// # Errors
/// As for [`encode`].
pub fn encode_into(value: &Value, ty: &Type, out: &mut Vec<u8>) -> Result<(), Error> {
    let before = out.len();
    let result = match value.ty_ref().conforms_to(ty) {
        true => write(value, ty, out),
        false => convert::convert(value, ty).and_then(|value| write(&value, ty, out)),
    };
    if result.is_err() {
        out.truncate(before);
    }
    result
}

#[inline(always)]
fn write(value: &Value, ty: &Type, out: &mut Vec<u8>) -> Result<(), Error> {
    match ty {
        Type::Dynamic => write_dynamic(value, out),
        ty => write_plain(value, ty, out),
    }
}

/// A value with its type, unless even that is unknown.
fn write_dynamic(value: &Value, out: &mut Vec<u8>) -> Result<(), Error> {
    let own = value.ty_ref();
    if *own != Type::Dynamic && !value.is_marked() {
        writer::array(2, out);
        writer::binary(own.to_json().as_bytes(), out);
    }
    write_plain(value, own, out)
}

/// What has nothing inside is written right where this is called: most values are such.
#[inline(always)]
fn write_plain(value: &Value, ty: &Type, out: &mut Vec<u8>) -> Result<(), Error> {
    match &value.0 {
        Content::String(text) => writer::string(text.as_bytes(), out),
        Content::Number(number) => match number.to_i64() {
            Some(integer) => writer::integer(integer, out),
            None => return write_large(number, out),
        },
        Content::Bool(value) => writer::boolean(*value, out),
        Content::Null(_) => writer::nil(out),
        _ => return write_compound(value, ty, out),
    }
    Ok(())
}

/// A number that is not an integer of 64 bits.
fn write_large(number: &Number, out: &mut Vec<u8>) -> Result<(), Error> {
    let before = out.len();
    writer::large(number, out);
    Ok(Limits::default().check_digits(out.len() - before, out.len())?)
}

fn write_compound(value: &Value, ty: &Type, out: &mut Vec<u8>) -> Result<(), Error> {
    match &value.0 {
        Content::Sequence(sequence) => write_sequence(sequence.items(), ty, out),
        Content::Map(map) => write_map(map.items(), ty, out),
        Content::Marked(marked) => Err(Problem::Marked(marked.marks.to_string()).into()),
        Content::Unknown(unknown) => {
            refinement::encode(&unknown.refinement, out);
            Ok(())
        }
        _ => write_plain(value, ty, out),
    }
}

fn write_map(entries: &[(Text, Value)], ty: &Type, out: &mut Vec<u8>) -> Result<(), Error> {
    let element = ty.element().unwrap_or(&Type::Dynamic);
    writer::map(entries.len(), out);
    for (key, value) in entries {
        writer::string(key.as_bytes(), out);
        write(value, element, out).map_err(|error| error.below(Step::Key(key.clone())))?;
    }
    Ok(())
}

fn write_sequence(values: &[Value], ty: &Type, out: &mut Vec<u8>) -> Result<(), Error> {
    match ty {
        Type::Object(object) => {
            writer::map(values.len(), out);
            let attributes = object.attributes().iter().zip(object.keys());
            for ((attribute, key), value) in attributes.zip(values) {
                key.write(&attribute.name, out);
                let below = |error: Error| error.below(Step::Attribute(attribute.name.clone()));
                write(value, &attribute.ty, out).map_err(below)?;
            }
        }
        Type::Tuple(tuple) => {
            writer::array(values.len(), out);
            for (index, (element, value)) in tuple.elements().iter().zip(values).enumerate() {
                write(value, element, out).map_err(|error| error.below(Step::Index(index)))?;
            }
        }
        _ => {
            let element = ty.element().unwrap_or(&Type::Dynamic);
            writer::array(values.len(), out);
            let start = out.len();
            for (index, value) in values.iter().enumerate() {
                let below = |error: Error| error.below(Step::to_element(ty, index));
                write(value, element, out).map_err(below)?;
                if index == 0 {
                    // Neighbours are mostly of a size.
                    let others = (out.len() - start).saturating_mul(values.len() - 1);
                    out.reserve(others.min(ROOM_AHEAD));
                }
            }
        }
    }
    Ok(())
}
