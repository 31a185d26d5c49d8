//! Values from JSON, as people write them.
//!
//! JSON is first made into what a plugin could have sent, which [`decode`] then completes and checks: there
//! is one place that says what fits a schema.

use tenon_schema::{Body, Nesting};
use tenon_values::{Error, Number, Problem, Step, Type, Value};
use tenon_wire::json::{self, MAX_DEPTH, Scanner};
use tenon_wire::mask::MASK_JSON;
use tenon_wire::msgpack::write;
use tenon_wire::transcode;

use super::super::ext_names::EXT_NAMES;
use super::super::types::read_type;
use super::super::value::{Shape, decode, encode_into};
use super::arguments::elements;

/// How deep values may be nested; this bounds the stack.
const DEPTH: usize = 128;

/// A value of this shape.
pub(super) fn value(json: &str, shape: Shape<'_>) -> Result<Value, Error> {
    let mut packed = Vec::new();
    pack(json, Some(shape), DEPTH, &mut packed)?;
    decode(&packed, shape)
}

/// A configuration with its defaults. Null is an empty one.
pub(super) fn config(json: &str, body: &Body) -> Result<Value, Error> {
    let json = match json.trim() {
        "null" => "{}",
        json => json,
    };
    let given = value(json, body.into())?;
    let completed = body.complete(&given).map_err(|errors| {
        let first = errors.into_iter().next();
        first.unwrap_or_else(|| problem("it does not fit its schema"))
    })?;
    Ok(completed.unmark_deep().0)
}

fn pack(
    json: &str,
    shape: Option<Shape<'_>>,
    depth: usize,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let depth = deeper(depth)?;
    let is_any = matches!(shape, Some(Shape::Type(Type::Dynamic)));
    match Scanner::new(json.as_bytes(), MAX_DEPTH).peek() {
        Some(b'{') => {
            let members = members(json)?;
            if let [(key, inner)] = &members[..]
                && key.starts_with('$')
            {
                return spelling(json, key, inner, shape, depth, out);
            }
            if is_any {
                return encode_into(&implied(json, depth)?, &Type::Dynamic, out);
            }
            write::map(out, members.len());
            for (name, member) in members {
                entry(&name, member, shape, depth, out)?;
            }
        }
        Some(b'[') if is_any => return encode_into(&implied(json, depth)?, &Type::Dynamic, out),
        Some(b'[') => {
            let elements = elements(json)?;
            write::array(out, elements.len());
            for (index, element) in elements.into_iter().enumerate() {
                pack(element, element_of(shape, index), depth, out)
                    .map_err(|error| error.below(Step::Index(index)))?;
            }
        }
        Some(b'-' | b'0'..=b'9') => number(json, shape, out)?,
        _ => out.extend_from_slice(&packed(json)?),
    }
    Ok(())
}

/// A key and its value.
fn entry(
    name: &str,
    json: &str,
    shape: Option<Shape<'_>>,
    depth: usize,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    write::str(out, name.as_bytes());
    let (inner, step) = match shape {
        Some(Shape::Type(Type::Map(element))) => {
            (Some(Shape::Type(element)), Step::Key(name.into()))
        }
        Some(Shape::Nested(Nesting::Map, attributes, blocks)) => (
            Some(Shape::Object(attributes, blocks)),
            Step::Key(name.into()),
        ),
        shape => (
            shape.and_then(|shape| shape.part(name)),
            Step::Attribute(name.into()),
        ),
    };
    pack(json, inner, depth, out).map_err(|error| error.below(step))
}

/// The shape of an element of a list, a set or a tuple.
pub(super) fn element_of(shape: Option<Shape<'_>>, index: usize) -> Option<Shape<'_>> {
    match shape? {
        Shape::Type(Type::List(element) | Type::Set(element)) => Some(Shape::Type(element)),
        Shape::Type(Type::Tuple(tuple)) => tuple.elements().get(index).map(Shape::Type),
        Shape::Nested(Nesting::List | Nesting::Set, attributes, blocks) => {
            Some(Shape::Object(attributes, blocks))
        }
        _ => None,
    }
}

/// What the only member of an object stands for.
fn spelling(
    json: &str,
    key: &str,
    inner: &str,
    shape: Option<Shape<'_>>,
    depth: usize,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    match key {
        "$sensitive" => pack(unmasked(inner)?, shape, depth, out),
        "$any" => {
            let Some(Shape::Type(Type::Dynamic)) = shape else {
                return Err(problem("`$any` is only for values of the type any"));
            };
            encode_into(&any(inner, depth)?, &Type::Dynamic, out)
        }
        "$map" => {
            if let Some(Shape::Type(Type::Dynamic)) = shape {
                return encode_into(&implied(json, depth)?, &Type::Dynamic, out);
            }
            let entries = entries(inner)?;
            write::map(out, entries.len());
            for (name, value) in entries {
                entry(&name, value, shape, depth, out)?;
            }
            Ok(())
        }
        "$binary" => Err(problem("a value cannot be binary data")),
        "$unknown" | "$ext" | "$float" => {
            out.extend_from_slice(&packed(json)?);
            Ok(())
        }
        _ => Err(unknown_spelling(key)),
    }
}

/// A value of the type `any`: of the type that it implies, or of its own with `$any`.
fn implied(json: &str, depth: usize) -> Result<Value, Error> {
    let depth = deeper(depth)?;
    match Scanner::new(json.as_bytes(), MAX_DEPTH).peek() {
        Some(b'{') => {
            let members = members(json)?;
            if let [(key, inner)] = &members[..]
                && key.starts_with('$')
            {
                return match key.as_str() {
                    "$sensitive" => implied(unmasked(inner)?, depth),
                    "$any" => any(inner, depth),
                    "$map" => object(entries(inner)?, depth),
                    "$binary" => Err(problem("a value cannot be binary data")),
                    "$unknown" | "$ext" | "$float" => decode(&packed(json)?, &Type::Dynamic),
                    _ => Err(unknown_spelling(key)),
                };
            }
            object(members, depth)
        }
        Some(b'[') => {
            let mut values = Vec::new();
            for (index, element) in elements(json)?.into_iter().enumerate() {
                let value = implied(element, depth);
                values.push(value.map_err(|error| error.below(Step::Index(index)))?);
            }
            Ok(Value::tuple(values))
        }
        Some(b'-' | b'0'..=b'9') => {
            let number: Number = json.trim().parse().map_err(Problem::from)?;
            Ok(Value::from(number))
        }
        _ => decode(&packed(json)?, &Type::Dynamic),
    }
}

fn object(members: Vec<(String, &str)>, depth: usize) -> Result<Value, Error> {
    let mut attributes: Vec<(String, Value)> = Vec::new();
    for (name, member) in members {
        let value = implied(member, depth);
        let value = value.map_err(|error| error.below(Step::Attribute(name.as_str().into())))?;
        if attributes.iter().any(|(known, _)| *known == name) {
            return Err(Problem::SameKey(name).into());
        }
        attributes.push((name, value));
    }
    Ok(Value::object(attributes))
}

/// A value of the type `any` with its type.
fn any(json: &str, depth: usize) -> Result<Value, Error> {
    let depth = deeper(depth)?;
    let [ty, value] = elements(json)?[..] else {
        return Err(problem(
            "`$any` has a type and a value: {\"$any\":[\"list(string)\",[\"a\"]]}",
        ));
    };
    let ty = read_type(&packed(ty)?).map_err(|error| problem(&error))?;
    let mut packed = Vec::new();
    pack(value, Some(Shape::Type(&ty)), depth, &mut packed)?;
    decode(&packed, &ty)
}

/// A number with all its digits, if a number belongs there.
fn number(json: &str, shape: Option<Shape<'_>>, out: &mut Vec<u8>) -> Result<(), Error> {
    let text = json.trim();
    let is_integer = text.parse::<i64>().is_ok() || text.parse::<u64>().is_ok();
    match shape {
        Some(Shape::Type(Type::Number)) if !is_integer => write::str(out, text.as_bytes()),
        Some(Shape::Type(Type::Dynamic)) => {
            return encode_into(&implied(json, DEPTH)?, &Type::Dynamic, out);
        }
        _ => out.extend_from_slice(&packed(json)?),
    }
    Ok(())
}

fn members(json: &str) -> Result<Vec<(String, &str)>, Error> {
    let mut places = Vec::new();
    let mut scanner = Scanner::new(json.as_bytes(), MAX_DEPTH);
    scanner
        .object(|key, value| places.push((key, value)))
        .map_err(|error| problem(&error.to_string()))?;
    let member = |(key, value): (std::ops::Range<usize>, std::ops::Range<usize>)| {
        let name = json::unescape(&json.as_bytes()[key]);
        let name = name.ok_or_else(|| problem("a key is not valid Unicode"))?;
        Ok((name.into_owned(), &json[value]))
    };
    places.into_iter().map(member).collect()
}

/// The entries of a map that is spelled out.
fn entries(json: &str) -> Result<Vec<(String, &str)>, Error> {
    let wrong = || problem("`$map` has a list of keys and values: {\"$map\":[[\"$a\",1]]}");
    let mut entries = Vec::new();
    for entry in elements(json).map_err(|_| wrong())? {
        let [key, value] = elements(entry).map_err(|_| wrong())?[..] else {
            return Err(wrong());
        };
        entries.push((serde_json::from_str(key).map_err(|_| wrong())?, value));
    }
    Ok(entries)
}

fn unmasked(json: &str) -> Result<&str, Error> {
    match json.trim() == MASK_JSON {
        true => Err(problem(
            "this is a masked value; give the value itself, which --show-sensitive shows",
        )),
        false => Ok(json),
    }
}

fn packed(json: &str) -> Result<Vec<u8>, Error> {
    transcode::json_to_msgpack(json.as_bytes(), EXT_NAMES)
        .map_err(|error| problem(&error.to_string()))
}

fn deeper(depth: usize) -> Result<usize, Error> {
    depth
        .checked_sub(1)
        .ok_or_else(|| problem("it is nested too deeply"))
}

fn unknown_spelling(key: &str) -> Error {
    problem(&format!(
        "unknown spelling {key:?}; a map with this key is written as {{\"$map\":[[{key:?},VALUE]]}}"
    ))
}

fn problem(text: &str) -> Error {
    Problem::Serde(text.to_owned()).into()
}
