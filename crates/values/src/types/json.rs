//! Types as cty writes them in JSON: `["object",{"name":"string"}]`.

use smol_str::SmolStr;

use super::{Attribute, ObjectType, TYPE_DEPTH, TupleType, Type, TypeError};
use crate::json::{Fault, Reader, Token, write_string};
use crate::text::normalized;

impl Type {
    /// The type in compact JSON, with sorted keys.
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        self.write_json(&mut out);
        out
    }

    pub(crate) fn write_json(&self, out: &mut String) {
        match self {
            Type::String => out.push_str("\"string\""),
            Type::Number => out.push_str("\"number\""),
            Type::Bool => out.push_str("\"bool\""),
            Type::Dynamic => out.push_str("\"dynamic\""),
            Type::List(element) => write_element("[\"list\",", element, out),
            Type::Set(element) => write_element("[\"set\",", element, out),
            Type::Map(element) => write_element("[\"map\",", element, out),
            Type::Tuple(tuple) => {
                out.push_str("[\"tuple\",[");
                for (index, element) in tuple.elements().iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    element.write_json(out);
                }
                out.push_str("]]");
            }
            Type::Object(object) => write_object(object, out),
        }
    }

    /// Reads a type from JSON.
    ///
    /// # Errors
    /// The text is not JSON or does not describe a type; the error says where.
    pub fn from_json(text: &str) -> Result<Type, TypeError> {
        // An object takes two levels of JSON.
        let mut reader = Reader::with_depth(text.as_bytes(), TYPE_DEPTH * 2);
        let read = |reader: &mut Reader<'_>| {
            let ty = read_type(reader, TYPE_DEPTH)?;
            reader.end()?;
            Ok(ty)
        };
        read(&mut reader).map_err(|fault: Fault| TypeError::at(text, fault.offset, fault.message))
    }
}

fn write_element(start: &str, element: &Type, out: &mut String) {
    out.push_str(start);
    element.write_json(out);
    out.push(']');
}

fn write_object(object: &ObjectType, out: &mut String) {
    out.push_str("[\"object\",{");
    for (index, attribute) in object.attributes().iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write_string(&attribute.name, out);
        out.push(':');
        attribute.ty.write_json(out);
    }
    out.push('}');
    let mut separator = ",[";
    for attribute in object
        .attributes()
        .iter()
        .filter(|attribute| attribute.is_optional)
    {
        out.push_str(separator);
        write_string(&attribute.name, out);
        separator = ",";
    }
    out.push_str(if separator == "," { "]]" } else { "]" });
}

/// Reads a type inside other JSON, at most so deep.
pub(crate) fn read_type(reader: &mut Reader<'_>, depth: usize) -> Result<Type, Fault> {
    let start = reader.offset();
    let Some(depth) = depth.checked_sub(1) else {
        return Err(reader.fail(format!(
            "the type is nested more than {TYPE_DEPTH} levels deep"
        )));
    };
    let wrong = |message: String| Fault {
        message: message.into(),
        offset: start,
    };
    match reader.value()? {
        Token::String(name) => match &*name {
            "string" => Ok(Type::String),
            "number" => Ok(Type::Number),
            "bool" => Ok(Type::Bool),
            "dynamic" => Ok(Type::Dynamic),
            other => Err(wrong(format!(
                "{other:?} is not a type; the plain ones are \"string\", \"number\", \"bool\" and \"dynamic\""
            ))),
        },
        Token::Array => read_compound(reader, depth),
        _ => Err(wrong(
            "a type must be a name or an array, as in [\"list\",\"string\"]".to_owned(),
        )),
    }
}

fn read_compound(reader: &mut Reader<'_>, depth: usize) -> Result<Type, Fault> {
    let start = reader.offset();
    let kind = match reader.next_element()? {
        true => reader.value()?,
        false => Token::Null,
    };
    let Token::String(kind) = kind else {
        let message =
            "the first element names the kind: \"list\", \"set\", \"map\", \"tuple\" or \"object\"";
        return Err(Fault {
            message: message.into(),
            offset: start,
        });
    };
    let ty = match &*kind {
        "list" => Type::list(read_argument(reader, depth)?),
        "set" => Type::set(read_argument(reader, depth)?),
        "map" => Type::map(read_argument(reader, depth)?),
        "tuple" => Type::Tuple(read_tuple(reader, depth)?),
        "object" => Type::Object(read_object(reader, depth)?),
        other => {
            let message = format!(
                "{other:?} is not a kind of type; they are \"list\", \"set\", \"map\", \"tuple\" and \"object\""
            );
            return Err(Fault {
                message: message.into(),
                offset: start,
            });
        }
    };
    match reader.next_element()? {
        false => Ok(ty),
        true => Err(reader.fail("the type ends here, but more follows")),
    }
}

fn require_argument(reader: &mut Reader<'_>) -> Result<(), Fault> {
    match reader.next_element()? {
        true => Ok(()),
        false => Err(reader.fail("the kind of the type is not followed by its element type")),
    }
}

fn read_argument(reader: &mut Reader<'_>, depth: usize) -> Result<Type, Fault> {
    require_argument(reader)?;
    read_type(reader, depth)
}

/// The elements of a tuple. Null is none, as Go writes an empty slice.
fn read_tuple(reader: &mut Reader<'_>, depth: usize) -> Result<TupleType, Fault> {
    require_argument(reader)?;
    let mut elements = Vec::new();
    match reader.value()? {
        Token::Null => {}
        Token::Array => {
            while reader.next_element()? {
                elements.push(read_type(reader, depth)?);
            }
        }
        _ => return Err(reader.fail("the element types of a tuple must be an array")),
    }
    Ok(TupleType::new(elements))
}

/// The attributes of an object, and which of them are optional. Null is none.
fn read_object(reader: &mut Reader<'_>, depth: usize) -> Result<ObjectType, Fault> {
    require_argument(reader)?;
    let mut attributes = Vec::new();
    match reader.value()? {
        Token::Null => {}
        Token::Object => {
            while let Some(name) = reader.next_key()? {
                let name: SmolStr = normalized(&name).into();
                attributes.push(Attribute {
                    name,
                    ty: read_type(reader, depth)?,
                    is_optional: false,
                });
            }
        }
        _ => return Err(reader.fail("the attributes of an object must be a JSON object")),
    }
    let at_end = reader.clone();
    let required = ObjectType::new(attributes);
    if !reader.next_element()? {
        // The end of the array is for the caller to see.
        *reader = at_end;
        return Ok(required);
    }
    read_optional(reader, &required)
}

fn read_optional(reader: &mut Reader<'_>, object: &ObjectType) -> Result<ObjectType, Fault> {
    let mut attributes = object.attributes().to_vec();
    match reader.value()? {
        Token::Null => {}
        Token::Array => {
            while reader.next_element()? {
                let Token::String(name) = reader.value()? else {
                    return Err(reader.fail("the optional attributes must be an array of names"));
                };
                match object.position(&normalized(&name)) {
                    Some(position) => attributes[position].is_optional = true,
                    None => {
                        let message = format!(
                            "the optional attribute {name:?} is not an attribute of the object"
                        );
                        return Err(reader.fail(message));
                    }
                }
            }
        }
        _ => return Err(reader.fail("the optional attributes must be an array of names")),
    }
    Ok(ObjectType::sorted(attributes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_where_it_is_wrong() {
        for (text, message, column) in [
            (
                "\"any\"",
                "\"any\" is not a type; the plain ones are \"string\", \"number\", \"bool\" and \"dynamic\"",
                1,
            ),
            (
                "[\"list\"]",
                "the kind of the type is not followed by its element type",
                9,
            ),
            (
                "[\"list\",\"strin\"]",
                "\"strin\" is not a type; the plain ones are \"string\", \"number\", \"bool\" and \"dynamic\"",
                9,
            ),
            (
                "[\"object\",{\"a\":\"string\"},[\"b\"]]",
                "the optional attribute \"b\" is not an attribute of the object",
                30,
            ),
        ] {
            let error = Type::from_json(text).unwrap_err();
            assert_eq!((error.message.as_str(), error.column), (message, column));
        }
    }

    #[test]
    fn stops_at_the_depth_limit() {
        let nested = |depth: usize| {
            format!(
                "{}\"string\"{}",
                "[\"list\",".repeat(depth),
                "]".repeat(depth)
            )
        };
        assert!(Type::from_json(&nested(TYPE_DEPTH - 1)).is_ok());
        let error = Type::from_json(&nested(100_000)).unwrap_err();
        assert_eq!(
            error.message,
            "the type is nested more than 128 levels deep"
        );
    }
}
