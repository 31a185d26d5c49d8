//! What an action or a provider is given, as its schema wants it.

use std::collections::BTreeMap;

use tenon_hcl::{Attribute, Diagnostic, Place, did_you_mean};
use tenon_protocols::orchard::AttrSchema;
use tenon_values::{Error, Limits, Type, Value, convert};

use crate::planning::evaluation::{Evaluation, Here};

/// Evaluates attributes and fits them to a schema. What is null or left out has its default; what
/// has none is left out.
///
/// # Errors
/// All that is wrong with them.
pub(crate) fn attributes(
    given: &[Attribute],
    schema: &BTreeMap<String, AttrSchema>,
    evaluation: &Evaluation<'_>,
    here: Here<'_>,
    what: &str,
    place: &Place,
) -> Result<Value, Vec<Diagnostic>> {
    let mut values: BTreeMap<&str, Value> = BTreeMap::new();
    let mut problems = Vec::new();
    for attribute in given {
        let name = attribute.name.text();
        let Some(wanted) = schema.get(name) else {
            problems.push(unknown(attribute, schema, what));
            // It may have more to it that is wrong.
            problems.extend(
                evaluation
                    .value(&attribute.value, here)
                    .err()
                    .unwrap_or_default(),
            );
            continue;
        };
        match fitted(attribute, wanted, evaluation, here) {
            Ok(value) => {
                values.insert(name, value);
            }
            Err(errors) => problems.extend(errors),
        }
    }
    for (name, wanted) in schema {
        let is_written = given.iter().any(|attribute| attribute.name.text() == name);
        let is_null = values
            .get(name.as_str())
            .is_some_and(|value| value.unmark().0.is_null());
        if is_written && !is_null {
            continue;
        }
        values.remove(name.as_str());
        match wanted.default_value().ok().flatten() {
            Some(default) => {
                values.insert(name, default);
            }
            // Whoever wrote it otherwise has been told so.
            None if wanted.required && is_misspelt(name, given, schema) => {}
            None if wanted.required => problems.push(missing(name, wanted, what, place, given)),
            None => {}
        }
    }
    let attributes = Value::object(values);
    // Each of them is small enough; all together are printed, encrypted and sent.
    if let Err(problem) = attributes.size().check(&Limits::default()) {
        let summary = format!("the attributes of {what} are too large together");
        let diagnostic = Diagnostic::error(summary).at(place.clone());
        problems.push(diagnostic.note(problem.to_string()));
    }
    match problems.is_empty() {
        true => Ok(attributes),
        false => Err(problems),
    }
}

fn fitted(
    attribute: &Attribute,
    wanted: &AttrSchema,
    evaluation: &Evaluation<'_>,
    here: Here<'_>,
) -> Result<Value, Vec<Diagnostic>> {
    let value = evaluation.value(&attribute.value, here)?;
    let value = convert::convert(&value, &wanted.ty).map_err(|error| {
        let name = attribute.name.text();
        let diagnostic = Diagnostic::error(format!("the attribute {name:?} does not fit"))
            .at(attribute.value.place())
            .label(misfit(&value, &wanted.ty, &error))
            .note(format!("its type is {}", wanted.ty));
        vec![diagnostic]
    })?;
    let value = match wanted.idempotency_key {
        true => idempotency_key(attribute, value)?,
        false => value,
    };
    Ok(match wanted.sensitive {
        true => value.sensitive(),
        false => value,
    })
}

/// `true` or a string. `false` is the same as none.
fn idempotency_key(attribute: &Attribute, value: Value) -> Result<Value, Vec<Diagnostic>> {
    let (plain, _) = value.unmark();
    let is_fine = plain.is_null()
        || !plain.is_wholly_known()
        || plain.as_bool().is_some()
        || plain.as_str().is_some_and(|key| !key.is_empty());
    match is_fine {
        true if plain.as_bool() == Some(false) => Ok(Value::NULL),
        true => Ok(value),
        false => {
            let name = attribute.name.text();
            let diagnostic = Diagnostic::error(format!("the attribute {name:?} does not fit"))
                .at(attribute.value.place())
                .label("an idempotency key is `true`, or text that is not empty");
            Err(vec![diagnostic])
        }
    }
}

/// Why a value does not fit. What does not fit is told by the names in it, and by where it stops
/// being a number: of a secret neither is told.
pub(crate) fn misfit(value: &Value, ty: &Type, error: &Error) -> String {
    if !value.contains_marked() {
        return error.to_string();
    }
    let wanted = ty.friendly();
    let article = match wanted.starts_with(['a', 'e', 'i', 'o', 'u']) {
        true => "an",
        false => "a",
    };
    format!("{article} {wanted} is required, but this is a sensitive value of another type")
}

/// Whether an attribute that nobody knows is probably this one.
fn is_misspelt(name: &str, given: &[Attribute], schema: &BTreeMap<String, AttrSchema>) -> bool {
    let mut strangers = { given.iter().map(|attribute| attribute.name.text()) }
        .filter(|given| !schema.contains_key(*given));
    strangers.any(|stranger| {
        let meant = did_you_mean(stranger, schema.keys().map(String::as_str));
        meant.is_some_and(|meant| meant == format!("did you mean `{name}`?"))
    })
}

fn unknown(attribute: &Attribute, schema: &BTreeMap<String, AttrSchema>, what: &str) -> Diagnostic {
    let name = attribute.name.text();
    let mut diagnostic =
        Diagnostic::error(format!("{what} has no attribute {name:?}")).at(attribute.name.place());
    diagnostic.help = match schema.is_empty() {
        true => Some("it has none at all".into()),
        false => did_you_mean(name, schema.keys().map(String::as_str)),
    };
    diagnostic
}

fn missing(
    name: &str,
    wanted: &AttrSchema,
    what: &str,
    place: &Place,
    given: &[Attribute],
) -> Diagnostic {
    let written = given.iter().find(|attribute| attribute.name.text() == name);
    let diagnostic = match written {
        Some(attribute) => {
            Diagnostic::error(format!("the attribute {name:?} of {what} cannot be null"))
                .at(attribute.value.place())
        }
        None => Diagnostic::error(format!("{what} needs the attribute {name:?}"))
            .at(place.clone())
            .help(format!("add `{name} = ...`")),
    };
    let diagnostic = match wanted.description.is_empty() {
        true => diagnostic,
        false => diagnostic.note(format!("{name}: {}", wanted.description)),
    };
    diagnostic.note(format!("its type is {}", wanted.ty))
}
