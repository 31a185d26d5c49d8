//! Functions that make lists.

use std::collections::HashSet;

use tenon_values::convert::{self, Safety};
use tenon_values::{Marks, Type, Value};

use super::limits;
use crate::function::parameter::{any, list, number};
use crate::function::{Arguments, Function, FunctionError};

pub(super) fn all() -> Vec<Function> {
    vec![
        Function::new(
            "chunklist",
            [list("list", Type::Dynamic).or_marked(), number("size")],
        )
        .describe("Splits a list into lists of this size; the last may be shorter.")
        .gives_typed(|arguments| Ok(Type::list(arguments[0].ty())), chunks),
        Function::new("compact", [list("list", Type::String)])
            .describe("Removes null and empty strings from a list.")
            .gives(Type::list(Type::String), compact),
        Function::new("concat", [])
            .and_more(any("lists").or_unknown().or_marked())
            .describe("Joins lists into one.")
            .gives_typed(joined_type, concat),
        Function::new("distinct", [list("list", Type::Dynamic)])
            .describe("Removes duplicate elements and keeps the first of each.")
            .gives_typed(|arguments| Ok(arguments[0].ty()), distinct),
        Function::new("flatten", [any("list").or_marked()])
            .describe("Replaces the lists inside a list by their elements.")
            .gives(Type::Dynamic, flatten),
        Function::new("reverse", [any("list").or_marked()])
            .describe("Reverses a list.")
            .gives_typed(reversed_type, reverse),
        Function::new(
            "slice",
            [any("list").or_marked(), number("start"), number("end")],
        )
        .describe(
            "Returns the elements from the start index up to, but not including, the end index.",
        )
        .gives_typed(sliced_type, slice),
        Function::new("sort", [list("list", Type::String)])
            .describe("Sorts strings by their Unicode code points.")
            .gives(Type::list(Type::String), sort),
    ]
}

fn chunks(arguments: Arguments) -> Result<Value, FunctionError> {
    let (value, marks) = arguments[0].unmark();
    let size = usize::try_from(arguments.whole(1)?)
        .map_err(|_| FunctionError::new("a size is required, but this is negative").at(1))?;
    let elements = value.elements().unwrap_or_default();
    let element = value.ty().element().cloned().unwrap_or(Type::Dynamic);
    // All in one chunk where no size is given.
    let size = if size == 0 {
        elements.len().max(1)
    } else {
        size
    };
    let chunk = |part: &[Value]| Value::list(element.clone(), part.to_vec());
    let chunks = elements.chunks(size).map(chunk).collect::<Result<_, _>>()?;
    Ok(Value::list(value.ty(), chunks)?.with_marks(&marks))
}

fn compact(arguments: Arguments) -> Result<Value, FunctionError> {
    if !arguments[0].is_wholly_known() {
        return Ok(arguments.unknown());
    }
    let is_kept = |value: &&Value| !value.is_null() && value.as_str() != Some("");
    let kept = arguments.elements(0)?.iter().filter(is_kept).cloned();
    Ok(Value::list(Type::String, kept.collect())?)
}

/// A list where all are lists of types that can be one, else a tuple, if the lengths are known.
fn joined_type(arguments: &[Value]) -> Result<Type, FunctionError> {
    if arguments.is_empty() {
        return Err(FunctionError::new("at least one list is required"));
    }
    let types: Vec<Type> = arguments.iter().map(Value::ty).collect();
    for (index, ty) in types.iter().enumerate() {
        if !matches!(ty, Type::List(_) | Type::Tuple(_)) {
            return Err(FunctionError::required("a list or tuple", &arguments[index]).at(index));
        }
    }
    if types.iter().all(|ty| matches!(ty, Type::List(_)))
        && let Some(ty) = convert::unify(&types, Safety::Unsafe)
    {
        return Ok(ty);
    }
    // The type of a tuple has as many parts as there are elements: only the body finds it.
    Ok(Type::Dynamic)
}

fn concat(arguments: Arguments) -> Result<Value, FunctionError> {
    let mut marks = Marks::none();
    let mut elements = Vec::new();
    let result = arguments.result_type();
    for value in arguments.all() {
        let (value, found) = value.unmark();
        marks.extend(&found);
        if !value.is_known() {
            let all = arguments.all().iter().map(Value::marks);
            all.for_each(|found| marks.extend(&found));
            return Ok(arguments.unknown().with_marks(&marks));
        }
        let value = match result {
            Type::Dynamic => value,
            result => convert::convert(&value, result)?,
        };
        elements.extend_from_slice(value.elements().unwrap_or_default());
        limits::check_elements(elements.len())?;
    }
    let joined = match result {
        Type::List(element) => Value::list(Type::clone(element), elements)?,
        _ => Value::tuple(elements),
    };
    Ok(joined.with_marks(&marks))
}

fn distinct(arguments: Arguments) -> Result<Value, FunctionError> {
    if !arguments[0].is_wholly_known() {
        return Ok(arguments.unknown());
    }
    let mut seen = HashSet::new();
    let elements = arguments.elements(0)?.iter();
    let kept = elements
        .filter(|value| seen.insert(*value))
        .cloned()
        .collect();
    let element = arguments[0].ty().element().cloned();
    Ok(Value::list(element.unwrap_or(Type::Dynamic), kept)?)
}

fn flatten(arguments: Arguments) -> Result<Value, FunctionError> {
    let mut marks = Marks::none();
    let mut flat = Vec::new();
    if !is_sequence(&arguments[0]) {
        return Err(FunctionError::required("a list, set or tuple", &arguments[0]).at(0));
    }
    let is_known = flatten_into(&arguments[0], &mut flat, &mut marks)?;
    let flat = match is_known {
        true => Value::tuple(flat),
        false => {
            marks.extend(&arguments[0].unmark_deep().1);
            arguments.unknown()
        }
    };
    Ok(flat.with_marks(&marks))
}

/// Whether all of it could be: the length of what is unknown is unknown, too.
fn flatten_into(
    value: &Value,
    flat: &mut Vec<Value>,
    marks: &mut Marks,
) -> Result<bool, FunctionError> {
    let is_open = match value.ty() {
        Type::Dynamic => !value.is_known(),
        // Elements of a set that are not known may be equal.
        Type::List(_) | Type::Set(_) | Type::Tuple(_) if !value.is_null() => {
            !value.is_known() || !value.length()?.is_known()
        }
        _ => false,
    };
    if is_open {
        return Ok(false);
    }
    let (inside, found) = value.unmark();
    let Some(elements) = inside.elements() else {
        flat.push(value.clone());
        limits::check_elements(flat.len())?;
        return Ok(true);
    };
    marks.extend(&found);
    for element in elements {
        if !flatten_into(element, flat, marks)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn is_sequence(value: &Value) -> bool {
    matches!(value.ty(), Type::List(_) | Type::Set(_) | Type::Tuple(_))
}

fn reversed_type(arguments: &[Value]) -> Result<Type, FunctionError> {
    match arguments[0].ty() {
        Type::Tuple(tuple) => Ok(Type::tuple(tuple.elements().iter().rev().cloned())),
        Type::List(element) | Type::Set(element) => Ok(Type::List(element)),
        _ => Err(FunctionError::required("a list, set or tuple", &arguments[0]).at(0)),
    }
}

fn reverse(arguments: Arguments) -> Result<Value, FunctionError> {
    let (value, marks) = arguments[0].unmark();
    let elements = value
        .elements()
        .unwrap_or_default()
        .iter()
        .rev()
        .cloned()
        .collect();
    let reversed = match arguments.result_type() {
        Type::List(element) => Value::list(Type::clone(element), elements)?,
        _ => Value::tuple(elements),
    };
    Ok(reversed.with_marks(&marks))
}

fn sliced_type(arguments: &[Value]) -> Result<Type, FunctionError> {
    let ty = match arguments[0].ty() {
        Type::List(element) => Type::List(element),
        Type::Tuple(_) => Type::Dynamic,
        Type::Set(_) => {
            let message = "a set has no order; convert it with tolist first";
            return Err(FunctionError::new(message).at(0));
        }
        _ => return Err(FunctionError::required("a list or tuple", &arguments[0]).at(0)),
    };
    // What is wrong with any list is wrong with one that is not known yet.
    cut(arguments, usize::MAX)?;
    Ok(ty)
}

/// From where to where a list of this length is cut, as far as it is known.
fn cut(arguments: &[Value], length: usize) -> Result<[Option<usize>; 2], FunctionError> {
    let place = |index: usize| match arguments[index].as_number() {
        None => Ok(None),
        Some(number) => {
            let place = number
                .to_u64()
                .and_then(|place| usize::try_from(place).ok());
            let place = place.filter(|place| *place <= length);
            let message = "a place in the list is required, counted from 0 to its length";
            let outside = || FunctionError::new(message).at(index);
            place.ok_or_else(outside).map(Some)
        }
    };
    match [place(1)?, place(2)?] {
        [Some(start), Some(end)] if start > end => {
            Err(FunctionError::new("the start is after the end").at(1))
        }
        places => Ok(places),
    }
}

fn slice(arguments: Arguments) -> Result<Value, FunctionError> {
    let (value, marks) = arguments[0].unmark();
    let elements = value.elements().unwrap_or_default();
    let [start, end] = cut(arguments.all(), elements.len())?.map(Option::unwrap_or_default);
    let elements = elements[start..end].to_vec();
    let sliced = match value.ty() {
        Type::List(element) => Value::list(Type::clone(&element), elements)?,
        _ => Value::tuple(elements),
    };
    Ok(sliced.with_marks(&marks))
}

fn sort(arguments: Arguments) -> Result<Value, FunctionError> {
    let elements = arguments.elements(0)?;
    // Which is where is not known, but how many there are is.
    if !elements.iter().all(Value::is_known) {
        let unknown = vec![Value::unknown(Type::String); elements.len()];
        return Ok(Value::list(Type::String, unknown)?);
    }
    if let Some(place) = elements.iter().position(Value::is_null) {
        let message = format!("the element {place} is null and cannot be sorted");
        return Err(FunctionError::new(message).at(0));
    }
    let mut sorted = elements.to_vec();
    sorted.sort_by(|this, that| this.as_text().cmp(&that.as_text()));
    Ok(Value::list(Type::String, sorted)?)
}
