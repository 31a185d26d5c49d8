//! `component` blocks: the use of one, and the file of one.

use std::path::Path;
use std::sync::Arc;

use tenon_hcl::{Block, Body, Diagnostic, Expression, Name, Problems, Shape, did_you_mean};

use super::Loader;
use super::module::{self, depends_on, repeat};
use crate::reading::model::{Component, ComponentUse};

const USE: Shape<2> = Shape::new("a component", ["type", "name"])
    .required(&["source"])
    .optional(&["inputs", "for_each", "count", "depends_on"]);
const FILE: Shape<0> = Shape::new("a component file", []).blocks(&["component"]);
const PROVIDERS: &str = "providers belong to the scenario; its components use them, too";
const COMPONENT: Shape<1> = Shape::new("a component", ["name"])
    .optional(&["description"])
    .blocks(&["variable", "locals", "component", "action", "output"])
    .misplaced(&[("required_providers", PROVIDERS), ("provider", PROVIDERS)]);

pub(super) fn uses(
    body: &Body,
    folder: &Path,
    loader: &mut Loader,
    problems: &mut Problems,
) -> Vec<ComponentUse> {
    let blocks = body.blocks_of("component");
    let uses: Vec<ComponentUse> = { blocks }
        .filter_map(|block| component_use(block, folder, loader, problems))
        .collect();
    let names = uses
        .iter()
        .map(|component| [&component.kind, &component.name]);
    problems.refuse_same("the component", names);
    uses
}

fn component_use(
    block: &Block,
    folder: &Path,
    loader: &mut Loader,
    problems: &mut Problems,
) -> Option<ComponentUse> {
    let labels = problems.block(block, &USE);
    let body = &block.body;
    let source = body.attribute("source")?;
    let path = problems.text(&source.value, "the source")?;
    let path = folder.join(path);
    let component = loader.component(&path, source.value.place(), problems)?;
    let inputs = match body.attribute("inputs") {
        Some(attribute) => inputs(&attribute.value, &component, problems)?,
        None => Vec::new(),
    };
    let repeat = repeat(body, problems);
    let depends_on = depends_on(body, problems);
    let [kind, name] = labels?;
    if kind.text() != component.name.text() {
        let diagnostic = Diagnostic::error(format!(
            "the component in {} is called {:?}, not {:?}",
            component.file.display(),
            component.name.text(),
            kind.text()
        ))
        .at(kind.place())
        .related(component.name.place(), "its name");
        problems.note(diagnostic);
    }
    refuse_missing(&component, &inputs, block, problems);
    Some(ComponentUse {
        kind: kind.clone(),
        name: name.clone(),
        component,
        inputs,
        repeat,
        depends_on,
        place: block.header(),
    })
}

fn inputs(
    expression: &Expression,
    component: &Component,
    problems: &mut Problems,
) -> Option<Vec<(Name, Expression)>> {
    let wrong = "`inputs` must be written as an object";
    let form = "write `inputs = { name = value }`, with plain names";
    let entries = problems.object(expression, wrong, form)?;
    let variables = &component.module.variables;
    for (name, _) in &entries {
        if !variables.contains_key(name.text()) {
            let mut diagnostic = Diagnostic::error(format!(
                "the component {:?} has no variable {:?}",
                component.name.text(),
                name.text()
            ))
            .at(name.place());
            let names = variables.keys().map(String::as_str);
            diagnostic.help = did_you_mean(name.text(), names);
            problems.note(diagnostic);
        }
    }
    Some(entries)
}

fn refuse_missing(
    component: &Component,
    inputs: &[(Name, Expression)],
    block: &Block,
    problems: &mut Problems,
) {
    let variables = &component.module.variables;
    for (name, variable) in variables {
        // One whose name was misspelt has been reported.
        let is_given = inputs.iter().any(|(input, _)| {
            let is_unknown = !variables.contains_key(input.text());
            let meant = || tenon_text::nearest(input.text(), variables.keys().map(String::as_str));
            input.text() == name || is_unknown && meant() == Some(name)
        });
        if !is_given && variable.default.is_none() {
            let diagnostic = Diagnostic::error(format!("the input {name:?} is missing"))
                .at(block.header())
                .related(variable.name.place(), "it has no default")
                .help(format!("add `{name} = ...` to the `inputs`"));
            problems.note(diagnostic);
        }
    }
}

/// The one component of a component file.
pub(crate) fn component_file(
    body: &Body,
    file: &Path,
    loader: &mut Loader,
    problems: &mut Problems,
) -> Option<Arc<Component>> {
    problems.file(body, &FILE);
    let Some(block) = problems.only_block(body, "component") else {
        let diagnostic = Diagnostic::error(format!("there is no component in {}", file.display()))
            .help("a component file has one `component \"name\" { ... }`");
        problems.note(diagnostic);
        return None;
    };
    let labels = problems.block(block, &COMPONENT);
    let folder = file.parent().unwrap_or(Path::new("")).to_owned();
    let module = module::module(&block.body, folder, loader, problems);
    Some(Arc::new(Component {
        name: labels?[0].clone(),
        file: file.to_owned(),
        module,
    }))
}
