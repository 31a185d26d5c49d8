//! Functions of maps and objects.

use std::collections::BTreeMap;

use tenon_values::{Kind, Marks, Text, Type, Value, convert};

use super::limits;
use crate::function::parameter::{any, list, string};
use crate::function::{Arguments, Function, FunctionError, Parameter};

pub(super) fn all() -> Vec<Function> {
    let names = Type::map(Type::list(Type::String));
    vec![
        Function::new("keys", [any("map").or_unknown().or_marked()])
            .describe("Returns the keys of a map, sorted.")
            .gives_typed(keys_type, keys),
        Function::new(
            "lookup",
            [
                any("map").or_unknown().or_marked(),
                string("key").or_unknown().or_marked(),
            ],
        )
        .and_more(any("default").or_null().or_dynamic().or_marked())
        .describe("Returns the element with this key, or the default if there is none.")
        .or_null()
        .gives_typed(found_type, lookup),
        Function::new("merge", [])
            .and_more(any("maps").or_null().or_dynamic().or_marked())
            .describe("Merges maps; for equal keys the last map counts.")
            .gives(Type::Dynamic, merge),
        Function::new("transpose", [Parameter::new("map", names.clone())])
            .describe("Swaps the keys and the elements of a map of lists.")
            .gives(names, transpose),
        Function::new("values", [any("map").or_marked()])
            .describe("Returns the elements of a map, ordered by key.")
            .gives_typed(values_type, values),
        Function::new(
            "zipmap",
            [
                list("keys", Type::String).or_unknown().or_marked(),
                any("values").or_unknown().or_marked(),
            ],
        )
        .describe("Makes a map out of a list of keys and a list of values.")
        .gives_typed(zipped_type, zip),
    ]
}

fn not_a_map(value: &Value, index: usize) -> FunctionError {
    FunctionError::required("a map or object", value).at(index)
}

fn keys_type(arguments: &[Value]) -> Result<Type, FunctionError> {
    match arguments[0].ty() {
        Type::Map(_) => Ok(Type::list(Type::String)),
        Type::Object(object) => Ok(Type::tuple(vec![Type::String; object.attributes().len()])),
        _ => Err(not_a_map(&arguments[0], 0)),
    }
}

fn keys(arguments: Arguments) -> Result<Value, FunctionError> {
    let (value, marks) = arguments[0].unmark();
    let keys = match value.ty() {
        // The names are in the type, so they are known even if the object is not.
        Type::Object(object) => {
            let names = object.attributes().iter();
            Value::tuple(
                names
                    .map(|attribute| Value::string(&attribute.name))
                    .collect(),
            )
        }
        _ => match value.entries() {
            Some(entries) => {
                let keys = entries.iter().map(|(key, _)| Value::from(key.clone()));
                Value::list(Type::String, keys.collect())?
            }
            None => arguments.unknown(),
        },
    };
    Ok(keys.with_marks(&marks))
}

fn found_type(arguments: &[Value]) -> Result<Type, FunctionError> {
    if arguments.len() > 3 {
        let count = arguments.len();
        return Err(FunctionError::new(format!(
            "lookup takes 2 or 3 arguments: there are {count}"
        )));
    }
    let default = arguments.get(2);
    match arguments[0].ty() {
        Type::Map(element) => {
            if let Some(Err(_)) = default.map(|default| convert::convert(default, &element)) {
                let message = "a default of the type of the map's elements is required";
                return Err(FunctionError::new(message).at(2));
            }
            Ok(Type::clone(&element))
        }
        Type::Object(object) => match arguments[1].unmark().0.as_str() {
            None => Ok(Type::Dynamic),
            Some(key) => match (object.attribute(key), default) {
                (Some(attribute), _) => Ok(attribute.ty.clone()),
                (None, Some(default)) => Ok(default.ty()),
                (None, None) => Err(missing(key)),
            },
        },
        _ => Err(not_a_map(&arguments[0], 0)),
    }
}

fn missing(key: &str) -> FunctionError {
    let message = "the map does not have this key, and there is no default";
    FunctionError::new(message).at(1).quoting(key)
}

fn lookup(arguments: Arguments) -> Result<Value, FunctionError> {
    let (map, mut marks) = arguments[0].unmark();
    let (key, found) = arguments[1].unmark();
    marks.extend(&found);
    let key = match key.as_str() {
        Some(key) if map.is_known() => key,
        None if key.is_known() => return Err(FunctionError::new("the key is not UTF-8").at(1)),
        _ => return Ok(arguments.unknown().with_marks(&marks)),
    };
    let element = match map.kind() {
        Kind::Object(attributes) => attributes.get(key).cloned(),
        Kind::Map(entries) => {
            let wanted = Text::new(key);
            let place = entries.binary_search_by(|(key, _)| key.cmp(&wanted));
            place.ok().map(|place| entries[place].1.clone())
        }
        _ => None,
    };
    let element = match (element, arguments.all().get(2)) {
        (Some(element), _) => element,
        (None, Some(default)) => convert::convert(default, arguments.result_type())?,
        (None, None) => return Err(missing(key)),
    };
    Ok(element.with_marks(&marks))
}

fn merge(arguments: Arguments) -> Result<Value, FunctionError> {
    let mut marks = Marks::none();
    let mut maps = Vec::new();
    for (index, value) in arguments.all().iter().enumerate() {
        let (value, found) = value.unmark();
        marks.extend(&found);
        match value.ty() {
            Type::Map(_) | Type::Object(_) => {}
            Type::Dynamic if value.is_null() || !value.is_known() => {}
            _ => return Err(not_a_map(&value, index)),
        }
        maps.push(value);
    }
    let first = maps.first().map(Value::ty);
    let is_one_map =
        matches!(first, Some(Type::Map(_))) && maps.iter().all(|value| Some(value.ty()) == first);
    if !maps.iter().all(Value::is_known) {
        let ty = first.filter(|_| is_one_map).unwrap_or(Type::Dynamic);
        return Ok(Value::unknown(ty).refine_not_null()?.with_marks(&marks));
    }
    let mut merged: BTreeMap<Text, Value> = BTreeMap::new();
    for map in &maps {
        match map.kind() {
            Kind::Map(entries) => merged.extend(entries.iter().cloned()),
            Kind::Object(attributes) => {
                merged.extend(
                    attributes
                        .iter()
                        .map(|(name, value)| (Text::new(name), value.clone())),
                );
            }
            _ => {}
        }
        limits::check_elements(merged.len())?;
    }
    let merged = match first {
        Some(Type::Map(element)) if is_one_map => Value::map(Type::clone(&element), merged)?,
        _ => Value::object(
            merged
                .into_iter()
                .map(|(key, value)| (key.to_string(), value)),
        ),
    };
    Ok(merged.with_marks(&marks))
}

fn transpose(arguments: Arguments) -> Result<Value, FunctionError> {
    let map = &arguments[0];
    if !map.is_wholly_known() {
        return Ok(arguments.unknown());
    }
    let mut transposed: BTreeMap<Text, Vec<Value>> = BTreeMap::new();
    for (key, list) in map.entries().unwrap_or_default() {
        for element in list.elements().unwrap_or_default() {
            let text = element.as_text().cloned();
            let text = text.ok_or_else(|| {
                FunctionError::new("an element is null, which cannot be a key").at(0)
            })?;
            transposed.entry(text).or_default().push(key.clone().into());
        }
    }
    let lists = transposed
        .into_iter()
        .map(|(key, keys)| Ok((key, Value::list(Type::String, keys)?)));
    let entries: Vec<(Text, Value)> = lists.collect::<Result<_, FunctionError>>()?;
    Ok(Value::map(Type::list(Type::String), entries)?)
}

fn values_type(arguments: &[Value]) -> Result<Type, FunctionError> {
    match arguments[0].ty() {
        Type::Map(element) => Ok(Type::List(element)),
        Type::Object(object) => Ok(Type::tuple(
            object
                .attributes()
                .iter()
                .map(|attribute| attribute.ty.clone()),
        )),
        _ => Err(not_a_map(&arguments[0], 0)),
    }
}

fn values(arguments: Arguments) -> Result<Value, FunctionError> {
    let (map, marks) = arguments[0].unmark();
    let values = match map.kind() {
        Kind::Object(attributes) => {
            Value::tuple(attributes.iter().map(|(_, value)| value.clone()).collect())
        }
        _ => {
            let elements = map
                .entries()
                .unwrap_or_default()
                .iter()
                .map(|(_, value)| value.clone());
            let element = map.ty().element().cloned().unwrap_or(Type::Dynamic);
            Value::list(element, elements.collect())?
        }
    };
    Ok(values.with_marks(&marks))
}

/// A map of a list's elements, an object of a tuple's, of which only the body finds the type.
fn zipped_type(arguments: &[Value]) -> Result<Type, FunctionError> {
    match arguments[1].ty() {
        Type::List(element) => Ok(Type::Map(element)),
        Type::Tuple(_) => Ok(Type::Dynamic),
        _ => Err(FunctionError::required("a list or tuple", &arguments[1]).at(1)),
    }
}

fn zip(arguments: Arguments) -> Result<Value, FunctionError> {
    let (keys, mut marks) = arguments[0].unmark_deep();
    let (values, found) = arguments[1].unmark();
    marks.extend(&found);
    let parts = match (keys.elements(), values.elements()) {
        (Some(keys), Some(values)) if keys.iter().all(Value::is_known) => Some((keys, values)),
        _ => None,
    };
    let Some((keys, values)) = parts else {
        return Ok(arguments.unknown().with_marks(&marks));
    };
    if keys.len() != values.len() {
        let message = format!(
            "as many values as keys are required, but there are {} keys and {} values",
            keys.len(),
            values.len()
        );
        return Err(FunctionError::new(message).at(1));
    }
    let null = || FunctionError::new("a key is null").at(0);
    let keys: Vec<Text> = keys
        .iter()
        .map(|key| key.as_text().cloned().ok_or_else(null))
        .collect::<Result<_, _>>()?;
    let entries = keys.into_iter().zip(values.iter().cloned());
    let zipped = match arguments.result_type() {
        Type::Map(element) => Value::map(Type::clone(element), entries)?,
        _ => Value::object(entries.map(|(key, value)| (key.to_string(), value))),
    };
    Ok(zipped.with_marks(&marks))
}
