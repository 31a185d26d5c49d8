//! Converting a value, once the types allow it.

use crate::Number;
use crate::convert::{Safety, common_element, convert_within, explain, unify, unknown};
use crate::error::{Error, Problem};
use crate::limits::Limits;
use crate::path::Step;
use crate::text::Text;
use crate::types::{Attribute, ObjectType, Type};
use crate::value::{Attributes, Kind, Value};

/// What numbers that become text have taken so far. As text they have all their digits, of which a
/// few bytes of an exponent may say many.
#[derive(Default)]
pub(super) struct Digits {
    written: usize,
}

impl Digits {
    fn text(&mut self, number: &Number) -> Result<Value, Error> {
        let text = number.to_text();
        self.written += text.len();
        Limits::default().check_digits(text.len(), self.written)?;
        Ok(Value::string(&text))
    }
}

/// Converts a value for whose type there is a conversion.
pub(super) fn apply(value: &Value, to: &Type, digits: &mut Digits) -> Result<Value, Error> {
    if value.is_marked() {
        let (unmarked, marks) = value.unmark();
        let converted = apply(&unmarked, to, digits).map_err(Error::inside_marked)?;
        return Ok(converted.with_marks(&marks));
    }
    if *to == Type::Dynamic || value.ty_ref() == to {
        return Ok(value.clone());
    }
    match (value.kind(), to) {
        (Kind::Unknown(_), _) => unknown::convert(value, to),
        (Kind::Null, _) => Ok(Value::null(unknown::without_dynamic(
            value.ty_ref(),
            &to.without_optional(),
        ))),
        (Kind::Number(number), Type::String) => digits.text(number),
        (Kind::Bool(value), Type::String) => Ok(Value::from(if value { "true" } else { "false" })),
        (Kind::String(text), Type::Number) => to_number(text).map(Value::from),
        (Kind::String(text), Type::Bool) => to_bool(text),
        (Kind::Object(attributes), Type::Object(wanted)) => object(attributes, wanted, digits),
        (Kind::Tuple(values), Type::Tuple(wanted)) => {
            let pairs = values.iter().zip(wanted.elements()).enumerate();
            let converted = pairs.map(|(index, (value, to))| element(value, to, index, digits));
            Ok(Value::tuple(converted.collect::<Result<_, _>>()?))
        }
        (Kind::List(values) | Kind::Set(values), Type::List(wanted) | Type::Set(wanted)) => {
            from_collection(value, values, wanted, to, digits)
        }
        (Kind::Tuple(values), Type::List(wanted) | Type::Set(wanted)) => {
            from_tuple(value, values, wanted, to, digits)
        }
        (Kind::Map(entries), Type::Map(wanted)) => {
            let source = value.ty_ref().element().unwrap_or(&Type::Dynamic);
            map(
                entries.iter().cloned(),
                source,
                wanted,
                Safety::Safe,
                digits,
            )
        }
        (Kind::Object(attributes), Type::Map(wanted)) => {
            let types = attributes
                .ty()
                .attributes()
                .iter()
                .map(|attribute| &attribute.ty);
            let wanted =
                common_element(types, wanted, Safety::Unsafe).ok_or(Problem::NotUnifiable)?;
            let entries = attributes
                .iter()
                .map(|(name, value)| (Text::new(name), value.clone()));
            map(entries, &wanted, &wanted, Safety::Unsafe, digits)
        }
        (Kind::Map(entries), Type::Object(wanted)) => from_map(entries, wanted, digits),
        _ => Err(explain::explain(value.ty_ref(), to)),
    }
}

fn element(value: &Value, to: &Type, index: usize, digits: &mut Digits) -> Result<Value, Error> {
    apply(value, to, digits).map_err(|error| error.below(Step::Index(index)))
}

fn to_number(text: &Text) -> Result<Number, Error> {
    let found = "text that is not UTF-8";
    let required = || {
        Error::from(Problem::Required {
            wanted: Type::Number,
            found,
        })
    };
    let text = text.as_str().ok_or_else(required)?;
    Ok(text.parse::<Number>().map_err(Problem::from)?)
}

fn to_bool(text: &Text) -> Result<Value, Error> {
    match text.as_bytes() {
        b"true" | b"1" => Ok(Value::TRUE),
        b"false" | b"0" => Ok(Value::FALSE),
        _ => Err(Problem::not_a_bool(&text.to_string_lossy()).into()),
    }
}

fn object(
    attributes: Attributes<'_>,
    wanted: &ObjectType,
    digits: &mut Digits,
) -> Result<Value, Error> {
    let convert = |wanted: &Attribute| {
        let converted = match attributes.get(&wanted.name) {
            Some(value) => apply(value, &wanted.ty, digits),
            None => Ok(Value::null(wanted.ty.clone())),
        };
        let below = |error: Error| error.below(Step::Attribute(wanted.name.clone()));
        Ok((wanted.name.clone(), converted.map_err(below)?))
    };
    let converted: Result<Vec<_>, Error> = wanted.attributes().iter().map(convert).collect();
    Ok(Value::object(converted?))
}

/// A list or set from another. A set loses duplicates and the order.
fn from_collection(
    source: &Value,
    values: &[Value],
    wanted: &Type,
    to: &Type,
    digits: &mut Digits,
) -> Result<Value, Error> {
    let own = source.ty_ref().element().unwrap_or(&Type::Dynamic);
    let (shortest, longest) = source.length_range();
    if Some(shortest) != longest && matches!(to, Type::List(_)) {
        // The number of elements of the set is unknown, and so is that of the list.
        let element = unknown::without_dynamic(own, wanted);
        return Ok(Value::unknown(Type::list(element)));
    }
    let values = values.iter().enumerate();
    let converted: Vec<Value> = values
        .map(|(index, value)| {
            let below = |error: Error| error.below(Step::to_element(source.ty_ref(), index));
            apply(value, wanted, digits).map_err(below)
        })
        .collect::<Result<_, _>>()?;
    collection(
        to,
        if *wanted == Type::Dynamic {
            own
        } else {
            wanted
        },
        converted,
    )
}

fn from_tuple(
    source: &Value,
    values: &[Value],
    wanted: &Type,
    to: &Type,
    digits: &mut Digits,
) -> Result<Value, Error> {
    let Type::Tuple(own) = source.ty_ref() else {
        return Err(explain::explain(source.ty_ref(), to));
    };
    let common = common_element(own.elements().iter(), wanted, Safety::Unsafe);
    let common = common.ok_or(Problem::NotUnifiable)?;
    let values = values.iter().enumerate();
    let converted: Vec<Value> = values
        .map(|(index, value)| element(value, &common, index, digits))
        .collect::<Result<_, _>>()?;
    match to {
        // Elements of a type with something dynamic in it may still differ.
        Type::List(_) if common.has_dynamic() && !converted.is_empty() => {
            let converted = unified(converted, Safety::Unsafe, digits)?;
            collection(to, &Type::Dynamic, converted)
        }
        _ => collection(to, &common, converted),
    }
}

fn collection(to: &Type, element: &Type, values: Vec<Value>) -> Result<Value, Error> {
    match to {
        Type::Set(_) => Value::set(element.clone(), values),
        _ => Value::list(element.clone(), values),
    }
}

fn map(
    entries: impl Iterator<Item = (Text, Value)>,
    own: &Type,
    wanted: &Type,
    safety: Safety,
    digits: &mut Digits,
) -> Result<Value, Error> {
    let mut keys = Vec::new();
    let mut values = Vec::new();
    for (key, value) in entries {
        let converted =
            apply(&value, wanted, digits).map_err(|error| error.below(Step::Key(key.clone())));
        values.push(converted?);
        keys.push(key);
    }
    if values.is_empty() {
        let element = if *wanted == Type::Dynamic {
            own
        } else {
            wanted
        };
        return Ok(Value::empty_map(element.without_optional()));
    }
    if wanted.is_collection() || matches!(wanted, Type::Object(_)) {
        values = unified(values, safety, digits)?;
    }
    Value::map(Type::Dynamic, keys.into_iter().zip(values))
}

/// The values as values of the one type that all of them can become.
fn unified(values: Vec<Value>, safety: Safety, digits: &mut Digits) -> Result<Vec<Value>, Error> {
    let types: Vec<Type> = values.iter().map(Value::ty).collect();
    let common = unify(&types, safety).ok_or(Problem::NotUnifiable)?;
    if common == Type::Dynamic {
        return Ok(values);
    }
    values
        .iter()
        .enumerate()
        .map(|(index, value)| element(value, &common, index, digits))
        .collect()
}

/// An object from a map: the keys decide whether it can be one.
fn from_map(
    entries: &[(Text, Value)],
    wanted: &ObjectType,
    digits: &mut Digits,
) -> Result<Value, Error> {
    let find = |name: &str| {
        let compare = |(key, _): &(Text, Value)| key.as_bytes().cmp(name.as_bytes());
        entries
            .binary_search_by(compare)
            .ok()
            .map(|position| &entries[position].1)
    };
    let convert_one = |wanted: &Attribute| {
        let converted = match find(&wanted.name) {
            // An optional attribute may be of a type that the elements do not convert to.
            Some(value) => convert_within(value, &wanted.ty, digits),
            None if wanted.is_optional => Ok(Value::null(wanted.ty.clone())),
            None => return Err(Problem::MissingAttribute(wanted.name.clone()).into()),
        };
        let below = |error: Error| error.below(Step::Key(Text::new(&wanted.name)));
        Ok((wanted.name.clone(), converted.map_err(below)?))
    };
    let converted: Result<Vec<_>, Error> = wanted.attributes().iter().map(convert_one).collect();
    Ok(Value::object(converted?))
}
