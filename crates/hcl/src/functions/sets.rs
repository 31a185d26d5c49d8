//! Functions of sets.

use std::collections::HashSet;

use tenon_values::convert::{self, Safety};
use tenon_values::{Marks, Type, Value};

use super::limits;
use crate::function::parameter::any;
use crate::function::{Arguments, Function, FunctionError, Parameter};

pub(super) fn all() -> Vec<Function> {
    vec![
        Function::new("setintersection", [set("first").or_unknown()])
            .and_more(set("others").or_unknown())
            .describe("Returns the elements that all sets have in common.")
            .gives_typed(common_type, |arguments| {
                combined(arguments, true, keep_common)
            }),
        Function::new("setproduct", [])
            .and_more(any("sets").or_unknown().or_marked())
            .describe("Returns all combinations of one element from each set or list.")
            .gives_typed(product_type, product),
        Function::new(
            "setsubtract",
            [set("first").or_unknown(), set("second").or_unknown()],
        )
        .describe("Returns the elements of the first set that are not in the second.")
        .gives_typed(common_type, |arguments| {
            combined(arguments, true, keep_rest)
        }),
        Function::new("setunion", [set("first").or_unknown()])
            .and_more(set("others").or_unknown())
            .describe("Returns the elements that are in any of the sets.")
            .gives_typed(common_type, |arguments| combined(arguments, false, add)),
    ]
}

fn set(name: &'static str) -> Parameter {
    Parameter::new(name, Type::set(Type::Dynamic))
}

/// A set of the type that all elements can be converted to. An empty set without a known type is
/// ignored.
fn common_type(arguments: &[Value]) -> Result<Type, FunctionError> {
    let has_say = |value: &&Value| {
        let is_open = value.ty().element() == Some(&Type::Dynamic);
        !(is_open && value.elements().is_some_and(<[Value]>::is_empty))
    };
    let elements = arguments
        .iter()
        .filter(has_say)
        .filter_map(|value| value.ty().element().cloned());
    let elements: Vec<Type> = elements.collect();
    if elements.is_empty() {
        return Ok(Type::set(Type::Dynamic));
    }
    let common = convert::unify(&elements, Safety::Unsafe);
    let common = common.ok_or_else(|| {
        FunctionError::new("sets of elements that can be of one type are required")
    })?;
    Ok(Type::set(common))
}

type Combine = for<'a> fn(&mut Vec<&'a Value>, &'a [Value]);

fn keep_common<'a>(found: &mut Vec<&'a Value>, others: &'a [Value]) {
    let others: HashSet<&Value> = others.iter().collect();
    found.retain(|value| others.contains(value));
}

fn keep_rest<'a>(found: &mut Vec<&'a Value>, others: &'a [Value]) {
    let others: HashSet<&Value> = others.iter().collect();
    found.retain(|value| !others.contains(value));
}

fn add<'a>(found: &mut Vec<&'a Value>, others: &'a [Value]) {
    found.extend(others);
}

/// The sets taken together from left to right. Where what is not there counts, all must be known.
fn combined(
    arguments: Arguments,
    is_strict: bool,
    combine: Combine,
) -> Result<Value, FunctionError> {
    let ty = arguments.result_type();
    let is_settled = |value: &Value| match is_strict {
        true => value.is_wholly_known(),
        false => value.is_known(),
    };
    if !arguments.all().iter().all(is_settled) {
        return Ok(arguments.unknown());
    }
    let sets = arguments.all().iter().enumerate().map(|(index, value)| {
        convert::convert(value, ty).map_err(|error| FunctionError::from(error).at(index))
    });
    let sets: Vec<Value> = sets.collect::<Result<_, _>>()?;
    let (first, others) = sets
        .split_first()
        .ok_or_else(|| FunctionError::new("a set is required"))?;
    let mut found: Vec<&Value> = first.elements().unwrap_or_default().iter().collect();
    for other in others {
        combine(&mut found, other.elements().unwrap_or_default());
        limits::check_elements(found.len())?;
    }
    let element = ty.element().cloned().unwrap_or(Type::Dynamic);
    Ok(Value::set(element, found.into_iter().cloned().collect())?)
}

/// What each of the arguments has for elements, and whether one of them is a set.
fn factors(arguments: &[Value]) -> Result<(Vec<Type>, bool), FunctionError> {
    if arguments.len() < 2 {
        return Err(FunctionError::new(
            "at least two sets or lists are required",
        ));
    }
    let mut is_set = false;
    let factor = |(index, value): (usize, &Value)| match value.ty() {
        Type::List(element) => Ok(Type::clone(&element)),
        Type::Set(element) => {
            is_set = true;
            Ok(Type::clone(&element))
        }
        Type::Tuple(tuple) if tuple.elements().is_empty() => Ok(Type::Dynamic),
        Type::Tuple(tuple) => convert::unify(tuple.elements(), Safety::Unsafe).ok_or_else(|| {
            FunctionError::new("elements that can be of one type are required").at(index)
        }),
        _ => Err(FunctionError::required("a set or list", value).at(index)),
    };
    let types = arguments
        .iter()
        .enumerate()
        .map(factor)
        .collect::<Result<_, _>>()?;
    Ok((types, is_set))
}

fn product_type(arguments: &[Value]) -> Result<Type, FunctionError> {
    let (types, is_set) = factors(arguments)?;
    let combination = Type::tuple(types);
    Ok(if is_set {
        Type::set(combination)
    } else {
        Type::list(combination)
    })
}

fn product(arguments: Arguments) -> Result<Value, FunctionError> {
    let ty = arguments.result_type();
    let (types, is_set) = factors(arguments.all())?;
    let mut marks = Marks::none();
    let mut lists = Vec::with_capacity(types.len());
    let mut count = 1usize;
    let mut is_known = true;
    for (index, (value, element)) in arguments.all().iter().zip(&types).enumerate() {
        let (value, found) = value.unmark();
        marks.extend(&found);
        // A set with unknown elements becomes an unknown list: some of them may be equal.
        let list = convert::convert(&value, &Type::list(element.clone()))
            .map_err(|error| FunctionError::from(error).at(index))?;
        is_known &= list.is_known();
        count = count.saturating_mul(list.elements().unwrap_or_default().len());
        lists.push(list);
    }
    if !is_known {
        for value in arguments.all() {
            marks.extend(&value.unmark_deep().1);
        }
        return Ok(arguments.unknown().with_marks(&marks));
    }
    limits::check("the product", count, limits::COMBINATIONS, "combinations")?;
    limits::check_size(lists.iter().map(|list| {
        // Each element is in as many combinations as the other lists have.
        let times = count / list.elements().map_or(1, |elements| elements.len().max(1));
        (list, times)
    }))?;
    let mut combinations: Vec<Vec<Value>> = vec![Vec::new()];
    // An empty factor makes everything empty, whatever the others would have grown to.
    if count == 0 {
        combinations.clear();
        lists.clear();
    }
    for list in &lists {
        let elements = list.elements().unwrap_or_default();
        let longer = |combination: Vec<Value>| {
            let next =
                move |element: &Value| [&combination[..], std::slice::from_ref(element)].concat();
            elements.iter().map(next)
        };
        combinations = combinations.into_iter().flat_map(longer).collect();
    }
    let combinations = combinations.into_iter().map(Value::tuple).collect();
    let element = ty.element().cloned().unwrap_or(Type::Dynamic);
    let product = match is_set {
        true => Value::set(element, combinations)?,
        false => Value::list(element, combinations)?,
    };
    Ok(product.with_marks(&marks))
}
