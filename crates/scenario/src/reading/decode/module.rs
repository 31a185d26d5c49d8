//! What scenarios and components have in common: variables, locals, components, actions, outputs.

use std::collections::BTreeMap;
use std::path::PathBuf;

use tenon_hcl::{Attribute, Block, Body, Diagnostic, Expression};
use tenon_values::{Type, Value, convert};

use super::reader::by_name;
use super::{Problems, action, component};
use crate::reading::load::Loader;
use crate::reading::model::{Assert, Module, Output, Repeat, Variable};

pub(super) const MODULE_BLOCKS: [&str; 5] = ["variable", "locals", "component", "action", "output"];

pub(super) fn module(
    body: &Body,
    folder: PathBuf,
    loader: &mut Loader,
    problems: &mut Problems,
) -> Module {
    let mut variables = Vec::new();
    for block in body.blocks_of("variable") {
        variables.extend(variable(block, problems));
    }
    let mut outputs = Vec::new();
    for block in body.blocks_of("output") {
        outputs.extend(output(block, problems));
    }
    refuse_same_outputs(&outputs, problems);
    Module {
        variables: by_name(
            variables,
            "the variable",
            |variable| &variable.name,
            problems,
        ),
        locals: locals(body, problems),
        components: component::uses(body, &folder, loader, problems),
        actions: action::actions(body, problems),
        outputs,
        folder,
    }
}

fn locals(body: &Body, problems: &mut Problems) -> BTreeMap<String, Attribute> {
    let mut all = Vec::new();
    for block in body.blocks_of("locals") {
        problems.labels(block, []);
        problems.refuse_other_blocks(&block.body, "`locals`", &[]);
        all.extend(block.body.attributes.iter().cloned());
    }
    by_name(
        all,
        "the local value",
        |attribute| &attribute.name,
        problems,
    )
}

fn variable(block: &Block, problems: &mut Problems) -> Option<Variable> {
    let labels = problems.labels(block, ["name"]);
    let body = &block.body;
    let attributes = ["type", "default", "description", "sensitive"];
    problems.refuse_others(body, "a variable", &attributes, &[]);
    let ty = match body.attribute("type") {
        Some(attribute) => type_of(&attribute.value, problems)?,
        None => Type::Dynamic,
    };
    let is_sensitive = problems.constant_bool(body, "sensitive");
    Some(Variable {
        name: labels?[0].clone(),
        default: body
            .attribute("default")
            .and_then(|attribute| default(&attribute.value, &ty, is_sensitive, problems)),
        ty,
        description: problems.constant_text(body, "description"),
        is_sensitive,
    })
}

fn default(
    expression: &Expression,
    ty: &Type,
    is_sensitive: bool,
    problems: &mut Problems,
) -> Option<Value> {
    let value = problems.constant(expression, &Type::Dynamic)?;
    match convert::convert(&value, ty) {
        Ok(value) => Some(value),
        Err(error) => {
            let diagnostic = Diagnostic::error("the default does not fit the variable's type");
            let diagnostic = match is_sensitive {
                // The line it stands in would show it.
                true => diagnostic.note(format!(
                    "{} is to be a {}",
                    expression.place().position(),
                    ty.friendly()
                )),
                false => diagnostic.at(expression.place()).label(error.to_string()),
            };
            problems.note(diagnostic);
            None
        }
    }
}

/// `list(string)`, or the same in quotes.
fn type_of(expression: &Expression, problems: &mut Problems) -> Option<Type> {
    let place = expression.place();
    let quoted = expression.as_literal().and_then(Value::as_str);
    match quoted.unwrap_or(place.text()).parse::<Type>() {
        Ok(ty) => Some(ty),
        Err(error) => {
            let diagnostic = Diagnostic::error("this is no type")
                .at(place)
                .label(error.message.clone())
                .help("types are string, number, bool, any, list(...), set(...), map(...), tuple([...]) and object({ name = ... })");
            problems.note(diagnostic);
            None
        }
    }
}

fn output(block: &Block, problems: &mut Problems) -> Option<Output> {
    let labels = problems.labels(block, ["name"]);
    let body = &block.body;
    let attributes = ["value", "description", "sensitive"];
    problems.refuse_others(body, "an output", &attributes, &["assert"]);
    let value = problems.required(block, "value");
    let mut asserts = Vec::new();
    for block in body.blocks_of("assert") {
        asserts.extend(assert(block, problems));
    }
    Some(Output {
        name: labels?[0].clone(),
        value: value?.value.clone(),
        description: problems.constant_text(body, "description"),
        is_sensitive: problems.constant_bool(body, "sensitive"),
        asserts,
    })
}

fn assert(block: &Block, problems: &mut Problems) -> Option<Assert> {
    problems.labels(block, []);
    problems.refuse_others(&block.body, "an assert", &["condition", "message"], &[]);
    let condition = problems.required(block, "condition")?;
    let message = block.body.attribute("message");
    Some(Assert {
        condition: condition.value.clone(),
        message: message.map(|message| message.value.clone()),
        place: block.header(),
    })
}

fn refuse_same_outputs(outputs: &[Output], problems: &mut Problems) {
    let mut seen: BTreeMap<&str, &Output> = BTreeMap::new();
    for output in outputs {
        match seen.get(output.name.text()) {
            Some(first) => problems.refuse_second("the output", &output.name, &first.name),
            None => {
                seen.insert(output.name.text(), output);
            }
        }
    }
}

/// `for_each` or `count`, not both.
pub(super) fn repeat(body: &Body, problems: &mut Problems) -> Option<Repeat> {
    match (body.attribute("for_each"), body.attribute("count")) {
        (Some(each), Some(count)) => {
            let diagnostic = Diagnostic::error("`for_each` and `count` cannot be used together")
                .at(count.name.place())
                .related(each.name.place(), "this says how many, too");
            problems.note(diagnostic);
            None
        }
        (Some(each), None) => Some(Repeat::ForEach(each.value.clone())),
        (None, Some(count)) => Some(Repeat::Count(count.value.clone())),
        (None, None) => None,
    }
}

/// `depends_on = [action.type.name, component.type.name]`
pub(super) fn depends_on(body: &Body, problems: &mut Problems) -> Vec<Expression> {
    let Some(attribute) = body.attribute("depends_on") else {
        return Vec::new();
    };
    const HELP: &str = "write `depends_on = [action.type.name]`";
    let Some(elements) = attribute.value.as_tuple() else {
        let diagnostic = Diagnostic::error("`depends_on` is a list of references")
            .at(attribute.value.place())
            .help(HELP);
        problems.note(diagnostic);
        return Vec::new();
    };
    let mut references = Vec::new();
    for element in elements {
        // One instance of several stands for all of them.
        let is_whole = element
            .references()
            .first()
            .is_some_and(|(reference, place)| {
                matches!(reference.root, "action" | "component")
                    && reference.steps.len() >= 2
                    && *place == element.place()
            });
        if is_whole {
            references.push(element);
        } else {
            let diagnostic = Diagnostic::error("this is no reference to an action or a component")
                .at(element.place())
                .help(HELP);
            problems.note(diagnostic);
        }
    }
    references
}
