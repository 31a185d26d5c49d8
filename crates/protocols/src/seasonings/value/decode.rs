//! From what plugins send to values.
//!
//! What a plugin sends is first completed to the strict encoding that `tenon_values::msgpack` reads:
//! missing attributes, absent blocks and the types of `any` values are filled in. Every check of a value
//! is made there, once.

use tenon_schema::{Attribute, Block, Nesting};
use tenon_values::{Error, Limits, Number, Problem, Step, Text, Type, Value, msgpack};
use tenon_wire::msgpack::{Budget, Reader, Scanner, Token, Violation, write};

use super::Shape;

/// Reads a value.
///
/// A missing attribute of an object is null, and one that the type does not have is an error. An absent
/// block is empty; of the nesting `single` it is null, and of `group` an object. A value of the type
/// `any` that does not have its type with it has the type that it implies.
///
/// # Errors
/// It does not fit; the error has the path.
pub fn decode<'a>(packed: &[u8], shape: impl Into<Shape<'a>>) -> Result<Value, Error> {
    read(packed, shape.into(), None)
}

/// As [`decode`], but what is missing in an object has the value that it has in `base`. Elements of lists are paired by
/// their index, if there are as many, and of maps by their key. Those of sets have no names: in them, what is missing is
/// null.
///
/// # Errors
/// As for [`decode`].
pub fn decode_over<'a>(
    packed: &[u8],
    shape: impl Into<Shape<'a>>,
    base: &Value,
) -> Result<Value, Error> {
    read(packed, shape.into(), Some(base))
}

fn read(packed: &[u8], shape: Shape<'_>, base: Option<&Value>) -> Result<Value, Error> {
    check_limits(packed)?;
    let mut strict = Vec::with_capacity(packed.len() + 16);
    complete(packed, shape, base, &mut strict)?;
    msgpack::decode(&strict, &shape.implied_type())
}

/// Checks that this is one value within the limits: what follows goes as deep as the value does.
fn check_limits(packed: &[u8]) -> Result<(), Error> {
    let limits = Limits::default();
    let budget = Budget {
        bytes: limits.size,
        depth: limits.depth,
        elements: limits.elements as u64,
    };
    match Scanner::default().scan(packed, budget) {
        Ok(Some(length)) if length == packed.len() => Ok(()),
        Ok(_) => Err(cut_short()),
        Err(Violation::NotMsgpack(problem)) => Err(malformed(problem)),
        Err(Violation::Limit(problem)) => Err(malformed(&problem)),
    }
}

fn complete(
    packed: &[u8],
    shape: Shape<'_>,
    base: Option<&Value>,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let token = Reader::new(packed).token().ok_or_else(cut_short)?;
    if matches!(token, Token::Nil | Token::Ext(..)) {
        out.extend_from_slice(packed);
        return Ok(());
    }
    match shape {
        Shape::Type(ty) => complete_typed(packed, token, ty, out),
        Shape::Object(attributes, blocks)
        | Shape::Nested(Nesting::Single | Nesting::Group, attributes, blocks) => {
            object(packed, token, attributes, blocks, base, out)
        }
        Shape::Nested(nesting, attributes, blocks) => {
            several(packed, token, (nesting, attributes, blocks), base, out)
        }
    }
}

/// An object of a schema.
fn object(
    packed: &[u8],
    token: Token<'_>,
    attributes: &[Attribute],
    blocks: &[Block],
    base: Option<&Value>,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let shape = Shape::Object(attributes, blocks);
    let Token::Map(_) = token else {
        return Err(required(shape.implied_type(), token));
    };
    let sent = entries(packed)?;
    let names = || {
        let attributes = attributes.iter().map(|one| one.name.as_str());
        attributes.chain(blocks.iter().map(|one| one.name.as_str()))
    };
    check_names(&sent, names)?;
    let find = |name: &str| sent.iter().find(|(key, _)| *key == name.as_bytes());
    let base = |name: &str| base?.attributes()?.get(name).cloned();
    write::map(out, attributes.len() + blocks.len());
    for one in attributes {
        write::str(out, one.name.as_bytes());
        match (find(&one.name), base(&one.name)) {
            (Some((_, value)), base) => {
                complete(value, Shape::from(&one.ty), base.as_ref(), out)
                    .map_err(|error| error.below(Step::Attribute(one.name.as_str().into())))?;
            }
            (None, Some(value)) => msgpack::encode_into(&value, &one.implied_type(), out)?,
            (None, None) => write::nil(out),
        }
    }
    for one in blocks {
        write::str(out, one.name.as_bytes());
        let sent = find(&one.name).filter(|(_, value)| **value != [0xc0]);
        match (sent, base(&one.name)) {
            (Some((_, value)), base) => {
                complete(value, Shape::from(one), base.as_ref(), out)
                    .map_err(|error| error.below(Step::Attribute(one.name.as_str().into())))?;
            }
            (None, Some(value)) => msgpack::encode_into(&value, &one.implied_type(), out)?,
            (None, None) => absent(one, out)?,
        }
    }
    Ok(())
}

/// A block that is not there.
fn absent(block: &Block, out: &mut Vec<u8>) -> Result<(), Error> {
    let is_any = block.implied_type() == Type::Dynamic;
    match block.nesting {
        Nesting::Single => write::nil(out),
        Nesting::Group => return complete(&[0x80], Shape::from(block), None, out),
        Nesting::List if is_any => {
            msgpack::encode_into(&Value::tuple(vec![]), &Type::Dynamic, out)?;
        }
        Nesting::Map if is_any => {
            msgpack::encode_into(&Value::object::<&str>([]), &Type::Dynamic, out)?;
        }
        Nesting::List | Nesting::Set => write::array(out, 0),
        Nesting::Map => write::map(out, 0),
    }
    Ok(())
}

/// A list, set or map of objects of a schema.
fn several(
    packed: &[u8],
    token: Token<'_>,
    (nesting, attributes, blocks): (Nesting, &[Attribute], &[Block]),
    base: Option<&Value>,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let inner = Shape::Object(attributes, blocks);
    let base_of_key = |key: &Text| key_of(base?, key);
    let base_of_index = |index: usize, count: usize| {
        let elements = base.filter(|_| nesting == Nesting::List)?.elements()?;
        elements.get(index).filter(|_| elements.len() == count)
    };
    let implied = Shape::Nested(nesting, attributes, blocks).implied_type();
    let is_any = implied == Type::Dynamic;
    match (nesting, token) {
        (Nesting::Map, Token::Map(_)) if is_any => {
            let mut values = Vec::new();
            for (key, value) in entries(packed)? {
                let key = String::from_utf8_lossy(key);
                let below = |error: Error| error.below(Step::Key(Text::from(&*key)));
                let base = base_of_key(&Text::from(&*key));
                let value = read(value, inner, base.as_ref()).map_err(below)?;
                values.push((key.clone(), value));
            }
            msgpack::encode_into(&Value::object(values), &Type::Dynamic, out)
        }
        (Nesting::Map, Token::Map(_)) => {
            let entries = entries(packed)?;
            write::map(out, entries.len());
            for (key, value) in entries {
                write::str(out, key);
                let below = |error: Error| error.below(Step::Key(Text::from_bytes(key)));
                let base = base_of_key(&Text::from_bytes(key));
                complete(value, inner, base.as_ref(), out).map_err(below)?;
            }
            Ok(())
        }
        (Nesting::List | Nesting::Set, Token::Array(_)) if is_any => {
            let mut values = Vec::new();
            let sent = elements(packed)?;
            let count = sent.len();
            for (index, value) in sent.into_iter().enumerate() {
                let below = |error: Error| error.below(Step::Index(index));
                let base = base_of_index(index, count);
                values.push(read(value, inner, base).map_err(below)?);
            }
            msgpack::encode_into(&Value::tuple(values), &Type::Dynamic, out)
        }
        (Nesting::List | Nesting::Set, Token::Array(count)) => {
            sequence(packed, out, |index, value, out| {
                complete(value, inner, base_of_index(index, count as usize), out)
            })
        }
        _ => Err(required(implied, token)),
    }
}

/// The element of a map with this key. Objects with a value of the type `any` in them do not make a map, but an object.
fn key_of(map: &Value, key: &Text) -> Option<Value> {
    match map.entries() {
        Some(entries) => {
            let found = entries.iter().find(|(other, _)| other == key);
            found.map(|(_, one)| one.clone())
        }
        None => map.attributes()?.get(&key.to_string_lossy()).cloned(),
    }
}

fn complete_typed(
    packed: &[u8],
    token: Token<'_>,
    ty: &Type,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    match (ty, token) {
        _ if !has_gaps(ty) => out.extend_from_slice(packed),
        (Type::Number, Token::Float(float)) if is_large(float) => {
            let number = Number::try_from(float).map_err(Problem::from)?;
            write::str(out, number.to_compact_text().as_bytes());
        }
        (Type::Dynamic, Token::Array(2)) => match elements(packed)?[..] {
            [ty, value] if is_binary(ty) => return with_type(ty, value, out),
            _ => implied(packed, out)?,
        },
        (Type::Dynamic, _) => implied(packed, out)?,
        (Type::List(element) | Type::Set(element), Token::Array(_)) => {
            return sequence(packed, out, |_, value, out| {
                complete(value, Shape::Type(element), None, out)
            });
        }
        (Type::Tuple(tuple), Token::Array(length)) if length as usize == tuple.elements().len() => {
            return sequence(packed, out, |index, value, out| {
                complete(value, Shape::Type(&tuple.elements()[index]), None, out)
            });
        }
        (Type::Map(element), Token::Map(_)) => {
            let entries = entries(packed)?;
            write::map(out, entries.len());
            for (key, value) in entries {
                write::str(out, key);
                let below = |error: Error| error.below(Step::Key(Text::from_bytes(key)));
                complete(value, Shape::Type(element), None, out).map_err(below)?;
            }
        }
        (Type::Object(object), Token::Map(_)) => {
            let sent = entries(packed)?;
            check_names(&sent, || {
                object.attributes().iter().map(|one| one.name.as_str())
            })?;
            write::map(out, object.attributes().len());
            for one in object.attributes() {
                write::str(out, one.name.as_bytes());
                match sent.iter().find(|(key, _)| *key == one.name.as_bytes()) {
                    Some((_, value)) => complete(value, Shape::Type(&one.ty), None, out)
                        .map_err(|error| error.below(Step::Attribute(one.name.clone())))?,
                    None => write::nil(out),
                }
            }
        }
        // The strict reader says what is wrong.
        _ => out.extend_from_slice(packed),
    }
    Ok(())
}

/// Whether a value of the type may come in another form than the strict one.
fn has_gaps(ty: &Type) -> bool {
    match ty {
        Type::String | Type::Bool => false,
        Type::Number | Type::Dynamic | Type::Object(_) => true,
        Type::List(element) | Type::Set(element) | Type::Map(element) => has_gaps(element),
        Type::Tuple(tuple) => tuple.elements().iter().any(has_gaps),
    }
}

fn is_binary(packed: &[u8]) -> bool {
    matches!(Reader::new(packed).token(), Some(Token::Bin(_)))
}

/// A value of the type `any` with its type.
fn with_type(ty: &[u8], value: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
    let Some(Token::Bin(json)) = Reader::new(ty).token() else {
        return Err(cut_short());
    };
    let json = std::str::from_utf8(json).map_err(|_| Problem::NotUtf8)?;
    let known = Type::from_json(json).map_err(Problem::from)?;
    write::array(out, 2);
    out.extend_from_slice(ty);
    complete(value, Shape::Type(&known), None, out)
}

/// A value of the type `any` without its type.
fn implied(packed: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
    let ty = msgpack::implied_type(packed)?;
    let value = msgpack::decode(packed, &ty)?;
    let value = value.transform(&mut |_, part| match part.as_number() {
        Some(number) if number.to_u64().is_none() && is_large(number.to_f64()) => {
            let number: Number = number.to_compact_text().parse().map_err(Problem::from)?;
            Ok(Value::from(number))
        }
        _ => Ok(part),
    })?;
    msgpack::encode_into(&value, &Type::Dynamic, out)
}

/// Whether a float is a whole number that no integer of msgpack holds. It stands for the number with its
/// shortest decimal, as it does when it is sent: whole numbers are compared digit by digit.
fn is_large(float: f64) -> bool {
    float.is_finite() && float.trunc() == float && float.abs() >= 9_223_372_036_854_775_808.0
}

fn sequence(
    packed: &[u8],
    out: &mut Vec<u8>,
    mut each: impl FnMut(usize, &[u8], &mut Vec<u8>) -> Result<(), Error>,
) -> Result<(), Error> {
    let elements = elements(packed)?;
    write::array(out, elements.len());
    for (index, value) in elements.into_iter().enumerate() {
        each(index, value, out).map_err(|error| error.below(Step::Index(index)))?;
    }
    Ok(())
}

/// The elements of an array.
fn elements(packed: &[u8]) -> Result<Vec<&[u8]>, Error> {
    let mut reader = Reader::new(packed);
    let Some(Token::Array(count)) = reader.token() else {
        return Err(cut_short());
    };
    // The count is what the sender says; it is not allocated from.
    let mut elements = Vec::new();
    for _ in 0..count {
        elements.push(&packed[reader.skip().ok_or_else(cut_short)?]);
    }
    Ok(elements)
}

/// The keys and values of a map.
type Entries<'a> = Vec<(&'a [u8], &'a [u8])>;

/// Splits a map.
fn entries(packed: &[u8]) -> Result<Entries<'_>, Error> {
    let mut reader = Reader::new(packed);
    let Some(Token::Map(count)) = reader.token() else {
        return Err(cut_short());
    };
    let mut entries = Vec::new();
    for _ in 0..count {
        let (Token::Str(key) | Token::Bin(key)) = reader.token().ok_or_else(cut_short)? else {
            return Err(malformed("the keys of a map are texts"));
        };
        entries.push((key, &packed[reader.skip().ok_or_else(cut_short)?]));
    }
    Ok(entries)
}

/// Every name is one of these, and there once.
fn check_names<'n, I: Iterator<Item = &'n str>>(
    sent: &[(&[u8], &[u8])],
    names: impl Fn() -> I,
) -> Result<(), Error> {
    for (index, (key, _)) in sent.iter().enumerate() {
        if sent[..index].iter().any(|(other, _)| other == key) {
            let key = String::from_utf8_lossy(key);
            return Err(Problem::SameKey(key.into_owned()).into());
        }
        if names().any(|name| name.as_bytes() == *key) {
            continue;
        }
        let name = String::from_utf8_lossy(key);
        return Err(Problem::UnsupportedAttribute((*name).into()).into());
    }
    Ok(())
}

fn required(wanted: Type, token: Token<'_>) -> Error {
    let found = match token {
        Token::Nil => "nil",
        Token::Bool(_) => "a bool",
        Token::Unsigned(_) | Token::Negative(_) | Token::Float(_) => "a number",
        Token::Str(_) => "a text",
        Token::Bin(_) => "binary data",
        Token::Ext(..) => "an ext value",
        Token::Array(_) => "an array",
        Token::Map(_) => "a map",
    };
    Problem::Required { wanted, found }.into()
}

fn cut_short() -> Error {
    malformed("cut short, or not msgpack")
}

fn malformed(problem: &str) -> Error {
    Problem::Serde(problem.to_owned()).into()
}

#[cfg(test)]
mod tests;
