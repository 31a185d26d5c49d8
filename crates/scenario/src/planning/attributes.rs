//! The attributes of an action or a provider, completed and checked by its schema.

use std::collections::BTreeMap;

use tenon_hcl::{Attribute, Diagnostic, Place, did_you_mean};
use tenon_protocols::orchard::{ActionSchema, AttrSchema, Unfit};
use tenon_values::{Limits, Value};

use crate::planning::declarations::Declaration;
use crate::planning::evaluation::{Evaluation, Here};
use crate::planning::graph::ModuleId;
use crate::reading::misfit::misfit;
use crate::reading::model::Action;

/// What a provider is configured with.
///
/// # Errors
/// All that is wrong with it.
pub(crate) fn config(
    declaration: &Declaration,
    evaluation: &Evaluation<'_>,
) -> Result<Value, Vec<Diagnostic>> {
    attributes(
        &declaration.config,
        &declaration.schema.config,
        evaluation,
        Here::module(ModuleId::ROOT),
        &format!("the provider {:?}", declaration.label()),
        &declaration.place,
    )
}

/// What an action, or its teardown, is given.
///
/// # Errors
/// All that is wrong with it.
pub(crate) fn action_attributes(
    action: &Action,
    given: &[Attribute],
    schema: &ActionSchema,
    evaluation: &Evaluation<'_>,
    here: Here<'_>,
) -> Result<Value, Vec<Diagnostic>> {
    let what = format!("the action {:?}", action.kind.text());
    attributes(given, &schema.attrs, evaluation, here, &what, &action.place)
}

/// Evaluates attributes and fits them to a schema. What is null or left out has its default; what
/// has none is left out.
///
/// # Errors
/// All that is wrong with them.
fn attributes(
    given: &[Attribute],
    schema: &BTreeMap<String, AttrSchema>,
    evaluation: &Evaluation<'_>,
    here: Here<'_>,
    what: &str,
    place: &Place,
) -> Result<Value, Vec<Diagnostic>> {
    let mut values: BTreeMap<&str, Value> = BTreeMap::new();
    let mut problems = Vec::new();
    let mut misspelt = Vec::new();
    let mut fit = |name, written: Option<(&Attribute, Value)>, wanted: &AttrSchema| {
        let value = written.as_ref().map(|(_, value)| value);
        match wanted.complete(value) {
            Ok(Some(value)) => drop(values.insert(name, value)),
            Ok(None) => {}
            Err(unfit) => return Some(unfitting(name, written, wanted, unfit, what, place)),
        }
        None
    };
    for attribute in given {
        let name = attribute.name.text();
        let value = evaluation.value(&attribute.value, here);
        let Some((name, wanted)) = schema.get_key_value(name) else {
            let meant = tenon_text::nearest(name, schema.keys().map(String::as_str));
            misspelt.extend(meant);
            problems.push(unknown(attribute, schema, what));
            // It may have more to it that is wrong.
            problems.extend(value.err().unwrap_or_default());
            continue;
        };
        let value = match wanted.idempotency_key {
            true => value.and_then(|value| idempotency_key(attribute, value)),
            false => value,
        };
        match value {
            Ok(value) => problems.extend(fit(name, Some((attribute, value)), wanted)),
            Err(errors) => problems.extend(errors),
        }
    }
    for (name, wanted) in schema {
        let is_written = given.iter().any(|attribute| attribute.name.text() == name);
        // A misspelt name has been reported.
        let is_misspelt = wanted.required && misspelt.contains(&name.as_str());
        if !is_written && !is_misspelt {
            problems.extend(fit(name, None, wanted));
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

fn unknown(attribute: &Attribute, schema: &BTreeMap<String, AttrSchema>, what: &str) -> Diagnostic {
    let name = attribute.name.text();
    let mut diagnostic =
        Diagnostic::error(format!("{what} has no attribute {name:?}")).at(attribute.name.place());
    diagnostic.help = match schema.is_empty() {
        true => Some("it has no attributes".into()),
        false => did_you_mean(name, schema.keys().map(String::as_str)),
    };
    diagnostic
}

/// Why an attribute that the schema knows cannot be given to the provider.
fn unfitting(
    name: &str,
    written: Option<(&Attribute, Value)>,
    wanted: &AttrSchema,
    unfit: Unfit,
    what: &str,
    place: &Place,
) -> Diagnostic {
    let diagnostic = match (unfit, written) {
        (Unfit::Value(mut errors), Some((attribute, value))) => {
            return Diagnostic::error(format!("the attribute {name:?} does not fit"))
                .at(attribute.value.place())
                .label(misfit(&value, &wanted.ty, &errors.swap_remove(0)))
                .note(format!("its type is {}", wanted.ty));
        }
        (Unfit::Value(mut errors) | Unfit::Default(mut errors), _) => {
            let summary = format!("the default of the attribute {name:?} of {what} does not fit");
            return Diagnostic::error(summary)
                .at(place.clone())
                .note(errors.swap_remove(0).to_string())
                .help("this is an error in the provider's schema");
        }
        (Unfit::Missing | Unfit::Computed, Some((attribute, _))) => {
            Diagnostic::error(format!("the attribute {name:?} of {what} cannot be null"))
                .at(attribute.value.place())
        }
        (Unfit::Missing | Unfit::Computed, None) => {
            Diagnostic::error(format!("{what} needs the attribute {name:?}"))
                .at(place.clone())
                .help(format!("add `{name} = ...`"))
        }
    };
    let diagnostic = match wanted.description.is_empty() {
        true => diagnostic,
        false => diagnostic.note(format!("{name}: {}", wanted.description)),
    };
    diagnostic.note(format!("its type is {}", wanted.ty))
}
