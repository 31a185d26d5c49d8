//! What scenarios and components have in common: variables, locals, components, actions, outputs.

use std::collections::BTreeMap;
use std::path::PathBuf;

use tenon_hcl::{Attribute, Block, Body, Constraint, Diagnostic, Expression, Problems, Shape};
use tenon_values::{Type, Value};

use super::{Loader, action, component};
use crate::reading::model::{Assert, Module, Output, Repeat, Variable};

const LOCALS: Shape<0> = Shape::new("`locals`", []).any_attributes();
const VARIABLE: Shape<1> =
    Shape::new("a variable", ["name"]).optional(&["type", "default", "description", "sensitive"]);
const OUTPUT: Shape<1> = Shape::new("an output", ["name"])
    .required(&["value"])
    .optional(&["description", "sensitive"])
    .blocks(&["assert"]);
const ASSERT: Shape<0> = Shape::new("an assert", [])
    .required(&["condition"])
    .optional(&["message"]);

pub(super) fn module(
    body: &Body,
    folder: PathBuf,
    loader: &mut Loader,
    problems: &mut Problems,
) -> Module {
    let variables: Vec<Variable> = { body.blocks_of("variable") }
        .filter_map(|block| variable(block, problems))
        .collect();
    let names = variables.iter().map(|variable| [&variable.name]);
    problems.refuse_same("the variable", names);
    let outputs: Vec<Output> = { body.blocks_of("output") }
        .filter_map(|block| output(block, problems))
        .collect();
    let names = outputs.iter().map(|output| [&output.name]);
    problems.refuse_same("the output", names);
    let named = |variable: Variable| (variable.name.text().to_owned(), variable);
    Module {
        variables: variables.into_iter().map(named).collect(),
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
        problems.block(block, &LOCALS);
        all.extend(&block.body.attributes);
    }
    let names = all.iter().map(|attribute| [&attribute.name]);
    problems.refuse_same("the local value", names);
    let named = |attribute: &Attribute| (attribute.name.text().to_owned(), attribute.clone());
    all.into_iter().map(named).collect()
}

fn variable(block: &Block, problems: &mut Problems) -> Option<Variable> {
    let labels = problems.block(block, &VARIABLE);
    let body = &block.body;
    let is_sensitive = problems.flag(body, "sensitive");
    let constraint = match body.attribute("type") {
        Some(attribute) => constraint(&attribute.value, is_sensitive, problems)?,
        None => Type::Dynamic.into(),
    };
    Some(Variable {
        name: labels?[0].clone(),
        default: { body.attribute("default") }
            .and_then(|default| self::default(&default.value, &constraint, is_sensitive, problems)),
        ty: constraint.ty,
        type_defaults: constraint.defaults,
        description: problems.optional_text(body, "description"),
        is_sensitive,
    })
}

fn constraint(
    expression: &Expression,
    is_sensitive: bool,
    problems: &mut Problems,
) -> Option<Constraint> {
    let error = match Constraint::read(expression) {
        Ok(constraint) => return Some(constraint),
        Err(error) => error,
    };
    problems.note(match error.place {
        // A default in it may be part of the secret, and the line would show it.
        Some(place) if is_sensitive => {
            Diagnostic::error(format!("{}: {}", place.position(), error.summary))
        }
        place => Diagnostic { place, ..error },
    });
    None
}

fn default(
    expression: &Expression,
    constraint: &Constraint,
    is_sensitive: bool,
    problems: &mut Problems,
) -> Option<Value> {
    let value = problems.constant(expression, &Type::Dynamic)?;
    match constraint.convert(&value) {
        Ok(value) => Some(value),
        Err(error) => {
            let diagnostic = Diagnostic::error("the default does not fit the variable's type");
            let diagnostic = match is_sensitive {
                // The source line would show it.
                true => diagnostic.note(format!(
                    "{} must be a {}",
                    expression.place().position(),
                    constraint.ty.friendly()
                )),
                false => diagnostic.at(expression.place()).label(error.to_string()),
            };
            problems.note(diagnostic);
            None
        }
    }
}

fn output(block: &Block, problems: &mut Problems) -> Option<Output> {
    let labels = problems.block(block, &OUTPUT);
    let body = &block.body;
    let asserts = { body.blocks_of("assert") }
        .filter_map(|block| assert(block, problems))
        .collect();
    Some(Output {
        name: labels?[0].clone(),
        value: body.attribute("value")?.value.clone(),
        description: problems.optional_text(body, "description"),
        is_sensitive: problems.flag(body, "sensitive"),
        asserts,
    })
}

fn assert(block: &Block, problems: &mut Problems) -> Option<Assert> {
    problems.block(block, &ASSERT);
    let condition = block.body.attribute("condition")?;
    let message = block.body.attribute("message");
    Some(Assert {
        condition: condition.value.clone(),
        message: message.map(|message| message.value.clone()),
        place: block.header(),
    })
}

/// `for_each` or `count`, not both.
pub(super) fn repeat(body: &Body, problems: &mut Problems) -> Option<Repeat> {
    match (body.attribute("for_each"), body.attribute("count")) {
        (Some(each), Some(count)) => {
            let diagnostic = Diagnostic::error("`for_each` and `count` cannot be used together")
                .at(count.name.place())
                .related(each.name.place(), "this also sets the number of instances");
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
    let wrong = "`depends_on` is a list of references";
    let elements = { problems.list(&attribute.value, wrong, HELP) }.unwrap_or_default();
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
            let diagnostic =
                Diagnostic::error("this is not a reference to an action or a component")
                    .at(element.place())
                    .help(HELP);
            problems.note(diagnostic);
        }
    }
    references
}
