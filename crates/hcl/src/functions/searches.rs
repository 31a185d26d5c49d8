//! Functions that look something up in a collection, or tell something about it.

use std::collections::HashSet;

use tenon_values::convert::{self, Safety};
use tenon_values::{Number, Type, Value};
use unicode_segmentation::UnicodeSegmentation;

use crate::function::parameter::{any, list, number};
use crate::function::{Arguments, Function, FunctionError};

pub(super) fn all() -> Vec<Function> {
    vec![
        Function::new("alltrue", [list("list", Type::Bool)])
            .describe("Reports whether all elements are true.")
            .gives(Type::Bool, all_true),
        Function::new("anytrue", [list("list", Type::Bool)])
            .describe("Reports whether any element is true.")
            .gives(Type::Bool, any_true),
        Function::new("coalesce", [])
            .and_more(any("values").or_null().or_dynamic())
            .describe("Returns the first argument that is neither null nor an empty string.")
            .gives_typed(common_type, coalesce),
        Function::new("coalescelist", [])
            .and_more(any("lists").or_null().or_dynamic())
            .describe("Returns the first list that is not empty.")
            .gives(Type::Dynamic, coalesce_list),
        Function::new("contains", [any("list"), any("value")])
            .describe("Reports whether a list, set or tuple contains a value.")
            .gives(Type::Bool, contains),
        Function::new("element", [any("list").or_marked(), number("index")])
            .describe("Returns the element at an index; an index past the end wraps around.")
            .or_null()
            .gives_typed(element_type, element),
        Function::new("index", [any("list"), any("value")])
            .describe("Returns the index of the first element that equals a value.")
            .gives(Type::Number, index),
        Function::new("length", [any("value").or_dynamic().or_marked()])
            .describe(
                "Returns the number of elements in a collection, or of characters in a string.",
            )
            .gives(Type::Number, length),
        Function::new(
            "matchkeys",
            [
                list("values", Type::Dynamic),
                list("keys", Type::Dynamic),
                list("searchset", Type::Dynamic),
            ],
        )
        .describe("Returns the values whose keys, at the same index, are in the search set.")
        .gives_typed(matched_type, match_keys),
        Function::new("one", [any("list")])
            .describe("Returns the only element of a list, or null if the list is empty.")
            .or_null()
            .gives_typed(only_type, only),
    ]
}

/// An element that is not known hides what follows it, as in Terraform.
fn all_true(arguments: Arguments) -> Result<Value, FunctionError> {
    for element in arguments.elements(0)? {
        match element.as_bool() {
            Some(true) => {}
            None if !element.is_known() => return Ok(arguments.unknown()),
            Some(false) | None => return Ok(Value::FALSE),
        }
    }
    Ok(Value::TRUE)
}

fn any_true(arguments: Arguments) -> Result<Value, FunctionError> {
    let elements = arguments.elements(0)?;
    if elements
        .iter()
        .any(|element| element.as_bool() == Some(true))
    {
        return Ok(Value::TRUE);
    }
    match elements.iter().all(Value::is_known) {
        true => Ok(Value::FALSE),
        false => Ok(arguments.unknown()),
    }
}

fn common_type(arguments: &[Value]) -> Result<Type, FunctionError> {
    let types: Vec<Type> = arguments.iter().map(Value::ty).collect();
    convert::unify(&types, Safety::Unsafe)
        .ok_or_else(|| FunctionError::new("values that can be converted to one type are required"))
}

fn coalesce(arguments: Arguments) -> Result<Value, FunctionError> {
    for (index, value) in arguments.all().iter().enumerate() {
        let value = convert::convert(value, arguments.result_type())
            .map_err(|error| FunctionError::from(error).at(index))?;
        if !value.is_known() {
            return Ok(arguments.unknown());
        }
        if !value.is_null() && value.as_str() != Some("") {
            return Ok(value);
        }
    }
    Err(FunctionError::new(
        "all the values are null or empty strings",
    ))
}

fn coalesce_list(arguments: Arguments) -> Result<Value, FunctionError> {
    for (index, value) in arguments.all().iter().enumerate() {
        let is_list = matches!(value.ty(), Type::List(_) | Type::Tuple(_));
        if value.is_null() || (value.is_known() && !is_list) {
            return Err(FunctionError::new("a list or tuple is required").at(index));
        }
    }
    for value in arguments.all() {
        match value.elements() {
            None => return Ok(arguments.unknown()),
            Some([]) => {}
            Some(_) => return Ok(value.clone()),
        }
    }
    Err(FunctionError::new("a non-empty list is required"))
}

fn contains(arguments: Arguments) -> Result<Value, FunctionError> {
    let wanted = &arguments[1];
    let mut is_certain = true;
    for element in arguments.elements(0)? {
        match element.equals(wanted).as_bool() {
            Some(true) => return Ok(Value::TRUE),
            Some(false) => {}
            None => is_certain = false,
        }
    }
    match is_certain {
        true => Ok(Value::FALSE),
        false => Ok(arguments.unknown()),
    }
}

fn element_type(arguments: &[Value]) -> Result<Type, FunctionError> {
    match arguments[0].ty() {
        Type::List(element) => Ok(Type::clone(&element)),
        Type::Tuple(tuple) => match arguments[1].as_number() {
            Some(_) => {
                let place = place(&arguments[1], tuple.elements().len())?;
                Ok(tuple.elements()[place].clone())
            }
            None => Ok(Type::Dynamic),
        },
        _ => Err(FunctionError::required("a list or tuple", &arguments[0]).at(0)),
    }
}

fn element(arguments: Arguments) -> Result<Value, FunctionError> {
    let (value, marks) = arguments[0].unmark();
    let elements = value.elements().unwrap_or_default();
    let place = place(&arguments[1], elements.len())?;
    Ok(elements[place].clone().with_marks(&marks))
}

/// A place inside, for any whole number: it goes round and round.
fn place(index: &Value, length: usize) -> Result<usize, FunctionError> {
    let whole = index.as_number().and_then(Number::to_i64);
    let whole = whole
        .ok_or_else(|| FunctionError::new("a whole number of at most 64 bits is required").at(1))?;
    let length = i64::try_from(length).ok();
    let place = length.and_then(|length| whole.checked_rem_euclid(length));
    let place = place.and_then(|place| usize::try_from(place).ok());
    place.ok_or_else(|| FunctionError::new("the list is empty, so it has no element").at(0))
}

fn index(arguments: Arguments) -> Result<Value, FunctionError> {
    if !matches!(arguments[0].ty(), Type::List(_) | Type::Tuple(_)) {
        return Err(FunctionError::required("a list or tuple", &arguments[0]).at(0));
    }
    for (place, element) in arguments.elements(0)?.iter().enumerate() {
        match element.equals(&arguments[1]).as_bool() {
            Some(true) => return Ok(Value::number(place)),
            Some(false) => {}
            None => return Ok(arguments.unknown()),
        }
    }
    Err(FunctionError::new(
        "the value is not in the list; check it with contains first",
    ))
}

fn length(arguments: Arguments) -> Result<Value, FunctionError> {
    let (value, marks) = arguments[0].unmark();
    let length = match value.ty() {
        Type::Object(object) => Value::number(object.attributes().len()),
        Type::String => match value.as_text() {
            Some(text) => Value::number(text.to_string_lossy().graphemes(true).count()),
            None => arguments.unknown(),
        },
        Type::Number | Type::Bool => {
            return Err(
                FunctionError::required("a string, collection, object or tuple", &value).at(0),
            );
        }
        _ => value.length()?,
    };
    Ok(length.with_marks(&marks))
}

fn matched_type(arguments: &[Value]) -> Result<Type, FunctionError> {
    keys_type(arguments)?;
    Ok(arguments[0].ty())
}

/// The type in which the keys can be compared with the search set.
fn keys_type(arguments: &[Value]) -> Result<Type, FunctionError> {
    let types = [arguments[1].ty(), arguments[2].ty()];
    convert::unify(&types, Safety::Unsafe).ok_or_else(|| {
        FunctionError::new("the keys and the search set must have a common type").at(1)
    })
}

fn match_keys(arguments: Arguments) -> Result<Value, FunctionError> {
    let common = keys_type(arguments.all())?;
    let values = arguments.elements(0)?;
    if values.len() != arguments.elements(1)?.len() {
        let message = format!("as many keys as values are required: {}", values.len());
        return Err(FunctionError::new(message).at(1));
    }
    let result = arguments.result_type();
    let element = result.element().cloned().unwrap_or(Type::Dynamic);
    if arguments.elements(2)?.is_empty() {
        return Ok(Value::list(element, Vec::new())?);
    }
    if !arguments.all().iter().all(Value::is_wholly_known) {
        return Ok(arguments.unknown());
    }
    let keys = convert::convert(&arguments[1], &common)?;
    let wanted = convert::convert(&arguments[2], &common)?;
    let wanted: HashSet<&Value> = wanted.elements().unwrap_or_default().iter().collect();
    let pairs = values.iter().zip(keys.elements().unwrap_or_default());
    let matched = pairs
        .filter(|(_, key)| wanted.contains(key))
        .map(|(value, _)| value.clone());
    Ok(Value::list(element, matched.collect())?)
}

fn only_type(arguments: &[Value]) -> Result<Type, FunctionError> {
    match arguments[0].ty() {
        Type::List(element) | Type::Set(element) => Ok(Type::clone(&element)),
        Type::Tuple(tuple) => match tuple.elements() {
            [] => Ok(Type::Dynamic),
            [only] => Ok(only.clone()),
            elements => Err(too_many(elements.len())),
        },
        _ => Err(FunctionError::required("a list, set or tuple", &arguments[0]).at(0)),
    }
}

fn only(arguments: Arguments) -> Result<Value, FunctionError> {
    match arguments.elements(0)? {
        [] => Ok(Value::null(arguments.result_type().clone())),
        [only] => Ok(only.clone()),
        // Elements of a set that are not known may still be one.
        _ if !arguments[0].length()?.is_known() => Ok(arguments.unknown()),
        elements => Err(too_many(elements.len())),
    }
}

fn too_many(count: usize) -> FunctionError {
    FunctionError::new(format!(
        "one element or none is required, but there are {count}"
    ))
    .at(0)
}
