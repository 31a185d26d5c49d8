//! From values to msgpack.

use crate::convert;
use crate::error::{Error, Problem};
use crate::msgpack::{refinement, writer};
use crate::path::Step;
use crate::types::Type;
use crate::value::{Content, Value};

/// Writes a value by this type. A value of another type is converted first.
///
/// # Errors
/// The value cannot be converted, or it or one inside it is marked: the error has the path.
pub fn encode(value: &Value, ty: &Type) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    encode_into(value, ty, &mut out)?;
    Ok(out)
}

/// As [`encode`], behind what is in `out` already. Where it fails, `out` is as it was.
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

fn write(value: &Value, ty: &Type, out: &mut Vec<u8>) -> Result<(), Error> {
    if *ty == Type::Dynamic && !matches!(value.0, Content::Marked(_)) {
        let own = value.ty_ref();
        if *own != Type::Dynamic {
            writer::array(2, out);
            writer::binary(own.to_json().as_bytes(), out);
            return write_plain(value, own, out);
        }
    }
    write_plain(value, ty, out)
}

fn write_plain(value: &Value, ty: &Type, out: &mut Vec<u8>) -> Result<(), Error> {
    match &value.0 {
        Content::String(text) => writer::string(text.as_bytes(), out),
        Content::Number(number) => writer::number(number, out),
        Content::Bool(value) => writer::boolean(*value, out),
        Content::Null(_) => writer::nil(out),
        Content::Unknown(unknown) => refinement::encode(&unknown.refinement, out),
        Content::Sequence(sequence) => return write_sequence(&sequence.values, ty, out),
        Content::Map(map) => {
            let element = ty.element().unwrap_or(&Type::Dynamic);
            writer::map(map.entries.len(), out);
            for (key, value) in &map.entries {
                writer::string(key.as_bytes(), out);
                write(value, element, out).map_err(|error| error.below(Step::Key(key.clone())))?;
            }
        }
        Content::Marked(marked) => return Err(Problem::Marked(marked.marks.to_string()).into()),
    }
    Ok(())
}

fn write_sequence(values: &[Value], ty: &Type, out: &mut Vec<u8>) -> Result<(), Error> {
    match ty {
        Type::Object(object) => {
            writer::map(values.len(), out);
            for (attribute, value) in object.attributes().iter().zip(values) {
                writer::string(attribute.name.as_bytes(), out);
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
            for (index, value) in values.iter().enumerate() {
                write(value, element, out)
                    .map_err(|error| error.below(Step::to_element(ty, index)))?;
            }
        }
    }
    Ok(())
}
