//! Values as JSON, as people read them.

use serde_json::Value as Json;
use tenon_schema::Nesting;
use tenon_values::{Kind, Type, Value, msgpack};
use tenon_wire::mask::MASK_JSON;
use tenon_wire::msgpack::write as pack;
use tenon_wire::transcode;

use super::super::ext_names::EXT_NAMES;
use super::super::value::Shape;
use super::read::element_of;

/// A value of this shape. Sensitive values are in `{"$sensitive":VALUE}`.
pub(super) fn value(value: &Value, shape: Shape<'_>) -> String {
    let mut out = String::new();
    write(value, shape, &mut out);
    out
}

/// Binary data: a text if it can be one.
pub(super) fn binary(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => Json::from(text).to_string(),
        Err(_) => {
            let mut packed = Vec::new();
            pack::bin(&mut packed, bytes);
            transcode::msgpack_to_json(&packed, EXT_NAMES).unwrap_or_default()
        }
    }
}

fn write(value: &Value, shape: Shape<'_>, out: &mut String) {
    if let Shape::Type(Type::Dynamic) = shape {
        let own = value.ty();
        if implies_its_type(value) {
            return write_inside(value, Shape::Type(&own), out);
        }
        out.push_str("{\"$any\":[");
        out.push_str(&Json::from(own.to_string()).to_string());
        out.push(',');
        write_inside(value, Shape::Type(&own), out);
        out.push_str("]}");
        return;
    }
    write_inside(value, shape, out);
}

fn write_inside(value: &Value, shape: Shape<'_>, out: &mut String) {
    match value.kind() {
        Kind::Null => out.push_str("null"),
        Kind::Bool(value) => out.push_str(if value { "true" } else { "false" }),
        Kind::Number(number) if number.is_infinite() => {
            let sign = if number.is_negative() { "-" } else { "" };
            out.push_str(&format!("{{\"$float\":\"{sign}Infinity\"}}"));
        }
        Kind::Number(number) => out.push_str(&number.to_compact_text()),
        Kind::String(text) => out.push_str(&binary(text.as_bytes())),
        Kind::List(values) | Kind::Set(values) | Kind::Tuple(values) => {
            for (index, part) in values.iter().enumerate() {
                out.push(if index == 0 { '[' } else { ',' });
                let own = part.ty();
                let element = element_of(Some(shape), index);
                write(part, element.unwrap_or(Shape::Type(&own)), out);
            }
            out.push_str(if values.is_empty() { "[]" } else { "]" });
        }
        Kind::Map(entries) => {
            let entries = entries
                .iter()
                .map(|(key, part)| (key.to_string_lossy(), part));
            write_entries(entries, shape, out);
        }
        Kind::Object(attributes) => {
            let entries = attributes.iter().map(|(name, part)| (name.into(), part));
            write_entries(entries, shape, out);
        }
        Kind::Unknown(_) => {
            let packed = msgpack::encode(value, &value.ty()).ok();
            let shown =
                packed.and_then(|packed| transcode::msgpack_to_json(&packed, EXT_NAMES).ok());
            out.push_str(shown.as_deref().unwrap_or("{\"$unknown\":true}"));
        }
        // What was decoded has no marks.
        Kind::Marked(..) => out.extend(["{\"$sensitive\":", MASK_JSON, "}"]),
    }
}

fn write_entries<'v>(
    entries: impl ExactSizeIterator<Item = (std::borrow::Cow<'v, str>, &'v Value)>,
    shape: Shape<'_>,
    out: &mut String,
) {
    let count = entries.len();
    let mut entries = entries.peekable();
    let is_like_spelling =
        count == 1 && entries.peek().is_some_and(|(key, _)| key.starts_with('$'));
    let [open, between, close] = match is_like_spelling {
        true => ["{\"$map\":[[", ",", "]]}"],
        false => ["{", ":", "}"],
    };
    out.push_str(open);
    for (index, (key, part)) in entries.enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.push_str(&Json::from(&*key).to_string());
        out.push_str(between);
        write_part(&key, part, shape, out);
    }
    out.push_str(close);
}

/// An attribute of an object, or an entry of a map.
fn write_part(name: &str, part: &Value, shape: Shape<'_>, out: &mut String) {
    match shape {
        Shape::Type(Type::Map(element)) => write(part, Shape::Type(element), out),
        Shape::Nested(Nesting::Map, attributes, blocks) => {
            write(part, Shape::Object(attributes, blocks), out);
        }
        Shape::Object(attributes, _) | Shape::Nested(_, attributes, _) => {
            let attribute = attributes.iter().find(|one| one.name == name);
            let is_secret = attribute.is_some_and(|one| one.is_sensitive || one.is_write_only);
            let own = part.ty();
            let inner = shape.part(name).unwrap_or(Shape::Type(&own));
            match is_secret && !part.is_null() && part.is_known() {
                true => {
                    out.push_str("{\"$sensitive\":");
                    write(part, inner, out);
                    out.push('}');
                }
                false => write(part, inner, out),
            }
        }
        shape => {
            let own = part.ty();
            write(part, shape.part(name).unwrap_or(Shape::Type(&own)), out);
        }
    }
}

/// Whether the JSON of a value implies its type: arrays are tuples, and objects objects.
fn implies_its_type(value: &Value) -> bool {
    match value.kind() {
        Kind::Bool(_) | Kind::Number(_) | Kind::String(_) => true,
        Kind::Tuple(values) => values.iter().all(implies_its_type),
        Kind::Object(attributes) => attributes.iter().all(|(_, part)| implies_its_type(part)),
        Kind::Null | Kind::Unknown(_) => value.ty() == Type::Dynamic,
        Kind::List(_) | Kind::Set(_) | Kind::Map(_) | Kind::Marked(..) => false,
    }
}
