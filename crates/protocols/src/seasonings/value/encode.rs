//! From values to what plugins are sent.

use tenon_schema::Nesting;
use tenon_values::convert::convert;
use tenon_values::{Error, Kind, Number, Problem, Step, Type, Value, msgpack};
use tenon_wire::msgpack::write;

use super::Shape;

/// Writes a value. One of another type is converted first.
///
/// # Errors
/// It cannot be converted, or it or one inside it is marked; the error has the path.
pub fn encode<'a>(value: &Value, shape: impl Into<Shape<'a>>) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    encode_into(value, shape, &mut out)?;
    Ok(out)
}

/// As [`encode`], behind what is in `out` already.
///
/// # Errors
/// As for [`encode`]. What is in `out` is of no use then.
pub fn encode_into<'a>(
    value: &Value,
    shape: impl Into<Shape<'a>>,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let shape = shape.into();
    let ty = shape.implied_type();
    match value.ty().conforms_to(&ty) {
        true => write(value, shape, out),
        false => write(&convert(value, &ty)?, shape, out),
    }
}

fn write(value: &Value, shape: Shape<'_>, out: &mut Vec<u8>) -> Result<(), Error> {
    match (value.kind(), shape) {
        (_, Shape::Type(ty)) => write_typed(value, ty, out),
        (Kind::Null, _) => {
            write::nil(out);
            Ok(())
        }
        (Kind::Object(attributes), Shape::Object(..))
        | (Kind::Object(attributes), Shape::Nested(Nesting::Single | Nesting::Group, ..)) => {
            write::map(out, attributes.len());
            for (name, part) in attributes.iter() {
                write::str(out, name.as_bytes());
                let own = part.ty();
                let shape = shape.part(name).unwrap_or(Shape::Type(&own));
                write(part, shape, out)
                    .map_err(|error| error.below(Step::Attribute(name.into())))?;
            }
            Ok(())
        }
        // Objects of different types make an object instead of a map, and a tuple instead of a list.
        (Kind::Object(attributes), Shape::Nested(Nesting::Map, fields, blocks)) => {
            write::map(out, attributes.len());
            for (name, part) in attributes.iter() {
                write::str(out, name.as_bytes());
                let below = |error: Error| error.below(Step::Key(name.into()));
                write(part, Shape::Object(fields, blocks), out).map_err(below)?;
            }
            Ok(())
        }
        (Kind::Map(entries), Shape::Nested(_, fields, blocks)) => {
            write::map(out, entries.len());
            for (key, part) in entries {
                write::str(out, key.as_bytes());
                let below = |error: Error| error.below(Step::Key(key.clone()));
                write(part, Shape::Object(fields, blocks), out).map_err(below)?;
            }
            Ok(())
        }
        (
            Kind::List(values) | Kind::Set(values) | Kind::Tuple(values),
            Shape::Nested(_, fields, blocks),
        ) => {
            write::array(out, values.len());
            for (index, part) in values.iter().enumerate() {
                let below = |error: Error| error.below(Step::Index(index));
                write(part, Shape::Object(fields, blocks), out).map_err(below)?;
            }
            Ok(())
        }
        // Unknown, or marked, which is an error.
        (_, shape) => msgpack::encode_into(value, &shape.implied_type(), out),
    }
}

fn write_typed(value: &Value, ty: &Type, out: &mut Vec<u8>) -> Result<(), Error> {
    let own = value.ty();
    if *ty == Type::Dynamic && own != Type::Dynamic {
        write::array(out, 2);
        write::bin(out, own.to_json().as_bytes());
        return write_typed(value, &own, out);
    }
    let element = ty.element().unwrap_or(&Type::Dynamic);
    match value.kind() {
        Kind::Null => write::nil(out),
        Kind::Bool(value) => write::bool(out, value),
        Kind::Number(number) => write_number(number, out),
        Kind::String(text) => write::str(out, text.as_bytes()),
        Kind::List(values) | Kind::Set(values) => {
            write::array(out, values.len());
            for (index, part) in values.iter().enumerate() {
                let below = |error: Error| error.below(Step::Index(index));
                write_typed(part, element, out).map_err(below)?;
            }
        }
        Kind::Tuple(values) => {
            write::array(out, values.len());
            for (index, part) in values.iter().enumerate() {
                let element = match ty {
                    Type::Tuple(tuple) => tuple.elements().get(index),
                    _ => None,
                };
                let below = |error: Error| error.below(Step::Index(index));
                write_typed(part, element.unwrap_or(&part.ty()), out).map_err(below)?;
            }
        }
        Kind::Map(entries) => {
            write::map(out, entries.len());
            for (key, part) in entries {
                write::str(out, key.as_bytes());
                let below = |error: Error| error.below(Step::Key(key.clone()));
                write_typed(part, element, out).map_err(below)?;
            }
        }
        Kind::Object(attributes) => {
            write::map(out, attributes.len());
            for (name, part) in attributes.iter() {
                write::str(out, name.as_bytes());
                let attribute = match ty {
                    Type::Object(object) => object.attribute(name).map(|one| &one.ty),
                    _ => None,
                };
                let below = |error: Error| error.below(Step::Attribute(name.into()));
                write_typed(part, attribute.unwrap_or(&part.ty()), out).map_err(below)?;
            }
        }
        Kind::Unknown(_) => msgpack::encode_into(value, &own, out)?,
        Kind::Marked(marks, _) => return Err(Problem::Marked(marks.to_string()).into()),
    }
    Ok(())
}

/// An integer or a float64 if that has the same shortest decimal, otherwise text: languages without
/// large decimals get numbers wherever nothing is lost.
fn write_number(number: &Number, out: &mut Vec<u8>) {
    if let Some(integer) = number.to_i64() {
        return write::signed(out, integer);
    }
    if let Some(integer) = number.to_u64() {
        return write::unsigned(out, integer);
    }
    let float = number.to_f64();
    let has_same_digits = || {
        let same = Number::try_from(float);
        same.is_ok_and(|same| same.to_compact_text() == number.to_compact_text())
    };
    match number.is_infinite() || (float.is_finite() && has_same_digits()) {
        true => write::float(out, float),
        false => write::str(out, number.to_compact_text().as_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use tenon_schema::{Attribute, Block, Body};
    use tenon_wire::transcode::msgpack_to_json;

    use super::*;

    fn number(text: &str) -> String {
        let number: Number = text.parse().unwrap();
        let bytes = encode(&Value::from(number), &Type::Number).unwrap();
        msgpack_to_json(&bytes, &[]).unwrap()
    }

    #[test]
    fn a_number_is_a_number_where_nothing_is_lost() {
        for (written, sent) in [
            ("0", "0"),
            ("-7", "-7"),
            ("0.5", "0.5"),
            ("0.1", "0.1"),
            ("18446744073709551615", "18446744073709551615"),
            ("18446744073709551616", "\"18446744073709551616\""),
            ("18446744073709551617", "\"18446744073709551617\""),
            ("0.10000000000000000001", "\"0.10000000000000000001\""),
        ] {
            assert_eq!(number(written), sent, "{written}");
        }
    }

    #[test]
    fn values_are_plain_unless_they_have_any_type() {
        let ty: Type = "object({ a = list(string), b = any, c = map(number), d = string })"
            .parse()
            .unwrap();
        let value = Value::object([
            ("a", Value::list(Type::String, vec!["x".into()]).unwrap()),
            ("b", Value::from(true)),
            (
                "c",
                Value::map(Type::Number, [("k", Value::from(1))]).unwrap(),
            ),
            ("d", Value::unknown(Type::String)),
        ]);
        let bytes = encode(&value, &ty).unwrap();
        let mut expected = b"\x84\xa1a\x91\xa1x\xa1b\x92\xc4\x06\"bool\"\xc3".to_vec();
        expected.extend_from_slice(b"\xa1c\x81\xa1k\x01\xa1d\xd4\x00\x00");
        assert_eq!(bytes, expected);
        let secret = Value::object([("d", Value::from("x").sensitive())]);
        let ty: Type = "object({ d = string })".parse().unwrap();
        assert!(
            encode(&secret, &ty)
                .unwrap_err()
                .to_string()
                .starts_with("at .d: ")
        );
    }

    /// To Terraform a list of such blocks has the type `any`; to a plugin it is a list of maps.
    #[test]
    fn blocks_with_any_type_inside_are_lists_all_the_same() {
        let inner = Body::new([Attribute::new("v", Type::Dynamic)]);
        let body = Body::default().with_block(Block::new("b", Nesting::List, inner));
        let part = |value: Value| Value::object([("v", value)]);
        let value = Value::object([("b", Value::tuple(vec![part(1.into()), part("x".into())]))]);
        let bytes = encode(&value, &body).unwrap();
        let expected =
            b"\x81\xa1b\x92\x81\xa1v\x92\xc4\x08\"number\"\x01\x81\xa1v\x92\xc4\x08\"string\"\xa1x";
        assert_eq!(bytes, expected);
        assert_eq!(super::super::decode(&bytes, &body).unwrap(), value);
    }
}
