//! Blocks and nested attributes: several objects that make one value.

use tenon_values::convert::convert;
use tenon_values::{Error, Problem, Step, Text, Value};

use super::{below, is_null, object, unfit};
use crate::body::implied_type_of;
use crate::{Attribute, Block, Nesting};

/// The value of all blocks of one name. Errors inside them are reported along with a wrong count.
pub(super) fn block(block: &Block, given: Option<&Value>) -> Result<Value, Vec<Error>> {
    let given = given.filter(|value| !is_null(value));
    let mut errors: Vec<Error> = wrong_count(block, given)
        .map(Error::from)
        .into_iter()
        .collect();
    let completed = match given {
        Some(value) => nested(
            block.nesting,
            &block.body.attributes,
            &block.body.blocks,
            value,
        ),
        // Its attributes may have defaults.
        None if block.nesting == Nesting::Group => block.body.complete(&Value::object::<&str>([])),
        None => Ok(block.absent()),
    };
    match completed {
        Ok(value) if errors.is_empty() => Ok(value),
        Ok(_) => Err(errors),
        Err(found) => {
            let step = Step::Attribute(block.name.as_str().into());
            errors.extend(below(found, &step));
            Err(errors)
        }
    }
}

/// Whether there are too few or too many blocks. Unknown values are not counted yet.
fn wrong_count(block: &Block, given: Option<&Value>) -> Option<Problem> {
    let count = match given {
        None => 0,
        Some(value) => count(block.nesting, &value.unmark().0)?,
    };
    let name = || block.name.as_str().into();
    match block.max {
        _ if count < block.min => Some(Problem::TooFewBlocks {
            name: name(),
            min: block.min,
            given: count,
        }),
        Some(max) if count > max => Some(Problem::TooManyBlocks {
            name: name(),
            max,
            given: count,
        }),
        _ => None,
    }
}

/// How many blocks make this value; `None` if that is not known, or if blocks cannot make it.
fn count(nesting: Nesting, value: &Value) -> Option<u64> {
    let count = match nesting {
        _ if !value.is_known() => return None,
        Nesting::Single | Nesting::Group => 1,
        Nesting::Map => entries(value)?.len(),
        Nesting::List | Nesting::Set => value.elements()?.len(),
    };
    u64::try_from(count).ok()
}

/// Completes each of the objects that make one value.
pub(super) fn nested(
    nesting: Nesting,
    attributes: &[Attribute],
    blocks: &[Block],
    given: &Value,
) -> Result<Value, Vec<Error>> {
    if matches!(nesting, Nesting::Single | Nesting::Group) {
        return object(attributes, blocks, given);
    }
    let implied = nesting.of(implied_type_of(attributes, blocks));
    let (plain, marks) = given.unmark();
    if !plain.is_known() {
        return Ok(Value::unknown(implied).with_marks(&marks));
    }
    let mut errors = Vec::new();
    let mut complete = |step: Step, value: &Value| match object(attributes, blocks, value) {
        Ok(value) => Some(value),
        Err(found) => {
            errors.extend(below(found, &step));
            None
        }
    };
    let together = match nesting {
        Nesting::Map => entries(&plain).map(|entries| {
            let each = entries.into_iter().filter_map(|(key, value)| {
                let value = complete(Step::Key(key.clone()), value)?;
                Some((key.to_string_lossy().into_owned(), value))
            });
            Value::object(each.collect::<Vec<_>>())
        }),
        _ => plain.elements().map(|elements| {
            let each = elements.iter().enumerate();
            Value::tuple(
                each.filter_map(|(index, value)| complete(Step::Index(index), value))
                    .collect(),
            )
        }),
    };
    let Some(together) = together else {
        return Err(vec![unfit(&plain, implied)]);
    };
    if !errors.is_empty() {
        return Err(errors);
    }
    convert(&together, &implied)
        .map(|value| value.with_marks(&marks))
        .map_err(|error| vec![error])
}

/// The elements of a map, which may also have been written as an object.
fn entries(value: &Value) -> Option<Vec<(Text, &Value)>> {
    match (value.entries(), value.attributes()) {
        (Some(entries), _) => Some(
            entries
                .iter()
                .map(|(key, value)| (key.clone(), value))
                .collect(),
        ),
        (_, Some(attributes)) => Some(
            attributes
                .iter()
                .map(|(name, value)| (name.into(), value))
                .collect(),
        ),
        _ => None,
    }
}
